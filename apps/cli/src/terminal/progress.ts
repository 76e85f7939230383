import { count } from '@seamstream/kernel';

/** Progress of one long piece of work. Written to stderr, so that stdout holds results only. */
export interface Progress {
  advance(by?: number): void;
  /** Sets a value that is shown next to the bar, e.g. the loss. */
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
  if (stream.isTTY) return drawnBar(stream, label, total);
  let done = 0;
  let note = '';
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

/** Takes what long operations report, and shows a bar for each of their stages, one after the other. */
export interface StageProgress {
  /** @param done of `total` units of the stage; less than before begins it again */
  readonly show: (stage: string, done: number, total: number, note?: string) => void;
  readonly stop: () => void;
}

/** @param terminal begins a bar */
export function stageProgress(terminal: { progress(stage: string, total: number): Progress }): StageProgress {
  let bar = NO_PROGRESS;
  let current = '';
  let before = 0;
  return {
    show(stage, done, total, note) {
      if (total <= 0) return;
      if (stage !== current || done < before) {
        bar.stop();
        bar = terminal.progress(stage, total);
        current = stage;
        before = 0;
      }
      if (note !== undefined) bar.note(note);
      bar.advance(done - before);
      before = done;
    },
    stop: () => bar.stop(),
  };
}

/** The bar of a terminal. What draws it is loaded when there is something to draw. */
function drawnBar(stream: NodeJS.WriteStream, label: string, total: number): Progress {
  let [done, note] = [0, ''];
  let isStopped = false;
  let drawn: { readonly update: () => void; readonly stop: () => void } | undefined;
  void import('cli-progress').then(({ default: { MultiBar, Presets } }) => {
    if (isStopped) return;
    const format = `${label} {bar} {value}/{total}  {note}`;
    const bars = new MultiBar({ stream, hideCursor: true, clearOnComplete: false, format }, Presets.shades_classic);
    const bar = bars.create(total, done, { note });
    drawn = { update: () => bar.update(done, { note }), stop: () => bars.stop() };
  });
  return {
    advance(by = 1) {
      done = Math.min(total, done + by);
      drawn?.update();
    },
    note(text) {
      note = text;
      drawn?.update();
    },
    stop() {
      isStopped = true;
      drawn?.stop();
    },
  };
}
