/** What a consumer's answers lead to: the longest part from the front that can be committed, in one transaction with offsets and dead letters. */
import type { NewRecord, RecordBatch } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { type Item, offsetAfter } from './batch-item.js';
import { deadLetterOf, type Fault } from './dead-letter.js';
import { isFatal } from './failure-policy.decide.js';
import type { HandlerResult } from './handler-result.js';
import { RefusedCommit, refusedForGood } from './subscription-end.js';
import type { WorkerOptions } from './worker-options.js';

/** The transaction that an answer leads to, and what remains afterwards. */
export interface Step {
  /** Items from the front that are committed. */
  readonly count: number;
  readonly events: readonly SeamEvent[];
  readonly faults: readonly { readonly item: Item; readonly fault: Fault }[];
  /** Those that failed once more. */
  readonly failed: readonly Item[];
  /** Set when the item after them asked to wait, or to halt. */
  readonly then: Extract<HandlerResult, { kind: 'retry' | 'halt' | 'defer' | 'wait' }> | undefined;
}

/**
 * Walks the answers in the order of the log up to the first record that has to wait. Pure.
 * @param answers of the items that the consumer was asked about
 * @param failuresOf an item before
 */
export function planStep(
  items: readonly Item[],
  answers: ReadonlyMap<Item, HandlerResult>,
  {
    group,
    maxAttempts,
    failuresOf,
  }: Pick<WorkerOptions, 'group' | 'maxAttempts'> & { readonly failuresOf: (item: Item) => number },
): Step {
  const events: SeamEvent[] = [];
  const faults: { item: Item; fault: Fault }[] = [];
  const failed: Item[] = [];
  const stepOf = (count: number, then?: Step['then']): Step => ({ count, events, faults, failed, then });
  for (const [index, item] of items.entries()) {
    if (item.fault !== undefined) {
      faults.push({ item, fault: item.fault });
      continue;
    }
    if (item.isAnswered) continue;
    const answer = answers.get(item)!;
    switch (answer.kind) {
      case 'done':
        events.push(...answer.events);
        break;
      case 'deadLetter':
        faults.push({ item, fault: { code: answer.code, reason: answer.reason, attempts: failuresOf(item) + 1 } });
        break;
      case 'defer':
        if (index > 0) return stepOf(index, answer);
        throw new SeamError(
          'INTERNAL',
          `Cannot consume as ${group}: expected an answer for the first record of a batch, got "defer", which would repeat for ever. Correct the consumer.`,
        );
      case 'halt':
      case 'wait':
        return stepOf(index, answer);
      case 'retry': {
        const attempts = failuresOf(item) + 1;
        failed.push(item);
        if (attempts < maxAttempts) return stepOf(index, answer);
        faults.push({ item, fault: { code: answer.code, reason: answer.reason, attempts } });
      }
    }
  }
  return stepOf(items.length);
}

/**
 * Commits a step.
 * @throws FENCED; {@link RefusedCommit} where another try may succeed, or find the culprit; `RefusedForGood` where no try will; ABORTED
 */
export async function commitStep(
  { log, group, source, clock }: Pick<WorkerOptions, 'log' | 'group' | 'source' | 'clock'>,
  { claim }: Pick<RecordBatch, 'claim'>,
  items: readonly Item[],
  step: Step,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.now();
  const records: NewRecord[] = step.events.map(encodeEvent);
  for (const { item, fault } of step.faults)
    records.push(encodeEvent(deadLetterOf(item.record, item.event, fault, { group, source, nowMs })));
  const { topic, partition } = items[0]!.record;
  // Once work was asked to stop, it must not be committed: the caller that asked no longer expects it.
  if (signal.aborted)
    throw new SeamError(
      'ABORTED',
      `Cannot commit as ${group}: expected work that continues, got a request to stop. The records are delivered again.`,
    );
  try {
    await log.transact({
      records,
      consumed: { claim, offsets: [{ topic, partition, nextOffset: offsetAfter(items) }] },
    });
  } catch (error) {
    const code = isSeamError(error) ? error.code : 'INTERNAL';
    if (code === 'FENCED') throw error;
    const cause = { code, reason: messageOf(error) };
    throw isFatal(code) ? refusedForGood(group, cause) : new RefusedCommit(cause, error);
  }
}
