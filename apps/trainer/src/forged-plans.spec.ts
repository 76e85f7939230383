/** Plans and starts that an attacker who may write appends among honest ones: none is carried out or followed, each is reported. */

import { type EventOf, encodeEvent, TOPIC } from '@seamstream/events';
import { derivedId, Random, sha256 } from '@seamstream/kernel';
import { eventsOf, newWorld, openLog, type World } from '@seamstream/testing';
import {
  type PlanDoubt,
  plannedEvent,
  planOf,
  planRun,
  type RunConfiguration,
  type RunPlan,
  runMeta,
  startedEvent,
  TrainingHistoryReader,
} from '@seamstream/training-runs';
import { closeServices, consumed, digests, playRounds, publish, serve, undisturbed } from './trainer-world.fake.js';

afterEach(closeServices);

const SEED = 'forged plans/1';
const FORGED = 1_000;

type Forge = (honest: RunPlan, random: Random) => RunPlan;

const renamed = (plan: RunPlan): RunPlan => ({ ...plan, ...planRun(plan, ['forged']) });
const configured = (plan: RunPlan, changes: Partial<RunConfiguration>): RunPlan => ({
  ...plan,
  configuration: { ...plan.configuration, ...changes },
});
const windowOf = (plan: RunPlan) => plan.configuration.window!;
const further = (ranges: RunPlan['inputs'], by: number) => ranges.map((range) => ({ ...range, to: range.to + by }));

/** The doubt that is reported, and what was changed. All but the first three have the id that their content leads to. */
const KINDS: readonly (readonly [RegExp, Forge])[] = [
  [/^its content does not lead to its id/, (plan, random) => ({ ...plan, seed: `${random.int(1e9)}` })],
  [
    /^its content does not lead to its id/,
    (plan, random) => ({ ...plan, runId: derivedId(SEED, 'x', random.int(1e9)) }),
  ],
  [
    /^its content does not lead to its id/,
    (plan) => configured(plan, { algorithm: { ...plan.configuration.algorithm, batchSize: 1 } }),
  ],
  [
    /^it learns from .*, and the log ends at/,
    (plan, random) => renamed({ ...plan, inputs: further(plan.inputs, 10_000 + random.int(1e6)) }),
  ],
  [
    /^there is no window/,
    (plan, random) => renamed(configured(plan, { window: { ...windowOf(plan), index: 1_000 + random.int(1e6) } })),
  ],
  [/^window \d+ has a plan already/, (plan, random) => renamed({ ...plan, seed: `${random.int(1e9)}` })],
  [
    /^it builds on adapter e{64}, which was never served/,
    (plan, random) =>
      renamed({
        ...configured(plan, { window: null, servedAdapters: [null, 'e'.repeat(64)], reason: `${random.int(1e9)}` }),
        parentAdapter: 'e'.repeat(64),
      }),
  ],
  [
    /^level .* does not follow from comparison/,
    (plan, random) =>
      renamed(
        configured(plan, {
          window: null,
          reason: `${random.int(1e9)}`,
          promotion: {
            rule: 'better',
            risk: 0.05,
            look: 1,
            promoted: 0,
            level: 0.9,
            asked: {},
            portion: 1,
            most: 1,
            minProblems: 1,
          },
        }),
      ),
  ],
  [
    /^it reads buffer\/evil, and no version of the buffer is that/,
    (plan, random) =>
      renamed({
        ...configured(plan, { window: null }),
        manifests: [{ key: 'buffer/evil', digest: sha256(`${random.int(1e9)}`) }],
      }),
  ],
  [
    /^it learns from seam.problems\/0, which holds neither results nor experiences/,
    (plan, random) =>
      renamed({
        ...configured(plan, { window: null }),
        seed: `${random.int(1e9)}`,
        inputs: [{ topic: TOPIC.problems, partition: 0, from: 0, to: 0 }],
      }),
  ],
];

