/** What a gateway shows of itself and of the loop, after a log in which something of everything happened that has a metric. */
import { type Finding, findingMetrics } from '@seamstream/doctor';
import { type EventOf, encodeEvent, type SeamEvent } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { issueKey } from '@seamstream/operations/access';
import { declarePrice, declareQuota } from '@seamstream/operations/quotas';
import { DEFAULT_RELEASE_PLAN } from '@seamstream/release';
import { SignedEventLog, TRUST_ALL } from '@seamstream/signatures';
import { EXAMPLE_EVENTS, type FlakyLog, openLog } from '@seamstream/testing';
import { deadLettered, generated, published, recorded, withheld } from '@seamstream/testing/log-of';
import { chatCompletion } from '@seamstream/testing/model-server';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import { runCheckpointed, runFailed, runStarted } from '@seamstream/testing/training-log';
import { AUDIENCE, FakeIssuer } from '../../apps/gateway/src/access/issuer.fake.js';
import { startGateway } from '../../apps/gateway/src/gateway.fake.js';

export interface Shown {
  /** As a scraper gets it. */
  readonly text: string;
  /** Every metric that is registered. */
  readonly metrics: readonly { readonly name: string; readonly type: string; readonly labelNames: readonly string[] }[];
}

export async function gatewayMetrics(): Promise<Shown> {
  const log = await openLog();
  const { key } = await issueKey(log, { name: 'a', role: 'publisher', by: 'ada', expiresAt: null }, systemClock);
  await declareQuota(
    log,
    {
      ...{ keyId: '*', measure: 'requests', per: 'day', limit: 10 },
      mode: 'enforced',
      declaredBy: 'ada',
      reason: 'first',
    },
    systemClock,
  );
  await declarePrice(
    log,
    {
      ...{ model: 'tiny', currency: 'EUR', promptPerMillion: 1_000_000, completionPerMillion: 2_000_000 },
      ...{ cachedPromptPerMillion: null, validFrom: 0, declaredBy: 'ada', reason: 'first' },
    },
    systemClock,
  );
  await log.append(HISTORY.map(encodeEvent));
  const body = chatCompletion('Four.', { promptTokens: 40, responseTokens: 2 });
  // It counts what it passes over; here it believes everything.
  const signed = new SignedEventLog({ log, key: null, trust: TRUST_ALL, onRefused: () => undefined });
  const issuer = await FakeIssuer.start();
  const gateway = await startGateway({
    log: signed as unknown as FlakyLog,
    gateway: {
      access: 'keys',
      issuer: { url: issuer.url, audience: AUDIENCE, roles: { staff: 'viewer' } },
    },
    behave: () => ({ kind: 'answer', body }),
  });
  try {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const asked = { model: 'seam', messages: [{ role: 'user', content: 'How many?' }] };
    await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(asked) });
    const { registry } = gateway.service.metrics;
    const text = await registry.metrics();
    const metrics = registry.getMetricsAsArray() as unknown as Shown['metrics'];
    return { text, metrics: metrics.map(({ name, type, labelNames }) => ({ name, type, labelNames })) };
  } finally {
    await gateway.stop();
    await issuer.stop();
  }
}

const [candidate, releaseId] = ['c4'.repeat(32), 'release-1'];
const [start, adapter, completed] = promotedByRun({ adapterDigest: candidate });
const drawn = { assignment: { experiment: 'e', controlShare: 0.5, unit: 'u' } };
const FINDING: Finding = {
  code: 'kl-explosion',
  severity: 'error',
  evidence: 'k3 is 9.',
  remedy: 'Take smaller steps.',
};
const stages = [{ kind: 'canary', share: 0.25, margin: 0.1, minProblems: 40 }];

/** Both arms, a candidate that is tried, a run with figures, dead letters. */
const HISTORY: readonly SeamEvent[] = [
  ...['a', 'b', 'c'].flatMap((id): SeamEvent[] => [
    { ...(published(id) as EventOf<'ProblemPublished'>), assignment: { ...drawn.assignment, unit: id } },
    { ...(generated(id) as EventOf<'ExperienceGenerated'>), assignment: { ...drawn.assignment, unit: id } },
    recorded(id, true),
  ]),
  ...['d', 'e', 'f'].flatMap((id): SeamEvent[] => [
    { ...(published(id) as EventOf<'ProblemPublished'>), assignment: { ...drawn.assignment, unit: id } },
    withheld(id),
    recorded(id, id === 'd', { arm: 'control' }),
  ]),
  ...[published('g'), deadLettered('seam.problems', 'g', 1)],
  ...[start, adapter, completed, evaluatedByPerson(candidate, evaluationOf(0.7))],
  releasePlanned({ releaseId, candidate, plan: { ...DEFAULT_RELEASE_PLAN, stages } }),
  ...triedProblems({ releaseId, isCandidate: true, solved: 9, failed: 1 }),
  ...triedProblems({ releaseId, isCandidate: false, solved: 12, failed: 18 }),
  runStarted('run-9', 'grpo'),
  runCheckpointed('run-9', 1, { loss: 0.5, klNats: 0.1, groups: 8, scoredGroups: 8, liveGroups: 2, meanReward: 0.4 }),
  runFailed('run-9', { loss: 0.5, ...findingMetrics([FINDING]) }),
  EXAMPLE_EVENTS.BufferCommitted,
];
