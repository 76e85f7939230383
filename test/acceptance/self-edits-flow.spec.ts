/**
 * Self-edits through all services: passages published with the command line, edits written by the generator, each tried by a short training of
 * the executor. The generator knows nothing of edits and writes nonsense; the executor has to learn what the passage says all the same,
 * because the passage is trained on with every edit.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { seamLines } from '../support/seam-command.js';

// Two services, one of them killed, and a training per attempt, on a machine that may be busy.
jest.setTimeout(300_000);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const COLOURS = ['blue', 'red', 'green', 'white'];
const GROUP_SIZE = 2;

let folder: string;
let environment: NodeJS.ProcessEnv;
const services = new Map<string, ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-edits-'));
  environment = environmentIn(folder);
  for (const name of ['generator', 'executor']) start(name);
});
describe('passages with questions', () => {
  it('are learned by a short training on each edit, and forgotten; a killed executor loses and repeats nothing', async () => {
    const file = join(folder, 'passages.jsonl');
    const lines = Array.from({ length: 10 }, (_, house) => {
      const [colour, other] = [COLOURS[house % 4]!, COLOURS[(house + 1) % 4]!];
      const [walls, door] = [`Which colour has house ${house}?`, `Which colour has door ${house}?`];
      return JSON.stringify({
        passage: `Question: ${walls}\nAnswer: ${colour}\n\nQuestion: ${door}\nAnswer: ${other}`,
        questions: [
          { question: walls, reference: colour },
          { question: door, reference: other },
        ],
      });
    });
    await writeFile(file, `${lines.join('\n')}\n`);
    await seam('publish', '--mode', 'explore', file);

    while ((await outcomes()).length < 3) expect(allRun()).toBe(true);
    await kill('executor');
    start('executor');
    let ledger: { readonly inFlight: number };
    do [ledger] = (await seam('ledger', '--check')) as [{ inFlight: number }];
    while (ledger.inFlight > 0 && allRun());
    expect(ledger).toMatchObject({ published: 10, inFlight: 0, balanced: true, deadLettered: 0 });

    const judged = await outcomes();
    const [tried, controls] = [
      judged.filter(({ arm }) => arm === 'explore'),
      judged.filter(({ arm }) => arm === 'control'),
    ];
    expect(new Set(judged.map(({ experienceId }) => experienceId)).size).toBe(judged.length);
    expect(tried.length).toBe((10 - controls.length) * GROUP_SIZE);
    expect(controls.length).toBeGreaterThan(0);
    for (const { entry, response, executor } of tried) {
      expect(JSON.parse(entry!)).toEqual({ edit: expect.any(String) });
      expect(response).toMatch(/^1: .*\n2: .*$/);
      expect(executor.template).toMatch(/^inner-lora-update@[0-9a-f]{64}\//);
    }
    expect(controls.map(({ reward }) => reward)).toEqual(controls.map(() => 0));
    // The reward is how far the loss of the gold answers fell; what it follows from is recorded with it.
    expect(meanOf(tried.map(({ reward }) => reward))).toBeGreaterThan(0.3);
    for (const { reward, measurement } of judged) {
      expect(measurement).toMatchObject({ reward: 'validation-loss@1', form: 'continuous', earned: reward });
      expect(measurement!.threshold).toBe(measurement!.lossBefore);
      expect(reward).toBeCloseTo(Math.max(0, 1 - measurement!.lossAfter! / measurement!.lossBefore!), 9);
    }
  });
});

afterAll(async () => {
  for (const service of services.values()) {
    if (service.exitCode !== null) continue;
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

function environmentIn(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    SEAM_DATA_FOLDER: join(folder, 'data'),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_ENTRY_SCHEMAS: 'self-edit/facts',
    SEAM_GENERATOR_MODEL_FOLDER: pathOf('models/generator-base'),
    SEAM_GENERATOR_GROUP_SIZE: String(GROUP_SIZE),
    SEAM_GENERATOR_THREADS: '1',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '40',
    SEAM_GENERATOR_CONTROL_SHARE: '0.4',
    SEAM_EXECUTOR_MODEL_FOLDER: pathOf('models/executor'),
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_EXECUTOR_MAX_TOKENS: '8',
    SEAM_EXECUTOR_TEMPLATE: 'direct',
    SEAM_EXECUTOR_ENVIRONMENT: 'inner-lora-update',
    SEAM_EXECUTOR_REWARD_KIND: 'validation-loss',
    SEAM_EXECUTOR_REWARD_FORM: 'continuous',
    SEAM_EXECUTOR_INNER_UPDATE_RANK: '8',
    SEAM_EXECUTOR_INNER_UPDATE_ALPHA: '16',
    SEAM_EXECUTOR_INNER_UPDATE_LEARNING_RATE: '0.01',
    SEAM_EXECUTOR_INNER_UPDATE_EPOCHS: '40',
    SEAM_EXECUTOR_INNER_UPDATE_PLATEAU_PATIENCE: '0',
  };
}

interface Outcome {
  readonly type: string;
  readonly event: {
    readonly experienceId: string;
    readonly problem: { readonly problemId: string };
    readonly arm: string;
    readonly entry: string | null;
    readonly response: string;
    readonly reward: number;
    readonly executor: { readonly template: string };
    readonly measurement: {
      readonly threshold: number | null;
      readonly lossBefore: number | null;
      readonly lossAfter: number | null;
    } | null;
  };
}

function start(name: string): void {
  services.set(
    name,
    spawn(process.execPath, [pathOf(`apps/${name}/dist/main.js`)], { env: environment, stdio: 'inherit' }),
  );
}

async function kill(name: string): Promise<void> {
  const service = services.get(name)!;
  service.kill('SIGKILL');
  await once(service, 'exit');
}

function allRun(): boolean {
  return [...services.values()].every(({ exitCode }) => exitCode === null);
}

const seam = (...args: string[]): Promise<unknown[]> => seamLines(args, environment);

async function outcomes(): Promise<readonly Outcome['event'][]> {
  const told = (await seam('tail', 'outcomes', '--from', 'earliest')) as Outcome[];
  return told.filter(({ type }) => type === 'OutcomeRecorded').map(({ event }) => event);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
