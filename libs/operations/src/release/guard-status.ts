/**
 * How a guard stands, and what it is worth to withhold entries: the problems of the control arm and of muted domains that would have ended
 * otherwise with entries. Pure.
 */
import {
  type DomainCounts,
  decideMuting,
  type Guard,
  liftsOf,
  type Muting,
  type MutingDecision,
  mutingOf,
  problemsIn,
  type RefusedGuardRecord,
  servedIn,
} from '@seamstream/release';
import { type Estimate, liftInterval } from '@seamstream/statistics';
import { liftAnswers } from '../read-models/lift-estimate.js';
import { guardedDomains, unlessImpossible } from './guard-evidence.js';
import type { ReleaseFacts } from './release-evidence.js';

/** Problems that were asked without an entry, and how many more would have been solved with one: fewer where it is below 0. */
export interface Withheld {
  readonly problems: number;
  /** The lift times the problems; null where it is not known. */
  readonly moreSolved: { readonly value: number; readonly interval: readonly [low: number, high: number] } | null;
}

export interface GuardedDomain {
  readonly domain: string;
  readonly treated: number;
  readonly control: number;
  /** Treated less control, at any look; null where it cannot be compared yet. */
  readonly lift: Estimate | null;
  /** Problems in the share of controls that muting takes, the permanent control arm included; null where the domain was never muted. */
  readonly withheld: Withheld | null;
  /** What the rule says now; null where the counts are impossible. */
  readonly now: MutingDecision | null;
  readonly muting: Muting | null;
}

export interface GuardStatus {
  readonly guard: Guard;
  /** What is served, and so is guarded. */
  readonly adapterDigest: string | null;
  readonly domains: readonly GuardedDomain[];
}

/** The permanent control arm: what is known of harm, it is known from. */
export interface ControlArmWorth {
  /** Of all deployed problems, muted ones included. */
  readonly all: Withheld;
  readonly domains: readonly (Withheld & { readonly domain: string })[];
}

export interface GuardsStatus {
  readonly guards: readonly GuardStatus[];
  readonly controlArm: ControlArmWorth;
  readonly refused: readonly RefusedGuardRecord[];
  readonly refusedCount: number;
}

export function guardsStatus(facts: ReleaseFacts): GuardsStatus {
  const { guards, refused, refusedCount } = facts.progress.guards;
  return {
    guards: [...guards.values()].map((guard) => guardStatus(guard, facts)),
    controlArm: controlArmWorth(facts),
    ...{ refused, refusedCount },
  };
}

function guardStatus(guard: Guard, facts: ReleaseFacts): GuardStatus {
  const adapterDigest = servedIn(facts.progress.slots, guard.event.slot).served?.adapterDigest ?? null;
  const counted = guardedDomains(guard, adapterDigest, facts);
  return { guard, adapterDigest, domains: counted.map((counts) => guardedDomain(guard, adapterDigest, counts)) };
}

function guardedDomain(guard: Guard, adapterDigest: string | null, counts: DomainCounts): GuardedDomain {
  const { plan } = guard;
  const { domain, stages } = counts;
  const muting = mutingOf(guard, { adapterDigest, domain }) ?? null;
  const lift = liftInterval(liftsOf(stages, plan.centre), plan.alpha);
  const sumOver = (treated: boolean): number => stages.reduce((sum, stage) => sum + problemsIn(stage, treated), 0);
  const mutedShare = 1 - plan.share;
  const muted = stages.filter(({ controlShare }) => controlShare === mutedShare);
  const problems = muted.reduce((sum, stage) => sum + problemsIn(stage, false), 0);
  return {
    ...{ domain, treated: sumOver(true), control: sumOver(false), lift, muting },
    withheld: muting === null ? null : withheldOf(problems, lift),
    now: unlessImpossible(() => decideMuting(plan, counts)),
  };
}

function controlArmWorth({ lift }: ReleaseFacts): ControlArmWorth {
  const deployed = liftAnswers(lift).modes.find(({ mode }) => mode === 'deploy');
  if (deployed === undefined) return { all: { problems: 0, moreSolved: null }, domains: [] };
  return {
    all: withheldOf(deployed.control.problems, deployed.lift),
    domains: deployed.domains.map(({ domain, control, lift: own }) => ({
      domain,
      ...withheldOf(control.problems, own),
    })),
  };
}

function withheldOf(problems: number, lift: Estimate | null): Withheld {
  if (lift === null) return { problems, moreSolved: null };
  const [low, high] = lift.interval95;
  return { problems, moreSolved: { value: lift.value * problems, interval: [low * problems, high * problems] } };
}

/** The same as a script and a page read it. */
export interface PlainGuards extends Omit<GuardsStatus, 'guards' | 'refused'> {
  readonly guards: readonly (Guard & Omit<GuardStatus, 'guard'>)[];
  readonly refused: readonly {
    readonly type: string;
    readonly messageId: string;
    readonly guardId: string;
    readonly reason: string;
  }[];
}

export function plainGuards({ guards, refused, ...rest }: GuardsStatus): PlainGuards {
  return {
    ...rest,
    guards: guards.map(({ guard, ...status }) => ({ ...guard, ...status })),
    refused: refused.map(({ event, reason }) => ({
      type: event.type,
      messageId: event.meta.messageId,
      guardId: event.guardId,
      reason,
    })),
  };
}
