/** Reads what parts of the work have cost, and what an extra solved problem costs, by the prices and results of a log. */
import type { EventLog } from '@seamstream/event-log';
import { attemptIdOf, type EventMeta, type EventOf, type SeamEvent, TOPIC, tenantOf } from '@seamstream/events';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import type { Lift } from '@seamstream/read-models';
import { type Estimate, type LiftStage, liftInterval } from '@seamstream/statistics';
import { type DeclaredLimits, moneyAt, readDeclaredLimits } from '../quotas/index.js';
import { liftAnswers, liftOfTenant, type ReadingOptions } from '../read-models/index.js';
import {
  type ArmsCost,
  type ExtraSolved,
  extraSolvedOf,
  NO_COST,
  type PartCost,
  plusItem,
} from './extra-solved.decide.js';
import { moneyOfEntry } from './problem-cost.js';
import { type Executed, moneyOfAttempt } from './spent-cost.js';

/** What extra solved problems are told apart by. */
export const EXTRA_GROUPS = ['arm', 'domain', 'adapter', 'tenant'] as const;
export type ExtraGroup = (typeof EXTRA_GROUPS)[number];

export interface ExtraCost {
  /** All of the treated arm last, under the name null. */
  readonly rows: readonly ExtraSolved[];
  /** What else was paid, in no row above. */
  readonly besides: {
    /** Attempts and entries of groups to learn from. */
    readonly exploration: PartCost;
    /** Of candidates that wrote next to the served adapter. */
    readonly shadow: PartCost;
    /** Replies of a model that trained a library. */
    readonly training: PartCost;
    /** Wall-clock time of training runs, in milliseconds: no price is declared for it. */
    readonly trainingMs: number;
    /** The log has no usage of verifiers. */
    readonly verifier: null;
  };
}

interface Sums {
  readonly arms: Map<string, ArmsCost>;
  exploration: PartCost;
  shadow: PartCost;
  training: PartCost;
  trainingMs: number;
  /** Problems to learn from: their controls are compared with groups. */
  readonly explored: Set<string>;
  readonly seen: Set<string>;
}

const TOPICS_IN_ORDER = [TOPIC.problems, TOPIC.experiences, TOPIC.answers, TOPIC.outcomes, TOPIC.training];
const NOTHING: ArmsCost = { treated: NO_COST, control: NO_COST, generator: NO_COST };
/** Of all problems. */
const ALL = '';

/**
 * @param options.sinceMs what was paid earlier is left out; the lift is of all problems. Milliseconds since the Unix epoch
 * @param options.tenant what this tenant paid alone, with its lift; undefined: all. Of its domains and of adapters no lift is known
 */
export async function extraSolvedCost(
  { log, lift }: { readonly log: EventLog; readonly lift: Lift },
  by: ExtraGroup,
  { sinceMs, tenant, ...options }: ReadingOptions & { readonly sinceMs: number; readonly tenant?: string | undefined },
): Promise<ExtraCost> {
  const declared = await readDeclaredLimits(log);
  const sums: Sums = {
    ...{ arms: new Map(), exploration: NO_COST, shadow: NO_COST, training: NO_COST, trainingMs: 0 },
    ...{ explored: new Set(), seen: new Set() },
  };
  const ranges = (await Promise.all(TOPICS_IN_ORDER.map((topic) => storedRanges(log, topic)))).flat();
  const bar = options.progress(ranges.reduce((sum, { from, to }) => sum + to - from, 0));
  try {
    // Topics one after another: the mode of a problem is known before its results.
    for await (const { events, records } of readEvents(log, ranges, {
      undecodable: 'skip',
      signal: options.signal,
    })) {
      for (const { event } of events) {
        // What trains is no tenant's: it is paid for all.
        if (tenant !== undefined && (tenantOf(event.meta) !== tenant || isOfTraining(event))) continue;
        if (event.type === 'ProblemPublished' || event.meta.occurredAt >= sinceMs) add(sums, event, by, declared);
      }
      bar.advance(records.length);
    }
  } finally {
    bar.stop();
  }
  const { exploration, shadow, training, trainingMs } = sums;
  return {
    rows: rowsOf(sums, by, lift, tenant),
    besides: { exploration, shadow, training, trainingMs, verifier: null },
  };
}

const isOfTraining = ({ type }: SeamEvent): boolean =>
  type === 'LibraryReplyRecorded' || type === 'TrainingRunCompleted';

