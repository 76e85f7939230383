/** What a person decides about adapters, as the event to record; or why not, before anything is recorded. Pure. */

import type { ArmResult, EvaluationResult } from '@seamstream/evaluation';
import {
  type AdapterEvaluated,
  type EventMeta,
  type EventOf,
  type ExecutorIdentity,
  originMeta,
} from '@seamstream/events';
import { SeamError, shortId } from '@seamstream/kernel';
import type { AdapterVersion } from '@seamstream/read-models';
import {
  countedPromotions,
  type Decision,
  decisionOn,
  evaluationsOf,
  evolveServedAdapter,
  groundsOf,
  lastGoodAdapter,
  type ServedAdapterState,
} from '@seamstream/release';
import { addedTallies } from '@seamstream/rollout';

/** Who acts, why, when, under which id. */
export interface Act {
  readonly by: string;
  readonly reason: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly messageId: string;
}

const SOURCE = 'seam/cli';
const nameOf = (digest: string | null): string => (digest === null ? 'the base model' : `adapter ${shortId(digest)}`);

/**
 * A person's promotion of an adapter, on the newest evaluation on record.
 * @throws CONFLICT where it is served already or would change nothing, INVALID_INPUT where it has no evaluation
 */
export function promotionBy(
  act: Act,
  { adapterDigest, key, fingerprint, parent }: Pick<AdapterVersion, 'adapterDigest' | 'key' | 'fingerprint' | 'parent'>,
  state: ServedAdapterState,
): EventOf<'AdapterPromoted'> {
  const name = nameOf(adapterDigest);
  if (state.served?.adapterDigest === adapterDigest)
    throw refused(`promote ${name}`, 'an adapter that is not served', 'the served one', 'There is nothing to do');
  const evaluation = evaluationsOf(adapterDigest, groundsOf(state)).at(-1);
  if (evaluation === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot promote ${name}: expected an evaluation of it on record, got none. Measure it (seam eval FILE --adapter ${shortId(adapterDigest)} --record --by NAME).`,
      { details: { adapterDigest } },
    );
  }
  return {
    type: 'AdapterPromoted',
    slot: state.slot,
    attestation: null,
    meta: metaOf(act, adapterDigest),
    adapterDigest,
    key,
    fingerprint,
    parent,
    runId: null,
    rule: 'a person promotes by name, with a reason and an evaluation on record',
    evaluation,
    onlyOverParent: false,
    promotedBy: act.by,
    reason: act.reason,
  };
}

/**
 * A rollback of what is served.
 * @param to what to serve again: null is the base model, undefined the last good one
 * @throws CONFLICT where there is nothing to go back to, or not to that
 */
export function rollbackBy(
  act: Act,
  to: string | null | undefined,
  state: ServedAdapterState,
): EventOf<'AdapterRolledBack'> {
  const { served, slot } = state;
  if (served === null)
    throw refused('roll back', 'an adapter that is served', 'the base model', 'There is nothing before it');
  const { adapterDigest } = served;
  if (to === adapterDigest)
    throw refused(`roll back to ${nameOf(to)}`, 'an earlier adapter', 'the served one', 'Name another one');
  const target =
    to === undefined
      ? (lastGoodAdapter(state) ?? null)
      : to === null
        ? null
        : countedPromotions(state).findLast((each) => each.adapterDigest === to);
  if (target === undefined)
    throw refused(
      `roll back to ${nameOf(to ?? null)}`,
      'an adapter that was served before',
      'one that never was',
      'Promote it instead (seam adapters promote)',
    );
  return {
    type: 'AdapterRolledBack',
    slot,
    attestation: null,
    meta: metaOf(act, adapterDigest),
    adapterDigest,
    to: target?.adapterDigest ?? null,
    key: target?.key ?? null,
    fingerprint: target?.fingerprint ?? null,
    reason: act.reason,
    rolledBackBy: act.by,
  };
}

/** A pin of what a slot is served with. @param adapterDigest null is the base model */
export function pinBy(act: Act, adapterDigest: string | null, { slot }: ServedAdapterState): EventOf<'AdapterPinned'> {
  const meta = metaOf(act, adapterDigest);
  return {
    type: 'AdapterPinned',
    slot,
    attestation: null,
    meta,
    adapterDigest,
    pinnedBy: act.by,
    reason: act.reason,
  };
}

/** The end of a pin. @throws CONFLICT where nothing is pinned */
export function unpinBy(act: Act, { pin, slot }: ServedAdapterState): EventOf<'AdapterUnpinned'> {
  if (pin === null) throw refused('unpin', 'a pinned adapter', 'none', 'There is nothing to do');
  const { adapterDigest } = pin;
  const meta = metaOf(act, adapterDigest);
  return {
    type: 'AdapterUnpinned',
    slot,
    attestation: null,
    meta,
    adapterDigest,
    unpinnedBy: act.by,
    reason: act.reason,
  };
}

/**
 * What an evaluation measured of an adapter, as it stands on record.
 * @throws INVALID_INPUT where the adapter was not among what was measured, or not every problem could be judged
 */
export function evaluationBy(
  act: Omit<Act, 'reason'>,
  adapter: Pick<AdapterVersion, 'adapterDigest' | 'slot' | 'parent' | 'baseModelDigest'>,
  {
    problemSet,
    result,
    executor,
  }: {
    /** Name of the file or the set. */
    readonly problemSet: string;
    readonly result: EvaluationResult;
    readonly executor: ExecutorIdentity;
  },
): AdapterEvaluated & { readonly type: 'AdapterEvaluated' } {
  const { trained, untrained } = result.arms;
  const { adapterDigest, slot, parent, baseModelDigest } = adapter;
  const name = nameOf(adapterDigest);
  if (trained === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot record an evaluation of ${name}: expected the arm trained, got ${Object.keys(result.arms).join(', ')}. Add it to --arms.`,
    );
  if (trained.failed > 0 || trained.problems === 0)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot record an evaluation of ${name}: expected a verdict on each problem, got none on ${trained.failed} of ${result.problems}. Leave those out and evaluate again.`,
    );
  const isParent = parent === null && isWhole(untrained);
  return {
    type: 'AdapterEvaluated',
    slot,
    attestation: null,
    meta: metaOf(act, adapterDigest),
    adapterDigest,
    evaluation: {
      problemSet,
      problemSetDigest: result.problemSetDigest,
      problems: trained.problems,
      success: trained.success,
      parentSuccess: isParent ? untrained.success : null,
      perDomain: Object.fromEntries(
        Object.entries(trained.perDomain).map(([domain, { success }]) => [domain, success]),
      ),
      parentPerDomain: {},
      rescued: null,
      broken: null,
      asked: {},
      repeated: 0,
      judges: addedTallies(trained.judges, isParent ? untrained.judges : []),
    },
    baseModelDigest,
    executor,
    evaluatedBy: act.by,
  };
}

function isWhole(arm: ArmResult | undefined): arm is ArmResult {
  return arm?.failed === 0 && arm.problems > 0;
}

/**
 * What the log would make of a decision, were it the next one.
 * @throws CONFLICT with the reason where it would change nothing
 */
export function mustCount(event: Decision['event'], state: ServedAdapterState): void {
  const decision = decisionOn(evolveServedAdapter(state, event), event);
  if (decision?.status === 'counted') return;
  const verb = VERBS[event.type];
  throw new SeamError(
    'CONFLICT',
    `Cannot ${verb} ${nameOf(event.adapterDigest)}: ${decision?.reason ?? 'it was said before'}. Nothing was recorded.`,
    { details: { adapterDigest: event.adapterDigest } },
  );
}

const VERBS: Readonly<Record<Decision['event']['type'], string>> = {
  AdapterPromoted: 'promote',
  AdapterRolledBack: 'roll back',
  AdapterPinned: 'pin',
  AdapterUnpinned: 'unpin',
};

function metaOf({ at, messageId }: Pick<Act, 'at' | 'messageId'>, adapterDigest: string | null): EventMeta {
  return originMeta({
    messageId,
    correlationId: adapterDigest ?? 'base-model',
    source: SOURCE,
    occurredAt: at,
    sourceClass: 'user',
  });
}

function refused(act: string, expected: string, got: string, remedy: string): SeamError {
  return new SeamError('CONFLICT', `Cannot ${act}: expected ${expected}, got ${got}. ${remedy}.`);
}
