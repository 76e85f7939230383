/**
 * Every promise of the event log's port, in sentences. The fake and each driver run this suite with their own factory.
 * Nothing here needs more than the port promises: offsets may have gaps, groups settle eventually, topics and groups have
 * fresh names, so that a shared broker can be under test.
 */

import { ManualClock, newId, type SeamError } from '@seamstream/kernel';
import { eventually as patiently } from '@seamstream/testing';
import type { Claim, ConsumeOptions, EventLog, LogRecord, NewRecord, RecordBatch, Subscription } from './event-log.js';
import { partitionForKey } from './murmur2.js';
import { MAX_RECORD_BYTES } from './record-rules.js';

/** One storage under test. */
export interface EventLogUnderTest {
  /** A log on the storage; each call stands for another process. Logs take their time from the clock. */
  open(): Promise<EventLog>;
  /** Removes the storage; all logs are closed by then. */
  dispose(): Promise<void>;
}

export interface EventLogContractOptions {
  /** How long a group may take to share its partitions again, and a record to arrive; milliseconds. A suite's own timeout must exceed it. */
  readonly settleMs?: number;
  /** How long to look for something that must not happen; milliseconds. */
  readonly quietMs?: number;
}

const text = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString();
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const valuesOf = (records: readonly LogRecord[]) => records.map((record) => text(record.value));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function refusalOf(action: Promise<unknown>): Promise<SeamError> {
  return action.then(
    () => {
      throw new Error('expected a refusal, but the call succeeded');
    },
    (error: unknown) => error as SeamError,
  );
}

