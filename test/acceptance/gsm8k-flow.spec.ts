/**
 * Other people's problems through all services: a file in GSM8K's own format, published with the command line, answered by
 * separate processes. The models are random, so nearly nothing is solved; what counts is that everything is accounted for.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { writeRandomModel } from '@seamstream/language-model/testing';

// Three services and a command per look at the ledger, on a machine that may be busy.
jest.setTimeout(240_000);

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const QUESTIONS = [
  [
    'A baker makes 12 rolls an hour for 3 hours and sells 30. How many rolls are left?',
    '12*3=<<12*3=36>>36\n36-30=6\n#### 6',
  ],
  ['Tom saves $5 a week. How many dollars has he saved after a year of 52 weeks?', '5*52=<<5*52=260>>260\n#### 260'],
  ['A hall has 40 rows of 30 seats. How many seats is that?', '40*30=<<40*30=1200>>1,200\n#### 1,200'],
  ['It was 4 degrees and fell by 9. What is the temperature now?', '4-9=<<4-9=-5>>-5\n#### -5'],
] as const;

interface Ledger {
  readonly published: number;
  readonly solved: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly inFlight: number;
  readonly balanced: boolean;
}

let folder: string;
let environment: NodeJS.ProcessEnv;
const services: ChildProcess[] = [];
const models: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-gsm8k-'));
  const generator = await writeRandomModel({ maxPositions: 1024 });
  const executor = await writeRandomModel({ maxPositions: 2048, layers: 1 });
  models.push(generator, executor);
  environment = {
    ...process.env,
    SEAM_DATA_FOLDER: join(folder, 'data'),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_GENERATOR_MODEL_FOLDER: generator,
    SEAM_GENERATOR_GROUP_SIZE: '2',
    SEAM_GENERATOR_THREADS: '1',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '200',
    SEAM_EXECUTOR_MODEL_FOLDER: executor,
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_EXECUTOR_MAX_TOKENS: '8',
    SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: '8',
  };
  for (const name of ['generator', 'executor', 'buffer']) {
    services.push(
      spawn(process.execPath, [pathOf(`apps/${name}/dist/main.js`)], { env: environment, stdio: 'inherit' }),
    );
  }
});

afterAll(async () => {
  for (const service of services) {
    if (service.exitCode !== null) continue;
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  for (const made of [folder, ...models]) await rm(made, { recursive: true, force: true });
});

async function seam(...args: string[]): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [pathOf('apps/cli/bin/seam.js'), ...args, '--json'], {
    env: environment,
    maxBuffer: 1 << 26,
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('GSM8K', () => {
  it('flows through all services as it is published, and the ledger balances', async () => {
    const file = join(folder, 'test.jsonl');
    const lines = Array.from({ length: 16 }, (_, index) => {
      const [question, answer] = QUESTIONS[index % QUESTIONS.length]!;
      return JSON.stringify({ question: `${question} (${index})`, answer });
    });
    await writeFile(file, `${lines.join('\n')}\n`);
    await seam('publish', '--dataset', 'gsm8k', file);

    let ledger: Ledger;
    do [ledger] = (await seam('ledger', '--check')) as [Ledger];
    while (ledger.inFlight > 0 && services.every(({ exitCode }) => exitCode === null));
    expect(ledger).toMatchObject({ published: 16, inFlight: 0, balanced: true });
    expect(ledger.solved + ledger.failed + ledger.deadLettered).toBe(16);

    const outcomes = (await seam('tail', 'outcomes', '--from', 'earliest')) as {
      type: string;
      event: { problem: { domain: string; reference: string }; arm: string; verifierDetail: string };
    }[];
    const judged = outcomes.filter(({ type }) => type === 'OutcomeRecorded');
    expect(judged.length).toBeGreaterThan(0);
    for (const { event } of judged) {
      expect(event.problem.domain).toBe('gsm8k');
      expect(['6', '260', '1200', '-5']).toContain(event.problem.reference);
      expect(event.verifierDetail).not.toBe('');
    }
  });
});

// The dataset itself is not part of the project: a folder with its train.jsonl and test.jsonl.
const published = process.env.SEAM_TEST_GSM8K ?? '';
const isThere = published !== '' && ['train.jsonl', 'test.jsonl'].every((name) => existsSync(join(published, name)));
if (!isThere) process.stderr.write('SKIPPED: GSM8K as published. Name its folder in SEAM_TEST_GSM8K.\n');

(isThere ? describe : describe.skip)('GSM8K as published', () => {
  it('is 7,473 and 1,319 problems that share none; a test set is found in itself', async () => {
    const [train, test] = ['train.jsonl', 'test.jsonl'].map((name) => join(published, name)) as [string, string];
    const options = ['--dataset', 'gsm8k', '--dry-run', '--against', test];
    expect(await seam('publish', ...options, train)).toMatchObject([
      {
        problems: 7473,
        duplicates: { across: { exact: 0, near: 0 }, within: { exact: 0, near: 1, conflictingAnswers: 0 } },
      },
    ]);
    await expect(seam('publish', ...options, test)).rejects.toThrow('came 1,319 that do; nothing was recorded');
    const parts = await Promise.all(
      ['train', 'validation', 'test'].map((part) =>
        seam('publish', '--dataset', 'gsm8k', '--dry-run', '--split', part, train),
      ),
    );
    // Fixed by the questions and the seed 0; shares of 0.9, 0.05 and 0.05.
    expect(parts.map(([report]) => (report as { problems: number }).problems)).toEqual([6710, 384, 379]);
  });
});
