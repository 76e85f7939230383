/**
 * How a stage of a release ends, from counts alone. The counts are of problems in the order of publication, so that neither late outcomes nor
 * the interleaving of partitions changes them; the evidence holds at every look, so that it may be asked after every problem.
 */
import { canonicalJson, percent, SeamError, sha256 } from '@seamstream/kernel';
import {
  type AllocationCounts,
  type LiftStage,
  logMissingEvidence,
  logPairedDifferenceEvidence,
  logPairedEvidence,
  logSampleRatioEvidence,
  logStagedEvidence,
  type MissingCounts,
} from '@seamstream/statistics';
import { z } from 'zod';
import { inTwoDigits } from './comparison.js';
import { MOST_STAGES, planText, type ReleasePlan, type ReleaseStage } from './release-plan.js';

export interface ArmCounts {
  readonly solved: number;
  readonly failed: number;
  /** Ended without a verdict. */
  readonly missing: number;
}

/** Problems of a canary's stage. */
export interface CanaryCounts {
  readonly stage: number;
  readonly candidate: ArmCounts;
  readonly parent: ArmCounts;
}

/** Problems that both adapters were asked. */
export interface PairedStageCounts {
  readonly stage: number;
  readonly problems: number;
  readonly candidateAlone: number;
  readonly parentAlone: number;
  /** Problems that have ended without a verdict on one of the two answers. */
  readonly missing: number;
}

/** What a decision rests on. */
export interface ReleaseEvidence {
  /** Of the stages up to the one that is decided, in their order; those without a problem may be left out. */
  readonly paired: readonly PairedStageCounts[];
  readonly canaries: readonly CanaryCounts[];
}

/** More problems are never counted: the evidence takes a time that grows with them, and a stranger may write any number. */
const MOST_PROBLEMS = 10_000_000;
const count = z.int().min(0).max(MOST_PROBLEMS);
const stageIndex = z
  .int()
  .min(0)
  .max(MOST_STAGES - 1);
const arm = z.strictObject({ solved: count, failed: count, missing: count });
const evidenceSchema = z
  .object({
    paired: z
      .array(
        z.strictObject({
          stage: stageIndex,
          problems: count,
          candidateAlone: count,
          parentAlone: count,
          missing: count,
        }),
      )
      .max(MOST_STAGES),
    canaries: z.array(z.strictObject({ stage: stageIndex, candidate: arm, parent: arm })).max(MOST_STAGES),
  })
  .refine(
    ({ paired, canaries }) =>
      [paired, canaries].every((each) => new Set(each.map(({ stage }) => stage)).size === each.length),
    'a stage twice',
  );

/** The counts of a recorded decision; undefined where the text holds no counts that a rule may have read. */
export function evidenceIn(text: string): ReleaseEvidence | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  try {
    return evidenceSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON, or nested too deeply to be read
  }
}

/** Far more than counts of the most stages take. */
const MOST_CHARACTERS = 16_384;

/** How a stage may end. */
export const STAGE_ENDS = ['advanced', 'promoted', 'rolled back', 'undecided'] as const;
export type StageEnd = (typeof STAGE_ENDS)[number];

/** ln of what the counts are worth; null where they say nothing of it. */
export interface ReleaseFigures {
  /** That the candidate is worse than tolerated. */
  readonly harm: number | null;
  /** That it is not worse than the stage's margin, or better. */
  readonly success: number | null;
  readonly sampleRatio: number | null;
  readonly missing: number | null;
}

export interface StageDecision {
  /** Null: the stage continues. */
  readonly end: StageEnd | null;
  /** Without figures. */
  readonly rule: string;
  /** The rule with its figures. */
  readonly reason: string;
  readonly figures: ReleaseFigures;
  /** Problems of the stage. */
  readonly problems: number;
}

const NOTHING: ReleaseFigures = { harm: null, success: null, sampleRatio: null, missing: null };

/**
 * Harm comes first: a candidate that is worse than tolerated is rolled back, regardless of all else. So is one whose comparison did not go
 * as it was drawn. A stage is passed when its margin is proven on enough problems. At the horizon nothing is promoted.
 * @param stage index of the stage in the plan
 * @throws INVALID_INPUT for a stage that the plan does not have and for what are no counts
 */
