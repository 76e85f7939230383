/** The four services as processes of their own on one embedded log, to be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@seamstream/service-kit';

export const SERVICES = ['generator', 'executor', 'buffer', 'trainer'] as const;
export type ServiceName = (typeof SERVICES)[number];

export class ServiceProcesses {
  private readonly children = new Map<ServiceName, ChildProcess>();
  private readonly problems: string[] = [];
  private isEnding = false;

  /** @param environment what every service is started with, beside the path */
  constructor(private readonly environment: Environment) {}

  /** What services said that was worse than a warning, and how they ended without being asked to. */
  complaints(): readonly string[] {
    return this.problems;
  }

  startAll(): void {
    for (const name of SERVICES) this.start(name);
  }

  start(name: ServiceName): void {
    const main = fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, ...this.environment },
    });
    this.children.set(name, child);
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        if (!/"level":(10|20|30|40),/.test(line)) this.problems.push(`${name}: ${line}`);
      }
    });
    child.once('exit', (code, signal) => {
      if (!this.isEnding && signal !== 'SIGKILL') this.problems.push(`${name} ended with ${code ?? signal}`);
    });
  }

  /** kill -9, and a new process in its place. */
  async killAndRestart(name: ServiceName): Promise<void> {
    await this.stop(name, 'SIGKILL');
    this.start(name);
  }

  /** SIGTERM to all; resolves with the exit codes. */
  async end(): Promise<readonly (number | null)[]> {
    this.isEnding = true;
    return Promise.all(SERVICES.map((name) => this.stop(name, 'SIGTERM')));
  }

  private stop(name: ServiceName, signal: NodeJS.Signals): Promise<number | null> {
    const child = this.children.get(name);
    if (child === undefined) return Promise.resolve(null);
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return ended;
  }
}
