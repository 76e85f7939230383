/**
 * Several processes decide on one release, in virtual time, and are killed, frozen and cut off at any point of it, while a person decides over them.
 * That one overtakes another as it records is rare here: libs/operations/src/release/decide-releases.spec.ts makes it happen.
 * RELEASE_SEEDS=1000 plays as many; a seed that fails fails again.
 */
import { InMemoryEventLog, InMemoryLogStorage } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent, TOPICS } from '@seamstream/events';
import { isSeamError, Random } from '@seamstream/kernel';
import { type InMemoryObjects } from '@seamstream/object-store';
import { overrideRelease, readReleases, recomputeReleases } from '@seamstream/operations/release';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { startService } from '@seamstream/service-kit';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf } from '@seamstream/testing';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import { trainerConfigSchema, trainerService } from '@seamstream/trainer';
import { Place } from '../support/simulation/place.js';
import { SimulatedProcess, type Surroundings } from '../support/simulation/simulated-process.js';
import { VirtualTime } from '../support/simulation/virtual-time.js';

const SEEDS = Array.from({ length: Number(process.env.RELEASE_SEEDS ?? 5) }, (_, at) => at + 1);

it(
  `${SEEDS.length} seeds of kills, freezes and lost calls: each stage is decided once, and its candidate promoted once`,
  async () => {
    let kills = 0;
    for (const seed of SEEDS) {
      const run = await simulate(seed, false);
      kills += run.kills;
      expect({ seed, ...run, kills: 0 }).toEqual({
        ...{ seed, kills: 0, ended: [], refused: 0, status: 'promoted' },
        decided: ['0 advanced', '1 advanced', '2 promoted'],
        promotions: 1,
        isMadeAgain: true,
      });
    }
    expect(kills).toBeGreaterThan(SEEDS.length * 10);
  },
  60_000 + SEEDS.length * 5_000,
);

it(
  'a person who decides at the same time is never contradicted: one of the two decides a stage, and nothing is refused',
  async () => {
    const ends = new Set<string>();
    for (const seed of SEEDS) {
      const { decided, refused, ended, promotions, status } = await simulate(seed, true);
      ends.add(status);
      expect({ seed, refused, ended }).toEqual({ seed, refused: 0, ended: [] });
      expect(new Set(decided.map((each) => each.split(' ')[0])).size).toBe(decided.length);
      expect({ seed, promotions }).toEqual({ seed, promotions: status === 'promoted' ? 1 : 0 });
    }
    expect(ends).toContain('rolled back');
  },
  60_000 + SEEDS.length * 5_000,
);

const CANDIDATE = 'c4'.repeat(32);
const RELEASE = 'release-1';
/** Problems that are tried at once: a few, since each process that starts again reads all that there are. */
const STEP = 12;
/** 1 January 2026. */
const START_MS = 1_767_225_600_000;
const PATIENCE_MS = 900_000;
const reading = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
const stages = [0.25, 0.25, 0.5].map((share) => ({ kind: 'canary', share, margin: 0.3, minProblems: 40 }));
const config = trainerConfigSchema.parse({
  ...{ logging: { level: 'silent' }, eventLog: { driver: 'memory' } },
  trainer: { roles: ['releaser'], releases: { lookEveryMs: 400 } },
});
const service = trainerService();

