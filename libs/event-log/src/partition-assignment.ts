/**
 * Who of a group's members owns which partition. A pure function, so that every member of a group, in any process,
 * computes the same answer from the same facts and no leader is needed.
 *
 * Partitions of the same number move together when their topics have the same subscribers (as Kafka's RangeAssignor
 * does it): records of one key in co-partitioned topics meet in one member. Within that, loads differ as little as
 * possible, and what is owned already stays where it is unless balance demands a move.
 *
 * A group that is whole has nothing to balance, but several of them have: with turns 0, 1, 2, … they go round their instances,
 * so that of S groups no instance has more than ⌈S / number of instances⌉. No group looks at another for that.
 */
import { type Clock, compareText, newId } from '@seamstream/kernel';

export interface GroupMember {
  readonly memberId: string;
  readonly topics: readonly string[];
  /** `whole`: all partitions of its topics go to one member. Absent: they are spread. */
  readonly sharing?: 'spread' | 'whole' | undefined;
  /** Of a `whole` group: see ConsumeOptions. */
  readonly turn?: number | undefined;
  /** Where the member runs: equal for the members of one log in all groups. What turns go by; the member's own id when absent. */
  readonly instance?: string | undefined;
}

/** A new name for an open log among the instances of its groups. In their order the older one is first. */
export function instanceName(clock: Clock): string {
  return `${String(clock.now()).padStart(15, '0')}-${newId()}`;
}

/** "topic/partition": how a partition is named in maps and messages. */
export function partitionName(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}

/** "topic/partition" taken apart. */
export function parsePartitionName(name: string): { readonly topic: string; readonly partition: number } {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

/** Partitions that move together. */
interface Unit {
  readonly names: readonly string[];
  readonly candidates: readonly string[];
  /** The candidate whose turn it is, if the group goes by turns. */
  readonly inTurn: string | undefined;
}

/**
 * The owner of each partition, by "topic/partition"; partitions without a subscriber are absent. Deterministic in its
 * arguments' content, in any order.
 *
 * @param partitions number of partitions per topic
 * @param owners present owners, by "topic/partition"; owners that are no members are ignored
 */
export function assignPartitions(
  members: readonly GroupMember[],
  partitions: ReadonlyMap<string, number>,
  owners: ReadonlyMap<string, string>,
): Map<string, string> {
  const units = unitsOf(members, partitions);
  const load = new Map(members.map(({ memberId }) => [memberId, 0]));
  const owned = new Map<Unit, string>();
  const give = (unit: Unit, memberId: string): void => {
    const before = owned.get(unit);
    if (before !== undefined) load.set(before, load.get(before)! - unit.names.length);
    owned.set(unit, memberId);
    load.set(memberId, load.get(memberId)! + unit.names.length);
  };
  // 1. What is owned stays, or goes to whose turn it is.
  for (const unit of units) {
    const present = unit.inTurn ?? presentOwner(unit, owners);
    if (present !== undefined) give(unit, present);
  }
  // 2. What is free goes to the least loaded.
  for (const unit of units) {
    if (!owned.has(unit)) give(unit, leastLoaded(unit.candidates, load));
  }
  // 3. A unit moves while that brings two loads closer together; the sum of squared loads falls each time, so it ends.
  for (let moved = true; moved; ) {
    moved = false;
    for (const unit of units.toReversed()) {
      if (unit.inTurn !== undefined) continue;
      const from = owned.get(unit)!;
      const to = leastLoaded(unit.candidates, load);
      if (load.get(from)! - load.get(to)! > unit.names.length) {
        give(unit, to);
        moved = true;
      }
    }
  }
  return new Map([...owned].flatMap(([unit, memberId]) => unit.names.map((name) => [name, memberId] as const)));
}

/**
 * What of an assignment may be given right now: partitions that no member owns. In a group that is whole a member gets nothing
 * as long as another still has a part of what is to be its: then two would be at work at once.
 *
 * @param target what {@link assignPartitions} said
 * @param owners present owners, all of them members
 */
export function grantablePartitions(
  members: readonly GroupMember[],
  target: ReadonlyMap<string, string>,
  owners: ReadonlyMap<string, string>,
): Map<string, string> {
  const isWhole = members.some(({ sharing }) => sharing === 'whole');
  const waiting = new Set(
    [...target]
      .filter(([name, memberId]) => isWhole && (owners.get(name) ?? memberId) !== memberId)
      .map(([, id]) => id),
  );
  return new Map([...target].filter(([name, memberId]) => !owners.has(name) && !waiting.has(memberId)));
}

function unitsOf(members: readonly GroupMember[], partitions: ReadonlyMap<string, number>): Unit[] {
  const units = new Map<
    string,
    { partition: number; names: string[]; candidates: string[]; inTurn: string | undefined }
  >();
  for (const [topic, count] of [...partitions].sort(([a], [b]) => compareText(a, b))) {
    const candidates = members
      .filter((member) => member.topics.includes(topic))
      .map((member) => member.memberId)
      .sort(compareText);
    if (candidates.length === 0) continue;
    const isWhole = members.some(({ memberId, sharing }) => sharing === 'whole' && candidates.includes(memberId));
    const inTurn = isWhole ? memberInTurn(members.filter(({ memberId }) => candidates.includes(memberId))) : undefined;
    for (let partition = 0; partition < count; partition++) {
      const key = `${isWhole ? 'all' : partition} ${candidates.join(' ')}`;
      const unit = units.get(key) ?? { partition, names: [], candidates, inTurn };
      unit.names.push(partitionName(topic, partition));
      units.set(key, unit);
    }
  }
  return [...units.values()].sort((a, b) => a.partition - b.partition || compareText(a.names[0]!, b.names[0]!));
}

/** Undefined unless the members go by turns. One of an older version may not say so: then the others' word counts. */
function memberInTurn(members: readonly GroupMember[]): string | undefined {
  const turn = members.find((member) => member.turn !== undefined)?.turn;
  if (turn === undefined) return undefined;
  const placeOf = ({ instance, memberId }: GroupMember): string => `${instance ?? memberId} ${memberId}`;
  return members.toSorted((a, b) => compareText(placeOf(a), placeOf(b)))[turn % members.length]!.memberId;
}

/** The candidate that owns most of the unit; of equals the first by name. */
function presentOwner(unit: Unit, owners: ReadonlyMap<string, string>): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const candidate of unit.candidates) {
    const count = unit.names.filter((name) => owners.get(name) === candidate).length;
    if (count > most) [best, most] = [candidate, count];
  }
  return best;
}

function leastLoaded(candidates: readonly string[], load: ReadonlyMap<string, number>): string {
  return candidates.reduce((best, candidate) => (load.get(candidate)! < load.get(best)! ? candidate : best));
}