const planned = (plan: RunPlan): EventOf<'TrainingRunPlanned'> => ({
  type: 'TrainingRunPlanned',
  ...plannedEvent(plan, 'workers', runMeta(plan.runId, 'planned', 1)),
});
const started = (plan: RunPlan): EventOf<'TrainingRunStarted'> => ({
  type: 'TrainingRunStarted',
  ...startedEvent(plan, runMeta(plan.runId, 'started', 1)),
});

/** A world with one honest run, and its plan. */
async function afterOneRun(): Promise<{ readonly world: World; readonly honest: RunPlan }> {
  const world = newWorld();
  const service = await serve(world);
  await playRounds(world, 1);
  await service.close();
  return { world, honest: planOf((await eventsOf(world, 'TrainingRunPlanned'))[0]!) };
}

describe('a forged plan', () => {
  it('is not carried out, one of a thousand among honest ones, and each is reported', async () => {
    const { world, honest } = await afterOneRun();
    const random = Random.of(SEED);
    const expected = new Map<string, RegExp>();
    const forged = Array.from({ length: FORGED }, (_, at) => {
      const [told, forge] = KINDS[at % KINDS.length]!;
      const plan = forge(honest, random);
      // Of those under the honest run's own name only the record's content says what they are.
      if (plan.runId !== honest.runId) expected.set(plan.runId, told);
      return random.int(2) === 0 || !told.source.includes('lead to its id') ? planned(plan) : started(plan);
    });
    const log = await openLog(world);
    await log.append(random.shuffled(forged).map(encodeEvent));
    const told: PlanDoubt[] = [];
    const reader = new TrainingHistoryReader(log, { onDoubt: (doubt) => told.push(doubt) });
    await reader.read();
    const history = await reader.read();
    expect([...history.runs.keys()]).toEqual([honest.runId]);
    expect(history.lastWindow?.runId).toBe(honest.runId);
    expect(told).toHaveLength(FORGED);
    for (const { runId, reason } of told)
      expect(reason).toMatch(expected.get(runId) ?? /^its content does not lead to its id/);
    expect(new Set(told.map(({ runId }) => runId))).toEqual(new Set([honest.runId, ...expected.keys()]));
    // The loop continues as if they were not there.
    await serve(world);
    const [promoted] = await eventsOf(world, 'AdapterPromoted');
    await publish(world, 6, 12, { adapterDigest: promoted!.adapterDigest });
    await consumed(world);
    expect([...(await digests(world))].sort()).toEqual([...(await undisturbed(2))].sort());
    expect(await eventsOf(world, 'DeadLettered')).toHaveLength(0);
  });

  it('does not replace the plan of a run that an older release began', async () => {
    const { world, honest } = await afterOneRun();
    const [begun] = await eventsOf(world, 'TrainingRunStarted');
    const old = newWorld();
    await publish(old, 0, 6);
    const log = await openLog(old);
    const other = { ...honest, codeVersion: 'of another build' };
    await log.append([encodeEvent(begun!), encodeEvent({ ...planned(other), queue: 'theirs' })]);
    const run = (await new TrainingHistoryReader(log).read()).runs.get(honest.runId);
    expect(run).toMatchObject({ status: 'started', queue: null, plan: { codeVersion: honest.codeVersion } });
  });

  it('that comes as a start under a foreign id keeps no run from completing', async () => {
    const whole = await afterOneRun();
    const world = newWorld();
    await serve(world, { config: { roles: ['planner'] } });
    await publish(world, 0, 6);
    const log = await openLog(world);
    const [plan] = await (async () => {
      for (;;) {
        const plans = await eventsOf(world, 'TrainingRunPlanned');
        if (plans.length > 0) return plans;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const start = started(planOf(plan!));
    await log.append([encodeEvent({ ...start, meta: { ...start.meta, messageId: 'foreign' } })]);
    await serve(world, { config: { roles: ['worker'] } });
    await consumed(world);
    expect(await digests(world)).toEqual(await digests(whole.world));
    expect(await eventsOf(world, 'AdapterPromoted')).toHaveLength(1);
    expect((await new TrainingHistoryReader(log).read()).slots.get('generator')!.decisions).toMatchObject([
      { status: 'counted' },
    ]);
  });
});
