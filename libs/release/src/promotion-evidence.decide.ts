/**
 * What a promotion or a rollback rests on, and whether the log has it. Anybody who may write to seam.adapters can append the record;
 * it counts when the facts that must have come before it are there and agree with it, and it says why when they do not.
 */
import type {
  AdapterPromoted,
  AdapterPublished,
  AdapterRolledBack,
  EventOf,
  TrainingRunCompleted,
  TrainingRunStarted,
} from '@seamstream/events';
import { derivedId, isSeamError } from '@seamstream/kernel';
import { DEFAULT_PROMOTION_POLICY, decidePromotion, type PromotionPolicy } from './promotion.decide.js';

/** What the log says of a run, as far as a promotion rests on it. Of what is told twice the first counts. */
export interface RunRecord {
  readonly started: Pick<TrainingRunStarted, 'meta' | 'parentAdapter' | 'configuration'> | undefined;
  readonly completed: Pick<TrainingRunCompleted, 'adapterDigest'> | undefined;
}

/** The record after an event of the run: the same object when it says nothing new. */
export function runRecordOf(
  known: RunRecord | undefined,
  event: EventOf<'TrainingRunStarted'> | EventOf<'TrainingRunCompleted'>,
): RunRecord {
  const record = known ?? { started: undefined, completed: undefined };
  if (event.type === 'TrainingRunStarted') {
    const { meta, parentAdapter, configuration } = event;
    return record.started === undefined ? { ...record, started: { meta, parentAdapter, configuration } } : record;
  }
  return record.completed === undefined ? { ...record, completed: { adapterDigest: event.adapterDigest } } : record;
}

/** Whether an adapter's record is the one that a run told when it completed. */
export function isOfCompletedRun(
  { meta, runId, adapterDigest }: AdapterPublished,
  run: RunRecord | undefined,
): boolean {
  return run?.completed?.adapterDigest === adapterDigest && meta.messageId === derivedId(startOf(runId), 'published');
}

/** Why a promotion does not count; undefined when it does. */
export function promotionDoubt(
  promotion: AdapterPromoted,
  {
    published,
    runs,
  }: { readonly published: readonly AdapterPublished[]; readonly runs: ReadonlyMap<string, RunRecord> },
): string | undefined {
  const { adapterDigest, runId, key, fingerprint, evaluation } = promotion;
  const own = published.filter((each) => each.adapterDigest === adapterDigest);
  if (own.length === 0) return `adapter ${adapterDigest} was not published before`;
  const named = own.filter((each) => each.key === key && each.fingerprint === fingerprint);
  if (named.length === 0) return `adapter ${adapterDigest} was published under another key or with another fingerprint`;
  if (evaluation === null) return 'it names no evaluation';
  return runId === null ? overrideDoubt(promotion) : runDoubt(promotion, runId, { named, run: runs.get(runId) });
}

/** A person stands in for run and rule, by name; the measurement is theirs as well. */
function overrideDoubt({ promotedBy, reason, evaluation }: AdapterPromoted): string | undefined {
  if (isBlank(promotedBy)) return 'it names neither a run nor the person who promoted';
  if (isBlank(reason)) return `it gives no reason of ${promotedBy}'s`;
  const { problems, success } = evaluation!;
  if (!(Number.isInteger(problems) && problems > 0 && success >= 0 && success <= 1))
    return `its evaluation says ${success} of ${problems} problems`;
  return undefined;
}

function runDoubt(
  { adapterDigest, parent, evaluation, meta }: AdapterPromoted,
  runId: string,
  { named, run }: { readonly named: readonly AdapterPublished[]; readonly run: RunRecord | undefined },
): string | undefined {
  if (run?.started === undefined) return `no run ${runId} was started`;
  if (run.started.meta.messageId !== startOf(runId)) return `the start of run ${runId} does not have the id of one`;
  if (run.completed === undefined) return `run ${runId} was not completed`;
  if (run.completed.adapterDigest !== adapterDigest)
    return `run ${runId} completed with adapter ${run.completed.adapterDigest}`;
  if (!named.some((each) => each.runId === runId && each.parent === parent && isOfCompletedRun(each, run)))
    return `run ${runId} did not publish adapter ${adapterDigest} over this parent`;
  if (meta.messageId !== derivedId(startOf(runId), 'promoted')) return `its id does not follow from run ${runId}`;
  if (run.started.parentAdapter !== parent) return `run ${runId} was started from another parent`;
  try {
    const policy = policyIn(run.started.configuration);
    const { promote, reason } = decidePromotion({ candidate: adapterDigest, parent, evaluation: evaluation!, policy });
    return promote ? undefined : `its evaluation does not bear it out: ${reason}`;
  } catch (error) {
    if (isSeamError(error, 'INVALID_INPUT')) return `its evaluation is none: ${error.message}`;
    throw error;
  }
}

/** Why a rollback does not count: it may lead only to what was served before, as it was. */
export function rollbackDoubt(
  { to, key, fingerprint }: AdapterRolledBack,
  earlier: readonly { readonly adapterDigest: string; readonly key: string; readonly fingerprint: string }[],
): string | undefined {
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

/** The policy that the run recorded before it knew how its adapter would do. */
function policyIn(configuration: string): PromotionPolicy {
  try {
    const { promotion } = JSON.parse(configuration) as { readonly promotion?: Partial<PromotionPolicy> };
    return { ...DEFAULT_PROMOTION_POLICY, ...promotion };
  } catch {
    return DEFAULT_PROMOTION_POLICY;
  }
}
