/** Results that do not count, by their places: what a version says of them is what a replay goes by. */

import { type EventOf, type OffsetRange, originMeta } from '@seamstream/events';
import { type Doubt, type Evidence, isResult, type PlacedEvent, type Result } from '@seamstream/evidence';
import { clipped, derivedId } from '@seamstream/kernel';
import { contradiction } from '@seamstream/success-buffer';
import { type BufferFold, evolveFold, type Place, passOver } from './buffer-fold.js';

export function isAmong(ranges: readonly OffsetRange[], { partition, offset }: Place): boolean {
  return ranges.some((range) => range.partition === partition && range.from <= offset && offset < range.to);
}

export interface RefusedResult {
  readonly result: Result;
  readonly place: Place;
  readonly doubt: Doubt;
}

/**
 * Folds events of the outcomes' topic, without those that nothing else in the log bears out.
 * @param evidence undefined: all are believed
 * @param onFolded is given the fold after each event, and answers the one to go on with
 */
export async function foldBelieved(
  start: BufferFold,
  events: readonly PlacedEvent[],
  {
    evidence,
    onRefused,
    onFolded,
  }: {
    readonly evidence: Evidence | undefined;
    readonly onRefused: (refused: RefusedResult) => void;
    readonly onFolded: (fold: BufferFold, event: PlacedEvent) => Promise<BufferFold>;
  },
): Promise<BufferFold> {
  const doubts = await evidence?.doubts(events);
  let fold = start;
  for (const [index, placed] of events.entries()) {
    const { event, position } = placed;
    const isNew = position.offset >= (fold.nextOffsets.get(position.partition) ?? 0);
    const doubt = doubts && isNew ? (doubts.get(index) ?? told(fold, placed)) : undefined;
    if (doubt !== undefined && isResult(event)) {
      fold = passOver(fold, position);
      onRefused({ result: event, place: position, doubt });
    } else fold = await onFolded(evolveFold(fold, event, position), placed);
  }
  return fold;
}

function told({ state }: BufferFold, { event }: PlacedEvent): Doubt | undefined {
  if (event.type !== 'OutcomeRecorded') return undefined;
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
