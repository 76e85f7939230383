/** The releaser as a service: what a person planned is carried out by itself, by any number of processes, and across their restarts. */
import { encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { startService } from '@seamstream/service-kit';
import { eventsOf, type FlakyLog, newWorld, openLog, until, type World } from '@seamstream/testing';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import { startForTest } from '@seamstream/testing/services';
import { trainerConfigSchema, trainerService } from './app.module.js';

const CANDIDATE = 'c4'.repeat(32);
let world: World;
let log: FlakyLog;
beforeEach(async () => {
  world = newWorld();
  log = await openLog(world);
});

describe('a trainer with the role releaser', () => {
  it('takes a plan through its stages to the promotion, with another process at once and after a restart', async () => {
    await planned();
    const first = await serve();
    await serve();
    await results(0);
    await until(async () => (await decisions()).length === 1);
    await first.close();
    await results(1);
    await until(async () => (await decisions()).length === 2);
    await serve();
    await until(async () => (await eventsOf(log, 'AdapterPromoted')).length > 0);
    expect(await decisions()).toEqual(['0 advanced', '1 promoted']);
    expect(await eventsOf(log, 'AdapterPromoted')).toMatchObject([{ adapterDigest: CANDIDATE, promotedBy: 'ada' }]);
  });

  it('outlives a log that is away', async () => {
    await planned();
    await results(0);
    const own = await openLog(world);
    own.failAt = 1;
    await serve(own);
    await until(async () => (await decisions()).length === 1);
    expect(own.writes).toBeGreaterThan(1);
  });

  it('outlives what is no outage, a right that it lacks, and decides when it has it', async () => {
    await planned();
    await results(0);
    const own = await openLog(world);
    let refusals = 0;
    const watermarks = own.watermarks.bind(own);
    own.watermarks = async (topic) => {
      if (topic !== TOPIC.deadLetters || refusals === 3) return watermarks(topic);
      refusals++;
      throw new SeamError('INVALID_CONFIGURATION', 'Cannot read seam.dead-letters: this client may not.');
    };
    const service = await serve(own);
    let hasEnded = false;
    void service.ended.finally(() => (hasEnded = true));
    await until(async () => (await decisions()).length === 1);
    expect([refusals, hasEnded]).toEqual([3, false]);
  });

  it('reads no results while nothing is planned', async () => {
    const own = await openLog(world);
    await results(0);
    let looks = 0;
    const watermarks = own.watermarks.bind(own);
    own.watermarks = (topic) => {
      if (topic === TOPIC.adapters) looks++;
      return watermarks(topic);
    };
    await serve(own);
    await until(() => looks > 3);
    expect(own.readOf(TOPIC.outcomes)).toBe(0);
  });

  it.each([[['planner', 'worker']], [['releaser', 'worker']]])('is no process for one run, as %j', (roles) => {
    expect(() => trainerConfigSchema.parse({ trainer: { roles, takes: 'one-run' } })).toThrow(
      /does not end with a run/,
    );
  });

  it('does not start with a key that no reader would believe', async () => {
    const config = trainerConfigSchema.parse({
      ...configOf(),
      signatures: { unsigned: 'refused' },
    });
    const drivers = { log, objects: new InMemoryObjectStore() };
    await expect(startService(trainerService(), { config, drivers, serveHttp: false })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    });
  });
});

const configOf = () => ({
  ...{ logging: { level: 'silent' }, eventLog: { driver: 'memory' } },
  consuming: { firstRetryMs: 1, maxRetryMs: 5, shutdownGraceMs: 0 },
  trainer: { roles: ['releaser'], releases: { lookEveryMs: 20 } },
});

const serve = async (own?: FlakyLog) =>
  startForTest(trainerService(), {
    config: trainerConfigSchema.parse(configOf()),
    log: own ?? (await openLog(world)),
  });

const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));

async function planned(): Promise<void> {
  const [start, adapter, completed] = promotedByRun({ adapterDigest: CANDIDATE });
  const stages = [0.25, 0.5].map((share) => ({ kind: 'canary', share, margin: 0.2, minProblems: 40 }));
  await append(
    ...[start, adapter, completed, evaluatedByPerson(CANDIDATE, evaluationOf(0.7))],
    releasePlanned({ releaseId: 'r-1', candidate: CANDIDATE, plan: { ...DEFAULT_RELEASE_PLAN, stages } }),
  );
}

async function results(stage: number): Promise<void> {
  const share = [0.25, 0.5][stage]!;
  const facts = { releaseId: 'r-1', stage, share };
  await append(
    ...triedProblems({ ...facts, isCandidate: true, solved: Math.round(200 * share), failed: 0 }),
    ...triedProblems({ ...facts, isCandidate: false, solved: 0, failed: Math.round(200 * (1 - share)) }),
  );
}

const decisions = async (): Promise<string[]> =>
  (await eventsOf(log, 'ReleaseDecided')).map(({ stage, decision }) => `${stage} ${decision}`);
