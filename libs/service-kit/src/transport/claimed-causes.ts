/**
 * Where in the log records name which causes. Hours of answers may be read before the first of their causes comes, so a record takes 22 to
 * 44 bytes: a hash of the name and a place. The record itself says the rest, and is read again when its cause comes.
 */
import { randomInt } from 'node:crypto';
import type { RecordPosition } from '@seamstream/event-log';
import { hashOf } from '@seamstream/kernel';

const NONE = -1;
/** A power of two. */
const FIRST_SIZE = 1_024;

/** A partition of a topic with answers. */
export interface Source {
  readonly topic: string;
  readonly partition: number;
}

/** A table of chains: records with one cause may be any number, and each is added in the same time. */
export class ClaimedCauses {
  private readonly salt = randomInt(2 ** 32);
  private readonly sources: Source[] = [];
  private count = 0;
  private hashes = new Uint32Array(FIRST_SIZE);
  private offsets = new Float64Array(FIRST_SIZE);
  private sourceOf = new Uint16Array(FIRST_SIZE);
  /** Of each record, the one before it in its chain. */
  private previous = new Int32Array(FIRST_SIZE);
  /** Of each chain, its last record. A chain is what agrees in the lowest bits of the hash. */
  private last = new Int32Array(FIRST_SIZE).fill(NONE);

  /** Those that are added next are of this partition. */
  begin(source: Source): void {
    this.sources.push(source);
  }

  /** @param offset of a record in the partition that was begun */
  add(causeId: string, offset: number): void {
    if (this.count === this.hashes.length) this.grow();
    const at = this.count++;
    this.hashes[at] = hashOf(causeId, this.salt).first;
    this.offsets[at] = offset;
    this.sourceOf[at] = this.sources.length - 1;
    this.chain(at);
  }

  /** Places of all records that name one of these causes, and perhaps of some others: a record of one hash is among them. */
  placesOf(causeIds: Iterable<string>): RecordPosition[] {
    const places: RecordPosition[] = [];
    for (const hash of new Set(Array.from(causeIds, (causeId) => hashOf(causeId, this.salt).first)))
      for (let at = this.last[this.chainOf(hash)]!; at !== NONE; at = this.previous[at]!)
        if (this.hashes[at] === hash) places.push({ ...this.sources[this.sourceOf[at]!]!, offset: this.offsets[at]! });
    return places;
  }

  private chainOf(hash: number): number {
    return hash & (this.last.length - 1);
  }

  private chain(at: number): void {
    const chain = this.chainOf(this.hashes[at]!);
    this.previous[at] = this.last[chain]!;
    this.last[chain] = at;
  }

  private grow(): void {
    const size = 2 * this.hashes.length;
    const grown = <A extends Uint32Array | Float64Array | Uint16Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    this.hashes = grown(this.hashes, new Uint32Array(size));
    this.offsets = grown(this.offsets, new Float64Array(size));
    this.sourceOf = grown(this.sourceOf, new Uint16Array(size));
    this.previous = new Int32Array(size);
    this.last = new Int32Array(size).fill(NONE);
    for (let at = 0; at < this.count; at++) this.chain(at);
  }
}
