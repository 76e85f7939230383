/** Results that do not count, by their places. A version records these places, and a replay relies on them. */

import { type EventOf, isWhole, originMeta, type SeamEvent } from '@seamstream/events';
import {
  contentMissing,
  type Doubt,
  type Evidence,
  isResult,
  type PlacedEvent,
  type ProblemContents,
  type Result,
} from '@seamstream/evidence';
import { clipped, derivedId } from '@seamstream/kernel';
import { contradiction } from '@seamstream/success-buffer';
import { type BufferFold, evolveFold, type FoldedEvent, type Place, passOver } from './buffer-fold.js';

export interface RefusedResult {
  readonly result: Result;
  readonly place: Place;
  readonly doubt: Doubt;
}

/**
 * Folds events of the outcomes' topic, without those for which the log has no evidence.
 * @param evidence undefined: all are believed
 * @param onFolded receives the fold after each event, and returns the one to continue with
 */
export async function foldBelieved(
  start: BufferFold,
  events: readonly PlacedEvent[],
  {
    evidence,
    contents,
    onRefused,
    onFolded,
  }: {
    readonly evidence: Evidence | undefined;
    /** Where large content is. */
    readonly contents: ProblemContents;
    readonly onRefused: (refused: RefusedResult) => void;
    readonly onFolded: (fold: BufferFold, event: PlacedEvent) => Promise<BufferFold>;
  },
): Promise<BufferFold> {
  const doubts = await evidence?.doubts(events);
  // Of what does not count no content is looked for: a forged result would cost a search of the log.
  const filled = await contents.fill(
    events.map(({ event }) => event),
    ({ type }, index) => type === 'OutcomeRecorded' && doubts?.has(index) !== true,
  );
  let fold = start;
  for (const [index, placed] of events.entries()) {
    const { event, position } = placed;
    const folded = filled[index]!;
    const isNew = position.offset >= (fold.nextOffsets.get(position.partition) ?? 0);
    const doubt = doubts && isNew ? (doubts.get(index) ?? told(fold, folded)) : undefined;
    const why = isFoldable(folded) ? doubt : (doubt ?? missing(folded));
    if (why !== undefined && isResult(event)) {
      fold = passOver(fold, position);
      if (isNew) onRefused({ result: event, place: position, doubt: why });
    } else if (isFoldable(folded)) fold = await onFolded(evolveFold(fold, folded, position), placed);
  }
  return fold;
}

/** Whether an event can be folded: of an outcome the content has to be at hand. */
export function isFoldable(event: SeamEvent): event is FoldedEvent {
  return event.type !== 'OutcomeRecorded' || isWhole(event.problem);
}

/** A result whose problem cannot be read any more cannot be kept. */
function missing(event: SeamEvent): Doubt | undefined {
  return 'problem' in event ? { reason: 'problem_missing', detail: contentMissing(event.problem).message } : undefined;
}

function told({ state }: BufferFold, event: SeamEvent): Doubt | undefined {
  if (event.type !== 'OutcomeRecorded' || !isFoldable(event)) return undefined;
  const detail = contradiction(state, event);
  return detail === undefined ? undefined : { reason: 'told_otherwise', detail };
}

/** Of what a refused result claims: ours have 36 characters, and a stranger's may have a million. */
const MAX_CLAIMED_CHARACTERS = 256;

const claim = (text: string): string => clipped(text, MAX_CLAIMED_CHARACTERS);

/** Says that a result does not count. What the result claims of itself is cut to a bounded length; its place names it for certain. */
export function refusedEvent(
  { result, place: { topic, partition, offset }, doubt }: RefusedResult,
  { source, occurredAt }: { readonly source: string; readonly occurredAt: number },
): EventOf<'ResultRefused'> {
  const { messageId: outcomeId, source: claimed } = result.meta;
  const { problemId } = result.problem;
  return {
    type: 'ResultRefused',
    meta: {
      ...originMeta({
        messageId: derivedId(outcomeId, `refused:${topic}/${partition}`, offset),
        correlationId: claim(problemId),
        source,
        occurredAt,
        sourceClass: 'model',
      }),
      causationId: claim(outcomeId),
    },
    outcomeId: claim(outcomeId),
    experienceId: result.type === 'ProblemExpired' ? null : claim(result.experienceId),
    problemId: claim(problemId),
    topic,
    partition,
    offset,
    source: claim(claimed),
    reason: doubt.reason,
    detail: claim(doubt.detail),
  };
}
