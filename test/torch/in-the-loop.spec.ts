/**
 * The services as processes, their trainer with PyTorch under torchrun: a run is planned, trained, evaluated, promoted and served. Killed at
 * any of its processes by SIGKILL, it resumes, ends once, and makes the same within the tolerance that the engine states.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pythonWithTransformers } from '@seamstream/dev-servers';
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { sleep } from '@seamstream/kernel';
import { type Adapter, createAdapter, decodeAdapter, initialTensors, loadCheckpoint } from '@seamstream/language-model';
import type { Environment } from '@seamstream/service-kit';
import { differenceOf, engineIdentitySchema, isWithin } from '@seamstream/training-contract';
import { fetched } from '../real-model/fetched.js';
import { deploy } from '../support/deployment.js';
import { eventsOf, ofType, repeatedIds } from '../support/recorded-run.js';
import { playToyRun, type Scene, type ToyRun } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';
import { engineProcesses, torchEnvironment } from './torch-engine.js';

jest.setTimeout(1_800_000);

/** So many that each process can be killed while the program trains. */
const STEPS = 240;
const SAVED_EVERY = 20;

const needed = await fetched('transformers', pythonWithTransformers);
const python = needed!;

interface Played extends ToyRun {
  /** What the first run made. */
  readonly adapter: Adapter;
  readonly published: EventOf<'AdapterPublished'>;
  readonly completed: readonly string[];
  /** Steps of the checkpoints, in the order of the log. */
  readonly saved: readonly number[];
  readonly servedDigests: readonly (string | null)[];
}

type Disturbance = (scene: Scene, signal: AbortSignal) => Promise<void>;

let world: ToyWorld;
beforeAll(async () => (world = await createToyWorld()));
afterAll(() => rm(world.folder, { recursive: true }));

async function play(own: Environment, rounds: number, disturb?: Disturbance): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'torch-in-the-loop-'));
  const deployment = await deploy({ folder, environment: { ...toyEnvironment(world, folder), ...learning, ...own } });
  try {
    let recorded: Omit<Played, keyof ToyRun> | undefined;
    const run = await playToyRun({
      deployment,
      goesOn: (round) => round <= rounds,
      ...(disturb === undefined ? {} : { disturb }),
      inspect: async (log) => {
        const events = await eventsOf(log);
        const published = ofType(events, 'AdapterPublished')[0]!;
        const objects = await deployment.openObjects();
        const { adapterDigest } = published;
        const bytes = await objects.get(`adapters/${adapterDigest}/adapter.safetensors`);
        await objects.close();
        recorded = {
          published,
          adapter: decodeAdapter(bytes, { digest: adapterDigest }),
          completed: ofType(events, 'TrainingRunCompleted').map(({ runId }) => runId),
          saved: ofType(events, 'TrainingRunCheckpointed').map(({ step }) => step),
          servedDigests: ofType(events, 'ExperienceGenerated').map(({ adapterDigest: digest }) => digest),
        };
      },
    });
    return { ...run, ...recorded! };
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}

const learning: Environment = {
  SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: String(SAVED_EVERY),
  SEAM_TRAINER_LEASE_MS: '3000',
  SEAM_TRAINER_ALGORITHMS: JSON.stringify({
    sft: { batchSize: 8, duration: { unit: 'steps', steps: STEPS }, minRows: 4, learningRate: { peak: 1e-3 } },
    grpo: { batchSize: 8, duration: { unit: 'steps', steps: STEPS }, learningRate: { peak: 1e-3 } },
  }),
};

function onTorch(processes: number): Environment {
  return {
    ...torchEnvironment(python),
    SEAM_TRAINER_ENGINE: 'torch',
    SEAM_TRAINER_TORCH_COMMAND: `${python.command} -m torch.distributed.run --standalone`,
    SEAM_TRAINER_TORCH_PROCESSES: String(processes),
  };
}

const VICTIMS = ['a worker of torchrun', 'torchrun', 'the trainer'] as const;

/** Kills one after the other, each after a checkpoint that is newer than what the one before left. */
function killing(killed: string[]): Disturbance {
  return async ({ log, services }, signal) => {
    for (const victim of VICTIMS) {
      const before = await newestStep(log);
      while ((await newestStep(log)) === before) {
        if (signal.aborted) return;
        await sleep(50);
      }
      if (victim === 'the trainer') await services.killAndRestart('trainer');
      else {
        const processes = await engineProcesses(world.generatorFolder);
        process.kill(processes.find(({ isWorker }) => isWorker === (victim === VICTIMS[0]))!.pid, 'SIGKILL');
      }
      killed.push(`${victim} after step ${await newestStep(log)}`);
    }
  };
}

/** 0 before the first checkpoint. */
async function newestStep(log: EventLog): Promise<number> {
  const saved = ofType(await eventsOf(log, [TOPIC.training]), 'TrainingRunCheckpointed');
  return Math.max(0, ...saved.map(({ step }) => step));
}

function expectWhole(run: Played, rounds: number, processes: number): void {
  expect(run.ledger).toMatchObject({ published: rounds * TOY_ROUND, inFlight: 0, balanced: true });
  expect([run.deadLetters, repeatedIds(run.experiences), repeatedIds(run.outcomes)]).toEqual([0, [], []]);
  expect(run.completed).toHaveLength(rounds);
  expect(new Set(run.completed).size).toBe(rounds);
  expect(run.published.engine).toMatchObject({ name: 'torch', worldSize: processes });
  expect(run.ends.filter((end) => end.startsWith('AdapterPromoted'))).not.toEqual([]);
}

async function expectWithin(run: Played, right: Played): Promise<void> {
  const checkpoint = await loadCheckpoint(world.generatorFolder);
  const { settings } = run.adapter;
  const tensors = await initialTensors(checkpoint, settings);
  const start = createAdapter({ ...right.adapter, tensors });
  const difference = differenceOf(right.adapter, run.adapter, start);
  const { tolerance } = engineIdentitySchema.parse(run.published.engine);
  process.stderr.write(
    `weights ${difference.weights.toExponential(1)}, change ${difference.change.toExponential(1)}\n`,
  );
  expect([difference, isWithin(difference, tolerance!)]).toEqual([difference, true]);
}

(needed === undefined ? describe.skip : describe)('planned runs of the services, on PyTorch', () => {
  let right: Played;
  beforeAll(async () => (right = await play({}, 1)));

  it('are trained by two processes, evaluated and promoted, and the next round is written with what they made', async () => {
    const run = await play(onTorch(2), 2);
    expect([run.complaints, run.exitCodes]).toEqual([[], [0, 0, 0, 0]]);
    expectWhole(run, 2, 2);
    await expectWithin(run, right);
    expect(new Set(run.servedDigests)).toContain(run.published.adapterDigest);
  });

  it.each([1, 2])('resume with %i process(es) when any process is killed, and end once', async (processes) => {
    const killed: string[] = [];
    const run = await play(onTorch(processes), 1, killing(killed));
    process.stderr.write(`${processes} process(es): killed ${killed.join(', ')}\n`);
    expect(killed).toHaveLength(VICTIMS.length);
    // None is taken twice: each start resumes from the newest.
    expect(run.saved).toEqual([...new Set(run.saved)].sort((a, b) => a - b));
    expect(run.saved.at(-1)).toBe(STEPS - SAVED_EVERY);
    expectWhole(run, 1, processes);
    await expectWithin(run, right);
    expect(await engineProcesses(world.generatorFolder)).toEqual([]);
  });
});
