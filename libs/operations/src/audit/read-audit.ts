/** Who did what, and where the log says so: one list over all topics in which persons, keys and users act. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC, type TopicName, tenantOf } from '@seamstream/events';
import { type PlacedEvent, rangesSince, readEvents, storedRanges } from '@seamstream/log-reader';
import { ACTS, type Act, type ActName, type ActSaid, actIn } from './act.decide.js';
import { type ListedActs, NewestActs } from './newest-acts.js';

export interface AuditWanted {
  /** Earlier acts are left out; milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  readonly by?: string | undefined;
  /** Acts of these kinds only: topics that have none of them are not read. */
  readonly acts?: readonly ActName[] | undefined;
  /** Acts in this tenant only. */
  readonly tenant?: string | undefined;
  readonly signal: AbortSignal;
}

/** Where the log has what changes the system. */
const OF_CHANGES = [TOPIC.access, TOPIC.adapters, TOPIC.training, TOPIC.teams];
/** Where it has the other acts. */
const OF_OTHERS: Readonly<Partial<Record<ActName, readonly TopicName[]>>> = {
  'sign in': [TOPIC.usage],
  'sign out': [TOPIC.usage],
  refused: [TOPIC.usage],
  publish: [TOPIC.teams, TOPIC.problems],
  ask: [TOPIC.problems],
  feedback: [TOPIC.feedback],
};

const topicsOf = (acts: readonly ActName[]): readonly TopicName[] => [
  ...new Set(acts.flatMap((act) => OF_OTHERS[act] ?? OF_CHANGES)),
];
/** Clocks of writers and brokers may differ by so much before an act is missed. */
const MARGIN_MS = 3_600_000;

/** The oldest first. Frequent acts of one word, actor, tenant and minute are one. */
export async function readAudit(log: EventLog, wanted: AuditWanted): Promise<readonly Act[]> {
  return (await readNewestActs(log, wanted, Number.POSITIVE_INFINITY)).acts;
}

/** The same, of which only the newest are kept in memory. @param most lines that are wanted, at least 1 */
export async function readNewestActs(log: EventLog, wanted: AuditWanted, most: number): Promise<ListedActs> {
  const { sinceMs, by, acts: kinds = ACTS, tenant, signal } = wanted;
  const isWanted = (act: Act): boolean =>
    act.at >= sinceMs &&
    kinds.includes(act.act) &&
    (by === undefined || act.by === by) &&
    (tenant === undefined || act.tenant === tenant);
  const newest = new NewestActs(most);
  for (const topic of topicsOf(kinds)) {
    const ranges = await rangesSince(log, await storedRanges(log, topic), Math.max(0, sinceMs - MARGIN_MS));
    for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', signal })) {
      for (const placed of events) {
        const said = actIn(placed.event);
        if (said === undefined) continue;
        const done = actOf(said, placed);
        if (isWanted(done)) newest.add(done, said.isFrequent === true);
      }
    }
  }
  return newest.listed();
}

/** The act that a record is, as the list has it; undefined where no person, key or user acts. */
export function actAt(placed: PlacedEvent): Act | undefined {
  const said = actIn(placed.event);
  return said === undefined ? undefined : actOf(said, placed);
}

function actOf({ act, by, what, times }: ActSaid, { event, record }: PlacedEvent): Act {
  const { topic, partition, offset } = record;
  return {
    ...{ at: event.meta.occurredAt, by, act, what, times },
    ...{ tenant: tenantOf(event.meta), source: event.meta.source, place: { topic, partition, offset } },
  };
}
