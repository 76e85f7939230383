/** A team is listed and shown as its records say, with the manifest that names its agents. */
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const ADAPTER = '56'.repeat(32);
const members = [{ agent: 'planner', slot: 'team/planner', adapterDigest: ADAPTER }];
const MANIFEST = Buffer.from(canonicalJson({ baseModelDigest: 'b', members }));
const TEAM = sha256(MANIFEST);
const KEY = `teams/${TEAM}/team.json`;
const FIGURES = {
  ...{ certificate: -30570, certificateGain: 0.2, certificateOccupancyShift: 30210 },
  ...{ certificateEstimatorBias: 0, certificateFiniteSample: 360, judgedApart: 1 },
};

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam team', () => {
  it('lists teams by slot, and shows agents, every pass and a certificate in words', async () => {
    await stage();
    const text = await said('show');
    expect(text).toContain(`team, served: ${TEAM.slice(0, 8)}`);
    expect(text).toMatch(/1 +planner +team\/planner +56565656/);
    expect(text).toMatch(/planner +0 +1 +taken back +0\.3000 +1\.4000 +0\.1500/);
    expect(text).toContain('gate at 0.05 nats');
    expect(text).toContain('certificate: vacuous: the bound is -30570');
    expect(text).toContain('rollouts judged by words-judge (fp_1), 2 verdicts; 1 rollout judged apart\n');
    expect(await said('list')).toMatch(new RegExp(`team +${TEAM.slice(0, 8)} +1 +0 +1 +0 +50.0 %`));
    const shown = JSON.parse(await said('show', '--json')) as Record<string, unknown>;
    expect(shown).toMatchObject({
      members,
      stages: [{ stage: 1, order: 'static', gate: { target: 0.05 }, certificate: { bound: -30570, isVacuous: true } }],
      acts: [{ act: 'promoted', adapterDigest: TEAM }],
    });
  });

  it('shows the agents of the last stage with their base models where no team is served', async () => {
    await stage(false);
    expect(await said('show')).toMatch(/1 +planner +team\/planner +base/);
  });

  it('shows which agent was swapped, and how near what joined is', async () => {
    await stage();
    const [started] = promotedByRun({
      ...{ adapterDigest: '5b'.repeat(32), slot: 'team', algorithm: 'swap-agent', runId: 'run-2' },
    });
    await world.log.append([started, { ...EXAMPLE_EVENTS.AgentSwapped, runId: 'run-2' }].map(encodeEvent));
    expect(await said('show')).toContain(
      'planner is now 57575757 with base; KL 0.4000 became 0.0090 of 0.01 nats after 6 passes',
    );
    expect(JSON.parse(await said('show', '--json'))).toMatchObject({
      stages: [{ runId: 'run-1' }],
      swaps: [{ runId: 'run-2', swapped: { agent: 'planner', replacedAdapterDigest: '56'.repeat(32) } }],
    });
  });

  it('says what successes may lose at most', async () => {
    await stage(true, { algorithm: { gate: { target: 1, mostLost: 2 } } });
    expect(await said('show')).toContain('gate at 1 nats, and successes lose 2 at most\n');
  });

  it('refuses a manifest that is another one, and a slot without a team', async () => {
    await stage();
    await world.objects.put(KEY, Buffer.from('{}'));
    expect(await world.seam('team', 'show')).not.toBe(0);
    expect(world.takeErrors()).toContain('expected its manifest');
    expect(await world.seam('team', 'show', 'other')).not.toBe(0);
    expect(world.takeErrors()).toContain('got none of those in the log (team)');
  });

  it('says how one is tuned where there is not one', async () => {
    expect(await said('list')).toContain('seam train sat-seq');
  });
});

async function said(...args: string[]): Promise<string> {
  world.takeOutput();
  expect(await world.seam('team', ...args)).toBe(0);
  return world.takeOutput();
}

/** A stage of a run, whose team it promotes or not. */
async function stage(isPromoted = true, configuration: unknown = { algorithm: {} }): Promise<void> {
  const [start, published, completed, promoted] = promotedByRun({
    ...{ adapterDigest: TEAM, key: KEY, slot: 'team', algorithm: 'sat-seq', runId: 'run-1' },
    configuration: JSON.stringify(configuration),
  });
  await world.objects.put(KEY, MANIFEST);
  const events: readonly SeamEvent[] = [
    ...[start, EXAMPLE_EVENTS.TeamBatchSampled, EXAMPLE_EVENTS.AgentUpdateTried, EXAMPLE_EVENTS.AgentUpdated],
    ...[published, { ...completed, metrics: FIGURES }],
    ...(isPromoted ? [promoted] : []),
  ];
  await world.log.append(events.map(encodeEvent));
}
