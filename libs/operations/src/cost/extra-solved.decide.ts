/**
 * What an extra solved problem costs: what treated problems cost more than controls, by the problems that were solved in addition. Pure.
 *
 *   (cost of a treated problem − cost of a control) × n  /  (lift × n)      n treated problems
 *
 * What is unknown is unknown: a part without a price makes the whole unknown, and never cheaper.
 */
import type { Estimate } from '@seamstream/statistics';

/** What was paid for one part of the work, in millionths of the currency. */
export interface PartCost {
  /** Attempts, entries or replies. */
  readonly items: number;
  /** Of these, those without tokens or without a price. Their money is in no sum. */
  readonly unknown: number;
  readonly money: number;
}

export const NO_COST: PartCost = { items: 0, unknown: 0, money: 0 };

/** @param money null: unknown */
export function plusItem({ items, unknown, money: sum }: PartCost, money: number | null): PartCost {
  return { items: items + 1, unknown: unknown + (money === null ? 1 : 0), money: sum + (money ?? 0) };
}

/** Parts of the cost of deployed problems. */
export interface ArmsCost {
  /** Attempts of the executor. */
  readonly treated: PartCost;
  readonly control: PartCost;
  /** Entries of treated problems. */
  readonly generator: PartCost;
}

interface Ratio {
  readonly value: number;
  /** From the ends of the lift's interval. */
  readonly interval: readonly [low: number, high: number];
}

export interface ExtraSolved {
  readonly name: string | null;
  /** Treated problems: n. */
  readonly problems: number;
  /** n times what a treated problem costs more, in millionths: of the executor, of the generator, of both. Null: unknown. */
  readonly extraCost: {
    readonly executor: number | null;
    readonly generator: number | null;
    readonly all: number | null;
  };
  /** The lift times n; null where no lift is known. */
  readonly extraSolved: Ratio | null;
  /** Millionths for each problem that is solved in addition; null where that, or the cost, is not known. */
  readonly perExtra: Ratio | null;
  /** `not shown`: the lift's interval holds 0, so that no extra problem is shown to be solved. `harm`: all of it is below 0. */
  readonly shown: 'extra' | 'not shown' | 'harm' | 'unknown';
}

/** @param lift treated less control, with an interval that holds at every look */
export function extraSolvedOf(name: string | null, cost: ArmsCost, lift: Estimate | null): ExtraSolved {
  const problems = cost.treated.items;
  const [treated, control, generator] = [cost.treated, cost.control, cost.generator].map(meanOf);
  const executor = difference(treated!, control!);
  const all = executor === null || generator === null ? null : executor + generator!;
  const times = (each: number | null): number | null => (each === null ? null : each * problems);
  const known = {
    name,
    problems,
    extraCost: { executor: times(executor), generator: times(generator!), all: times(all) },
  };
  if (lift === null) return { ...known, extraSolved: null, perExtra: null, shown: 'unknown' };
  const [low, high] = lift.interval95;
  const extraSolved: Ratio = { value: lift.value * problems, interval: [low * problems, high * problems] };
  const shown = low > 0 ? 'extra' : high < 0 ? 'harm' : 'not shown';
  if (shown !== 'extra' || all === null) return { ...known, extraSolved, perExtra: null, shown };
  const ends = [all / high, all / low].sort((a, b) => a - b) as [number, number];
  return { ...known, extraSolved, perExtra: { value: all / lift.value, interval: ends }, shown };
}

/** Of those that are known; null without one. */
function meanOf({ items, unknown, money }: PartCost): number | null {
  return items === unknown ? null : money / (items - unknown);
}

const difference = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b);
