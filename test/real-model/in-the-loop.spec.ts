/**
 * A real language model through everything: SmolLM2-135M-Instruct is generator, executor and base of training. What a random
 * checkpoint hides comes out here: real prompts, entries that read like English, answers that are sometimes right.
 *
 * Two kinds of problems: word problems in the form of GSM8K, which it hardly ever solves, and drawn tables of prices, of which it
 * reads the row that is asked for less than every second time, depending on the entry.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { smolLm2 } from '@seamstream/dev-servers';
import { DEFAULT_ENTRY_SCHEMA, parseEntry } from '@seamstream/experience';
import { priceTables } from '@seamstream/standalone';
import { ServiceProcesses } from '../support/service-processes.js';
import { fetched } from './fetched.js';

// Minutes on two quiet cores; what hangs ends nevertheless.
jest.setTimeout(3_600_000);

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Of four rows, and of a seed and words that no figure was chosen on (docs/experiments/LOG.md, 2026-11-27, tables of four rows). */
const TABLES = priceTables(pathOf('test/real-model/templates'), 4);
const SEED = 100;
const PUBLISHED = 10;
const QUESTIONS = [
  {
    question: 'A baker makes 12 rolls an hour for 3 hours and sells 30. How many rolls are left?',
    answer: '12*3=<<12*3=36>>36\n36-30=<<36-30=6>>6\n#### 6',
  },
  {
    question: 'Tom saves $5 a week. How many dollars has he saved after a year of 52 weeks?',
    answer: '5*52=<<5*52=260>>260\n#### 260',
  },
] as const;
const ENTRY_SCHEMAS: NonNullable<typeof TABLES.entrySchemas> = { ...TABLES.entrySchemas, gsm8k: DEFAULT_ENTRY_SCHEMA };