function add(sums: Sums, event: SeamEvent, by: ExtraGroup, declared: DeclaredLimits): void {
  switch (event.type) {
    case 'ProblemPublished':
      if (event.mode === 'explore') sums.explored.add(event.problem.problemId);
      break;
    case 'ExperienceGenerated':
      addEntry(sums, event, by, declared);
      break;
    case 'AnswerRecorded':
    case 'OutcomeRecorded':
      addAttempt(sums, event, by, declared);
      break;
    case 'LibraryReplyRecorded': {
      const used = { prompt: event.promptTokens, cached: 0, completion: event.responseTokens };
      sums.training = plusItem(sums.training, moneyAt(declared, event.model, event.meta.occurredAt, used));
      break;
    }
    case 'TrainingRunCompleted':
      sums.trainingMs += event.durationMs;
      break;
    default:
  }
}

function addEntry(sums: Sums, entry: EventOf<'ExperienceGenerated'>, by: ExtraGroup, declared: DeclaredLimits): void {
  const money = moneyOfEntry(entry, declared);
  if (entry.arm === 'explore') sums.exploration = plusItem(sums.exploration, money);
  else if (isOfShadow(entry)) sums.shadow = plusItem(sums.shadow, money);
  else addTo(sums, entry, by, (cost) => ({ ...cost, generator: plusItem(cost.generator, money) }));
}

function addAttempt(sums: Sums, executed: Executed, by: ExtraGroup, declared: DeclaredLimits): void {
  // An answer that feedback settled is an outcome as well. It was asked once.
  const attemptId = attemptIdOf(executed);
  if (sums.seen.has(attemptId)) return;
  sums.seen.add(attemptId);
  const money = moneyOfAttempt(executed, declared);
  if (executed.arm === 'explore' || sums.explored.has(executed.problem.problemId))
    sums.exploration = plusItem(sums.exploration, money);
  else if (isOfShadow(executed)) sums.shadow = plusItem(sums.shadow, money);
  else {
    const arm = executed.arm === 'control' ? 'control' : 'treated';
    addTo(sums, executed, by, (cost) => ({ ...cost, [arm]: plusItem(cost[arm], money) }));
  }
}

/** A problem that is deployed has one candidate, and a second one where a release shadows it. */
const isOfShadow = ({ arm, candidateIndex }: { readonly arm: string; readonly candidateIndex: number }): boolean =>
  arm === 'deploy' && candidateIndex > 0;

function addTo(
  { arms }: Sums,
  of: {
    readonly arm: string;
    readonly problem: { readonly domain: string };
    readonly adapterDigest: string | null;
    readonly meta: EventMeta;
  },
  by: ExtraGroup,
  change: (cost: ArmsCost) => ArmsCost,
): void {
  const adapter = of.arm === 'control' ? undefined : (of.adapterDigest ?? 'base');
  const own = by === 'domain' ? of.problem.domain : by === 'tenant' ? tenantOf(of.meta) : adapter;
  const names = by === 'arm' || own === undefined ? [ALL] : [ALL, `=${own}`];
  for (const name of names) arms.set(name, change(arms.get(name) ?? NOTHING));
}

function rowsOf({ arms }: Sums, by: ExtraGroup, lift: Lift, tenant: string | undefined): readonly ExtraSolved[] {
  const deployed = liftAnswers(lift).modes.find(({ mode }) => mode === 'deploy');
  const all = arms.get(ALL);
  if (all === undefined) return [];
  const whole = tenant === undefined ? (deployed?.lift ?? null) : liftOfTenant(tenant, lift);
  const liftOf = (name: string): Estimate | null => {
    if (by === 'tenant') return liftOfTenant(name, lift);
    // Of one tenant domains are not counted apart, nor are adapters.
    if (tenant !== undefined) return null;
    if (by === 'adapter') return liftOfAdapter(name, lift);
    return deployed?.domains.find(({ domain }) => domain === name)?.lift ?? null;
  };
  const single = [...arms]
    .filter(([name]) => name !== ALL)
    .sort(([, a], [, b]) => b.treated.items - a.treated.items)
    .map(([marked, cost]) => {
      const name = marked.slice(1);
      // No control belongs to an adapter: all of them say what a control costs.
      return extraSolvedOf(name, by === 'adapter' ? { ...cost, control: all.control } : cost, liftOf(name));
    });
  return [...single, extraSolvedOf(null, all, whole)];
}

/** Against the controls that were drawn while it was served: guards count them. */
function liftOfAdapter(name: string, { guards }: Lift): Estimate | null {
  const stages = new Map<number, LiftStage['counts'][number][]>();
  for (const { adapterDigest, domains } of guards) {
    if ((adapterDigest ?? 'base') !== name) continue;
    for (const { controlShare, counts } of domains.flatMap((each) => each.stages))
      if (controlShare > 0 && controlShare < 1)
        stages.set(controlShare, [...(stages.get(controlShare) ?? []), ...counts]);
  }
  return liftInterval([...stages].map(([share, counts]) => ({ treatedShare: 1 - share, counts })));
}
