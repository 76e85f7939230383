/**
 * What a promotion or a rollback rests on, and whether the log has it. Anybody who may write to seam.adapters can append the record;
 * it counts when the facts that must have come before it are there and agree with it, and it says why when they do not.
 */
import type {
  AdapterEvaluated,
  AdapterPromoted,
  AdapterPublished,
  AdapterRolledBack,
  Evaluation,
  EventOf,
  TrainingRunCompleted,
  TrainingRunRejected,
  TrainingRunStarted,
} from '@seamstream/events';
import { canonicalJson, derivedId, isSeamError } from '@seamstream/kernel';
import { sharesFault } from './compared-shares.js';
import {
  type BetterBeyondChance,
  decidePromotion,
  type PromotionPolicy,
  type ToleratedLoss,
  UNNAMED_PROMOTION_POLICY,
} from './promotion.decide.js';

/** What the log says of a run, as far as a promotion rests on it. Of a repeated fact the first counts. */
export interface RunRecord {
  readonly started: Pick<TrainingRunStarted, 'meta' | 'slot' | 'parentAdapter' | 'configuration'> | undefined;
  readonly completed: Pick<TrainingRunCompleted, 'adapterDigest'> | undefined;
  readonly rejected: Pick<TrainingRunRejected, 'adapterDigest' | 'evaluation'> | undefined;
}

/** The record after an event of the run: the same object when it says nothing new. */
export function runRecordOf(
  known: RunRecord | undefined,
  event: EventOf<'TrainingRunStarted' | 'TrainingRunCompleted' | 'TrainingRunRejected'>,
): RunRecord {
  const record = known ?? { started: undefined, completed: undefined, rejected: undefined };
  if (event.type === 'TrainingRunStarted') {
    const { meta, slot, parentAdapter, configuration } = event;
    const isOwn = (id: string | undefined): boolean => id === startOf(event.runId);
    // A start that another process recorded does not keep the run's own from counting.
    const isNew = record.started === undefined || (isOwn(meta.messageId) && !isOwn(record.started.meta.messageId));
    return isNew ? { ...record, started: { meta, slot, parentAdapter, configuration } } : record;
  }
  if (event.type === 'TrainingRunRejected') {
    const { adapterDigest, evaluation } = event;
    return record.rejected === undefined ? { ...record, rejected: { adapterDigest, evaluation } } : record;
  }
  return record.completed === undefined ? { ...record, completed: { adapterDigest: event.adapterDigest } } : record;
}

/** Whether an adapter's record is the one that a run appended when it completed. */
export function isOfCompletedRun(
  { meta, runId, adapterDigest }: AdapterPublished,
  run: RunRecord | undefined,
): boolean {
  return run?.completed?.adapterDigest === adapterDigest && meta.messageId === derivedId(startOf(runId), 'published');
}

/** The facts in the log before a promotion, as far as it may rest on them. */
export interface PromotionGrounds {
  readonly published: readonly AdapterPublished[];
  /** What was measured by people, and by earlier promotions that were not refused; in the log's order. */
  readonly measured: readonly (AdapterEvaluated | AdapterPromoted)[];
  readonly runs: ReadonlyMap<string, RunRecord>;
}

/**
 * All measurements of an adapter: first that of the run that made it, then those of people and promotions in the log's order, the newest
 * last.
 */
export function evaluationsOf(
  adapterDigest: string,
  { published, measured, runs }: PromotionGrounds,
): readonly Evaluation[] {
  const isOwn = (fact: { readonly adapterDigest: string | null }): boolean => fact.adapterDigest === adapterDigest;
  const rejections = published.filter(isOwn).flatMap(({ runId }) => runs.get(runId)?.rejected ?? []);
  return [...rejections.filter(isOwn), ...measured.filter(isOwn)].flatMap(({ evaluation }) => evaluation ?? []);
}

/** Why no promotion may rest on an evaluation: it names no person, its adapter is not known as it says, or its figures are impossible. */
export function evaluationDoubt(
  { adapterDigest, evaluation, baseModelDigest, evaluatedBy }: AdapterEvaluated,
  published: readonly AdapterPublished[],
): string | undefined {
  if (isBlank(evaluatedBy)) return 'it names no person';
  const own = published.filter((each) => each.adapterDigest === adapterDigest);
  if (own.length === 0) return `adapter ${adapterDigest} was not published before`;
  const ofThisBase = own.filter((each) => each.baseModelDigest === baseModelDigest);
  if (ofThisBase.length === 0) return `adapter ${adapterDigest} is not for base model ${baseModelDigest}`;
  // A person measures the base model together with the adapter. It is the parent only of adapters without another.
  if (evaluation.parentSuccess !== null && ofThisBase.every(({ parent }) => parent !== null))
    return 'it states the success of a parent that it did not measure';
  return figuresDoubt(evaluation);
}

/** Why figures cannot be of any measurement: shares beyond 0 to 1, or counts side by side that do not fit them. */
function figuresDoubt({ rescued, broken, ...evaluation }: Evaluation): string | undefined {
  const { problems, success, parentSuccess, perDomain, parentPerDomain } = evaluation;
  const shares = [success, parentSuccess ?? 0, ...Object.values(perDomain), ...Object.values(parentPerDomain)];
  if (!Number.isInteger(problems) || problems <= 0 || !shares.every((share) => share >= 0 && share <= 1))
    return `its evaluation says ${success} of ${problems} problems`;
  const shareFault = sharesFault(evaluation);
  if (shareFault !== undefined) return `its evaluation says ${shareFault}`;
  if (rescued === null && broken === null) return undefined;
  const isPossible = rescued !== null && broken !== null && rescued >= 0 && broken >= 0 && rescued + broken <= problems;
  // Both sides of the difference are whole problems.
  const lead = parentSuccess === null ? Number.NaN : (success - parentSuccess) * problems;
  return isPossible && Math.abs(lead - (rescued - broken)) < 0.5
    ? undefined
    : `its evaluation says ${rescued} rescued and ${broken} broken of ${problems} problems, and a lead of ${lead}`;
}

