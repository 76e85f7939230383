/** The four services as processes of their own on one embedded log, to be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ToyWorld } from './toy-world.js';

export const SERVICES = ['generator', 'executor', 'buffer', 'trainer'] as const;
export type ServiceName = (typeof SERVICES)[number];

export const TOY_ROUND = 24;

export class ServiceProcesses {
  private readonly children = new Map<ServiceName, ChildProcess>();
  private readonly problems: string[] = [];
  private isEnding = false;

  constructor(
    private readonly world: ToyWorld,
    private readonly dataFolder: string,
  ) {}

  /** What services said that was worse than a warning, and how they ended without being asked to. */
  complaints(): readonly string[] {
    return this.problems;
  }

  startAll(): void {
    for (const name of SERVICES) this.start(name);
  }

  /** What every service is started with. */
  environment(): Record<string, string | undefined> {
    const { entrySchemas, generatorFolder, executorFolder, validationProblems } = this.world;
    const algorithm = { batchSize: 32, duration: { unit: 'steps', steps: 8 } };
    return {
      PATH: process.env.PATH,
      SEAM_DATA_FOLDER: this.dataFolder,
      SEAM_ENTRY_SCHEMAS: entrySchemas,
      SEAM_GENERATOR_MODEL_FOLDER: generatorFolder,
      SEAM_GENERATOR_GROUP_SIZE: '4',
      SEAM_GENERATOR_THREADS: '1',
      SEAM_GENERATOR_MAX_BATCH_RECORDS: '4',
      SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '40',
      SEAM_EXECUTOR_MODEL_FOLDER: executorFolder,
      SEAM_EXECUTOR_THREADS: '1',
      SEAM_EXECUTOR_MAX_TOKENS: '16',
      SEAM_EXECUTOR_MAX_BATCH_RECORDS: '16',
      SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(TOY_ROUND),
      SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: String(TOY_ROUND),
      SEAM_TRAINER_MODEL_FOLDER: generatorFolder,
      SEAM_TRAINER_EXECUTOR_FOLDER: executorFolder,
      SEAM_TRAINER_VALIDATION_PROBLEMS: validationProblems,
      SEAM_TRAINER_ENTRY_MAX_TOKENS: '40',
      SEAM_TRAINER_RESPONSE_MAX_TOKENS: '16',
      SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '2',
      SEAM_TRAINER_THREADS: '2',
      SEAM_TRAINER_ALGORITHMS: JSON.stringify({
        sft: { ...algorithm, minRows: 4, learningRate: { peak: 1e-2 } },
        grpo: { ...algorithm, learningRate: { peak: 3e-3 } },
      }),
    };
  }

  start(name: ServiceName): void {
    const main = fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: this.environment(),
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
