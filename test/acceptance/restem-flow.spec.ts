/**
 * ReST-EM over the services: passages are explored by the present writer, what did best is imitated, and the log gives the writer again.
 * The generator knows nothing of edits and the executor learns a passage with any edit, so this is about the path and not about gains.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';

// Two services and a training per attempt, on a machine that may be busy.
jest.setTimeout(300_000);

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let folder: string;
let environment: NodeJS.ProcessEnv;
const services: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-restem-'));
  environment = environmentIn(folder);
  await writeFile(join(folder, 'train.jsonl'), passages(0, 8));
  await writeFile(environment.SEAM_TRAINER_VALIDATION_PROBLEMS!, passages(8, 10));
  for (const name of ['generator', 'executor'])
    services.push(
      spawn(process.execPath, [pathOf(`apps/${name}/dist/main.js`)], { env: environment, stdio: 'inherit' }),
    );
});

describe('seam train rest-em', () => {
  it('trains a writer on recorded self-edits, and the log gives the same writer again, each time', async () => {
    await seam('publish', '--mode', 'explore', join(folder, 'train.jsonl'));
    await settled();
    const [trained] = (await seam('train', 'rest-em')) as [Trained];
    expect(trained).toMatchObject({ status: 'promoted', adapterDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    for (let replay = 0; replay < 2; replay++) {
      const [verified] = await seam('replay', '--verify-adapter', trained.adapterDigest);
      expect(verified).toMatchObject({ equal: true, replayedDigest: trained.adapterDigest });
    }
  });
});

afterAll(async () => {
  for (const service of services) {
    if (service.exitCode !== null) continue;
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

interface Trained {
  readonly status: string;
  readonly adapterDigest: string;
}

/** Houses with a colour each. */
function passages(from: number, to: number): string {
  const colours = ['blue', 'red', 'green', 'white'];
  const lines = Array.from({ length: to - from }, (_, index) => {
    const [question, colour] = [`Which colour has house ${from + index}?`, colours[(from + index) % 4]!];
    return JSON.stringify({
      passage: `Question: ${question}\nAnswer: ${colour}`,
      questions: [{ question, reference: colour }],
    });
  });
  return `${lines.join('\n')}\n`;
}

function environmentIn(folder: string): NodeJS.ProcessEnv {
  const inner = {
    ENVIRONMENT: 'inner-lora-update',
    TEMPLATE: 'direct',
    INNER_UPDATE_RANK: '8',
    INNER_UPDATE_ALPHA: '16',
    INNER_UPDATE_LEARNING_RATE: '0.01',
    INNER_UPDATE_EPOCHS: '20',
    INNER_UPDATE_PLATEAU_PATIENCE: '0',
  };
  const named = (prefix: string): readonly (readonly [string, string])[] =>
    Object.entries(inner).map(([name, value]) => [`${prefix}_${name}`, value]);
  return {
    ...process.env,
    ...Object.fromEntries([...named('SEAM_EXECUTOR'), ...named('SEAM_TRAINER_EXECUTOR')]),
    SEAM_DATA_FOLDER: join(folder, 'data'),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_ENTRY_SCHEMAS: 'self-edit/facts',
    SEAM_GENERATOR_MODEL_FOLDER: pathOf('models/generator-base'),
    SEAM_GENERATOR_GROUP_SIZE: '3',
    SEAM_GENERATOR_THREADS: '1',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '40',
    SEAM_GENERATOR_CONTROL_SHARE: '0.2',
    SEAM_EXECUTOR_MODEL_FOLDER: pathOf('models/executor'),
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_EXECUTOR_MAX_TOKENS: '8',
    SEAM_TRAINER_MODEL_FOLDER: pathOf('models/generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: pathOf('models/executor'),
    SEAM_TRAINER_RESPONSE_MAX_TOKENS: '8',
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '40',
    SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, 'validation.jsonl'),
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    SEAM_TRAINER_ALGORITHMS: '{"rest-em":{"minExamples":1,"trainable":{"kind":"lora","rank":4,"alpha":8}}}',
  };
}

async function settled(): Promise<void> {
  let ledger: { readonly inFlight: number };
  do [ledger] = (await seam('ledger')) as [{ inFlight: number }];
  while (ledger.inFlight > 0 && services.every(({ exitCode }) => exitCode === null));
}

async function seam(...args: string[]): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [pathOf('apps/cli/bin/seam.js'), ...args, '--json'], {
    env: environment,
    maxBuffer: 1 << 26,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}
