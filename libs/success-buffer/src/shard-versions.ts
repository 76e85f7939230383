/** Which committed versions are the buffer: one of each shard. Pure, from BufferCommitted alone. */
import type { BufferCommitted } from '@seamstream/events';
import { shardName } from './shard.js';

/** The key of all BufferCommitted records (schemas/topics.json): all versions are in one partition, in their order. */
export const COMMITS_KEY = 'commits';

/** A version's place among the others. */
export type ShardVersion = Pick<BufferCommitted, 'shard' | 'shards' | 'sequence'>;

/** `1of3` */
export function shardNameOf({ shard, shards }: Pick<ShardVersion, 'shard' | 'shards'>): string {
  return shardName({ index: shard, of: shards });
}

/** The newest version of each shard that has one, by shard. */
export function newestVersions<V extends ShardVersion>(versions: Iterable<V>): readonly V[] {
  const newest = new Map<string, V>();
  for (const version of versions) {
    const name = shardNameOf(version);
    if (version.sequence > (newest.get(name)?.sequence ?? 0)) newest.set(name, version);
  }
  return [...newest.values()].sort((a, b) => a.shard - b.shard);
}

/** The given versions, by shard, if they are one of each shard of a buffer; none as long as one is missing. */
export function wholeBuffer<V extends ShardVersion>(versions: Iterable<V>): readonly V[] {
  const whole = [...Map.groupBy(versions, ({ shards }) => shards)].find(([shards, own]) => own.length === shards);
  return (whole?.[1] ?? []).sort((a, b) => a.shard - b.shard);
}