async function simulate(seed: number, withPerson: boolean) {
  const time = new VirtualTime(START_MS);
  const [storage, objects]: [InMemoryLogStorage, InMemoryObjects] = [new InMemoryLogStorage(), new Map()];
  const calm = { lostCalls: 0, lostAnswers: 0, latencyMs: 3 };
  const world: Surroundings = { time, storage, objects, weather: calm, trace: () => undefined, fenced: 0 };
  const log = new InMemoryEventLog({ storage, clock: { now: () => time.now } });
  await log.createTopics(TOPICS);
  const append = (events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));
  const [start, adapter, completed] = promotedByRun({ adapterDigest: CANDIDATE });
  await append([start, adapter, completed, evaluatedByPerson(CANDIDATE, evaluationOf(0.7))]);
  await append([
    releasePlanned({ releaseId: RELEASE, candidate: CANDIDATE, plan: { ...DEFAULT_RELEASE_PLAN, stages } }),
  ]);

  const random = Random.of('releases', seed);
  const newProcess = (name: string) => new SimulatedProcess(name, Random.of('process', seed, name), world);
  const worldOf = (of: InMemoryEventLog | SimulatedProcess['log']) => ({
    clock: { now: () => time.now },
    openLog: async () => of,
    openKeptLog: async () => ({ log: of, snapshots: null }),
    signing: async () => ({ key: null, trust: TRUST_ALL }),
  });
  const run = { isOver: false, kills: 0, ended: [] as string[] };
  const places = [0, 1, 2].map(
    (at) =>
      new Place(
        `releaser-${at}`,
        (own) => startService(service, { config, drivers: own, serveHttp: false, isOwnProcess: true }),
        newProcess,
      ),
  );
  const now = async () => (await readReleases({ log, snapshots: null }, reading)).releases[0]!.release;
  const storm = async (): Promise<void> => {
    while (!run.isOver) {
      const [lostCalls, lostAnswers] = [random.float() * 0.15, random.float() * 0.15];
      world.weather = { lostCalls, lostAnswers, latencyMs: [20, 300][random.int(2)]! };
      await time.sleep(random.int(1_500));
      const place = random.pick(places);
      if (random.float() < 0.6) {
        place.kill();
        run.kills++;
      } else void place.process?.freeze(12_000);
    }
  };
  const stream = async (): Promise<void> => {
    for (;;) {
      const { status, stage } = await now();
      if (status !== 'running') break;
      const { share } = stages[stage]!;
      const tried = { releaseId: RELEASE, stage, share };
      await append(triedProblems({ ...tried, isCandidate: true, solved: Math.round(STEP * share), failed: 0 }));
      await append(triedProblems({ ...tried, isCandidate: false, solved: 0, failed: Math.round(STEP * (1 - share)) }));
      await time.sleep(500 + random.int(2_000));
    }
    run.isOver = true;
    for (const place of places) place.kill();
  };
  const person = async (): Promise<void> => {
    const client = newProcess('person');
    await time.sleep(random.int(60_000));
    const act = { meant: RELEASE, end: random.pick(['rolled back', 'advanced'] as const), by: 'ada', reason: 'why' };
    for (let isSaid = false; !isSaid && !run.isOver; ) {
      isSaid = await overrideRelease(worldOf(client.log), act, reading).then(
        () => true,
        // Its stage is over, or the log does not answer: then it is said again, or not at all.
        (error: unknown) => isSeamError(error, 'CONFLICT'),
      );
      await time.sleep(100);
    }
  };
  time.install();
  try {
    const keeping = { isOver: () => run.isOver, sleep: (ms: number) => time.sleep(ms), ended: run.ended };
    for (const place of places) void place.keep(keeping);
    void storm();
    if (withPerson) void person();
    expect(await time.runWhile(stream(), START_MS + PATIENCE_MS)).toBe(true);
  } finally {
    run.isOver = true;
    time.uninstall();
  }
  const { releases, refused } = await readReleases({ log, snapshots: null }, reading);
  const decisions = await eventsOf(log, 'ReleaseDecided');
  const again = await recomputeReleases(worldOf(log), RELEASE, reading);
  return {
    ...{ kills: run.kills, ended: run.ended, refused: refused.length },
    status: releases[0]!.release.status,
    decided: decisions.map(({ stage, decision }) => `${stage} ${decision}`),
    promotions: (await eventsOf(log, 'AdapterPromoted')).length,
    isMadeAgain: again.every(({ isSame }) => isSame !== false),
  };
}
