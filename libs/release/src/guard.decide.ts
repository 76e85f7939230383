/**
 * Whether a domain is muted, from counts alone. The counts are of settled problems in the order of publication, so that neither late outcomes nor
 * the interleaving of partitions changes them; the evidence holds at every look, so that it may be asked after every problem.
 *
 * Muting is for good, so the risk is of all domains together: a domain d is muted at evidence of 1 / (α w_d), and the weights w sum to 1 at most.
 */
import { canonicalJson, percent, SeamError, sha256 } from '@seamstream/kernel';
import {
  type LiftStage,
  logMissingEvidence,
  logSampleRatioEvidence,
  logStagedEvidence,
  stratumWeight,
} from '@seamstream/statistics';
import { z } from 'zod';
import { inTwoDigits } from './comparison.js';
import { type GuardPlan, guardPlanText } from './guard-plan.js';

/** More problems are never counted: the evidence takes a time that grows with them, and a stranger may write any number. */
const MOST_PROBLEMS = 10_000_000;
/** Far more shares than generators and gateways had. */
const MOST_STAGES = 64;
const MOST_RESULTS = 1024;
/** Far more than such counts take. */
const MOST_CHARACTERS = 262_144;

const count = z.int().min(0).max(MOST_PROBLEMS);
const domainCountsSchema = z.object({
  domain: z.string(),
  /** From 1: its place among the domains that the plan does not name, in the order of their first problems. Null: the plan names it. */
  rank: z.int().min(1).max(MOST_PROBLEMS).nullable(),
  /** By the probability of the control arm, ascending. */
  stages: z
    .array(
      z.strictObject({
        controlShare: z.number().gt(0).lt(1),
        counts: z
          .array(z.strictObject({ treated: z.boolean(), result: z.number().min(0).max(1), problems: count }))
          .max(MOST_RESULTS),
        /** Ended without a verdict, by arm. */
        missing: z.strictObject({ treated: count, control: count }),
      }),
    )
    .max(MOST_STAGES)
    .refine(
      (stages) => new Set(stages.map(({ controlShare }) => controlShare)).size === stages.length,
      'a share twice',
    ),
});

/** Problems of a domain that were drawn under a guard while one adapter was served. */
export type DomainCounts = z.infer<typeof domainCountsSchema>;
export type GuardStage = DomainCounts['stages'][number];

/** ln of what the counts are worth. */
export interface MutingFigures {
  /** That entries do harm. */
  readonly harm: number;
  /** At or above it the domain is muted; Infinity where the domain has no part of the risk. */
  readonly needed: number;
  readonly sampleRatio: number;
  readonly missing: number;
}

export interface MutingDecision {
  readonly isMuted: boolean;
  /** Without figures. */
  readonly rule: string;
  /** The rule with its figures. */
  readonly reason: string;
  readonly figures: MutingFigures;
  /** Problems with a verdict. */
  readonly problems: number;
}

const RULE = 'entries do no harm in the domain';

/**
 * A comparison that did not go as it was drawn mutes nothing, since harm may come from that.
 * @throws INVALID_INPUT for what are no counts
 */
export function decideMuting(plan: GuardPlan, counts: DomainCounts): MutingDecision {
  const figures = figuresOf(plan, checked(counts));
  const problems = counts.stages.reduce((sum, stage) => sum + problemsIn(stage, true) + problemsIn(stage, false), 0);
  const decided = (isMuted: boolean, rule: string, reason: string): MutingDecision => ({
    ...{ isMuted, rule, reason, figures, problems },
  });
  for (const [name, rule] of [
    ['sampleRatio', 'problems are divided as they were drawn'],
    ['missing', 'verdicts are missing as often in either arm'],
  ] as const) {
    const risk = plan.guardrails[name];
    if (figures[name] >= -Math.log(risk))
      return decided(false, rule, `${ratio(figures[name])} against it: nothing is muted`);
  }
  const text = `${rateText(counts, true)} with entries, ${rateText(counts, false)} without`;
  const needed = figures.needed === Infinity ? 'more than there can be' : inTwoDigits(Math.exp(figures.needed));
  return decided(
    figures.harm >= figures.needed,
    RULE,
    `${text}: evidence ${ratio(figures.harm)} of harm, needed ${needed}`,
  );
}

function figuresOf({ alpha, weights, centre }: GuardPlan, { domain, rank, stages }: DomainCounts): MutingFigures {
  const weight = stratumWeight(new Map(Object.entries(weights)), domain, rank);
  const sumOver = (weigh: typeof logMissingEvidence): number =>
    stages.reduce((sum, stage) => {
      const { treated: treatedMissing, control: controlMissing } = stage.missing;
      const treated = problemsIn(stage, true) + treatedMissing;
      const control = problemsIn(stage, false) + controlMissing;
      return sum + weigh({ treatedShare: 1 - stage.controlShare, treated, control, treatedMissing, controlMissing });
    }, 0);
  return {
    harm: logStagedEvidence(liftsOf(stages, centre), 0, -1),
    needed: weight > 0 ? -Math.log(alpha * weight) : Infinity,
    sampleRatio: sumOver(logSampleRatioEvidence),
    missing: sumOver(logMissingEvidence),
  };
}

/** The stages as a lift is estimated from them. */
export function liftsOf(stages: readonly GuardStage[], centre: number): readonly LiftStage[] {
  return stages.map(({ controlShare, counts }) => ({ treatedShare: 1 - controlShare, centre, counts }));
}

/** Problems of an arm with a verdict. */
export function problemsIn({ counts }: GuardStage, treated: boolean): number {
  return counts.reduce((sum, each) => sum + (each.treated === treated ? each.problems : 0), 0);
}

function rateText({ stages }: DomainCounts, treated: boolean): string {
  const own = stages.flatMap(({ counts }) => counts.filter((each) => each.treated === treated));
  const problems = own.reduce((sum, each) => sum + each.problems, 0);
  if (problems === 0) return 'none was solved or failed';
  const solved = own.reduce((sum, { result, problems: times }) => sum + result * times, 0);
  return `${percent(solved / problems)} of ${problems} were solved`;
}

/** Above a billion the exact evidence does not matter, and may be too large for a number. */
const ratio = (log: number): string => inTwoDigits(Math.exp(Math.min(log, Math.log(1e9))));

/** The same counts that a reader of the decision accepts. @throws INVALID_INPUT */
function checked(counts: DomainCounts): DomainCounts {
  const read = domainCountsSchema.safeParse(counts);
  if (read.success) return counts;
  const [issue] = read.error.issues;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot decide on a domain: expected counts of problems once for each share, got ${[...issue!.path, issue!.message].join(': ')}. Count again.`,
  );
}

/** Decimal places of evidence in a record: a reader compares bytes. */
const PLACES = 6;

/** What DomainMuted records: the counts, what they are worth, and the plan by its digest. */
export function mutingText(plan: GuardPlan, counts: DomainCounts, figures: MutingFigures): string {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number((value as number).toFixed(PLACES))]),
  );
  return canonicalJson({
    ...counts,
    logEvidence: rounded,
    rule: { version: plan.version, digest: sha256(guardPlanText(plan)) },
  });
}

/** The counts of a recorded muting; undefined where the text holds no counts that a rule may have read. */
export function domainCountsIn(text: string): DomainCounts | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  try {
    return domainCountsSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON, or nested too deeply to be read
  }
}
