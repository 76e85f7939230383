/** Who did what, and where the log says so: one list over all topics in which persons, keys and users act. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { type PlacedEvent, rangesSince, readEvents, storedRanges } from '@seamstream/log-reader';
import { type ActName, type ActSaid, actIn } from './act.decide.js';

/** An act, or those of one word in a minute; then time and place are the first one's. */
export interface Act extends Omit<ActSaid, 'isFrequent'> {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The program that recorded it. */
  readonly source: string;
  readonly place: { readonly topic: string; readonly partition: number; readonly offset: number };
}

export interface AuditWanted {
  /** Earlier acts are left out; milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  readonly by?: string | undefined;
  readonly act?: ActName | undefined;
  readonly signal: AbortSignal;
}

const TOPICS = [
  ...[TOPIC.access, TOPIC.usage, TOPIC.adapters, TOPIC.training, TOPIC.teams],
  ...[TOPIC.feedback, TOPIC.problems],
];
const MINUTE_MS = 60_000;
/** Clocks of writers and brokers may differ by so much before an act is missed. */
const MARGIN_MS = 3_600_000;

/** The oldest first. Frequent acts of one word, actor and minute are one. */
export async function readAudit(log: EventLog, { sinceMs, by, act, signal }: AuditWanted): Promise<readonly Act[]> {
  const acts: Act[] = [];
  const frequent = new Map<string, Act>();
  for (const topic of TOPICS) {
    const ranges = await rangesSince(log, await storedRanges(log, topic), Math.max(0, sinceMs - MARGIN_MS));
    for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const placed of events) {
        const said = actIn(placed.event);
        if (said === undefined || placed.event.meta.occurredAt < sinceMs) continue;
        if ((by !== undefined && said.by !== by) || (act !== undefined && said.act !== act)) continue;
        const done = actOf(said, placed);
        if (said.isFrequent === true) count(frequent, done);
        else acts.push(done);
      }
    }
  }
  return [...acts, ...frequent.values()].sort(byTimeAndPlace);
}

function actOf({ act, by, what, times }: ActSaid, { event, record }: PlacedEvent): Act {
  const { topic, partition, offset } = record;
  return {
    at: event.meta.occurredAt,
    by,
    act,
    what,
    times,
    source: event.meta.source,
    place: { topic, partition, offset },
  };
}

function count(frequent: Map<string, Act>, done: Act): void {
  const key = JSON.stringify([done.act, done.by, done.source, Math.floor(done.at / MINUTE_MS)]);
  const known = frequent.get(key);
  if (known === undefined) frequent.set(key, done);
  else frequent.set(key, { ...(byTimeAndPlace(done, known) < 0 ? done : known), times: known.times + done.times });
}

function byTimeAndPlace(a: Act, b: Act): number {
  return (
    a.at - b.at ||
    compareText(a.place.topic, b.place.topic) ||
    a.place.partition - b.place.partition ||
    a.place.offset - b.place.offset
  );
}
