/** What executors have cost: tokens that answers and outcomes record, at the prices that were valid then. Raw usage stays, so a corrected price counts. */
import type { EventLog } from '@seamstream/event-log';
import { attemptIdOf, clientIn, type EventOf, TOPIC, tenantOf } from '@seamstream/events';
import { type ReadingProgress, readEvents, storedRanges } from '@seamstream/log-reader';
import { cachedTokens, type DeclaredLimits, moneyAt, readDeclaredLimits } from '../quotas/index.js';

export type Executed = EventOf<'AnswerRecorded'> | EventOf<'OutcomeRecorded'>;

/** What costs are summed by. */
export const COST_GROUPS = {
  /** Of a client of the gateway; what was published otherwise may name another subject. */
  key: ({ meta }) => (meta.subject === null ? null : clientIn(tenantOf(meta), meta.subject)),
  tenant: ({ meta }) => tenantOf(meta),
  adapter: ({ adapterDigest, arm }) => (arm === 'control' ? null : (adapterDigest ?? 'base')),
  arm: ({ arm }) => arm,
  model: ({ executor }) => executor.model,
  domain: ({ problem }) => problem.domain,
} as const satisfies Readonly<Record<string, (executed: Executed) => string | null>>;
export type CostGroup = keyof typeof COST_GROUPS;

export interface SpentRow {
  /** Null: there is none, e.g. no adapter in the control arm. */
  readonly name: string | null;
  readonly attempts: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Millionths of the currency; of the attempts whose tokens and price are known. */
  readonly money: number;
  /** Attempts whose executor reported no tokens. They are in no sum. */
  readonly unknownTokens: number;
  /** Attempts with tokens and without a price. Their money is in no sum. */
  readonly unpriced: number;
}

export interface SpentCost {
  readonly by: CostGroup;
  /** Null: no price is declared. */
  readonly currency: string | null;
  /** The dearest first. */
  readonly rows: readonly SpentRow[];
}

const NOTHING = { attempts: 0, promptTokens: 0, responseTokens: 0, money: 0, unknownTokens: 0, unpriced: 0 };

/**
 * @param options.sinceMs earlier attempts are left out; milliseconds since the Unix epoch
 * @param options.tenant attempts of this tenant alone; undefined: all
 */
export async function spentCost(
  log: EventLog,
  by: CostGroup,
  {
    sinceMs,
    tenant,
    ...options
  }: {
    readonly sinceMs: number;
    readonly tenant?: string | undefined;
    readonly signal: AbortSignal;
    readonly progress: (total: number) => ReadingProgress;
  },
): Promise<SpentCost> {
  const declared = await readDeclaredLimits(log);
  const rows = new Map<string | null, Omit<SpentRow, 'name'>>();
  // An answer that feedback settled is an outcome as well. It was asked once.
  const seen = new Set<string>();
  for await (const executed of attemptsIn(log, options)) {
    // First: what another tenant calls its attempt is no word on this one.
    if (tenant !== undefined && tenantOf(executed.meta) !== tenant) continue;
    const attemptId = attemptIdOf(executed);
    if (seen.has(attemptId)) continue;
    seen.add(attemptId);
    if (executed.meta.occurredAt < sinceMs) continue;
    const name = COST_GROUPS[by](executed);
    rows.set(name, plus(rows.get(name) ?? NOTHING, executed, declared));
  }
  return {
    ...{ by, currency: declared.prices[0]?.currency ?? null },
    rows: [...rows]
      .map(([name, row]) => ({ name, ...row }))
      .sort((a, b) => b.money - a.money || b.promptTokens + b.responseTokens - (a.promptTokens + a.responseTokens)),
  };
}

/** Answers before outcomes: the time of an answer is when it was asked. */
async function* attemptsIn(
  log: EventLog,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: (total: number) => ReadingProgress },
): AsyncGenerator<Executed> {
  const ranges = [...(await storedRanges(log, TOPIC.answers)), ...(await storedRanges(log, TOPIC.outcomes))];
  const bar = progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  try {
    for await (const { events, records } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const { event } of events)
        if (event.type === 'AnswerRecorded' || event.type === 'OutcomeRecorded') yield event;
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
}

/** Price of an attempt in millionths; null where its tokens or their price are unknown. */
export function moneyOfAttempt(executed: Executed, declared: DeclaredLimits): number | null {
  const { promptTokens: prompt, responseTokens: completion, executor, meta } = executed;
  if (prompt === null || completion === null) return null;
  return moneyAt(declared, executor.model, meta.occurredAt, { prompt, cached: cachedOf(executed), completion });
}

function plus(row: Omit<SpentRow, 'name'>, executed: Executed, declared: DeclaredLimits): Omit<SpentRow, 'name'> {
  const { promptTokens: prompt, responseTokens: completion } = executed;
  const attempts = row.attempts + 1;
  if (prompt === null || completion === null) return { ...row, attempts, unknownTokens: row.unknownTokens + 1 };
  const money = moneyOfAttempt(executed, declared);
  return {
    ...row,
    attempts,
    promptTokens: row.promptTokens + prompt,
    responseTokens: row.responseTokens + completion,
    money: row.money + (money ?? 0),
    unpriced: row.unpriced + (money === null ? 1 : 0),
  };
}

function cachedOf(executed: Executed): number {
  if (executed.type !== 'AnswerRecorded' || typeof executed.usage !== 'string') return 0;
  try {
    return cachedTokens(JSON.parse(executed.usage));
  } catch {
    return 0;
  }
}
