/** The services as processes on the toy world, their trainer with PyTorch: one run that can be disturbed, and what it has to leave. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { sleep } from '@seamstream/kernel';
import { type Adapter, createAdapter, decodeAdapter, initialTensors, loadCheckpoint } from '@seamstream/language-model';
import type { Environment } from '@seamstream/service-kit';
import { differenceOf, engineIdentitySchema, isWithin } from '@seamstream/training-contract';
import { deploy } from '../support/deployment.js';
import { allEventsOf, ofType, repeatedIds } from '../support/recorded-run.js';
import { playToyRun, type Scene, type ToyRun } from '../support/toy-run.js';
import { TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

/** So many that each process can be killed while the program trains. */
const STEPS = 240;
const SAVED_EVERY = 20;
/** Each program that is started loads PyTorch, and a killed one is waited for. */
const ROUND_TIMEOUT_MS = 900_000;

export interface Played extends ToyRun {
  /** What the first run made. */
  readonly adapter: Adapter;
  readonly published: EventOf<'AdapterPublished'>;
  readonly completed: readonly string[];
  /** Steps of the checkpoints, in the order of the log. */
  readonly saved: readonly number[];
  readonly servedDigests: readonly (string | null)[];
}

export type Disturbance = (scene: Scene, signal: AbortSignal) => Promise<void>;

/** @param own what the trainer is started with besides */
export async function play(world: ToyWorld, own: Environment, rounds: number, disturb?: Disturbance): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'torch-in-the-loop-'));
  const deployment = await deploy({ folder, environment: { ...toyEnvironment(world, folder), ...learning, ...own } });
  try {
    let recorded: Omit<Played, keyof ToyRun> | undefined;
    const run = await playToyRun({
      deployment,
      goesOn: (round) => round <= rounds,
      roundTimeoutMs: ROUND_TIMEOUT_MS,
      ...(disturb === undefined ? {} : { disturb }),
      inspect: async (log) => {
        const events = await allEventsOf(log);
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

/** Kills one after the other, each after a checkpoint that is newer than what the one before left. */
export function killing(
  victims: Readonly<Record<string, (scene: Scene) => Promise<void>>>,
  killed: string[],
): Disturbance {
  return async (scene, signal) => {
    for (const [victim, kill] of Object.entries(victims)) {
      const before = await newestStep(scene.log);
      while ((await newestStep(scene.log)) === before) {
        if (signal.aborted) return;
        await sleep(50);
      }
      await kill(scene);
      killed.push(`${victim} after step ${await newestStep(scene.log)}`);
    }
  };
}

/** 0 before the first checkpoint. */
async function newestStep(log: EventLog): Promise<number> {
  const saved = ofType(await allEventsOf(log, [TOPIC.training]), 'TrainingRunCheckpointed');
  return Math.max(0, ...saved.map(({ step }) => step));
}

/** Nothing lost or twice, and the run says that PyTorch trained it, in so many processes. */
export function expectWhole(run: Played, rounds: number, processes: number): void {
  expect(run.ledger).toMatchObject({ published: rounds * TOY_ROUND, inFlight: 0, balanced: true });
  expect([run.deadLetters, repeatedIds(run.experiences), repeatedIds(run.outcomes)]).toEqual([0, [], []]);
  expect(run.completed).toHaveLength(rounds);
  expect(new Set(run.completed).size).toBe(rounds);
  expect(run.published.engine).toMatchObject({ name: 'torch', worldSize: processes });
  expect(run.ends.filter((end) => end.startsWith('AdapterPromoted'))).not.toEqual([]);
}

/** What was made is what the other run made, as far as the engine promises that. */
export async function expectWithin(world: ToyWorld, run: Played, right: Played): Promise<void> {
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

/** Each checkpoint was taken once and in order: each start resumed from the newest. */
export function expectResumed(run: Played): void {
  expect(run.saved).toEqual([...new Set(run.saved)].sort((a, b) => a - b));
  expect(run.saved.at(-1)).toBe(STEPS - SAVED_EVERY);
}