const model = await fetched('SmolLM2', smolLm2);
const begun = performance.now();
const say = (text: string): void => {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${text}\n`);
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-real-model-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ledger {
  readonly published: number;
  readonly solved: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly inFlight: number;
  readonly balanced: boolean;
}
interface Outcome {
  readonly problem: { readonly domain: string; readonly problemId: string };
  readonly arm: string;
  readonly success: boolean;
  readonly response: string;
  readonly groupId: string;
}
interface Experience {
  readonly problem: { readonly domain: string; readonly problemId: string };
  readonly entry: string;
  readonly adapterDigest: string | null;
}

(model === undefined ? describe.skip : describe)('SmolLM2 in the loop', () => {
  let services: ServiceProcesses;
  let environment: Record<string, string>;

  beforeAll(async () => {
    const schemas = join(folder, 'schemas.json');
    await writeFile(schemas, JSON.stringify(ENTRY_SCHEMAS));
    await writeFile(join(folder, 'validation.jsonl'), lines(TABLES.problems('validation', SEED, 2)));
    const executor = {
      MODEL_FOLDER: model!.folder,
      TEMPLATE: 'first-line',
      TEMPLATES_FOLDER: pathOf('test/real-model/templates'),
    };
    environment = {
      SEAM_DATA_FOLDER: join(folder, 'data'),
      SEAM_LOGGING_LEVEL: 'info',
      SEAM_ENTRY_SCHEMAS: schemas,
      SEAM_GENERATOR_MODEL_FOLDER: model!.folder,
      SEAM_GENERATOR_GROUP_SIZE: '4',
      SEAM_GENERATOR_CONTROL_SHARE: '0.1',
      SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '96',
      ...Object.fromEntries(Object.entries(executor).map(([name, value]) => [`SEAM_EXECUTOR_${name}`, value])),
      SEAM_EXECUTOR_MAX_TOKENS: '14',
      SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: '4',
      SEAM_TRAINER_MODEL_FOLDER: model!.folder,
      SEAM_TRAINER_EXECUTOR_FOLDER: model!.folder,
      SEAM_TRAINER_EXECUTOR_TEMPLATE: executor.TEMPLATE,
      SEAM_TRAINER_EXECUTOR_TEMPLATES_FOLDER: executor.TEMPLATES_FOLDER,
      SEAM_TRAINER_RESPONSE_MAX_TOKENS: '14',
      SEAM_TRAINER_ENTRY_MAX_TOKENS: '96',
      SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, 'validation.jsonl'),
      // Of two problems: whether an adapter is better is no question here, but that one is decided on and served.
      SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
      SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    };
    services = new ServiceProcesses(environment, { instances: ['generator', 'executor', 'buffer'] });
    services.startAll();
  });
  afterAll(() => services.end());

  const lines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  async function seam<T>(...args: string[]): Promise<T[]> {
    const { stdout } = await run(process.execPath, [pathOf('apps/cli/bin/seam.js'), ...args, '--json'], {
      env: { ...process.env, ...environment },
      maxBuffer: 1 << 28,
    });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  }

  async function publish(name: string, rows: readonly unknown[], ...options: string[]): Promise<void> {
    const file = join(folder, `${name}.jsonl`);
    await writeFile(file, lines(rows));
    await seam('publish', ...options, file);
  }

  /** Until everything that was published has an end. */
  async function settled(): Promise<Ledger> {
    for (;;) {
      const [ledger] = await seam<Ledger>('ledger');
      if (ledger!.inFlight === 0) return ledger!;
      expect(services.exits()).toEqual([]);
      await pause(10_000);
    }
  }

  const eventsOf = async <T>(topic: string, type: string): Promise<T[]> =>
    (await seam<{ type: string; event: T }>('tail', topic, '--from', 'earliest'))
      .filter((each) => each.type === type)
      .map(({ event }) => event);

  it('answers what is published; entries are valid, groups live, the ledger balances, and the buffer fills', async () => {
    await publish('tables', TABLES.problems('train', SEED, PUBLISHED));
    await publish('gsm8k', QUESTIONS, '--dataset', 'gsm8k');
    const ledger = await settled();
    expect(ledger).toMatchObject({ published: PUBLISHED + 2, deadLettered: 0, inFlight: 0, balanced: true });
    expect(ledger.solved + ledger.failed).toBe(PUBLISHED + 2);

    const experiences = await eventsOf<Experience>('experiences', 'ExperienceGenerated');
    expect(experiences.length).toBeGreaterThan(20);
    for (const { entry, problem } of experiences)
      expect(parseEntry(entry, ENTRY_SCHEMAS[problem.domain]!).text).toBe(entry);

    const explored = (await eventsOf<Outcome>('outcomes', 'OutcomeRecorded')).filter(({ arm }) => arm === 'explore');
    const ofTables = explored.filter(({ problem }) => problem.domain !== 'gsm8k');
    const solved = ofTables.filter(({ success }) => success).length / ofTables.length;
    say(`12 problems answered; tables solved with an entry: ${(100 * solved).toFixed(0)} % of ${ofTables.length}`);
    expect(solved).toBeGreaterThanOrEqual(0.2);
    expect(solved).toBeLessThanOrEqual(0.6);
    const groups = Map.groupBy(ofTables, ({ groupId }) => groupId);
    const living = [...groups.values()].filter((group) => new Set(group.map(({ success }) => success)).size === 2);
    expect(living.length).toBeGreaterThanOrEqual(2);
  });

  it('learns by GRPO and by SFT from its own log; what is decided on is served without a restart, and the log gives it again', async () => {
    const lora = 'trainable={"kind":"lora","rank":8,"alpha":16,"targetModules":["q_proj","v_proj"]}';
    const common = ['--set', lora, '--set', 'duration={"unit":"steps","steps":2}', '--set', 'batchSize=8'];
    const [grpo] = await seam<{ status: string; adapterDigest: string }>('train', 'grpo', ...common);
    expect(grpo).toMatchObject({ status: 'promoted' });
    const [sft] = await seam<{ status: string; adapterDigest: string }>(
      'train',
      'sft',
      ...common,
      '--set',
      'minRows=4',
    );
    expect(sft).toMatchObject({ status: 'promoted' });
    expect(sft!.adapterDigest).not.toBe(grpo!.adapterDigest);

    const later = TABLES.problems('heldOut', SEED, 3);
    await publish('after', later);
    expect(await settled()).toMatchObject({ published: PUBLISHED + 5, deadLettered: 0, balanced: true });
    const after = (await eventsOf<Experience>('experiences', 'ExperienceGenerated')).filter((experience) =>
      later.some(({ problemId }) => problemId === experience.problem.problemId),
    );
    expect(new Set(after.map(({ adapterDigest }) => adapterDigest))).toEqual(new Set([sft!.adapterDigest]));
    expect(services.complaints()).toEqual([]);

    for (const { adapterDigest } of [grpo!, sft!])
      expect(await seam('replay', '--verify-adapter', adapterDigest)).toMatchObject([{ equal: true }]);
    expect(await seam('replay', '--verify-buffer')).toMatchObject([{ equal: true }]);
  });
});
