/** Four services, one log, kill -9: what comes out is what an undisturbed run gives. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventLog } from '@seamstream/event-log';
import { Random } from '@seamstream/kernel';
import { createServiceLogger, type Environment, loadConfig, openObjectStore } from '@seamstream/service-kit';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import { deploy } from '../support/deployment.js';
import { allEventsOf, ofType, repeatedIds } from '../support/recorded-run.js';
import { SERVICES } from '../support/service-processes.js';
import { playToyRun, type Scene, solvedPerRound, type ToyRun } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const ROUNDS = 4;
const KILLS = 20;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('services that are killed', () => {
  let world: ToyWorld;
  let undisturbed: Result;
  beforeAll(async () => {
    world = await createToyWorld();
    undisturbed = await play(world);
  }, 300_000);
  afterAll(() => rm(world.folder, { recursive: true }));

  it('left alone, they learn: more is solved in the last round than in the first, and all end orderly', () => {
    const { solved, adapters, buffers, complaints, exitCodes } = undisturbed;
    expect(complaints).toEqual([]);
    expect(exitCodes).toEqual([0, 0, 0, 0]);
    expect(buffers).toHaveLength(ROUNDS);
    expect(adapters.length).toBeGreaterThan(0);
    expect(solved.at(-1)).toBeGreaterThan(solved[0]! + 0.2);
  });

  it('R01: killed twenty times, all of them, they leave the same buffers, the same adapters and no effect twice', async () => {
    const kills: string[] = [];
    const random = Random.of('kills');
    const result = await play(world, async ({ services }, signal) => {
      const isOver = (): boolean => signal.aborted || kills.length === KILLS;
      while (!isOver()) {
        // Short enough that all kills fall into the rounds, also where rounds are quick.
        await pause(150 + random.int(500));
        const name = SERVICES[kills.length % SERVICES.length]!;
        if (isOver()) return;
        await services.killAndRestart(name);
        kills.push(name);
      }
    });
    expect(result.complaints).toEqual([]);
    expect(kills.length).toBe(KILLS);
    expect(result.buffers).toEqual(undisturbed.buffers);
    expect(result.adapters).toEqual(undisturbed.adapters);
    expect(result.ends).toEqual(undisturbed.ends);
    expect(result.deadLetters).toBe(0);
    expect(result.ledger).toEqual(undisturbed.ledger);
    expect(result.ledger).toMatchObject({ published: ROUNDS * TOY_ROUND, inFlight: 0, balanced: true });
    expect(result.verified).toBe(true);
    for (const kind of ['experiences', 'outcomes', 'admissions', 'rejections'] as const) {
      expect(repeatedIds(result[kind])).toEqual([]);
      expect([...result[kind]].sort()).toEqual([...undisturbed[kind]].sort());
    }
  }, 600_000);
});

interface Result extends ToyRun {
  /** The newest adapter's run, done again from the log. */
  readonly verified: boolean;
  readonly solved: readonly number[];
}

async function play(
  world: ToyWorld,
  disturb: (scene: Scene, signal: AbortSignal) => Promise<void> = async () => undefined,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'services-killed-'));
  const deployment = await deploy({ folder, environment: toyEnvironment(world, folder) });
  let verified = false;
  let solved: readonly number[] = [];
  try {
    const run = await playToyRun({
      deployment,
      goesOn: (round) => round <= ROUNDS,
      disturb,
      inspect: async (log) => {
        verified = await verifyNewestAdapter(log, deployment.environment);
        solved = await solvedPerRound(log, ROUNDS);
      },
    });
    return { ...run, verified, solved };
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}

async function verifyNewestAdapter(log: EventLog, environment: Environment): Promise<boolean> {
  const config = loadConfig(trainerConfigSchema, environment);
  const objects = await openObjectStore(config);
  const closers: (() => Promise<void>)[] = [];
  try {
    const { onDemand } = await createTrainer({
      config,
      drivers: { log, objects },
      logger: createServiceLogger('verification', 'silent'),
      onClose: (close) => closers.push(close),
    });
    const newest = ofType(await allEventsOf(log), 'AdapterPublished').at(-1);
    return (await onDemand.verify(newest!.adapterDigest, new AbortController().signal)).matches;
  } finally {
    for (const close of closers) await close();
    await objects.close();
  }
}
