/** What answers use and cost, and how full the limits of clients and tenants are, as metrics. No series names one. */
import type { Clock } from '@seamstream/kernel';
import type { DeclaredLimits, LimitFill } from '@seamstream/operations/quotas';
import type { ServiceMetrics } from '@seamstream/service-kit';
import { type Spent, usedBy } from './used.decide.js';

const MILLION = 1_000_000;

/** Counts what an answer used, at the price that is declared when it comes. */
export function countUse(
  metrics: ServiceMetrics,
  declared: () => DeclaredLimits,
  clock: Clock,
): (spent: Spent) => void {
  const tokens = metrics.counter('seam_chat_tokens_total', 'Tokens of answers, as executors report them.', ['kind']);
  const cost = metrics.counter('seam_chat_cost_total', 'Cost of answers in the currency of the declared prices.');
  const unpriced = metrics.counter(
    'seam_chat_unpriced_total',
    'Answers whose tokens or price are unknown: they are in no cost.',
  );
  return (spent) => {
    const { prompt, completion, money } = usedBy(spent, declared(), clock.now());
    tokens.inc({ kind: 'prompt' }, prompt ?? 0);
    tokens.inc({ kind: 'completion' }, completion ?? 0);
    if (money === null) unpriced.inc();
    else cost.inc(money / MILLION);
  };
}

/** Shows of each kind of limit the fullest of all clients and tenants. */
export function showLimits(metrics: ServiceMetrics, read: () => readonly LimitFill[]): void {
  metrics.family(
    {
      name: 'seam_quota_used_ratio',
      help: 'What the client or tenant that is nearest to a limit of the kind has used of it, from 0 on.',
      labels: ['measure', 'per', 'mode'],
      samples: (fills: readonly LimitFill[]) =>
        fills.map(({ measure, per, mode, fraction }) => ({ labels: { measure, per, mode }, value: fraction })),
    },
    async () => read(),
  );
}
