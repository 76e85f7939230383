/**
 * Where a command speaks. Results go to stdout, everything else (progress, remarks, errors) to stderr; with --json
 * stdout holds JSON and nothing else. A command gets this instead of `process`, so that a spec can listen.
 */
import { jsonText } from '@seamstream/kernel';
import { type Progress, startProgress } from './progress.js';
import { type Style, styleFor } from './style.js';
import { fitted } from './text.js';

export interface Terminal {
  /** stdout is to hold JSON only. */
  readonly json: boolean;
  readonly style: Style;
  /** Lines of the screen; undefined where stdout is not one. */
  readonly rows: number | undefined;
  /** Text to stdout, as given, but for lines that are too long for a terminal. */
  print(text: string): void;
  /** One JSON value on a line of stdout. */
  printJson(value: unknown): void;
  /** Remark to stderr, a line break added. */
  remark(text: string): void;
  progress(label: string, total: number): Progress;
  /** Resolves once a slow reader of stdout has caught up. */
  drained(): Promise<void>;
}

/** A value as a line of JSON. */
export const jsonLine = (value: unknown): string => `${jsonText(value)}\n`;

export function processTerminal(options: {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly json: boolean;
}): Terminal {
  const { stdout, stderr, environment, json } = options;
  const style = styleFor(stdout.isTTY && !json, environment, stdout.columns);
  return {
    json,
    style,
    rows: stdout.isTTY && !json ? stdout.rows : undefined,
    print: (text) => void stdout.write(fitted(text, style.columns)),
    printJson: (value) => void stdout.write(jsonLine(value)),
    remark: (text) => void stderr.write(`${text}\n`),
    progress: (label, total) => startProgress(stderr, label, total),
    drained: () =>
      stdout.writableNeedDrain
        ? new Promise((resolve) => {
            const settle = (): void => {
              stdout.off('drain', settle);
              stdout.off('close', settle);
              resolve();
            };
            stdout.once('drain', settle);
            stdout.once('close', settle);
          })
        : Promise.resolve(),
  };
}
