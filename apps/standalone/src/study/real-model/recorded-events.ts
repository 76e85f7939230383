/** What a study reads of its logs. */
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import type { SolvedCase } from './control-entries.js';

/** An adapter by its digest, and where it lies in the object store. */
export interface StoredAdapter {
  readonly adapterDigest: string;
  readonly key: string;
}

/** All that topics hold now, topic by topic. */
export async function eventsIn(log: EventLog, topics: readonly string[]): Promise<readonly SeamEvent[]> {
  const all: SeamEvent[] = [];
  for await (const { events } of readTopics(log, topics, { undecodable: 'throw' }))
    for (const { event } of events) all.push(event);
  return all;
}

/**
 * The adapter that was promoted last; where none was, the one that was published last, which shows what the learner came to; null where
 * there is none.
 */
export async function lastAdapter(log: EventLog): Promise<(StoredAdapter & { readonly promoted: boolean }) | null> {
  const events = await eventsIn(log, [TOPIC.adapters]);
  const promoted = events.filter((event) => event.type === 'AdapterPromoted').at(-1);
  const published = events.filter((event) => event.type === 'AdapterPublished');
  const last =
    promoted === undefined
      ? published.at(-1)
      : published.find(({ adapterDigest }) => adapterDigest === promoted.adapterDigest);
  return last === undefined
    ? null
    : { adapterDigest: last.adapterDigest, key: last.key, promoted: promoted !== undefined };
}

/** Training problems with an entry that solved them, the first of each. */
export async function solvedCases(log: EventLog): Promise<readonly SolvedCase[]> {
  const cases = new Map<string, SolvedCase>();
  for (const event of await eventsIn(log, [TOPIC.outcomes])) {
    if (event.type !== 'OutcomeRecorded' || !event.success || event.entry === null) continue;
    const { prompt } = event.problem;
    // A large prompt is named by its digest only; such a problem is no case.
    if (typeof prompt === 'string' && !cases.has(prompt)) cases.set(prompt, { prompt, entry: event.entry });
  }
  return [...cases.values()].toSorted((a, b) => compareText(a.prompt, b.prompt));
}
