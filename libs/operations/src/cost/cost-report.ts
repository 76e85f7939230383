/** What executors have cost, and each extra solved problem: one answer for the command and for the page of costs. */
import type { EventLog } from '@seamstream/event-log';
import type { Lift } from '@seamstream/read-models';
import type { ReadingOptions } from '../read-models/index.js';
import { EXTRA_GROUPS, type ExtraCost, extraSolvedCost } from './extra-solved.js';
import { type CostGroup, type SpentCost, spentCost } from './spent-cost.js';

export interface CostWanted {
  readonly by: CostGroup;
  /** What was paid earlier is left out, in milliseconds since the Unix epoch. The lift is of all problems. */
  readonly sinceMs: number;
  /** What this tenant paid alone; undefined: all. */
  readonly tenant?: string | undefined;
}

export interface CostReport extends SpentCost {
  /** Where treated problems and controls can be compared by the same. */
  readonly extra?: ExtraCost;
}

/** @param source.lift settled problems of the log, as counts */
export async function costReport(
  { log, lift }: { readonly log: EventLog; readonly lift: () => Promise<Lift> },
  wanted: CostWanted,
  options: ReadingOptions,
): Promise<CostReport> {
  const { by, ...rest } = wanted;
  const spent = await spentCost(log, by, { ...rest, ...options });
  const group = EXTRA_GROUPS.find((each) => each === by);
  if (group === undefined) return spent;
  const extra = await extraSolvedCost({ log, lift: await lift() }, group, { ...rest, ...options });
  return { ...spent, extra };
}
