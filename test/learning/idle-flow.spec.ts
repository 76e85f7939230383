/**
 * A self-training in idle time over the services: it waits for the problems of others, and its writer is asked the passages that writers
 * before it learned from. Models, edits and trainings are real.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { Random } from '@seamstream/kernel';
import { drawPassage, question } from '@seamstream/passage-world';
import type { Environment } from '@seamstream/service-kit';
import { seamLines } from '../support/seam-command.js';
import { selfTrainingEnvironment } from '../support/self-training-world.js';
import { ServiceProcesses } from '../support/service-processes.js';

// Two services and a training per attempt, on a machine that may be busy.
jest.setTimeout(600_000);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const OLD = 2;

let folder: string;
let environment: Environment;
let services: ServiceProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-idle-'));
  environment = environmentIn(folder);
  services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  for (const [name, count] of Object.entries({ old: OLD, other: 1, validation: 1, idle: 1 }))
    await writeFile(join(folder, `${name}.jsonl`), people(name, count));
});
afterAll(async () => {
  await services.end();
  await rm(folder, { recursive: true, force: true });
});

it('a self-training in idle time waits for other problems, and its writer is compared on passages that earlier ones learned from', async () => {
  // 1. A first writer is promoted: what it explored are the old passages.
  services.startAll();
  const [first] = await start('old.jsonl', `passages=${OLD}`);
  expect(first!.iterations[0]!.run).toMatchObject({ status: 'promoted' });
  // 2. Another problem waits while nothing writes.
  expect(await services.end()).toEqual([0, 0]);
  await seam('publish', '--mode', 'explore', 'other.jsonl');
  services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  const ending = start('idle.jsonl', 'passages=1', 'idle.maxAttempts=100', 'idle.maxSeconds=9000', 'idle.mostCost=1');
  const hasPaused = async (): Promise<void> => {
    while (!(await pauses()).includes('work')) await pause(200);
  };
  // A start that fails ends the wait with its error.
  await Promise.race([hasPaused(), ending]);
  services.startAll();
  // 3. It works once that is answered, and says what it spent.
  const [idle] = await ending;
  expect(await pauses()).toEqual(['work', 'end']);
  expect(idle).toMatchObject({
    ended: 'done',
    idle: { spent: { attempts: expect.any(Number) }, pause: { reason: 'end' } },
  });
  expect(idle!.iterations[0]!.run!.reason).toContain('keeps old problems');
  const [{ runs }] = (await seam('runs', 'list')) as [Runs];
  expect(runs.map(({ evaluation }) => evaluation.retained?.problems)).toEqual([undefined, OLD]);
});

interface Runs {
  readonly runs: readonly { readonly evaluation: { readonly retained: { readonly problems: number } | null } }[];
}

interface Report {
  readonly iterations: readonly { readonly run: { readonly status: string; readonly reason: string } | null }[];
}

/** JSON lines: passages about one person each, with a question. */
function people(set: string, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const { passage, facts } = drawPassage('validation', Random.of('idle flow', set, index));
    const questions = facts.slice(0, 1).map((fact) => ({ question: question(fact), reference: fact.value }));
    return JSON.stringify({ passage, questions });
  });
  return `${lines.join('\n')}\n`;
}

function environmentIn(folder: string): Environment {
  const generator = pathOf('models/self-edits/generator-base');
  const executor = pathOf('models/self-edits/executor');
  return {
    ...selfTrainingEnvironment(folder),
    SEAM_GENERATOR_MODEL_FOLDER: generator,
    SEAM_GENERATOR_GROUP_SIZE: '2',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '96',
    SEAM_EXECUTOR_MODEL_FOLDER: executor,
    SEAM_TRAINER_MODEL_FOLDER: generator,
    SEAM_TRAINER_EXECUTOR_FOLDER: executor,
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '96',
  };
}

async function start(file: string, ...sets: readonly string[]): Promise<readonly Report[]> {
  const settings = ['iterations=1', 'algorithm.minimumGain=-1', ...sets];
  const args = settings.flatMap((each) => ['--set', each]);
  return (await seam('restem', 'start', file, '--preset', 'test', ...args)) as Report[];
}

/** Why it rested so far. */
async function pauses(): Promise<readonly string[]> {
  const events = (await seam('tail', 'training', '--from', 'earliest')) as {
    type: string;
    event: { reason: string };
  }[];
  return events.filter(({ type }) => type === 'SelfTrainingPaused').map(({ event }) => event.reason);
}

const seam = (...args: string[]): Promise<unknown[]> => seamLines(args, environment, folder);