/** Runs the suite against what `create` makes; `create` is called once. */
export function describeEventLogContract(
  name: string,
  create: (clock: ManualClock) => Promise<EventLogUnderTest>,
  { settleMs = 4000, quietMs = 100 }: EventLogContractOptions = {},
): void {
  describe(`${name} keeps the promises of the event log`, () => {
    const clock = new ManualClock(1_700_000_000_000);
    let storage: EventLogUnderTest;
    let log: EventLog;
    let opened: EventLog[];

    let subscriptions: Subscription[];

    const open = async (): Promise<EventLog> => {
      const another = await storage.open();
      opened.push(another);
      return another;
    };
    const consume = async (target: EventLog, options: ConsumeOptions): Promise<Subscription> => {
      const subscription = await target.consume(options);
      subscriptions.push(subscription);
      return subscription;
    };

    // One storage and one log for all tests: opening costs most of the time, and fresh names keep tests apart.
    beforeAll(async () => {
      storage = await create(clock);
      log = await storage.open();
    });
    afterAll(async () => {
      await log.close();
      await storage.dispose();
    });
    beforeEach(() => {
      opened = [];
      subscriptions = [];
    });
    afterEach(async () => {
      await Promise.all(subscriptions.map((one) => one.close()));
      await Promise.all(opened.map((one) => one.close()));
    });

    const topicWith = async (partitions: number): Promise<string> => {
      const topic = `topic-${newId()}`;
      await log.createTopics([{ name: topic, partitions }]);
      return topic;
    };
    const group = (): string => `group-${newId()}`;
    const record = (topic: string, value: string | null, extra: Partial<NewRecord> = {}): NewRecord => ({
      topic,
      key: null,
      value: value === null ? null : bytes(value),
      partition: 0,
      ...extra,
    });
    const numbered = (topic: string, count: number, extra: Partial<NewRecord> = {}): NewRecord[] =>
      Array.from({ length: count }, (_, index) => record(topic, `${index}`, extra));
    const readAll = async (topic: string, partition = 0, from = 0, reader = log): Promise<LogRecord[]> => {
      const records: LogRecord[] = [];
      for await (const chunk of reader.read({ topic, partition, from })) records.push(...chunk);
      return records;
    };
    const eventually = (check: () => unknown): Promise<void> => patiently(check, { withinMs: settleMs });
    const commit = (
      target: EventLog,
      batch: RecordBatch,
      records: readonly NewRecord[] = [],
      upTo = batch.records.length,
    ) =>
      target.transact({
        records,
        consumed: {
          claim: batch.claim,
          offsets: [
            { topic: batch.topic, partition: batch.partition, nextOffset: batch.records[upTo - 1]!.offset + 1 },
          ],
        },
      });
    /** A member that commits every batch and keeps what it saw. */
    const collect = async (
      target: EventLog,
      options: {
        group: string;
        topics: string[];
        from?: 'earliest' | 'latest';
        maxBatchRecords?: number;
        sharing?: 'spread' | 'whole';
        turn?: number;
        onBatch?: (batch: RecordBatch) => Promise<void>;
      },
    ): Promise<{ seen: LogRecord[]; batches: RecordBatch[]; subscription: Subscription }> => {
      const seen: LogRecord[] = [];
      const batches: RecordBatch[] = [];
      const subscription = await consume(target, {
        group: options.group,
        topics: options.topics,
        from: options.from ?? 'earliest',
        maxBatchRecords: options.maxBatchRecords ?? 100,
        sharing: options.sharing ?? 'spread',
        ...(options.turn === undefined ? {} : { turn: options.turn }),
        onBatch: async (batch) => {
          await options.onBatch?.(batch);
          await commit(target, batch);
          seen.push(...batch.records);
          batches.push(batch);
        },
      });
      return { seen, batches, subscription };
    };

    it('has one identity for all who ask', async () => {
      const identity = await log.identity();
      expect(identity).toMatch(/^[\w.-]{8,}$/);
      expect(await (await open()).identity()).toBe(identity);
    });

    describe('topics', () => {
      it('lists what was created, and creating it again changes nothing', async () => {
        const topic = await topicWith(3);
        await log.createTopics([{ name: topic, partitions: 3 }]);
        expect(await log.topics()).toContainEqual({ name: topic, partitions: 3 });
        expect((await log.watermarks(topic)).map(({ partition, low, high }) => [partition, low, high])).toEqual([
          [0, 0, 0],
          [1, 0, 0],
          [2, 0, 0],
        ]);
      });

      it('refuses another number of partitions for a topic that exists, and then creates none of the list', async () => {
        const topic = await topicWith(2);
        const other = `topic-${newId()}`;
        const refusal = await refusalOf(
          log.createTopics([
            { name: other, partitions: 1 },
            { name: topic, partitions: 3 },
          ]),
        );
        expect(refusal).toMatchObject({ code: 'CONFLICT', details: { topic, existing: 2, wanted: 3 } });
        expect((await log.topics()).map((spec) => spec.name)).not.toContain(other);
      });

      it.each(['', '.', '..', 'a b', 'ä', 'a/b', 'x'.repeat(250)])('refuses %j as a name', async (bad) => {
        expect(await refusalOf(log.createTopics([{ name: bad, partitions: 1 }]))).toMatchObject({
          code: 'INVALID_INPUT',
        });
      });

      it.each([0, -1, 1.5, Number.NaN])('refuses %d partitions', async (partitions) => {
        expect(await refusalOf(log.createTopics([{ name: 'fine', partitions }]))).toMatchObject({
          code: 'INVALID_INPUT',
        });
      });

      it('names the topic that does not exist, in every operation', async () => {
        const missing = { code: 'UNKNOWN_TOPIC', details: { topic: 'nowhere' } };
        expect(await refusalOf(log.append([record('nowhere', 'x')]))).toMatchObject(missing);
        expect(await refusalOf(log.watermarks('nowhere'))).toMatchObject(missing);
        expect(await refusalOf(log.offsetForTime('nowhere', 0, 0))).toMatchObject(missing);
        expect(await refusalOf(readAll('nowhere'))).toMatchObject(missing);
        expect(await refusalOf(collect(log, { group: group(), topics: ['nowhere'] }))).toMatchObject(missing);
        const topic = await topicWith(1);
        expect(await refusalOf(log.append([record(topic, 'x', { partition: 1 })]))).toMatchObject({
          code: 'UNKNOWN_TOPIC',
          details: { partition: 1 },
        });
        expect(await refusalOf(readAll(topic, 7))).toMatchObject({ code: 'UNKNOWN_TOPIC', details: { partition: 7 } });
      });
    });

    describe('appending', () => {
      it('gives back every field of a record, and its position', async () => {
        const topic = await topicWith(1);
        const headers = { ce_id: '1', ce_type: 'Überraschung', traceparent: '' };
        const value = Uint8Array.from({ length: 256 }, (_, index) => index);
        const positions = await log.append([
          { topic, key: 'schlüssel', value, headers, timestampMs: 12_345 },
          { topic, key: null, value: null },
          { topic, key: '', value: new Uint8Array(0) },
        ]);
        const records = await readAll(topic);
        expect(records).toEqual([
          { topic, partition: 0, offset: positions[0]!.offset, key: 'schlüssel', value, headers, timestampMs: 12_345 },
          {
            topic,
            partition: 0,
            offset: positions[1]!.offset,
            key: null,
            value: null,
            headers: {},
            timestampMs: clock.now(),
          },
          {
            topic,
            partition: 0,
            offset: positions[2]!.offset,
            key: '',
            value: new Uint8Array(0),
            headers: {},
            timestampMs: clock.now(),
          },
        ]);
      });

      it('puts a key into the partition that Kafka would choose', async () => {
        const topic = await topicWith(5);
        const keys = Array.from({ length: 50 }, (_, index) => `problem-${index}`);
        const positions = await log.append(keys.map((key) => ({ topic, key, value: bytes(key) })));
        expect(positions.map((position) => position.partition)).toEqual(keys.map((key) => partitionForKey(key, 5)));
      });

      it('spreads records without a key over the partitions', async () => {
        const topic = await topicWith(3);
        const positions = await log.append(Array.from({ length: 30 }, () => ({ topic, key: null, value: bytes('x') })));
        expect(new Set(positions.map((position) => position.partition))).toEqual(new Set([0, 1, 2]));
      });

      it('keeps the order of each partition, within a call and from call to call', async () => {
        const topic = await topicWith(2);
        for (let round = 0; round < 5; round++) {
          await log.append(
            Array.from({ length: 20 }, (_, index) => record(topic, `${round * 20 + index}`, { partition: index % 2 })),
          );
        }
        const even = valuesOf(await readAll(topic, 0)).map(Number);
        const odd = valuesOf(await readAll(topic, 1)).map(Number);
        expect(even).toEqual(Array.from({ length: 50 }, (_, index) => index * 2));
        expect(odd).toEqual(Array.from({ length: 50 }, (_, index) => index * 2 + 1));
      });

      it('keeps calls whole and in order when many wait at once', async () => {
        const topic = await topicWith(1);
        await Promise.all(
          Array.from({ length: 40 }, (_, call) => log.append([record(topic, `${call}a`), record(topic, `${call}b`)])),
        );
        const values = valuesOf(await readAll(topic));
        expect(values).toHaveLength(80);
        for (let call = 0; call < 40; call++) expect(values[values.indexOf(`${call}a`) + 1]).toBe(`${call}b`);
      });

      it('raises offsets from record to record and lets the high watermark follow', async () => {
        const topic = await topicWith(1);
        const positions = await log.append(numbered(topic, 100));
        const offsets = positions.map((position) => position.offset);
        expect(offsets.every((offset, index) => index === 0 || offset > offsets[index - 1]!)).toBe(true);
        expect((await log.watermarks(topic))[0]!.high).toBeGreaterThan(offsets.at(-1)!);
      });

      it('takes nothing when one record of a call is refused', async () => {
        const topic = await topicWith(1);
        const big = record(topic, null, { value: new Uint8Array(MAX_RECORD_BYTES + 1) });
        expect(await refusalOf(log.append([record(topic, 'fine'), big]))).toMatchObject({
          code: 'RECORD_TOO_LARGE',
          details: { index: 1 },
        });
        expect(await refusalOf(log.append([record(topic, 'fine'), record('nowhere', 'x')]))).toMatchObject({
          code: 'UNKNOWN_TOPIC',
        });
        expect(
          await refusalOf(log.append([record(topic, 'fine'), record(topic, 'x', { key: '\ud800' })])),
        ).toMatchObject({ code: 'INVALID_INPUT' });
        expect(await refusalOf(log.append([record(topic, 'x', { headers: { 'Ce-Id': '1' } })]))).toMatchObject({
          code: 'INVALID_INPUT',
        });
        expect(await refusalOf(log.append([record(topic, 'x', { timestampMs: -1 })]))).toMatchObject({
          code: 'INVALID_INPUT',
        });
        expect(await readAll(topic)).toEqual([]);
      });

      it('takes a record of the largest size', async () => {
        const topic = await topicWith(1);
        const value = new Uint8Array(MAX_RECORD_BYTES).fill(7);
        await log.append([record(topic, null, { value })]);
        expect(Buffer.compare((await readAll(topic))[0]!.value!, value)).toBe(0);
      });

      it('keeps what was given even when the caller changes its bytes afterwards', async () => {
        const topic = await topicWith(1);
        const value = bytes('before');
        const done = log.append([record(topic, null, { value })]);
        value.fill(0);
        await done;
        value.fill(1);
        const [read] = await readAll(topic);
        expect(text(read!.value)).toBe('before');
        read!.value!.fill(2);
        expect(valuesOf(await readAll(topic))).toEqual(['before']);
      });

      it('is seen by another open log', async () => {
        const topic = await topicWith(1);
        await log.append(numbered(topic, 3));
        expect(valuesOf(await readAll(topic, 0, 0, await open()))).toEqual(['0', '1', '2']);
      });
    });

    describe('reading', () => {
      it('yields thousands of records once each, in chunks of the asked size', async () => {
        const topic = await topicWith(1);
        for (let start = 0; start < 5000; start += 1000) {
          await log.append(Array.from({ length: 1000 }, (_, index) => record(topic, `${start + index}`)));
        }
        const sizes: number[] = [];
        const values: number[] = [];
        for await (const chunk of log.read({ topic, partition: 0, from: 0, chunkRecords: 700 })) {
          sizes.push(chunk.length);
          values.push(...valuesOf(chunk).map(Number));
        }
        expect(Math.max(...sizes)).toBeLessThanOrEqual(700);
        expect(values).toEqual(Array.from({ length: 5000 }, (_, index) => index));
      });

      it('begins and ends where it was asked to', async () => {
        const topic = await topicWith(1);
        const positions = await log.append(numbered(topic, 50));
        const records: LogRecord[] = [];
        for await (const chunk of log.read({
          topic,
          partition: 0,
          from: positions[17]!.offset,
          to: positions[23]!.offset,
        }))
          records.push(...chunk);
        expect(valuesOf(records)).toEqual(['17', '18', '19', '20', '21', '22']);
        const { high } = (await log.watermarks(topic))[0]!;
        expect(await readAll(topic, 0, high)).toEqual([]);
      });

      it('says so when asked for what is not there', async () => {
        const topic = await topicWith(1);
        await log.append(numbered(topic, 3));
        const { high } = (await log.watermarks(topic))[0]!;
        expect(await refusalOf(readAll(topic, 0, high + 1))).toMatchObject({
          code: 'OFFSET_OUT_OF_RANGE',
          details: { topic, partition: 0, offset: high + 1 },
        });
        const records: LogRecord[] = [];
        const beyond = async () => {
          for await (const chunk of log.read({ topic, partition: 0, from: 0, to: high + 5 })) records.push(...chunk);
        };
        expect(await refusalOf(beyond())).toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' });
        expect(await refusalOf(readAll(topic, 0, -1))).toMatchObject({ code: 'INVALID_INPUT' });
        expect(await refusalOf(readAll(topic, 0, 0.5))).toMatchObject({ code: 'INVALID_INPUT' });
      });

      it('ends at the high watermark of the call although more arrives meanwhile', async () => {
        const topic = await topicWith(1);
        await log.append(numbered(topic, 10));
        const values: (string | null)[] = [];
        for await (const chunk of log.read({ topic, partition: 0, from: 0, chunkRecords: 4 })) {
          values.push(...valuesOf(chunk));
          await log.append([record(topic, 'late')]);
        }
        expect(values).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
      });
    });

    describe('finding an offset by time', () => {
      it('answers the first record at or after the time, and the high watermark after the last', async () => {
        const topic = await topicWith(1);
        const positions = [];
        for (let block = 0; block < 6; block++) {
          positions.push(
            ...(await log.append(
              Array.from({ length: 30 }, (_, index) =>
                record(topic, 'x', { timestampMs: 1000 + (block * 30 + index) * 10 }),
              ),
            )),
          );
        }
        for (const index of [0, 1, 29, 30, 100, 179]) {
          const { offset } = positions[index]!;
          expect(await log.offsetForTime(topic, 0, 1000 + index * 10)).toBe(offset);
          expect(await log.offsetForTime(topic, 0, 1000 + index * 10 - 9)).toBe(offset);
        }
        expect(await log.offsetForTime(topic, 0, 0)).toBe(positions[0]!.offset);
        const { high } = (await log.watermarks(topic))[0]!;
        expect(await log.offsetForTime(topic, 0, 1000 + 180 * 10)).toBe(high);
      });

      it('copes with times that go backwards', async () => {
        const topic = await topicWith(1);
        const positions = await log.append(
          [500, 300, 900, 100, 900].map((timestampMs) => record(topic, 'x', { timestampMs })),
        );
        await log.append([200, 1500].map((timestampMs) => record(topic, 'x', { timestampMs })));
        expect(await log.offsetForTime(topic, 0, 200)).toBe(positions[0]!.offset);
        expect(await log.offsetForTime(topic, 0, 600)).toBe(positions[2]!.offset);
        const last = (await readAll(topic)).at(-1)!;
        expect(await log.offsetForTime(topic, 0, 901)).toBe(last.offset);
      });

      it('answers the high watermark of an empty partition', async () => {
        expect(await log.offsetForTime(await topicWith(1), 0, 0)).toBe(0);
      });
    });

    describe('following', () => {
      it('yields the present records, then new ones, until it is stopped', async () => {
        const topic = await topicWith(2);
        await log.append([record(topic, 'a'), record(topic, 'b', { partition: 1 })]);
        const stop = new AbortController();
        const values: (string | null)[] = [];
        const following = (async () => {
          for await (const chunk of log.follow({ topics: [topic], from: 'earliest', signal: stop.signal }))
            values.push(...valuesOf(chunk));
        })();
        await eventually(() => expect(values.toSorted()).toEqual(['a', 'b']));
        await log.append([record(topic, 'c')]);
        await eventually(() => expect(values).toContain('c'));
        await (await open()).append([record(topic, 'd', { partition: 1 })]);
        await eventually(() => expect(values).toContain('d'));
        stop.abort();
        await following;
        await log.append([record(topic, 'e')]);
        await pause(quietMs);
        expect(values.toSorted()).toEqual(['a', 'b', 'c', 'd']);
      });

      it('begins with the next record, or at the given offsets', async () => {
        const topic = await topicWith(1);
        const positions = await log.append(numbered(topic, 5));
        const stop = new AbortController();
        const [latest, given]: [string[], string[]] = [[], []];
        const run = async (
          from: 'latest' | { topic: string; partition: number; nextOffset: number }[],
          into: string[],
        ) => {
          for await (const chunk of log.follow({ topics: [topic], from, signal: stop.signal }))
            into.push(...valuesOf(chunk).map(String));
        };
        const both = [run('latest', latest), run([{ topic, partition: 0, nextOffset: positions[3]!.offset }], given)];
        await eventually(() => expect(given).toEqual(['3', '4']));
        await pause(quietMs);
        await log.append([record(topic, 'new')]);
        await eventually(() => expect([latest, given]).toEqual([['new'], ['3', '4', 'new']]));
        stop.abort();
        await Promise.all(both);
      });

      it('keeps up with a writer and misses nothing', async () => {
        const topic = await topicWith(1);
        const stop = new AbortController();
        const values: number[] = [];
        const following = (async () => {
          for await (const chunk of log.follow({ topics: [topic], from: 'earliest', signal: stop.signal }))
            values.push(...valuesOf(chunk).map(Number));
        })();
        const writer = await open();
        for (let call = 0; call < 30; call++)
          await writer.append(Array.from({ length: 40 }, (_, index) => record(topic, `${call * 40 + index}`)));
        await eventually(() => expect(values).toHaveLength(1200));
        expect(values).toEqual(Array.from({ length: 1200 }, (_, index) => index));
        stop.abort();
        await following;
      });
    });

    describe('consuming', () => {
      it('delivers every record once, in order of each partition, in batches of one partition and of the asked size', async () => {
        const topic = await topicWith(4);
        await log.append(
          Array.from({ length: 2000 }, (_, index) => ({ topic, key: `key-${index % 37}`, value: bytes(`${index}`) })),
        );
        const { seen, batches, subscription } = await collect(log, {
          group: group(),
          topics: [topic],
          maxBatchRecords: 64,
        });
        await eventually(() => expect(seen).toHaveLength(2000));
        await subscription.close();
        expect(new Set(valuesOf(seen)).size).toBe(2000);
        for (const batch of batches) {
          expect(batch.records.length).toBeLessThanOrEqual(64);
          expect(batch.records.every((one) => one.topic === batch.topic && one.partition === batch.partition)).toBe(
            true,
          );
        }
        for (const partition of [0, 1, 2, 3]) {
          const offsets = seen.filter((one) => one.partition === partition).map((one) => one.offset);
          expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
        }
      });

      it('hands out records that arrive later, from this log and from another', async () => {
        const topic = await topicWith(2);
        const { seen } = await collect(log, { group: group(), topics: [topic] });
        await log.append([record(topic, 'mine')]);
        await eventually(() => expect(valuesOf(seen)).toEqual(['mine']));
        await (await open()).append([record(topic, 'theirs', { partition: 1 })]);
        await eventually(() => expect(valuesOf(seen)).toEqual(['mine', 'theirs']));
      });

      it('begins a new group at the earliest record or after the latest, as asked', async () => {
        const topic = await topicWith(1);
        await log.append([record(topic, 'old')]);
        const early = await collect(log, { group: group(), topics: [topic], from: 'earliest' });
        const late = await collect(log, { group: group(), topics: [topic], from: 'latest' });
        await eventually(() => expect(late.subscription.assignment()).toHaveLength(1));
        await eventually(() => expect(valuesOf(early.seen)).toEqual(['old']));
        await pause(quietMs);
        await log.append([record(topic, 'new')]);
        await eventually(() => expect([valuesOf(early.seen), valuesOf(late.seen)]).toEqual([['old', 'new'], ['new']]));
      });

      it('continues where the group had committed, in a log opened later', async () => {
        const topic = await topicWith(1);
        const name = group();
        await log.append(numbered(topic, 10));
        const first = await collect(log, { group: name, topics: [topic], maxBatchRecords: 5 });
        await eventually(() => expect(first.seen).toHaveLength(10));
        await first.subscription.close();
        await log.append([record(topic, 'next')]);
        const second = await collect(await open(), { group: name, topics: [topic] });
        await eventually(() => expect(valuesOf(second.seen)).toEqual(['next']));
      });

      it('serves several groups, and several subscriptions of one log, independently', async () => {
        const [left, right] = [await topicWith(1), await topicWith(2)];
        await log.append([record(left, 'l'), record(right, 'r'), record(right, 's', { partition: 1 })]);
        const a = await collect(log, { group: group(), topics: [left] });
        const b = await collect(log, { group: group(), topics: [left, right] });
        await eventually(() =>
          expect([valuesOf(a.seen), valuesOf(b.seen).toSorted()]).toEqual([['l'], ['l', 'r', 's']]),
        );
        await a.subscription.close();
        await log.append([record(left, 'm')]);
        await eventually(() => expect(valuesOf(b.seen)).toContain('m'));
        expect(valuesOf(a.seen)).toEqual(['l']);
      });

      it('delivers again what a handler did not commit, from the first uncommitted record on', async () => {
        const topic = await topicWith(1);
        await log.append(numbered(topic, 6));
        const deliveries: (string | null)[][] = [];
        const subscription = await consume(log, {
          group: group(),
          topics: [topic],
          from: 'earliest',
          maxBatchRecords: 4,
          onBatch: async (batch) => {
            deliveries.push(valuesOf(batch.records));
            if (deliveries.length === 1) return; // nothing committed
            await commit(log, batch, [], deliveries.length === 2 ? 1 : undefined); // then one record, then all
          },
        });
        await eventually(() => expect(deliveries).toHaveLength(4));
        await subscription.close();
        expect(deliveries).toEqual([['0', '1', '2', '3'], ['0', '1', '2', '3'], ['1', '2', '3', '4'], ['5']]);
      });

      it('gives no second batch of a partition before the handler of the first returned', async () => {
        const topic = await topicWith(2);
        await log.append([...numbered(topic, 30), ...numbered(topic, 30, { partition: 1 })]);
        const running = new Map<number, number>();
        let most = 0;
        const { seen } = await collect(log, {
          group: group(),
          topics: [topic],
          maxBatchRecords: 3,
          onBatch: async ({ partition }) => {
            running.set(partition, (running.get(partition) ?? 0) + 1);
            most = Math.max(most, running.get(partition)!);
            await pause(2);
            running.set(partition, running.get(partition)! - 1);
          },
        });
        await eventually(() => expect(seen).toHaveLength(60));
        expect(most).toBe(1);
      });

      it('serves partitions side by side up to the bound, and starves none', async () => {
        const topic = await topicWith(6);
        await log.append([0, 1, 2, 3, 4, 5].flatMap((partition) => numbered(topic, 20, { partition })));
        const order: number[] = [];
        let [running, most] = [0, 0];
        const subscription = await consume(log, {
          group: group(),
          topics: [topic],
          from: 'earliest',
          maxBatchRecords: 5,
          maxConcurrentPartitions: 2,
          onBatch: async (batch) => {
            most = Math.max(most, ++running);
            order.push(batch.partition);
            await pause(3);
            await commit(log, batch);
            running--;
          },
        });
        await eventually(() => expect(order).toHaveLength(24));
        await subscription.close();
        expect(most).toBe(2);
        expect(new Set(order.slice(0, 12))).toEqual(new Set([0, 1, 2, 3, 4, 5])); // none waits for another's backlog
      });

      it('ends with the error of a handler that throws, and commits nothing of its batch', async () => {
        const topic = await topicWith(1);
        const name = group();
        await log.append([record(topic, 'poison')]);
        const subscription = await consume(log, {
          group: name,
          topics: [topic],
          from: 'earliest',
          maxBatchRecords: 10,
          onBatch: async () => {
            throw new Error('the handler broke');
          },
        });
        await expect(subscription.closed).rejects.toThrow('the handler broke');
        expect(subscription.assignment()).toEqual([]);
        expect((await log.committedOffsets(name)).filter((offset) => offset.nextOffset > 0)).toEqual([]);
        await subscription.close();
      });

      it.each([
        [{ maxBatchRecords: 0 }],
        [{ maxBatchRecords: 1.5 }],
        [{ topics: [] as string[] }],
        [{ group: '' }],
        [{ group: 'a/b' }],
        [{ maxConcurrentPartitions: 0 }],
      ])('refuses %j', async (bad) => {
        const topic = await topicWith(1);
        const options = {
          group: group(),
          topics: [topic],
          from: 'earliest' as const,
          maxBatchRecords: 1,
          onBatch: async () => undefined,
          ...bad,
        };
        expect(await refusalOf(consume(log, options))).toMatchObject({ code: 'INVALID_INPUT' });
      });
    });

    describe('the atomic step of a consumer', () => {
      it('commits what was derived and how far was read together', async () => {
        const [source, target] = [await topicWith(1), await topicWith(1)];
        const name = group();
        await log.append(numbered(source, 10));
        const subscription = await consume(log, {
          group: name,
          topics: [source],
          from: 'earliest',
          maxBatchRecords: 4,
          onBatch: async (batch) => {
            const derived = batch.records.map((one) => record(target, `from ${text(one.value)}`));
            const positions = await commit(log, batch, derived);
            expect(positions).toHaveLength(derived.length);
          },
        });
        await eventually(async () => expect(await readAll(target)).toHaveLength(10));
        await subscription.close();
        expect(valuesOf(await readAll(target))).toEqual(Array.from({ length: 10 }, (_, index) => `from ${index}`));
        const last = (await readAll(source)).at(-1)!;
        expect(await log.committedOffsets(name)).toEqual([
          { topic: source, partition: 0, nextOffset: last.offset + 1 },
        ]);
      });

      it('commits neither when it is refused', async () => {
        const [source, target] = [await topicWith(1), await topicWith(1)];
        await log.append(numbered(source, 3));
        const refusals: unknown[] = [];
        let attempts = 0;
        const subscription = await consume(log, {
          group: group(),
          topics: [source],
          from: 'earliest',
          maxBatchRecords: 10,
          onBatch: async (batch) => {
            if (++attempts === 1) {
              refusals.push(await refusalOf(commit(log, batch, [record(target, 'derived'), record('nowhere', 'x')])));
              const { high } = (await log.watermarks(source))[0]!;
              const beyond = [{ topic: source, partition: 0, nextOffset: high + 1 }];
              refusals.push(
                await refusalOf(
                  log.transact({
                    records: [record(target, 'derived')],
                    consumed: { claim: batch.claim, offsets: beyond },
                  }),
                ),
              );
              const foreign = [{ topic: target, partition: 0, nextOffset: 0 }];
              refusals.push(
                await refusalOf(
                  log.transact({
                    records: [record(target, 'derived')],
                    consumed: { claim: batch.claim, offsets: foreign },
                  }),
                ),
              );
            } else {
              await commit(log, batch);
            }
          },
        });
        await eventually(() => expect(attempts).toBeGreaterThanOrEqual(2));
        await subscription.close();
        expect(refusals).toMatchObject([
          { code: 'UNKNOWN_TOPIC' },
          { code: 'OFFSET_OUT_OF_RANGE' },
          { code: 'INVALID_INPUT' },
        ]);
        expect(await readAll(target)).toEqual([]);
      });

      it('commits records under a claim alone, and the place stays', async () => {
        const [source, target] = [await topicWith(1), await topicWith(1)];
        const name = group();
        await log.append(numbered(source, 1));
        let steps = 0;
        const subscription = await consume(log, {
          group: name,
          topics: [source],
          from: 'earliest',
          maxBatchRecords: 1,
          onBatch: async ({ claim }) => {
            if (steps++ >= 2) return;
            await log.transact({ records: [record(target, `step ${steps}`)], consumed: { claim, offsets: [] } });
          },
        });
        await eventually(() => expect(steps).toBeGreaterThan(2));
        await subscription.close();
        expect(valuesOf(await readAll(target))).toEqual(['step 1', 'step 2']);
        expect((await log.committedOffsets(name)).filter(({ nextOffset }) => nextOffset > 0)).toEqual([]);
      });

      it('commits no offset a second time and none before it', async () => {
        const [source, target] = [await topicWith(1), await topicWith(1)];
        const name = group();
        await log.append(numbered(source, 3));
        const refusals: unknown[] = [];
        let seen = 0;
        const subscription = await consume(log, {
          group: name,
          topics: [source],
          from: 'earliest',
          maxBatchRecords: 3,
          onBatch: async (batch) => {
            await commit(log, batch, [record(target, 'derived')], 2);
            for (const upTo of [2, 1])
              refusals.push(await refusalOf(commit(log, batch, [record(target, 'again')], upTo)));
            seen = batch.records[1]!.offset + 1;
            await commit(log, batch, [record(target, 'the rest')]);
          },
        });
        await eventually(async () => expect(await readAll(target)).toHaveLength(2));
        await subscription.close();
        expect(refusals).toMatchObject([
          {
            code: 'CONFLICT',
            details: { group: name, topic: source, partition: 0, nextOffset: seen, committed: seen },
          },
          { code: 'CONFLICT', details: { committed: seen } },
        ]);
        expect(valuesOf(await readAll(target))).toEqual(['derived', 'the rest']);
      });

      it('knows nothing of a group that never committed', async () => {
        expect(await log.committedOffsets(group())).toEqual([]);
      });

      it('fences a claim whose subscription has closed', async () => {
        const [source, target] = [await topicWith(1), await topicWith(1)];
        await log.append([record(source, 'x')]);
        const kept: RecordBatch[] = [];
        const { subscription } = await collect(log, {
          group: group(),
          topics: [source],
          onBatch: async (batch) => void kept.push(batch),
        });
        await eventually(() => expect(kept).toHaveLength(1));
        await subscription.close();
        expect(await refusalOf(commit(log, kept[0]!, [record(target, 'too late')]))).toMatchObject({
          code: 'FENCED',
          retryable: true,
        });
        expect(await readAll(target)).toEqual([]);
      });

      it('fences the claim of a partition that went to another member', async () => {
        const [source, target] = [await topicWith(2), await topicWith(1)];
        const name = group();
        await log.append([record(source, 'a'), record(source, 'b', { partition: 1 })]);
        const kept: RecordBatch[] = [];
        const first = await collect(log, {
          group: name,
          topics: [source],
          onBatch: async (batch) => void kept.push(batch),
        });
        await eventually(() => expect(kept).toHaveLength(2));
        const other = await open();
        const second = await collect(other, { group: name, topics: [source] });
        await eventually(() => {
          expect(first.subscription.assignment()).toHaveLength(1);
          expect(second.subscription.assignment()).toHaveLength(1);
        });
        const moved = kept.find((batch) =>
          second.subscription.assignment().includes(`${batch.topic}/${batch.partition}`),
        )!;
        await other.append([record(source, 'c', { partition: moved.partition })]);
        await eventually(() => expect(valuesOf(second.seen)).toEqual(['c']));
        expect(await refusalOf(commit(log, moved, [record(target, 'zombie')]))).toMatchObject({ code: 'FENCED' });
        const underTheClaim = log.transact({
          records: [record(target, 'zombie')],
          consumed: { claim: moved.claim, offsets: [] },
        });
        expect(await refusalOf(underTheClaim)).toMatchObject({ code: 'FENCED' });
        expect(await readAll(target)).toEqual([]);
        const { nextOffset } = (await log.committedOffsets(name)).find(
          (offset) => offset.partition === moved.partition,
        )!;
        expect(nextOffset).toBe(second.seen[0]!.offset + 1);
      });
    });

    describe('claiming a name', () => {
      const name = (): string => `name-${newId()}`;
      const step = (target: EventLog, claim: Claim, topic: string, value: string) =>
        target.transact({
          records: [0, 1].map((partition) => record(topic, value, { partition })),
          consumed: { claim, offsets: [] },
        });
      const stored = async (topic: string): Promise<(string | null)[]> =>
        valuesOf([...(await readAll(topic)), ...(await readAll(topic, 1))]);

      it('lets the last claimant continue, and fences those before, in any log', async () => {
        const [topic, shared] = [await topicWith(2), name()];
        const first = await log.claim(shared);
        const positions = await step(log, first, topic, 'one');
        expect(positions).toMatchObject([
          { topic, partition: 0 },
          { topic, partition: 1 },
        ]);
        const other = await open();
        const second = await other.claim(shared);
        expect(await refusalOf(step(log, first, topic, 'too late'))).toMatchObject({ code: 'FENCED', retryable: true });
        await step(other, second, topic, 'two');
        const third = await other.claim(shared);
        expect(await refusalOf(step(other, second, topic, 'too late'))).toMatchObject({ code: 'FENCED' });
        await step(other, third, topic, 'three');
        expect(await stored(topic)).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
      });

      it('fences a step that commits nothing, which is how a holder finds out that it is one no longer', async () => {
        const shared = name();
        const first = await log.claim(shared);
        const look = (target: EventLog, claim: Claim) =>
          target.transact({ records: [], consumed: { claim, offsets: [] } });
        await expect(look(log, first)).resolves.toEqual([]);
        const other = await open();
        const second = await other.claim(shared);
        expect(await refusalOf(look(log, first))).toMatchObject({ code: 'FENCED' });
        await expect(look(other, second)).resolves.toEqual([]);
      });

      it('shows a claimant all that was committed under the claims before', async () => {
        const [topic, shared] = [await topicWith(2), name()];
        const other = await open();
        for (const [index, target] of [log, other, log, other].entries()) {
          const claim = await target.claim(shared);
          for (const partition of [0, 1]) expect(await readAll(topic, partition, 0, target)).toHaveLength(index);
          await step(target, claim, topic, 'x');
        }
      });

      it('records each once when several at once look and then append what is missing', async () => {
        const [topic, shared] = [await topicWith(2), name()];
        const values = Array.from({ length: 40 }, (_, index) => `${index}`);
        const fill = async (target: EventLog): Promise<'done' | 'fenced'> => {
          const claim = await target.claim(shared);
          const present = new Set(valuesOf(await readAll(topic, 0, 0, target)));
          try {
            for (const value of values) if (!present.has(value)) await step(target, claim, topic, value);
            return 'done';
          } catch (error) {
            expect(error).toMatchObject({ code: 'FENCED' });
            return 'fenced';
          }
        };
        const ends = await Promise.all([fill(log), fill(await open()), fill(await open())]);
        expect(ends).toContain('done');
        expect(await stored(topic)).toEqual([...values, ...values]);
      });

      it('keeps names apart, and each as it is while others come and go', async () => {
        const topic = await topicWith(2);
        const mine = await log.claim(name());
        const other = await open();
        await other.claim(name());
        await other.close();
        await step(log, mine, topic, 'x');
        expect(await stored(topic)).toEqual(['x', 'x']);
      });

      it('gives up a claim that is released, and leaves the one that took its place alone', async () => {
        const [topic, shared] = [await topicWith(2), name()];
        const first = await log.claim(shared);
        const second = await log.claim(shared);
        await log.release(first);
        await step(log, second, topic, 'one');
        for (let time = 0; time < 2; time++) {
          await log.release(second);
          expect(await refusalOf(step(log, second, topic, 'too late'))).toMatchObject({ code: 'FENCED' });
        }
        await step(log, await log.claim(shared), topic, 'two');
        expect(await stored(topic)).toEqual(['one', 'two', 'one', 'two']);
      });

      it.each([[''], ['a/b'], ['x'.repeat(201)]])('refuses the name %j', async (bad) => {
        expect(await refusalOf(log.claim(bad))).toMatchObject({ code: 'INVALID_INPUT' });
      });
    });

    describe('sharing a group', () => {
      const owners = (...members: { subscription: Subscription }[]) =>
        members.map(({ subscription }) => [...subscription.assignment()]);

      it('shares the partitions evenly among members, of one log and of two, without overlap', async () => {
        const topic = await topicWith(6);
        const name = group();
        const a = await collect(log, { group: name, topics: [topic] });
        const b = await collect(log, { group: name, topics: [topic] });
        const c = await collect(await open(), { group: name, topics: [topic] });
        await eventually(() => {
          const shares = owners(a, b, c);
          expect(shares.map((share) => share.length)).toEqual([2, 2, 2]);
          expect(new Set(shares.flat()).size).toBe(6);
        });
        await log.append([0, 1, 2, 3, 4, 5].flatMap((partition) => numbered(topic, 10, { partition })));
        await eventually(() => expect(a.seen.length + b.seen.length + c.seen.length).toBe(60));
        expect([a.seen.length, b.seen.length, c.seen.length]).toEqual([20, 20, 20]);
      });

      it('stops the handler of a partition that is wanted elsewhere, waits for it, and loses nothing', async () => {
        const topic = await topicWith(2);
        const name = group();
        await log.append([...numbered(topic, 1), ...numbered(topic, 1, { partition: 1 })]);
        const aborted: number[] = [];
        let started = 0;
        let release = (): void => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        const first = await collect(log, {
          group: name,
          topics: [topic],
          onBatch: async (batch) => {
            batch.signal.addEventListener('abort', () => aborted.push(batch.partition));
            started++;
            await released;
          },
        });
        await eventually(() => expect(started).toBe(2));
        const second = await collect(await open(), { group: name, topics: [topic] });
        await eventually(() => expect(aborted).toHaveLength(1));
        await pause(quietMs);
        expect(second.seen).toEqual([]); // its owner is still at it
        release();
        await eventually(() => expect(second.subscription.assignment()).toEqual([`${topic}/${aborted[0]}`]));
        await eventually(() => expect(first.seen.length + second.seen.length).toBe(2));
      });

      it('gives a closed member’s partitions to the others', async () => {
        const topic = await topicWith(4);
        const name = group();
        const a = await collect(log, { group: name, topics: [topic] });
        const b = await collect(await open(), { group: name, topics: [topic] });
        await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([2, 2]));
        await a.subscription.close();
        await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([0, 4]));
        await log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
        await eventually(() => expect(b.seen).toHaveLength(20));
      });

      it('gives a group that wants it whole to one member, and all of it to the next when that one leaves', async () => {
        const topic = await topicWith(4);
        const name = group();
        const a = await collect(log, { group: name, topics: [topic], sharing: 'whole' });
        const b = await collect(await open(), { group: name, topics: [topic], sharing: 'whole' });
        await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([4, 0]));
        await log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
        await eventually(() => expect(a.seen).toHaveLength(20));
        await pause(quietMs);
        expect(owners(a, b).map((share) => share.length)).toEqual([4, 0]);
        await a.subscription.close();
        await eventually(() => expect(owners(a, b).map((share) => share.length)).toEqual([0, 4]));
        await log.append([0, 1, 2, 3].flatMap((partition) => numbered(topic, 5, { partition })));
        await eventually(() => expect(b.seen).toHaveLength(20));
      });

      it('shares whole groups out among the instances by turns, and moves one as a whole, after its batch', async () => {
        const topic = await topicWith(3);
        const names = [group(), group(), group()];
        await log.append([0, 1, 2].flatMap((partition) => numbered(topic, 2, { partition })));
        const working = new Map<string, Set<number>>();
        const overlaps: string[] = [];
        const done: string[] = [];
        const join = (target: EventLog, instance: number) =>
          Promise.all(
            names.map((name, turn) =>
              collect(target, {
                group: name,
                topics: [topic],
                sharing: 'whole',
                turn,
                maxBatchRecords: 1,
                onBatch: async ({ records }) => {
                  const others = working.get(name) ?? new Set();
                  if ([...others].some((other) => other !== instance)) overlaps.push(name);
                  working.set(name, others.add(instance));
                  await pause(20);
                  others.delete(instance);
                  done.push(...records.map(({ partition, offset }) => `${name} ${partition}/${offset}`));
                },
              }),
            ),
          );
        /** Per instance the number of groups that it has whole; none that has one in part. */
        const wholes = (instances: { subscription: Subscription }[][]): number[] => {
          const shares = instances.map((each) => owners(...each).map((share) => share.length));
          expect(shares.flat().filter((partitions) => partitions % 3 !== 0)).toEqual([]);
          return shares.map((each) => each.filter((partitions) => partitions === 3).length);
        };
        const a = await join(log, 0);
        await eventually(() => expect(wholes([a])).toEqual([3]));
        const [b, c] = [await join(await open(), 1), await join(await open(), 2)];
        await eventually(() => expect(wholes([a, b, c])).toEqual([1, 1, 1]));
        await Promise.all(b.map(({ subscription }) => subscription.close()));
        await eventually(() => expect(wholes([a, c]).toSorted()).toEqual([1, 2]));
        await log.append([0, 1, 2].flatMap((partition) => numbered(topic, 3, { partition })));
        await eventually(() => expect(new Set(done).size).toBe(3 * 3 * 5));
        expect(overlaps).toEqual([]);
        expect(done).toHaveLength(3 * 3 * 5);
      });

      it('processes each record once while members come and go', async () => {
        const topic = await topicWith(4);
        const sink = await topicWith(1);
        const name = group();
        await log.append(
          Array.from({ length: 1200 }, (_, index) => record(topic, `${index}`, { partition: index % 4 })),
        );
        const join = async (target: EventLog) =>
          consume(target, {
            group: name,
            topics: [topic],
            from: 'earliest',
            maxBatchRecords: 20,
            onBatch: async (batch) => {
              await commit(
                target,
                batch,
                batch.records.map((one) => record(sink, text(one.value))),
              );
            },
          });
        const [other, third] = [await open(), await open()];
        const a = await join(log);
        const b = await join(other);
        await pause(10);
        await a.close();
        const c = await join(third);
        await pause(10);
        const d = await join(log);
        await b.close();
        await eventually(async () => expect(await readAll(sink)).toHaveLength(1200));
        await Promise.all([c.close(), d.close()]);
        const derived = valuesOf(await readAll(sink)).map(Number);
        expect(derived.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 1200 }, (_, index) => index));
      });
    });

    describe('closing', () => {
      it('waits for the handler that runs, asks it to stop, and lets it still commit', async () => {
        const topic = await topicWith(1);
        const name = group();
        await log.append([record(topic, 'x')]);
        let told = false;
        let started = (): void => undefined;
        const running = new Promise<void>((resolve) => (started = resolve));
        const { seen, subscription } = await collect(log, {
          group: name,
          topics: [topic],
          onBatch: async ({ signal }) => {
            started();
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            told = true;
            await pause(20);
          },
        });
        await running;
        await subscription.close();
        expect([told, seen.length, subscription.assignment()]).toEqual([true, 1, []]);
        expect(await log.committedOffsets(name)).toEqual([{ topic, partition: 0, nextOffset: seen[0]!.offset + 1 }]);
        await subscription.closed;
        await subscription.close();
      });

      it('takes the error by which a handler says that it was stopped for no failure', async () => {
        const topic = await topicWith(1);
        await log.append([record(topic, 'x')]);
        let started = (): void => undefined;
        const running = new Promise<void>((resolve) => (started = resolve));
        const subscription = await consume(log, {
          group: group(),
          topics: [topic],
          from: 'earliest',
          maxBatchRecords: 1,
          onBatch: async ({ signal }) => {
            started();
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            signal.throwIfAborted();
          },
        });
        await running;
        await subscription.close();
        await expect(subscription.closed).resolves.toBeUndefined();
      });

      it('of a log closes its subscriptions, ends its followers, and refuses further use', async () => {
        const topic = await topicWith(1);
        const another = await open();
        const { subscription } = await collect(another, { group: group(), topics: [topic] });
        const records: LogRecord[] = [];
        const following = (async () => {
          for await (const chunk of another.follow({
            topics: [topic],
            from: 'earliest',
            signal: new AbortController().signal,
          })) {
            records.push(...chunk);
          }
        })();
        const ended = refusalOf(following);
        await another.close();
        await subscription.closed;
        expect(await ended).toMatchObject({ code: 'LOG_UNAVAILABLE' });
        expect(await refusalOf(another.append([record(topic, 'x')]))).toMatchObject({ code: 'LOG_UNAVAILABLE' });
        expect(await refusalOf(another.watermarks(topic))).toMatchObject({ code: 'LOG_UNAVAILABLE' });
        await another.close();
        await log.append([record(topic, 'the other log continues')]);
      });
    });
  });
}
