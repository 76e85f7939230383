/** Which base models adapters were published for, read along seam.adapters; a bounded number of them, and the others by reading again. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { decodedOf } from './kept-records.js';

/** Pairs of adapter and base model; some 400 bytes each. */
const KNOWN_PAIRS = 16_384;
/** Digests are texts of 64 characters. Nothing longer was ever published by a trainer, and nothing by it is served. */
const MAX_DIGEST_CHARACTERS = 256;

const NO_BASES: ReadonlySet<string> = new Set();

/** By whom an experience says to be written. */
type UsedAdapter = Pick<EventOf<'AdapterPublished'>, 'adapterDigest' | 'baseModelDigest'>;

export class KnownAdapters {
  /** By digest. */
  private readonly bases = new Map<string, Set<string>>();
  private pairs = 0;
  /** By partition: offset after the last record that was read. */
  private readonly next = new Map<number, number>();
  /** Adapters from before it may have been forgotten. */
  private hasForgotten = false;

  constructor(
    private readonly log: EventLog,
    private readonly most = KNOWN_PAIRS,
  ) {}

  readonly basesOf = (digest: string): ReadonlySet<string> => this.bases.get(digest) ?? NO_BASES;

  /** Reads on where one of these is not known yet: an adapter is published before its first use. */
  async meet(used: readonly UsedAdapter[]): Promise<void> {
    if (used.every(this.isKnown)) return;
    const marks = await this.log.watermarks(TOPIC.adapters);
    for (const { partition, low, high } of marks) {
      await this.read({ partition, from: Math.max(this.next.get(partition) ?? low, low), to: high }, () => true);
      this.next.set(partition, high);
    }
    const missing = this.hasForgotten ? used.filter((each) => !this.isKnown(each)) : [];
    if (missing.length === 0) return;
    const wanted = new Set(missing.map(({ adapterDigest }) => adapterDigest));
    for (const { partition, low, high } of marks)
      await this.read({ partition, from: low, to: high }, (digest) => wanted.has(digest));
  }

  private readonly isKnown = ({ adapterDigest, baseModelDigest }: UsedAdapter): boolean =>
    this.basesOf(adapterDigest).has(baseModelDigest);

  private async read(
    place: { readonly partition: number; readonly from: number; readonly to: number },
    isWanted: (digest: string) => boolean,
  ): Promise<void> {
    if (place.from >= place.to) return;
    for await (const records of this.log.read({ topic: TOPIC.adapters, ...place }))
      for (const record of records) {
        const event = decodedOf(record);
        if (event?.type === 'AdapterPublished' && isWanted(event.adapterDigest)) this.note(event);
      }
  }

  private note({ adapterDigest, baseModelDigest }: EventOf<'AdapterPublished'>): void {
    if (Math.max(adapterDigest.length, baseModelDigest.length) > MAX_DIGEST_CHARACTERS) return;
    const known = this.bases.get(adapterDigest);
    if (known?.has(baseModelDigest)) return;
    if (known === undefined) this.bases.set(adapterDigest, new Set([baseModelDigest]));
    else known.add(baseModelDigest);
    this.pairs++;
    for (const [oldest, bases] of this.bases) {
      if (this.pairs <= this.most || oldest === adapterDigest) return;
      this.bases.delete(oldest);
      this.pairs -= bases.size;
      this.hasForgotten = true;
    }
  }
}
