/** What a study reads of its logs. */
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { placeInStream } from '../../problem-stream.js';
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

/** What a round's sampled entries came to. */
export interface ExploredRound {
  readonly round: number;
  readonly attempts: number;
  readonly solved: number;
  readonly groups: number;
  /** With a success and a failure: only these tell better entries from worse ones. */
  readonly liveGroups: number;
}

/** By round, in their order. */
export async function exploredRounds(log: EventLog): Promise<readonly ExploredRound[]> {
  const outcomes = (await eventsIn(log, [TOPIC.outcomes])).filter((event) => event.type === 'OutcomeRecorded');
  const explored = outcomes.filter(({ arm }) => arm === 'explore');
  const byRound = Map.groupBy(explored, ({ problem }) => placeInStream(problem)?.round ?? 0);
  return [...byRound]
    .toSorted(([one], [other]) => one - other)
    .map(([round, own]) => {
      const groups = [...Map.groupBy(own, ({ groupId }) => groupId).values()];
      const isLive = (group: typeof own): boolean => new Set(group.map(({ success }) => success)).size === 2;
      const solved = own.filter(({ success }) => success).length;
      return { round, attempts: own.length, solved, groups: groups.length, liveGroups: groups.filter(isLive).length };
    });
}
