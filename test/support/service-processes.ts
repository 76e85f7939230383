/** Services as separate processes on one log, to be killed, stopped and started again; on request a supervisor restarts what ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@seamstream/service-kit';

export const SERVICES = ['generator', 'executor', 'buffer', 'trainer'] as const;
export type ServiceName = (typeof SERVICES)[number];
/** A service's first process has its name; further ones are `generator-2`, `generator-3`, … */
export type InstanceName = ServiceName | `${ServiceName}-${number}`;

export interface ServiceProcessesOptions {
  /** Whether what ends without being asked to is started again, as a supervisor would; else that is a complaint. */
  readonly supervised?: boolean;
  /** What {@link ServiceProcesses.startAll} starts; the four services when absent. */
  readonly instances?: readonly InstanceName[];
  /** Arguments for node before the service's main file, by service. */
  readonly nodeArguments?: Partial<Readonly<Record<ServiceName, readonly string[]>>>;
}

/** All that services see of the environment of the tests: where programs are, where temporary files go, and where compiled modules lie. */
const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
const OF_THE_SUITE: Environment = {
  PATH,
  ...(TMPDIR === undefined ? {} : { TMPDIR }),
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
};

/** Wait of the supervisor before it starts again what ended by itself. */
const RESTART_AFTER_MS = 200;

export class ServiceProcesses {
  private readonly environment: Environment;
  private readonly options: ServiceProcessesOptions;
  private readonly children = new Map<InstanceName, ChildProcess>();
  private readonly problems: string[] = [];
  private readonly unasked: string[] = [];
  private readonly lines: string[] = [];
  private readonly readyMs: number[] = [];
  private readonly working = new Set<ChildProcess>();
  private isEnding = false;

  /** @param environment what every service is started with, besides the path */
  constructor(environment: Environment, options: ServiceProcessesOptions = {}) {
    this.environment = environment;
    this.options = options;
  }

  /** What services said that was worse than a warning, and how they ended without being asked to. */
  complaints(): readonly string[] {
    return this.problems;
  }

  /** How processes ended that the test did not end. */
  exits(): readonly string[] {
    return this.unasked;
  }

  /** Of every process that came so far: milliseconds from its start to its being at work. */
  startTimes(): readonly number[] {
    return this.readyMs;
  }

  /** Whether the process that has this name now said that it is at work. */
  isAtWork(name: InstanceName): boolean {
    const child = this.children.get(name);
    return child !== undefined && this.working.has(child);
  }

  /** All log lines that contain the text. */
  said(text: string): readonly string[] {
    return this.lines.filter((line) => line.includes(text));
  }

  /** The last lines that any of them logged, for the message of a test that waited in vain. */
  lastLines(count: number): readonly string[] {
    return this.lines.slice(-count);
  }

  /** Undefined when there is no such process (any more). */
  pidOf(name: InstanceName): number | undefined {
    return this.children.get(name)?.pid;
  }

  /** Where the service answers about its health; undefined while it is not at work. */
  urlOf(name: InstanceName): string | undefined {
    if (!this.isAtWork(name)) return undefined;
    const line = this.lines.findLast(
      (each) => each.startsWith(`${name}: `) && each.includes('"msg":"service started"'),
    );
    return (JSON.parse(line!.slice(name.length + 2)) as { readonly url: string }).url;
  }

  names(): readonly InstanceName[] {
    return [...this.children.keys()];
  }

  startAll(): void {
    for (const name of this.options.instances ?? SERVICES) this.start(name);
  }

  /** @param extra what this process is started with besides */
  start(name: InstanceName, extra: Environment = {}): void {
    const service = name.split('-')[0] as ServiceName;
    const main = fileURLToPath(new URL(`../../apps/${service}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [...(this.options.nodeArguments?.[service] ?? []), main], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...OF_THE_SUITE, ...this.environment, ...extra },
    });
    this.children.set(name, child);
    const startedMs = performance.now();
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        this.lines.push(`${name}: ${line}`);
        if (line.includes('"msg":"service started"')) {
          this.readyMs.push(performance.now() - startedMs);
          this.working.add(child);
        }
        if (!/"level":(10|20|30|40),/.test(line)) this.problems.push(`${name}: ${line}`);
      }
    });
    child.once('exit', (code, signal) => {
      this.working.delete(child);
      if (this.isEnding || signal === 'SIGKILL' || this.children.get(name) !== child) return;
      this.unasked.push(`${name} ended with ${code ?? signal}`);
      this.problems.push(`${name} ended with ${code ?? signal}`);
      if (this.options.supervised === true) {
        setTimeout(() => {
          if (!this.isEnding && this.children.get(name) === child) this.start(name, extra);
        }, RESTART_AFTER_MS);
      }
    });
  }

  /** Sends a signal to one process, which must not end it (SIGSTOP, SIGCONT). */
  signal(name: InstanceName, signal: NodeJS.Signals): void {
    this.children.get(name)?.kill(signal);
  }

  /** kill -9, and a new process in its place. */
  async killAndRestart(name: InstanceName): Promise<void> {
    await this.kill(name);
    this.start(name);
  }

  /** kill -9, and nothing in its place. */
  async kill(name: InstanceName): Promise<void> {
    await this.stop(name, 'SIGKILL');
    this.children.delete(name);
  }

  /** SIGTERM to one; resolves with its exit code. One that is not gone after the time is killed: null. */
  async terminate(name: InstanceName, withinMs: number): Promise<number | null> {
    const child = this.children.get(name);
    this.children.delete(name);
    if (child === undefined) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill('SIGTERM');
    const late = new AbortController();
    const killLate = pause(withinMs, undefined, { signal: late.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined, // it ended in time
    );
    const code = await ended;
    late.abort();
    await killLate;
    return code;
  }

  /** SIGTERM to all; resolves with the exit codes. */
  async end(): Promise<readonly (number | null)[]> {
    this.isEnding = true;
    return Promise.all([...this.children.keys()].map((name) => this.stop(name, 'SIGTERM')));
  }

  private stop(name: InstanceName, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.children.get(name);
    if (child === undefined) return Promise.resolve(null);
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return ended;
  }
}
