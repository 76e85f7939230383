/**
 * The buffer in parts: each shard keeps the domains that a hash gives it. Duplicates are sought, strata filled and control
 * rates counted within a domain, so a shard that sees a whole domain decides about it as one buffer for all would.
 */
import { SeamError, sha256 } from '@seamstream/kernel';

/** One of `of` parts. A buffer in one part is shard 0 of 1. */
export interface Shard {
  /** 0 … of − 1 */
  readonly index: number;
  readonly of: number;
}

export const WHOLE_BUFFER: Shard = { index: 0, of: 1 };

/** The index of the shard that keeps a domain: the first 32 bits of its SHA-256, modulo the number of shards. */
export function shardOf(domain: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(sha256(domain).slice(0, 8), 16) % shards;
}

/** All shards of a buffer. INVALID_INPUT unless their number is 1, 2, 3, … */
export function shardsOf(shards: number): readonly Shard[] {
  if (!Number.isSafeInteger(shards) || shards < 1)
    throw new SeamError('INVALID_INPUT', `Cannot divide the buffer: expected 1, 2, 3, … shards, got ${shards}.`);
  return Array.from({ length: shards }, (_, index) => ({ index, of: shards }));
}

/** As groups, keys and log lines have it: `1of3`. */
export function shardName({ index, of }: Shard): string {
  return `${index}of${of}`;
}
