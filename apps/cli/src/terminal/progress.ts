import { count } from '@seamstream/kernel';
import { MultiBar, Presets } from 'cli-progress';

/** Progress of one long piece of work. Written to stderr, so that stdout holds results only. */
export interface Progress {
  advance(by?: number): void;
  /** Sets a value that stands beside the bar, e.g. the loss. */
  note(text: string): void;
  stop(): void;
}

export const NO_PROGRESS: Progress = { advance: () => undefined, note: () => undefined, stop: () => undefined };

/**
 * The line that a log file gets when a tenth more of the work is done, or nothing.
 * @param done and `before` units of work, `total` > 0
 */
export function plainProgressLine(
  label: string,
  before: number,
  done: number,
  total: number,
  note: string,
): string | undefined {
  const tenth = (value: number): number => Math.floor((value * 10) / total);
  if (tenth(done) === tenth(before)) return undefined;
  return `${label}: ${count(done)} of ${count(total)} (${Math.floor((done * 100) / total)} %)${note === '' ? '' : `  ${note}`}\n`;
}

/** A bar on a terminal, a line per tenth elsewhere. Nothing at all for no work. */
export function startProgress(stream: NodeJS.WriteStream, label: string, total: number): Progress {
  if (total <= 0) return NO_PROGRESS;
  let done = 0;
  let note = '';
  if (!stream.isTTY) {
    return {
      advance(by = 1) {
        const before = done;
        done = Math.min(total, done + by);
        const line = plainProgressLine(label, before, done, total, note);
        if (line !== undefined) stream.write(line);
      },
      note(text) {
        note = text;
      },
      stop: () => undefined,
    };
  }
  const bars = new MultiBar(
    { stream, hideCursor: true, clearOnComplete: false, format: `${label} {bar} {value}/{total}  {note}` },
    Presets.shades_classic,
  );
  const bar = bars.create(total, 0, { note: '' });
  return {
    advance(by = 1) {
      done = Math.min(total, done + by);
      bar.update(done, { note });
    },
    note(text) {
      note = text;
      bar.update(done, { note });
    },
    stop() {
      bars.stop();
    },
  };
}
