/** What the buffer's events say about it. Pure. */

import type { EventOf, SeamEvent } from '@seamstream/events';

export interface BufferOverview {
  /** All versions of all shards, by sequence and shard. */
  readonly commits: readonly EventOf<'BufferCommitted'>[];
  readonly admitted: number;
  /** Successes that did not enter, or left again, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
}

export function foldBufferEvents(events: Iterable<SeamEvent>): BufferOverview {
  const commits = new Map<string, EventOf<'BufferCommitted'>>();
  const rejected: Record<string, number> = {};
  let admitted = 0;
  for (const event of events) {
    if (event.type === 'BufferCommitted') commits.set(event.meta.messageId, event);
    else if (event.type === 'SuccessAdmitted') admitted++;
    else if (event.type === 'SuccessRejected') rejected[event.reason] = (rejected[event.reason] ?? 0) + 1;
  }
  return {
    commits: [...commits.values()].sort((a, b) => a.sequence - b.sequence || a.shard - b.shard),
    admitted,
    rejected,
  };
}
