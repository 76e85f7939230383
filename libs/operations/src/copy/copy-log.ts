/**
 * Copies topics of one log into another exactly once, regardless of what is killed: copy-progress.ts has the rules.
 *
 * One copy at a time writes into a log. It is the member of a group that owns the marks' partition and commits under that
 * claim: a copy that was given up for dead and wakes up is FENCED, a second one stands by until the first has ended.
 */
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { isSeamError, SeamError } from '@seamstream/kernel';
import {
  COPIES_TOPIC,
  type CopyMark,
  copyOf,
  judgeRecord,
  markRecord,
  newestMarks,
  type PartitionPlan,
  planPartition,
  SEAT_RECORD,
  type Selection,
} from './copy-progress.js';

const COPY_GROUP = 'seam.copy';

/** Most records, and bytes of values, of one transaction. */
const STEP_RECORDS = 1000;
const STEP_BYTES = 4 * 1024 ** 2;

/** After how long without a claim a person hears of another copy at work. Joining a Kafka group takes a few seconds. */
const PATIENCE_MS = 5_000;

interface TopicsToCopy {
  readonly topics: readonly string[];
  readonly selection: Selection;
}

/** What became of a topic's records. */
export interface TopicCopy {
  readonly topic: string;
  copied: number;
  /** Not taken by the selection. */
  notSelected: number;
  /** Came with a copy of another selection. */
  hereAlready: number;
  /** First appended at the target: what was copied from there and comes back. */
  cameHome: number;
  /** No longer stored at the source when it was to be copied. */
  expired: number;
  /** Batches of the source that cannot be read: no record can be made of them. */
  unreadable: number;
}

export interface CopyObserver {
  /** Records to look at; called again when the claim was lost and won again. */
  planned(records: number): void;
  looked(records: number): void;
  /** Another copy into the same log is at work. */
  waits(): void;
}

interface CopyOptions {
  readonly signal: AbortSignal;
  readonly observer: CopyObserver;
}

/** The right to copy into a log. */
interface CopyLease {
  /** Appends under the claim. FENCED once another copy has it. */
  commit(records: readonly NewRecord[]): Promise<unknown>;
  readonly signal: AbortSignal;
}

/** From causes to effects: the target has the causes of each record that it holds. */
const CAUSES_FIRST: readonly string[] = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.answers,
  TOPIC.feedback,
  TOPIC.outcomes,
];

const rank = (topic: string): number => {
  const found = CAUSES_FIRST.indexOf(topic);
  return found < 0 ? CAUSES_FIRST.length : found;
};

/**
 * Copies what is in the source now and not yet in the target. What was copied when the signal aborts stays copied.
 * @throws CONFLICT for one and the same log, and when a topic has another number of partitions at the target
 */
export async function copyLog(
  source: EventLog,
  target: EventLog,
  request: TopicsToCopy,
  options: CopyOptions,
): Promise<readonly TopicCopy[]> {
  const topics = request.topics.toSorted((a, b) => rank(a) - rank(b));
  const [origin, home] = [await source.identity(), await target.identity()];
  if (origin === home) {
    throw new SeamError(
      'CONFLICT',
      `Cannot copy a log: expected two logs, got the same one twice (${origin}), or a copy of its files. Name two logs.`,
      { details: { identity: origin } },
    );
  }
  await prepareTopics(source, target, topics);
  return withLease(target, options, async (lease) => {
    const marks = await readMarks(target);
    const plans = await planAll(source, { ...request, topics }, marks, origin);
    options.observer.planned(plans.reduce((sum, { from, to }) => sum + to - from, 0));
    const reports: TopicCopy[] = [];
    for (const topic of topics) {
      const report = { topic, copied: 0, notSelected: 0, hereAlready: 0, cameHome: 0, expired: 0, unreadable: 0 };
      reports.push(report);
      for (const plan of plans) {
        if (plan.topic !== topic) continue;
        await copyPartition(plan, { source, lease, home, report, selection: request.selection, ...options });
      }
    }
    return reports;
  });
}

/** Topics at the target as at the source. */
async function prepareTopics(source: EventLog, target: EventLog, topics: readonly string[]): Promise<void> {
  const present = new Map((await target.topics()).map(({ name, partitions }) => [name, partitions]));
  const wanted = (await source.topics()).filter(({ name }) => topics.includes(name));
  for (const { name, partitions } of wanted) {
    const existing = present.get(name) ?? partitions;
    if (existing === partitions) continue;
    throw new SeamError(
      'CONFLICT',
      `Cannot copy ${name}: expected ${partitions} partitions at the target, as at the source, got ${existing}. A record keeps its partition, so that the order stays the same. Copy into a log without this topic (the copy creates it with ${partitions}), or create it there with ${partitions} partitions before services do.`,
      { details: { topic: name, source: partitions, target: existing } },
    );
  }
  await target.createTopics([...wanted, { name: COPIES_TOPIC, partitions: 1 }]);
}

