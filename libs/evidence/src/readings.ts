/** A topic of what results rest on: one {@link Reading} for each of its partitions. */
import { type EventLog, type LogRecord, partitionForKey, partitionName } from '@seamstream/event-log';
import type { Kept } from './kept-records.js';
import type { Memory } from './memory.js';
import { type Found, missingFrom, Reading, type Wanted } from './reading.js';

/** Where {@link Reading} looks first. */
export type Search = 'find' | 'findFirst' | 'findNear';

/** Of a topic: a kibibyte each, so 4 MiB; a stretch is 512 records as long as there are not more. */
const MOST_STRETCHES = 4_096;
/** Of a topic: 4 MiB. At 16 bits a key, two million forgotten ones. */
const FORGOTTEN_BITS = 2 ** 25;

/** A partition's share, a power of two. */
function shareOf(whole: number, partitions: number, least: number): number {
  return Math.max(least, 2 ** Math.floor(Math.log2(whole / partitions)));
}

/** The partitions of a topic, each read along. */
export class Readings<K extends Kept> {
  private partitions = 0;
  private readonly readings = new Map<number, Reading<K>>();
  /** Results of one problem come together. */
  private last: { readonly key: string; readonly reading: Reading<K> } | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly topic: string,
    private readonly options: {
      readonly keep: (record: LogRecord) => K;
      readonly forgets: boolean;
      /** By topic/partition. */
      readonly from: ReadonlyMap<string, number>;
      readonly memory: Memory;
      readonly salt: number;
    },
  ) {}

  places(): readonly (readonly [name: string, offset: number])[] {
    return [...this.readings].map(([partition, { begin }]) => [partitionName(this.topic, partition), begin] as const);
  }

  /** Where reading of a partition began. */
  began(partition: number): number {
    return this.readings.get(partition)?.began ?? 0;
  }

  /** To be awaited before anything else: how many partitions there are. All of them share what may be remembered from the beginning. */
  async meet(): Promise<void> {
    if (this.partitions > 0) return;
    const marks = await this.log.watermarks(this.topic);
    this.partitions = marks.length;
    for (const { partition } of marks) this.in(partition);
  }

  /** Of the partition that a key stands for. */
  of(key: string): Reading<K> {
    if (this.last?.key !== key) this.last = { key, reading: this.in(partitionForKey(key, this.partitions)) };
    return this.last.reading;
  }

  /** Of each wanted id the first record in the log that has it under its key: by both, so that no batch mate can replace another. */
  async find(wanted: Wanted, found: Found<K>, how: Search): Promise<void> {
    for (const [reading, keys] of Map.groupBy(wanted.keys(), (key) => this.of(key)))
      await reading[how](new Map(keys.map((key) => [key, wanted.get(key)!])), found);
  }

  /** As {@link find}, and what is not in the partition that its key stands for in the others: another client may have chosen it. */
  async findAnywhere(wanted: Wanted, found: Found<K>, how: Search): Promise<void> {
    await this.find(wanted, found, how);
    const missing = missingFrom(found, wanted);
    if (missing.size > 0) await this.findElsewhere(missing, found, how);
  }

  /** In all partitions but those that the keys stand for. */
  private async findElsewhere(wanted: Wanted, found: Found<K>, how: Search): Promise<void> {
    for (let partition = 0; partition < this.partitions; partition++) {
      const missing = missingFrom(found, wanted);
      for (const key of missing.keys()) if (partitionForKey(key, this.partitions) === partition) missing.delete(key);
      if (missing.size > 0) await this.in(partition)[how](missing, found);
    }
  }

  in(partition: number): Reading<K> {
    let known = this.readings.get(partition);
    if (known === undefined) {
      const { topic } = this;
      const { from } = this.options;
      known = new Reading(
        this.log,
        { topic, partition },
        {
          ...this.options,
          from: from.get(partitionName(topic, partition)),
          maxStretches: shareOf(MOST_STRETCHES, this.partitions, 16),
          forgottenBits: shareOf(FORGOTTEN_BITS, this.partitions, 2 ** 16),
        },
      );
      this.readings.set(partition, known);
    }
    return known;
  }
}