export function decideStage(plan: ReleasePlan, stage: number, evidence: ReleaseEvidence): StageDecision {
  const own = plan.stages[stage];
  if (own === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot decide on a release: expected one of ${plan.stages.length} stages, got ${stage}. Read its decisions again.`,
    );
  checkCounts(evidence);
  const weighed =
    own.kind === 'canary' ? weighCanary(plan, stage, own, evidence) : weighPaired(plan, stage, own, evidence);
  const { figures, problems } = weighed;
  const isLast = stage === plan.stages.length - 1;
  const decided = (end: StageEnd | null, rule: string, reason: string): StageDecision => ({
    end,
    rule,
    reason,
    figures,
    problems,
  });
  const needed = evidenceNeeded(plan, own);
  // 1. Can the comparison be trusted?
  for (const [name, risk, rule] of [
    ['sampleRatio', plan.guardrails.sampleRatio, 'problems are divided as they were drawn'],
    ['missing', plan.guardrails.missing, 'verdicts are missing as often with either adapter'],
  ] as const) {
    const logEvidence = figures[name];
    if (logEvidence !== null && logEvidence >= needed[name])
      return decided('rolled back', rule, `${ratio(logEvidence)} against it, ${inTwoDigits(1 / risk)} is enough`);
  }
  // 2. Is it harmful?
  if (figures.harm !== null && figures.harm >= needed.harm)
    return decided(
      'rolled back',
      'not worse than its parent by more than is tolerated',
      `${weighed.text}: evidence ${ratio(figures.harm)} that it is more than ${percent(plan.tolerance)} worse, needed ${inTwoDigits(Math.exp(needed.harm))}`,
    );
  // 3. Has it passed?
  const rule = ruleOf(own);
  const reason = `${weighed.text}: evidence ${ratio(figures.success)}, needed ${inTwoDigits(Math.exp(needed.success))} on at least ${own.minProblems} problems`;
  if (figures.success !== null && problems >= own.minProblems && figures.success >= needed.success)
    return decided(isLast ? 'promoted' : 'advanced', rule, reason);
  // 4. Is there nothing more to come?
  const isOver = own.kind === 'validation' ? problems > 0 : onStream(plan, evidence) >= plan.horizon;
  return decided(isOver ? 'undecided' : null, isOver ? 'undecided at the horizon is not promoted' : rule, reason);
}

/** ln of the evidence that each figure of a stage needs to decide something. */
export function evidenceNeeded(
  { alpha, guardrails }: ReleasePlan,
  stage: ReleaseStage,
): Readonly<Record<keyof ReleaseFigures, number>> {
  const bar = Math.log(2 / alpha);
  return {
    harm: bar,
    success: stage.kind === 'validation' && stage.rule.name === 'better' ? -Math.log(stage.rule.level) : bar,
    sampleRatio: -Math.log(guardrails.sampleRatio),
    missing: -Math.log(guardrails.missing),
  };
}

function ruleOf(stage: ReleaseStage): string {
  if (stage.kind === 'validation' && stage.rule.name === 'better')
    return 'better than its parent beyond chance, on the same problems';
  return `at most ${percent(marginOf(stage))} worse than its parent, beyond chance`;
}

/** Of the rule `better` it is 0. */
function marginOf(stage: ReleaseStage): number {
  if (stage.kind !== 'validation') return stage.margin;
  return stage.rule.name === 'margin' ? stage.rule.margin : 0;
}

interface Weighed {
  readonly figures: ReleaseFigures;
  readonly problems: number;
  readonly text: string;
}

function weighPaired(
  plan: ReleasePlan,
  stage: number,
  own: Exclude<ReleaseStage, { readonly kind: 'canary' }>,
  { paired }: ReleaseEvidence,
): Weighed {
  const counts = paired.find((each) => each.stage === stage);
  if (counts === undefined) return { figures: NOTHING, problems: 0, text: 'no problem was asked of both' };
  const { problems, candidateAlone: rescued, parentAlone: broken, missing } = counts;
  const pairs = { problems, rescued, broken };
  // Which of the two lost its verdict is not known. So each counts against the candidate where it would pass, and not where it is blamed.
  const worst = { problems: problems + missing, rescued, broken: broken + missing };
  const isBetter = own.kind === 'validation' && own.rule.name === 'better';
  const success = isBetter ? logPairedEvidence(worst) : logPairedDifferenceEvidence(worst, -marginOf(own), 1);
  return {
    // The rule `better` has no second bar: what is not better is not promoted.
    figures: { ...NOTHING, success, harm: isBetter ? null : logPairedDifferenceEvidence(pairs, -plan.tolerance, -1) },
    problems,
    text: `of ${problems} problems ${rescued} were solved by the candidate alone and ${broken} by its parent alone`,
  };
}

/** The canaries up to a stage, as their plan has them. */
function canariesUpTo({ stages }: ReleasePlan, stage: number, { canaries }: ReleaseEvidence) {
  return canaries.flatMap(({ stage: at, candidate, parent }) => {
    const planned = stages[at];
    return planned?.kind === 'canary' && at <= stage ? [{ at, share: planned.share, candidate, parent }] : [];
  });
}

/** The verdicts of the canaries up to a stage: each has its own share. */
export function liftsUpTo(plan: ReleasePlan, stage: number, evidence: ReleaseEvidence): readonly LiftStage[] {
  return canariesUpTo(plan, stage, evidence).map(({ share: treatedShare, candidate, parent }) => ({
    treatedShare,
    centre: plan.centre,
    counts: [
      { treated: true, result: 1, problems: candidate.solved },
      { treated: true, result: 0, problems: candidate.failed },
      { treated: false, result: 1, problems: parent.solved },
      { treated: false, result: 0, problems: parent.failed },
    ],
  }));
}

/** All canaries so far are weighed together: each stage has its own share, and the evidence multiplies. */
function weighCanary(
  plan: ReleasePlan,
  stage: number,
  own: Extract<ReleaseStage, { readonly kind: 'canary' }>,
  evidence: ReleaseEvidence,
): Weighed {
  const counted = canariesUpTo(plan, stage, evidence);
  const lifts = liftsUpTo(plan, stage, evidence);
  const arms = counted.map(
    ({ share: treatedShare, candidate, parent }): MissingCounts => ({
      treatedShare,
      treated: allOf(candidate),
      control: allOf(parent),
      treatedMissing: candidate.missing,
      controlMissing: parent.missing,
    }),
  );
  const sumOver = (weigh: (each: AllocationCounts & MissingCounts) => number): number =>
    arms.reduce((sum, each) => sum + weigh(each), 0);
  const latest = counted.find(({ at }) => at === stage);
  const problems = latest === undefined ? 0 : allOf(latest.candidate) + allOf(latest.parent);
  return {
    figures: {
      harm: logStagedEvidence(lifts, -plan.tolerance, -1),
      success: logStagedEvidence(lifts, -own.margin, 1),
      sampleRatio: sumOver(logSampleRatioEvidence),
      missing: sumOver(logMissingEvidence),
    },
    problems,
    text: `at ${percent(own.share)} ${rateText(latest?.candidate)} by the candidate, ${rateText(latest?.parent)} by its parent`,
  };
}

const allOf = ({ solved, failed, missing }: ArmCounts): number => solved + failed + missing;

function rateText(counts: ArmCounts | undefined): string {
  const verdicts = counts === undefined ? 0 : counts.solved + counts.failed;
  return verdicts === 0 ? 'none was solved or failed' : `${counts!.solved} of ${verdicts} were solved`;
}

/** Problems of the stages that run on the stream. */
function onStream({ stages }: ReleasePlan, { paired, canaries }: ReleaseEvidence): number {
  const shadowed = paired.filter(({ stage }) => stages[stage]?.kind === 'shadow');
  return (
    shadowed.reduce((sum, { problems, missing }) => sum + problems + missing, 0) +
    canaries.reduce((sum, { candidate, parent }) => sum + allOf(candidate) + allOf(parent), 0)
  );
}

/** Above a billion the exact evidence does not matter, and may be too large for a number. */
const ratio = (log: number | null): string =>
  log === null ? 'none' : inTwoDigits(Math.exp(Math.min(log, Math.log(1e9))));

/** The same counts that a reader of the decision accepts. @throws INVALID_INPUT */
function checkCounts(evidence: ReleaseEvidence): void {
  const read = evidenceSchema.safeParse(evidence);
  if (read.success) return;
  const [issue] = read.error.issues;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot decide on a release: expected counts of problems once for each stage, got ${[...issue!.path, issue!.message].join(': ')}. Count again.`,
  );
}

/** Decimal places of evidence in a record: a reader compares bytes. */
const PLACES = 6;

/** What ReleaseDecided records: the counts, what they are worth, and the rule by its digest. */
export function evidenceText(plan: ReleasePlan, evidence: ReleaseEvidence, figures: ReleaseFigures): string {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      value === null ? null : Number((value as number).toFixed(PLACES)),
    ]),
  );
  return canonicalJson({
    ...evidence,
    logEvidence: rounded,
    rule: { version: plan.version, digest: sha256(planText(plan)) },
  });
}
