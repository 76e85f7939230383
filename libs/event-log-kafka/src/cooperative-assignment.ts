/**
 * Cooperative sharing on Kafka's group protocol (the idea of KIP-429): members keep working through a rebalance. A member
 * that joins says what it owns. The leader computes the new owners, but does not assign a partition that has to move yet. Its
 * owner sees that it no longer has it, lets its handler finish, and joins again without it. Then the new owner gets it.
 */
import { assignPartitions, type GroupMember, grantablePartitions } from '@seamstream/event-log';

export interface JoinedMember extends GroupMember {
  /** Partitions it works on, as "topic/partition". */
  readonly owned: readonly string[];
  /** The generation in which it owned them: of two claims the later counts. */
  readonly generation: number;
}

/** What each member may work on from now on, by member id; members without a partition have an empty list. */
export function assignCooperatively(
  members: readonly JoinedMember[],
  partitions: ReadonlyMap<string, number>,
): Map<string, string[]> {
  const claims = new Map<string, JoinedMember>();
  for (const member of members) {
    for (const name of member.owned) {
      const other = claims.get(name);
      if (!other || other.generation < member.generation) claims.set(name, member);
    }
  }
  const owners = new Map([...claims].map(([name, { memberId }]) => [name, memberId]));
  const targets = assignPartitions(members, partitions, owners);
  const given = new Map<string, string[]>(members.map(({ memberId }) => [memberId, []]));
  const grantable = grantablePartitions(members, targets, owners);
  for (const [name, target] of targets) {
    if (grantable.has(name) || owners.get(name) === target) given.get(target)!.push(name);
  }
  return given;
}
