import { InMemoryEventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, type SeamEvent, TOPICS } from '@seamstream/events';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { published, recorded, withheld } from '@seamstream/testing/log-of';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import fc from 'fast-check';
import { readLedger, readLift } from '../read-models/index.js';
import { readReleases } from '../release/index.js';
import { DashboardReader } from './dashboard-reader.js';
import { LOOP_METRICS, MOST_DOMAINS } from './loop-metrics.js';

describe('the metrics of the loop', () => {
  it('have the figures that commands print: lift with both ends, in all and by domain, and the ledger', async () => {
    const log = await logOf(['metals', 'words'].flatMap((domain) => bothArms(domain, 6)));
    const { modes } = (await readLift({ log, snapshots: null }, quiet)).answer;
    const [{ lift, domains }] = modes as [(typeof modes)[number]];
    const of = await metricsOf(log);
    const ends = { estimate: lift!.value, lower: lift!.interval95[0], upper: lift!.interval95[1] };
    for (const [end, value] of Object.entries(ends)) expect(of(`seam_lift_${end}`)).toEqual({ explore: value });
    expect(of('seam_domain_lift_upper')).toEqual(
      Object.fromEntries(domains.map((each) => [`explore ${each.domain}`, each.lift!.interval95[1]])),
    );
    const { answer: ledger } = await readLedger({ log, snapshots: null }, quiet);
    expect(of('seam_problems')).toMatchObject({ solved: ledger.solved, failed: ledger.failed, in_flight: 0 });
    expect(of('seam_ledger_balanced')).toEqual({ '': 1 });
    expect(of('seam_topic_offset')).toMatchObject({ 'seam.problems': 24, 'seam.outcomes': 24 });
  });

  it('say that the ledger does not balance', async () => {
    const of = await metricsOf(await logOf([recorded('never-published', true)]));
    expect([of('seam_ledger_balanced'), of('seam_orphaned_problems')]).toEqual([{ '': 0 }, { '': 1 }]);
  });

  it('show both doubts about an experiment: from 1 on as the check alarms', async () => {
    const lost = Array.from({ length: 60 }, (_, i) => drawn(published(`p${i}`), 0.5));
    const of = await metricsOf(await logOf([...lost, ...lost.map((_, i) => recorded(`p${i}`, true))]));
    expect(of('seam_experiment_doubt_ratio')['explore shares']).toBeGreaterThan(1);
    expect(of('seam_experiment_doubt_ratio')['explore verdicts']).toBeLessThan(1);
  });

  it('show the evidence of a release as a fraction of what is needed, its interval, and how much of its horizon is used', async () => {
    const [candidate, releaseId] = ['c4'.repeat(32), 'abcd-release'];
    const [start, adapter, completed] = promotedByRun({ adapterDigest: candidate });
    const stages = [{ kind: 'canary', share: 0.25, margin: 0.1, minProblems: 40 }];
    const plan = { ...DEFAULT_RELEASE_PLAN, horizon: 400, stages };
    const log = await logOf([
      ...[start, adapter, completed, evaluatedByPerson(candidate, evaluationOf(0.7))],
      releasePlanned({ releaseId, candidate, plan }),
      ...triedProblems({ releaseId, isCandidate: true, solved: 1, failed: 9 }),
      ...triedProblems({ releaseId, isCandidate: false, solved: 18, failed: 12 }),
    ]);
    const [{ now, stages: told }] = (await readReleases({ log, snapshots: null }, quiet)).releases as never as [
      { now: { figures: { harm: number } }; stages: [{ estimate: { interval: [number, number] } }] },
    ];
    const of = await metricsOf(log);
    expect(of('seam_release_evidence_ratio')['generator harm']).toBeCloseTo(now.figures.harm / Math.log(40), 12);
    const [low, high] = told[0].estimate.interval;
    expect(of('seam_release_interval_width')).toEqual({ generator: high - low });
    expect(of('seam_release_planned_width')).toEqual({ generator: 0.2 });
    expect(of('seam_release_horizon_used_ratio')).toEqual({ generator: 0.1 });
    expect(of('seam_releases')).toMatchObject({ running: 1, promoted: 0 });
  });

  it('have no more series for any number of domains and problems, and show no text of theirs as it is', async () => {
    const few = await seriesOf(await logOf(many(MOST_DOMAINS, 1)));
    const flood = await seriesOf(await logOf([...many(MOST_DOMAINS, 1), ...many(300, 2)]));
    expect(flood.map(({ series }) => series)).toEqual(few.map(({ series }) => series));
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 200, unit: 'binary', size: 'max' }), async (name) => {
        const series = await seriesOf(await logOf([...bothArms(name, 2)]));
        for (const { value } of series.flatMap(({ labels }) => labels)) {
          expect(value.length).toBeLessThanOrEqual(64);
          expect(value).not.toMatch(/[\n\r\u2028]/);
          expect(value).not.toMatch(/^(?:p|g|x)-/);
        }
      }),
      { numRuns: 25 },
    );
  });
});

const quiet = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};

async function logOf(events: readonly SeamEvent[]): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  await log.append(events.map(encodeEvent));
  return log;
}

/** Treated problems of a domain, most of them solved, and as many controls, most of them not. */
function bothArms(domain: string, count: number): readonly SeamEvent[] {
  return Array.from({ length: count }, (_, i): SeamEvent[] => {
    const [treated, control] = [`p-${domain}-t${i}`, `p-${domain}-c${i}`];
    return [
      ...[inDomain(treated, domain), recorded(treated, i > 0, { domain })],
      ...[inDomain(control, domain), withheld(control), recorded(control, i === 0, { domain, arm: 'control' })],
    ];
  }).flat();
}

function inDomain(problemId: string, domain: string): SeamEvent {
  const event = published(problemId) as EventOf<'ProblemPublished'>;
  return { ...event, problem: { ...event.problem, domain } };
}

const many = (count: number, round: number): readonly SeamEvent[] =>
  Array.from({ length: count }, (_, i) => bothArms(`domain-${round}-${i}`, 1)).flat();

const drawn = (event: SeamEvent, controlShare: number): SeamEvent => ({
  ...(event as EventOf<'ProblemPublished'>),
  assignment: { experiment: 'e', controlShare, unit: event.meta.correlationId },
});

async function facts(log: InMemoryEventLog) {
  const reader = new DashboardReader({ log, snapshots: null });
  await reader.refresh(quiet);
  const loop = reader.loop();
  await reader.close();
  return loop;
}

/** Of each metric its values by their labels. */
async function metricsOf(log: InMemoryEventLog): Promise<(name: string) => Readonly<Record<string, number>>> {
  const loop = await facts(log);
  return (name) =>
    Object.fromEntries(
      LOOP_METRICS.find((each) => each.name === name)!
        .samples(loop)
        .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
    );
}

async function seriesOf(log: InMemoryEventLog) {
  const loop = await facts(log);
  return LOOP_METRICS.map(({ name, samples }) => {
    const all = samples(loop);
    const labels = all.flatMap((each) => Object.entries(each.labels).map(([label, value]) => ({ label, value })));
    return { name, series: `${name} ${all.length}`, labels };
  });
}
