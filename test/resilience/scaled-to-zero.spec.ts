/** Each service is scaled to zero while there is work for it, and back: records wait in the log, and what comes out is what an undisturbed run gives. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { consumerLag } from '@seamstream/event-log';
import { GROUP, TOPIC } from '@seamstream/events';
import { deploy } from '../support/deployment.js';
import { repeatedIds } from '../support/recorded-run.js';
import { SERVICES } from '../support/service-processes.js';
import { playToyRun, type Scene, type ToyRun } from '../support/toy-run.js';
import { createToyWorld, TOY_ROUND, type ToyWorld, toyEnvironment } from '../support/toy-world.js';

const AT_LEAST_ROUNDS = 2;
/** Longest time in which a service ends by itself. */
const GRACE_MS = 30_000;
const CONSUMED = {
  generator: TOPIC.problems,
  executor: TOPIC.experiences,
  buffer: TOPIC.outcomes,
  trainer: TOPIC.outcomes,
};

interface Sleep {
  readonly exitCode: number | null;
  /** Records that arrived while no instance consumed them. */
  readonly behind: number;
}

describe('A service scaled to zero', () => {
  let world: ToyWorld;
  let disturbed: ToyRun;
  let undisturbed: ToyRun;
  const sleeps: Sleep[] = [];
  let areOver = false;

  const sleepInTurn = async ({ services, log }: Scene, signal: AbortSignal): Promise<void> => {
    const until = async (isReached: () => Promise<boolean>): Promise<void> => {
      while (!(await isReached())) await pause(20, undefined, { signal });
    };
    for (const name of SERVICES) {
      const behind = async (): Promise<number> =>
        [...(await consumerLag(log, GROUP[name], CONSUMED[name])).values()].reduce((sum, lag) => sum + lag, 0);
      await until(async () => services.isAtWork(name));
      const exitCode = await services.terminate(name, GRACE_MS);
      await until(async () => (await behind()) > 0);
      sleeps.push({ exitCode, behind: await behind() });
      services.start(name);
    }
    areOver = true;
  };

  const play = async (goesOn: (round: number) => boolean, disturb?: typeof sleepInTurn): Promise<ToyRun> => {
    const folder = await mkdtemp(join(tmpdir(), 'scaled-to-zero-'));
    const deployment = await deploy({ folder, environment: toyEnvironment(world, folder) });
    try {
      return await playToyRun({ deployment, goesOn, ...(disturb === undefined ? {} : { disturb }) });
    } finally {
      await deployment.close();
      await rm(folder, { recursive: true });
    }
  };

  beforeAll(async () => {
    world = await createToyWorld();
    // The last rounds are over while a service sleeps: further ones bring it work.
    disturbed = await play((round) => round <= AT_LEAST_ROUNDS || !areOver, sleepInTurn);
    undisturbed = await play((round) => round <= disturbed.rounds);
  }, 300_000);
  afterAll(() => rm(world.folder, { recursive: true }));

  it('ends when it is asked to, and work waits for it', () => {
    expect(sleeps.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    for (const { behind } of sleeps) expect(behind).toBeGreaterThan(0);
  });

  it('loses nothing and does nothing twice when it is back', () => {
    expect(disturbed.complaints).toEqual([]);
    expect(disturbed.ledger).toMatchObject({ published: disturbed.rounds * TOY_ROUND, inFlight: 0, balanced: true });
    expect(disturbed.ledger).toEqual(undisturbed.ledger);
    expect(disturbed.bufferDigests).toEqual(undisturbed.bufferDigests);
    expect(disturbed.adapterDigests).toEqual(undisturbed.adapterDigests);
    for (const kind of ['experiences', 'outcomes', 'admissions'] as const) {
      expect(repeatedIds(disturbed[kind])).toEqual([]);
      expect([...disturbed[kind]].sort()).toEqual([...undisturbed[kind]].sort());
    }
  });
});
