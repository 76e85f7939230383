/** A folder with a log, say of a short run of the demonstration, the gateway over it as a separate process, and the command line next to it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, type SeamEvent, TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = join(ROOT, 'apps/standalone/bin/start.js');
const SEAM = join(ROOT, 'apps/cli/bin/seam.js');
const RUN = [
  '--exit',
  '--method',
  'experiences',
  '--round-size',
  '32',
  '--max-rounds',
  '2',
  '--max-shifted-rounds',
  '0',
  '--held-out',
  '8',
];
const LONGEST_START_MS = 120_000;

export class Demonstration {
  private process: ChildProcess | undefined;
  /** Where the gateway answers: the same address after a restart. */
  url = '';
  private port = 0;

  private constructor(readonly folder: string) {}

  /** A log that holds these records and no others. */
  static async of(events: readonly SeamEvent[]): Promise<Demonstration> {
    const whole = new Demonstration(await newFolder());
    await whole.append(events);
    return whole;
  }

  /** Runs two rounds, to their end. */
  static async run(): Promise<Demonstration> {
    const whole = new Demonstration(await newFolder());
    await promisify(execFile)(process.execPath, [START, ...RUN, '--data-dir', whole.folder], {
      env: whole.environment(),
      maxBuffer: 1 << 26,
    }).catch((error: unknown) => {
      // Two rounds are too few to converge, and that is what its status says.
      if ((error as { code?: unknown }).code !== 3) throw error;
    });
    return whole;
  }

  /** Records, as another process does. */
  async append(events: readonly SeamEvent[]): Promise<void> {
    const log = await LmdbEventLog.open({ folder: join(this.folder, 'log') });
    await log.createTopics(TOPICS);
    await log.append(events.map(encodeEvent));
    await log.close();
  }

  /** Starts the gateway over the folder. */
  async serve(): Promise<void> {
    const child = spawn(process.execPath, [START, '--no-drive', '--services', 'gateway', '--data-dir', this.folder], {
      env: this.environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process = child;
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      const timer = setTimeout(() => reject(notServed(said)), LONGEST_START_MS);
      child.once('exit', () => reject(notServed(said)));
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const found = /open (http:\/\/\S+)/.exec(said)?.[1];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(found);
      });
    });
    this.port = Number(new URL(this.url).port);
  }

  /** Ends the gateway as a machine that fails would. */
  async kill(): Promise<void> {
    const child = this.process;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    this.process = undefined;
  }

  /** What a command of `seam` prints with --json. */
  async seam<Answer>(...args: readonly string[]): Promise<Answer> {
    const all = ['--data-dir', this.folder, '--json', ...args];
    const { stdout } = await promisify(execFile)(process.execPath, [SEAM, ...all], {
      env: this.environment(),
      maxBuffer: 1 << 28,
    }).catch((error: unknown) => {
      // A command that found something says so with its status.
      const { stdout: said } = error as { stdout?: string };
      if (said === undefined || said === '') throw error;
      return { stdout: said };
    });
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as Answer;
  }

  /** What the read API answers. */
  async view<Answer>(path: string): Promise<Answer> {
    return (await (await fetch(`${this.url}/api/views/${path}`)).json()) as Answer;
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private environment(): NodeJS.ProcessEnv {
    const { PATH, HOME, TMPDIR } = process.env;
    return { PATH, HOME, TMPDIR, SEAM_GATEWAY_PORT: String(this.port) };
  }
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'seam-dashboard-'));

function notServed(said: string): SeamError {
  return new SeamError('INTERNAL', `Cannot serve the dashboard: expected its address, got:\n${said.slice(-2000)}`);
}
