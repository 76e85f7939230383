/**
 * The event log: named topics, each a fixed number of partitions, each an append-only sequence of records with offsets
 * 0, 1, 2, … A subset of Kafka's model on purpose, so that a log can move between drivers; what only one driver could
 * do is not here.
 */

/** Text headers as Kafka carries them. Names are lower-case. */
export type Headers = Readonly<Record<string, string>>;

/** A record to append. */
export interface NewRecord {
  readonly topic: string;
  /** Decides the partition: murmur2(UTF-8 bytes) as in Kafka's default partitioner. Null is spread by round robin. */
  readonly key: string | null;
  /** Null is a tombstone. */
  readonly value: Uint8Array | null;
  readonly headers?: Headers;
  /** Overrides the key's partition: for moving a log between drivers. */
  readonly partition?: number;
  /** Milliseconds since the epoch; the driver's clock when absent. */
  readonly timestampMs?: number;
}

/** Where a record stands. */
export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  /** 0-based, without gaps in the embedded driver; a Kafka log may have gaps (transaction markers, compaction). */
  readonly offset: number;
}

/** A committed record. Its bytes are the reader's own: they stay valid. */
export interface LogRecord extends RecordPosition {
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
  readonly timestampMs: number;
  /**
   * Present where the log holds bytes that no reader can read (damaged, or more than a reader takes): why, and which offsets they
   * are. Key and value are null then, and the offset is the last of them. To decode it is UNREADABLE_BATCH, so that it becomes
   * a dead letter as anything else that is no event.
   */
  readonly unreadable?: string;
}

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
}

/** The next offset a group will read of a partition. */
export interface ConsumedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: number;
}

/** First offset still stored and the offset that the next committed record will get. */
export interface Watermarks {
  readonly partition: number;
  readonly low: number;
  readonly high: number;
}

/** One atomic step of a consumer: what it appends and how far it has read, committed together or not at all. */
export interface Transaction {
  readonly records: readonly NewRecord[];
  /**
   * Present for consume-process-produce. The claim is the delivered batch's and covers that batch's partition: a consumer
   * that lost it is FENCED, an offset of another partition is INVALID_INPUT, one above the high watermark
   * OFFSET_OUT_OF_RANGE, one that is not after what was committed CONFLICT. Without an offset the records are committed under
   * the claim, and the place stays.
   */
  readonly consumed?: { readonly claim: Claim; readonly offsets: readonly ConsumedOffset[] };
}

/**
 * Proof that a member of a group owns a partition, or that a name is still whose it was ({@link EventLog.claim}). Drivers put their own
 * fencing facts in `token`.
 */
export interface Claim {
  readonly group: string;
  readonly memberId: string;
  readonly token: unknown;
}

/** Records of one partition in offset order, at least one. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly claim: Claim;
  /** Aborts when the partition is taken away or the subscription closes: unfinished work should stop. */
  readonly signal: AbortSignal;
}

export interface ConsumeOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /** Where a group without a committed offset begins. A driver may commit the place that `latest` stands for at once. */
  readonly from: 'earliest' | 'latest';
  /** Most records of a batch. */
  readonly maxBatchRecords: number;
  /**
   * Handles one batch and commits it itself through {@link EventLog.transact}; batches of one partition come one at a
   * time, those of different partitions side by side up to `maxConcurrentPartitions`. What was not committed is
   * delivered again after the handler returns, so a handler that wants to wait before a retry sleeps first. A handler
   * that throws ends the subscription with its error, except that FENCED ends only its partition (another member has it), and
   * ABORTED after the batch's signal aborted (`signal.throwIfAborted()` throws it) is no failure.
   */
  readonly onBatch: (batch: RecordBatch) => Promise<void>;
  /** All owned partitions when absent. */
  readonly maxConcurrentPartitions?: number;
  /**
   * `spread` (when absent): the members share the partitions. `whole`: one member owns all partitions of the topics and
   * the others stand by until it leaves or dies: for work whose state knows no partitions. All members of a group say the same.
   */
  readonly sharing?: 'spread' | 'whole';
  /**
   * Of several `whole` groups that share their work by instances, such as the shards of one state: which of them this is, 0, 1,
   * 2, … Then the owner is the member whose turn it is among the instances (open logs), the oldest first, and it changes when
   * instances come and go: never in the middle of a batch, and never so that two members have parts of the topics at once.
   */
  readonly turn?: number;
}

