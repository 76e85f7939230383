/** What executors have cost: tokens that answers and outcomes record, at the prices that were valid then. Raw usage stays, so a corrected price counts. */
import { clientIn, type EventOf, tenantOf } from '@seamstream/events';
import { cachedTokens, type DeclaredLimits, moneyAt } from '../quotas/index.js';

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

/** Adds up attempts. The caller adds each of them once. */
export class SpentSums {
  private readonly rows = new Map<string | null, Omit<SpentRow, 'name'>>();

  constructor(
    private readonly by: CostGroup,
    private readonly declared: DeclaredLimits,
  ) {}

  add(executed: Executed): void {
    const name = COST_GROUPS[this.by](executed);
    this.rows.set(name, plus(this.rows.get(name) ?? NOTHING, executed, this.declared));
  }

  cost(): SpentCost {
    return {
      ...{ by: this.by, currency: this.declared.prices[0]?.currency ?? null },
      rows: [...this.rows]
        .map(([name, row]) => ({ name, ...row }))
        .sort((a, b) => b.money - a.money || b.promptTokens + b.responseTokens - (a.promptTokens + a.responseTokens)),
    };
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