/** Why a promotion does not count; undefined when it does. */
export function promotionDoubt(promotion: AdapterPromoted, grounds: PromotionGrounds): string | undefined {
  const { published, runs } = grounds;
  const { adapterDigest, runId, key, fingerprint, evaluation } = promotion;
  const own = published.filter((each) => each.adapterDigest === adapterDigest);
  if (own.length === 0) return `adapter ${adapterDigest} was not published before`;
  const named = own.filter((each) => each.key === key && each.fingerprint === fingerprint);
  if (named.length === 0) return `adapter ${adapterDigest} was published under another key or with another fingerprint`;
  if (evaluation === null) return 'it names no evaluation';
  return runId === null
    ? overrideDoubt(promotion, grounds)
    : runDoubt(promotion, runId, { named, run: runs.get(runId) });
}

/** A named person may replace run and rule, but not the measurement: that must be on record. */
function overrideDoubt(
  { adapterDigest, promotedBy, reason, evaluation }: AdapterPromoted,
  grounds: PromotionGrounds,
): string | undefined {
  if (isBlank(promotedBy)) return 'it names neither a run nor the person who promoted';
  if (isBlank(reason)) return `it gives no reason of ${promotedBy}'s`;
  const figures = figuresDoubt(evaluation!);
  if (figures !== undefined) return figures;
  const recorded = evaluationsOf(adapterDigest, grounds).map(canonicalJson);
  return recorded.includes(canonicalJson(evaluation)) ? undefined : 'its evaluation is not on record before it';
}

/** Why a person's act does not count: it names no person, or gives no reason. */
export function actDoubt(by: string | null, reason: string): string | undefined {
  if (isBlank(by)) return 'it names no person';
  return isBlank(reason) ? `it gives no reason of ${by}'s` : undefined;
}

function runDoubt(
  { adapterDigest, slot, parent, evaluation, meta }: AdapterPromoted,
  runId: string,
  { named, run }: { readonly named: readonly AdapterPublished[]; readonly run: RunRecord | undefined },
): string | undefined {
  if (run?.started === undefined) return `no run ${runId} was started`;
  if (run.started.meta.messageId !== startOf(runId)) return `the start of run ${runId} does not have the id of one`;
  if (run.started.slot !== slot) return `run ${runId} was started for slot ${run.started.slot}`;
  if (run.completed === undefined) return `run ${runId} was not completed`;
  if (run.completed.adapterDigest !== adapterDigest)
    return `run ${runId} completed with adapter ${run.completed.adapterDigest}`;
  if (!named.some((each) => each.runId === runId && each.parent === parent && isOfCompletedRun(each, run)))
    return `run ${runId} did not publish adapter ${adapterDigest} over this parent`;
  if (meta.messageId !== derivedId(startOf(runId), 'promoted')) return `its id does not follow from run ${runId}`;
  if (run.started.parentAdapter !== parent) return `run ${runId} was started from another parent`;
  try {
    const policy = policyIn(run.started.configuration);
    if (policy === undefined) return 'its run was to be judged by a rule that this version does not know';
    const { promote, reason } = decidePromotion({ candidate: adapterDigest, parent, evaluation: evaluation!, policy });
    return promote ? undefined : `its evaluation does not bear it out: ${reason}`;
  } catch (error) {
    if (isSeamError(error, 'INVALID_INPUT')) return `its evaluation is not valid: ${error.message}`;
    throw error;
  }
}

/** Why a rollback does not count: it is a person's, and may lead only to what was served before, as it was. */
export function rollbackDoubt(
  { to, key, fingerprint, rolledBackBy, reason }: AdapterRolledBack,
  earlier: readonly { readonly adapterDigest: string; readonly key: string; readonly fingerprint: string }[],
): string | undefined {
  const doubt = actDoubt(rolledBackBy, reason);
  if (doubt !== undefined) return doubt;
  if (to === null) return key === null && fingerprint === null ? undefined : 'it names a key for the base model';
  const isKnown = earlier.some(
    (each) => each.adapterDigest === to && each.key === key && each.fingerprint === fingerprint,
  );
  return isKnown ? undefined : `adapter ${to} was never served under this key with this fingerprint`;
}

/** Id of the record that starts a run. */
function startOf(runId: string): string {
  return derivedId(runId, 'started');
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

/** The level of the comparison that a run's recorded configuration states; null where it was decided by another rule. */
export function levelIn(configuration: string): number | null {
  const policy = policyIn(configuration);
  return policy?.rule === 'better' && policy.level > 0 ? policy.level : null;
}

/** The policy that the run recorded before it knew how its adapter would do; undefined where its rule is not known here. */
function policyIn(configuration: string): PromotionPolicy | undefined {
  try {
    const { promotion } = JSON.parse(configuration) as {
      readonly promotion?: Partial<BetterBeyondChance> | Partial<ToleratedLoss>;
    };
    // Without a level nothing passes.
    const measure: string | undefined = promotion?.rule === 'better' ? promotion.measure : undefined;
    if (measure !== undefined && measure !== 'share') return undefined;
    if (promotion?.rule === 'better') return { level: 0, minProblems: 1, ...promotion, rule: 'better' };
    const rule: string = promotion?.rule ?? 'tolerance';
    if (rule !== 'tolerance') return undefined;
    return { ...UNNAMED_PROMOTION_POLICY, ...promotion, rule: 'tolerance' };
  } catch {
    return UNNAMED_PROMOTION_POLICY;
  }
}