export interface Subscription {
  /**
   * Settles when the subscription has ended: resolved by {@link close}, rejected by an error of handler or log. Someone has
   * to look at it: an unhandled rejection ends the process.
   */
  readonly closed: Promise<void>;
  /** Partitions owned right now, as "topic/partition". */
  assignment(): readonly string[];
  /** Stops fetching, aborts the batches in flight and waits for them, leaves the group. Not to be awaited in a handler. */
  close(): Promise<void>;
}

export interface ReadOptions {
  readonly topic: string;
  readonly partition: number;
  /** First offset to read; OFFSET_OUT_OF_RANGE when below the low or above the high watermark. */
  readonly from: number;
  /** Exclusive; the high watermark at the time of the call when absent, OFFSET_OUT_OF_RANGE above it. */
  readonly to?: number;
  /** Most records of one yielded chunk; 1000 when absent. */
  readonly chunkRecords?: number;
  /** Records may come with headers that are empty: a reader that looks at none need not wait until they are made. */
  readonly withoutHeaders?: boolean;
}

/**
 * The port. Errors are SeamErrors: UNKNOWN_TOPIC, OFFSET_OUT_OF_RANGE, FENCED, LOG_FULL, LOG_READ_ONLY, LOG_CORRUPT,
 * LOG_INCOMPATIBLE_VERSION, LOG_UNAVAILABLE, RECORD_TOO_LARGE, INVALID_INPUT; INTERNAL with `details.driver` for what a
 * driver got and cannot name: the log's trouble, not the caller's.
 */
export abstract class EventLog {
  /**
   * The same for every door to this log, now and after restarts, and no other log's: a caller that moves records between logs
   * writes down where they came from. In a file it is made up with the file; of Kafka it is the cluster's id.
   */
  abstract identity(): Promise<string>;

  /** Creates what is missing. A topic that exists with another number of partitions is a CONFLICT. */
  abstract createTopics(topics: readonly TopicSpec[]): Promise<void>;

  abstract topics(): Promise<readonly TopicSpec[]>;

  /** Appends all records atomically and durably, in the given order per partition. Same as `transact({ records })`. */
  abstract append(records: readonly NewRecord[]): Promise<readonly RecordPosition[]>;

  /**
   * Commits one atomic step. Resolves once it is durable. FENCED when the claim is no longer valid: nothing happened. Where it
   * fails and no caller knows whether it happened (LOG_UNAVAILABLE), the claim is valid no longer: the partition comes back under
   * another, at the place that was committed. A producer without a claim may find its records there twice if it repeats them.
   */
  abstract transact(transaction: Transaction): Promise<readonly RecordPosition[]>;

  /**
   * Acquires the writer lease `name` and returns its claim. The latest caller has it, and steps under earlier claims are FENCED from then
   * on; what they committed can be read. A claim need not be released, so a crashed holder blocks no caller. For {@link transact},
   * without offsets. Names are 1 to 200 of `a-z A-Z 0-9 . _ -`, and no group's.
   */
  abstract claim(name: string): Promise<Claim>;

  /**
   * Gives up a claim of {@link claim} with what the driver keeps for it: a caller that claims many names one after the other releases each. Steps
   * under it are FENCED from then on. One that another claim has taken the place of, or that was released, is left as it is.
   */
  abstract release(claim: Claim): Promise<void>;

  /** Joins a group; the partitions of its topics are shared among the group's members, across processes. */
  abstract consume(options: ConsumeOptions): Promise<Subscription>;

  /** Yields committed records of one partition in chunks, oldest first, then ends. Needs no group. */
  abstract read(options: ReadOptions): AsyncIterable<readonly LogRecord[]>;

  /**
   * Yields committed records of all partitions of the topics from the given place on and waits for more until the
   * signal aborts; LOG_UNAVAILABLE when the log is closed first. Per partition in offset order. For views and tails that keep their position themselves.
   */
  abstract follow(options: {
    readonly topics: readonly string[];
    readonly from: 'earliest' | 'latest' | readonly ConsumedOffset[];
    readonly signal: AbortSignal;
  }): AsyncIterable<readonly LogRecord[]>;

  /** Offset of the first record whose timestamp is at or after the given one; the high watermark when there is none. */
  abstract offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number>;

  /** Committed offsets of a group; partitions without one are absent. */
  abstract committedOffsets(group: string): Promise<readonly ConsumedOffset[]>;

  abstract watermarks(topic: string): Promise<readonly Watermarks[]>;

  abstract close(): Promise<void>;
}
