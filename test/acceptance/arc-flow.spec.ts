/**
 * Tool configurations through all services, under the preset for ARC: tasks are generated, configurations written under their schema and
 * carried out by short trainings, their writer is trained and compared, and baselines without a writer are measured.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { readToolConfiguration } from '@seamstream/grid-tasks';
import type { Environment } from '@seamstream/service-kit';
import { seamLines } from '../support/seam-command.js';
import { ServiceProcesses } from '../support/service-processes.js';

// Two services and a training per attempt, on a machine that may be busy.
jest.setTimeout(600_000);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const TASKS = 3;
const GROUP_SIZE = 2;

let folder: string;
let environment: Environment;
let services: ServiceProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-arc-'));
  environment = environmentIn(folder);
  services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
});
afterAll(async () => {
  await services.end();
  await rm(folder, { recursive: true, force: true });
});

describe('tasks on grids', () => {
  it('are tried with configurations that are written under their schema, and their writer is trained', async () => {
    const small = ['--tasks', '1', '--max-side', '3'];
    await seam('arc', 'generate', '--out', 'train.jsonl', ...small, '--families', 'fill,count,rays');
    await seam('arc', 'generate', '--out', 'validation.jsonl', ...small, '--families', 'fill', '--seed', 'validation');
    services.startAll();
    // The best of each task is imitated, solved or not: what is learned so is not what this is about.
    const learning = ['keep=best', 'minimumGain=-1', 'minExamples=1', 'duration.epochs=1'].map(
      (each) => `algorithm.${each}`,
    );
    const settings = ['iterations=1', `passages=${TASKS}`, ...learning];
    const sets = settings.flatMap((each) => ['--set', each]);
    const [ended] = await seam('restem', 'start', 'train.jsonl', '--preset', 'few-shot-learning-arc', ...sets);
    const run = { status: 'promoted', adapter: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(ended).toMatchObject({ ended: 'done', iterations: [{ settled: TASKS, byOthers: 0, failed: 0, run }] });

    const judged = await outcomes();
    const [tried, controls] = ['explore', 'control'].map((arm) => judged.filter((each) => each.arm === arm));
    expect(tried!.length).toBe((TASKS - controls!.length) * GROUP_SIZE);
    for (const { entry, response, executor, reward } of tried!) {
      expect(readToolConfiguration(entry!).failure).toBeUndefined();
      expect(executor.template).toMatch(/^few-shot-lora-update@[0-9a-f]{64}$/);
      expect(response).toMatch(/^(Attempt 1:\n[0-9\n]+|No attempt: )/);
      expect([0, 1]).toContain(reward);
    }
    const [ledger] = await seam('ledger', '--check');
    expect(ledger).toMatchObject({ published: TASKS, inFlight: 0, balanced: true, deadLettered: 0 });
    const [report] = await seam('arc', 'report');
    expect(report).toMatchObject({
      attempts: judged.length,
      arms: { configured: { attempts: tried!.length }, inContext: { attempts: controls!.length } },
    });
  });

  it('are solved by a fixed configuration that the frozen model does not solve, as studies of controls measure it', async () => {
    await writeFile(join(folder, 'constant.jsonl'), [1, 2, 3, 4].map(constantTask).join(''));
    const rows = ['--adapter', 'base', '--candidates', '0', '--rows', 'noExperience,wrapperOnly'];
    const [study] = await seam('study', 'controls', 'constant.jsonl', ...rows);
    const { noExperience, wrapperOnly } = (study as { readonly rows: Readonly<Record<string, { successes: number }>> })
      .rows;
    expect(noExperience!.successes).toBe(0);
    expect(wrapperOnly!.successes).toBeGreaterThanOrEqual(2);
  });
});

/** The output is the same for all inputs of a task, which the frozen model does not see. */
function constantTask(number: number): string {
  const grid = (shown: number): number[][] =>
    [0, 1, 2].map((row) => [0, 1, 2].map((column) => (number * 7 + shown * 5 + row * 3 + column * shown) % 10));
  const output = [[number, number + 1, number]];
  const pairs = [1, 2, 3, 4].map((shown) => ({ input: grid(shown), output }));
  return `${JSON.stringify({ train: pairs.slice(0, 3), test: pairs.slice(3) })}\n`;
}

function environmentIn(folder: string): Environment {
  const ofExecutor = {
    FEW_SHOT_MAX_EXAMPLES: '18',
    FEW_SHOT_VIEWS: 'identity',
    FEW_SHOT_ORDERS: '1',
    FEW_SHOT_FIXED: JSON.stringify({
      data_generation: {
        use_basic_augmentations: false,
        use_size_augmentations: false,
        use_chain_augmentations: false,
        use_repeat_augmentations: false,
      },
      training: { strategy: 'train_using_output_tokens', learning_rate: 0.003, num_train_epochs: 10 },
    }),
    INNER_UPDATE_RANK: '16',
  };
  return {
    SEAM_PRESET: 'few-shot-learning-arc',
    SEAM_DATA_FOLDER: join(folder, 'data'),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_GENERATOR_MODEL_FOLDER: pathOf('models/grids/generator-base'),
    SEAM_GENERATOR_GROUP_SIZE: String(GROUP_SIZE),
    SEAM_GENERATOR_THREADS: '1',
    SEAM_EXECUTOR_MODEL_FOLDER: pathOf('models/grids/executor'),
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_EXECUTOR_MAX_TOKENS: '60',
    SEAM_TRAINER_MODEL_FOLDER: pathOf('models/grids/generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: pathOf('models/grids/executor'),
    SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, 'validation.jsonl'),
    SEAM_TRAINER_RESPONSE_MAX_TOKENS: '60',
    // One problem: that a writer is trained and compared is what this is about.
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    ...Object.fromEntries(
      Object.entries(ofExecutor).flatMap(([name, value]) => [
        [`SEAM_EXECUTOR_${name}`, value],
        [`SEAM_TRAINER_EXECUTOR_${name}`, value],
      ]),
    ),
  };
}

interface Outcome {
  readonly arm: string;
  readonly entry: string | null;
  readonly response: string;
  readonly reward: number;
  readonly executor: { readonly template: string };
}

async function outcomes(): Promise<readonly Outcome[]> {
  const read = (await seam('tail', 'outcomes', '--from', 'earliest')) as { type: string; event: Outcome }[];
  return read.filter(({ type }) => type === 'OutcomeRecorded').map(({ event }) => event);
}

const seam = (...args: string[]): Promise<unknown[]> => seamLines(args, environment, folder);
