/** What a round of coordination means for a consumer. */
import { type ConsumerLoop, parsePartitionName, partitionName } from '@seamstream/event-log';
import type { MembershipChange } from './group-membership.js';

/** Proof of ownership: one partition, and the generation of its ownership. A claimed name is partition 0 of itself. */
export interface Token {
  readonly topic: string;
  readonly partition: number;
  readonly generation: number;
}

/** Passes to a consumer what a round of coordination found: first what is lost, then what is wanted, then what is new. */
export function applyChange(
  loop: ConsumerLoop,
  { group, memberId }: { group: string; memberId: string },
  change: MembershipChange,
): void {
  const owned = new Map(
    change.owned.map(({ topic, partition, generation }) => [partitionName(topic, partition), generation]),
  );
  for (const name of loop.assignment()) {
    const { topic, partition } = parsePartitionName(name);
    const held = (loop.claimOf(topic, partition)?.token as Token | undefined)?.generation;
    if (held !== owned.get(name)) loop.drop(topic, partition);
  }
  for (const { topic, partition } of change.wanted) loop.revoke(topic, partition);
  for (const { topic, partition, generation } of change.granted) {
    const token: Token = { topic, partition, generation };
    loop.grant(topic, partition, { group, memberId, token });
  }
}