async function readMarks(target: EventLog): Promise<readonly CopyMark[]> {
  const [watermark] = await target.watermarks(COPIES_TOPIC);
  const records = [];
  for await (const chunk of target.read({ topic: COPIES_TOPIC, partition: 0, from: watermark?.low ?? 0 }))
    records.push(...chunk);
  return newestMarks(records);
}

/** What to read of every partition. The ends of effects are taken before those of their causes. */
async function planAll(
  source: EventLog,
  { topics, selection }: TopicsToCopy,
  marks: readonly CopyMark[],
  origin: string,
): Promise<readonly PartitionPlan[]> {
  const plans: PartitionPlan[] = [];
  for (const topic of topics.toReversed()) {
    for (const watermarks of await source.watermarks(topic)) {
      const { partition } = watermarks;
      const sinceOffset = selection.since === null ? 0 : await source.offsetForTime(topic, partition, selection.since);
      plans.push(planPartition({ origin, topic, partition }, { marks, selection, watermarks, sinceOffset }));
    }
  }
  return plans;
}

/** Reads on while the last step is being committed. */
async function copyPartition(
  plan: PartitionPlan,
  context: {
    readonly source: EventLog;
    readonly lease: CopyLease;
    /** Identity of the target. */
    readonly home: string;
    readonly selection: Selection;
    readonly report: TopicCopy;
    readonly observer: CopyObserver;
  },
): Promise<void> {
  const { source, lease, home, selection, report, observer } = context;
  const { origin, topic, partition, from, to } = plan;
  report.expired += plan.expired;
  if (from >= to) return;
  let step: NewRecord[] = [];
  let bytes = 0;
  let inFlight: Promise<unknown> = Promise.resolve();
  const commit = async (upTo: number): Promise<void> => {
    await inFlight;
    lease.signal.throwIfAborted();
    const mark = { origin, topic, partition, ...selection, domains: [...selection.domains], upTo };
    inFlight = lease.commit([...step, markRecord(mark)]);
    inFlight.catch(() => undefined); // the next commit awaits it
    report.copied += step.length;
    step = [];
    bytes = 0;
  };
  try {
    for await (const chunk of source.read({ topic, partition, from, to, chunkRecords: STEP_RECORDS })) {
      for (const record of chunk) {
        const verdict = judgeRecord(record, plan, selection, home);
        if (record.unreadable !== undefined) report.unreadable++;
        else if (verdict === 'not selected') report.notSelected++;
        else if (verdict === 'here already') report.hereAlready++;
        else if (verdict === 'comes home') report.cameHome++;
        else {
          step.push(copyOf(record, origin));
          bytes += record.value?.length ?? 0;
          if (step.length >= STEP_RECORDS || bytes >= STEP_BYTES) await commit(record.offset + 1);
        }
      }
      observer.looked(chunk.length);
    }
    await commit(to);
  } finally {
    await inFlight;
  }
}

/** Does the work as the only copy into the log. Begins again when the claim was lost and won again. */
async function withLease<T>(
  target: EventLog,
  { signal, observer }: CopyOptions,
  work: (lease: CopyLease) => Promise<T>,
): Promise<T> {
  const [watermark] = await target.watermarks(COPIES_TOPIC);
  // Without a record no member gets a batch, and without a batch none gets a claim.
  if (watermark?.high === watermark?.low) await target.append([SEAT_RECORD]);
  const result = Promise.withResolvers<T>();
  const patience = setTimeout(() => observer.waits(), PATIENCE_MS);
  const subscription = await target.consume({
    group: COPY_GROUP,
    topics: [COPIES_TOPIC],
    from: 'earliest',
    maxBatchRecords: 1,
    sharing: 'whole',
    onBatch: async (batch) => {
      clearTimeout(patience);
      const lease: CopyLease = {
        // The place never moves on, so that there is a batch for the next one too.
        commit: (records) => target.transact({ records, consumed: { claim: batch.claim, offsets: [] } }),
        signal: AbortSignal.any([signal, batch.signal]),
      };
      try {
        result.resolve(await work(lease));
      } catch (error) {
        const isTakenAway = isSeamError(error, 'FENCED') || batch.signal.aborted;
        if (isTakenAway && !signal.aborted) throw error;
        result.reject(error);
      }
      await new Promise<void>((resolve) => {
        if (batch.signal.aborted) resolve();
        else batch.signal.addEventListener('abort', () => resolve());
      });
    },
  });
  subscription.closed.catch((error: unknown) => result.reject(error));
  const stop = (): void => result.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await result.promise;
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', stop);
    await subscription.close();
  }
}
