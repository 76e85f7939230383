/** A program in a real pseudo terminal, and what a person would see of it: its bytes go through the emulator that VS Code's terminal is. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';

const PROGRAM = fileURLToPath(new URL('pseudo-terminal.py', import.meta.url));

export class PseudoTerminal {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly terminal;
  private readonly closed: Promise<unknown>;
  private written = '';

  /** Python 3 makes the terminal; Node has none. */
  constructor(
    columns: number,
    readonly rows: number,
    command: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 });
    this.child = spawn('python3', [PROGRAM, String(columns), String(rows), ...command], { env: environment });
    this.closed = once(this.child, 'close');
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.written += text;
        this.terminal.write(text);
      });
  }

  /** Everything that was written, escape sequences included. */
  get bytes(): string {
    return this.written;
  }

  /** What can be seen without scrolling; lines that the terminal wrapped are one. */
  async seen(): Promise<readonly string[]> {
    await new Promise<void>((resolve) => {
      this.terminal.write('', resolve);
    });
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let y = active.baseY; y < active.baseY + this.rows; y++) {
      const line = active.getLine(y);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped === true && lines.length > 0) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
    }
    return lines;
  }

  /** Waits until the screen shows a text. */
  async until(text: string): Promise<void> {
    while (!(await this.seen()).some((line) => line.includes(text))) {
      if (this.child.exitCode !== null)
        throw new Error(
          `the program ended with ${this.child.exitCode} and never showed "${text}":\n${this.written.slice(-3000)}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  press(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** The program's exit status. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
