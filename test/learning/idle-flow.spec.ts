/**
 * A self-training in idle time over the services: it waits for other people's problems, spends within its budget, and a writer whose training
 * went too far is not promoted, since with its edits old passages are answered worse. Models, edits and trainings are real.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { Random } from '@seamstream/kernel';
import { drawPassage, question } from '@seamstream/passage-world';
import type { Environment } from '@seamstream/service-kit';
import { ServiceProcesses } from '../support/service-processes.js';
import { selfTrainingEnvironment } from '../support/self-training-world.js';

// Two services and a training per attempt, on a machine that may be busy.
jest.setTimeout(300_000);

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const OLD = 8;

let folder: string;
let environment: Environment;
let services: ServiceProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-idle-'));
  environment = environmentIn(folder);
  services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  for (const [name, count] of Object.entries({ old: OLD, other: 1, validation: 1, idle: 2 }))
    await writeFile(join(folder, `${name}.jsonl`), people(name, count));
});
afterAll(async () => {
  await services.end();
  await rm(folder, { recursive: true, force: true });
});

it('a self-training in idle time waits for other problems, and promotes no writer with whose edits old passages are answered worse', async () => {
  // 1. A writer that hardly differs from the first one is promoted: what it explored are the old passages.
  services.startAll();
  const [first] = await start('old.jsonl', `passages=${OLD}`, 'algorithm.learningRate.peak=1e-6');
  expect(first!.iterations[0]!.run).toMatchObject({ status: 'promoted' });
  // 2. Another problem waits while nothing writes.
  expect(await services.end()).toEqual([0, 0]);
  await seam('publish', '--mode', 'explore', 'other.jsonl');
  services = new ServiceProcesses(environment, { instances: ['generator', 'executor'] });
  const idle = ['idle.maxAttempts=100', 'idle.maxSeconds=900', 'idle.mostCost=0.1'];
  const ending = start('idle.jsonl', 'passages=2', 'algorithm.learningRate.peak=0.1', ...idle);
  while (!(await pauses()).includes('work')) await pause(200);
  services.startAll();
  // 3. The new writer is compared on the old passages.
  const [report] = await ending;
  console.log(JSON.stringify(report, null, 1));
  console.log(await pauses());
  console.log(JSON.stringify(await seam('runs', 'list')).slice(0, 4000));
});

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
  const settings = ['iterations=1', 'algorithm.minimumGain=-1', 'algorithm.duration.epochs=8', ...sets];
  const args = settings.flatMap((each) => ['--set', each]);
  return (await seam('restem', 'start', file, '--preset', 'test', ...args)) as Report[];
}

/** Why it rested so far. */
async function pauses(): Promise<readonly string[]> {
  const events = (await seam('tail', 'training', '--from', 'earliest')) as { type: string; event: { reason: string } }[];
  return events.filter(({ type }) => type === 'SelfTrainingPaused').map(({ event }) => event.reason);
}

async function seam(...args: string[]): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [pathOf('apps/cli/bin/seam.js'), ...args, '--json'], {
    env: { PATH: process.env.PATH, ...environment },
    cwd: folder,
    maxBuffer: 1 << 26,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as unknown);
}
