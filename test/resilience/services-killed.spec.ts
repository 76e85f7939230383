/** Four services, one log, kill -9: what comes out is what an undisturbed run gives. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { createServiceLogger, type Environment, loadConfig, openObjectStore } from '@seamstream/service-kit';
import { createTrainer, trainerConfigSchema } from '@seamstream/trainer';
import { eventsOf, ofType, type RecordedRun, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { SERVICES, ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const ROUNDS = 4;
const KILLS = 20;

interface Result extends RecordedRun {
  /** The newest adapter's run, done again from the log. */
  readonly verified: boolean;
  readonly complaints: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly solvedPerRound: readonly number[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Plays the rounds as the embedded loop does; `disturb` runs beside until it is told to stop. */
async function play(
  world: ToyWorld,
  disturb: (services: ServiceProcesses, signal: AbortSignal) => Promise<void>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'services-killed-'));
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const environment = toyEnvironment(world, folder);
  const services = new ServiceProcesses(environment);
  const ending = new AbortController();
  let exitCodes: readonly (number | null)[] = [];
  try {
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    services.startAll();
    const disturbance = disturb(services, ending.signal);
    for (let round = 1; round <= ROUNDS; round++) {
      const numbers = Array.from({ length: TOY_ROUND }, (_, index) => (round - 1) * TOY_ROUND + index);
      await log.append(numbers.map((number) => encodeEvent(toyPublication('problem', number))));
      const giveUp = Date.now() + 90_000;
      while (
        ofType(await eventsOf(log), 'AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed').length < round
      ) {
        if (Date.now() > giveUp)
          throw new Error(`round ${round} did not end within 90 s\n${services.complaints().join('\n')}`);
        await pause(100);
      }
    }
    ending.abort();
    await disturbance;
    // The buffer's and the trainer's last transactions may still be under way.
    await pause(500);
    exitCodes = await services.end();
    const verified = await verifyNewestAdapter(log, environment);
    const outcomes = ofType(await eventsOf(log), 'OutcomeRecorded');
    return {
      ...(await recordedRun(log)),
      verified,
      complaints: services.complaints(),
      exitCodes,
      solvedPerRound: Array.from({ length: ROUNDS }, (_, round) => {
        const ofRound = outcomes.filter(
          ({ problem, arm }) =>
            arm === 'explore' && Math.floor(Number(problem.problemId.split('-')[1]) / TOY_ROUND) === round,
        );
        return ofRound.filter(({ success }) => success).length / ofRound.length;
      }),
    };
  } finally {
    ending.abort();
    if (exitCodes.length === 0) await services.end();
    await log.close();
    await rm(folder, { recursive: true });
  }
}

async function verifyNewestAdapter(log: LmdbEventLog, environment: Environment): Promise<boolean> {
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
    const newest = ofType(await eventsOf(log), 'AdapterPublished').at(-1);
    return (await onDemand.verify(newest!.adapterDigest, new AbortController().signal)).matches;
  } finally {
    for (const close of closers) await close();
    await objects.close();
  }
}

describe('services that are killed', () => {
  let world: ToyWorld;
  let undisturbed: Result;
  beforeAll(async () => {
    world = await createToyWorld();
    undisturbed = await play(world, async () => undefined);
  }, 300_000);
  afterAll(() => rm(world.folder, { recursive: true }));

  it('left alone, they learn: more is solved in the last round than in the first, and all end orderly', () => {
    const { solvedPerRound, adapters, buffers, complaints, exitCodes } = undisturbed;
    expect(complaints).toEqual([]);
    expect(exitCodes).toEqual([0, 0, 0, 0]);
    expect(buffers).toHaveLength(ROUNDS);
    expect(adapters.length).toBeGreaterThan(0);
    expect(solvedPerRound.at(-1)).toBeGreaterThan(solvedPerRound[0]! + 0.2);
  });

  it('killed twenty times, all of them, they leave the same buffers, the same adapters and no effect twice', async () => {
    const kills: string[] = [];
    const random = Random.of('kills');
    const result = await play(world, async (services, signal) => {
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
    for (const kind of ['experiences', 'outcomes', 'admissions'] as const) {
      expect(repeatedIds(result[kind])).toEqual([]);
      expect([...result[kind]].sort()).toEqual([...undisturbed[kind]].sort());
    }
  }, 600_000);
});
