import { InMemoryEventLog, type LogRecord } from '@seamstream/event-log';
import { Random } from '@seamstream/kernel';
import { readMerged } from './read-merged.js';

describe('reading partitions merged', () => {
  it('keeps the order of each partition and orders partitions by time', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 3 }]);
    const random = Random.of('merge');
    await log.append(
      Array.from({ length: 200 }, (_, index) => ({
        topic: 't',
        key: null,
        partition: random.int(3),
        value: Buffer.from(String(index)),
        timestampMs: index,
      })),
    );
    const marks = await log.watermarks('t');
    const read = async (chunkRecords: number): Promise<LogRecord[]> => {
      const records: LogRecord[] = [];
      const ranges = marks.map(({ partition, low, high }) => ({ topic: 't', partition, from: low, to: high }));
      for await (const record of readMerged(log, ranges, chunkRecords)) records.push(record);
      return records;
    };
    const values = (records: LogRecord[]): number[] =>
      records.map(({ value }) => Number(Buffer.from(value!).toString()));
    expect(values(await read(7))).toEqual(Array.from({ length: 200 }, (_, index) => index));
    expect(values(await read(1))).toEqual(values(await read(1000)));
  });

  it('never reorders a partition whose clock went back', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 2 }]);
    const at = (partition: number, timestampMs: number) => ({
      topic: 't',
      key: null,
      partition,
      value: null,
      timestampMs,
    });
    await log.append([at(0, 50), at(0, 10), at(1, 20), at(1, 60)]);
    const order: string[] = [];
    const ranges = [0, 1].map((partition) => ({ topic: 't', partition, from: 0, to: 2 }));
    for await (const { partition, offset } of readMerged(log, ranges)) order.push(`${partition}/${offset}`);
    expect(order).toEqual(['1/0', '0/0', '0/1', '1/1']);
  });

  it('reads nothing of empty ranges', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 1 }]);
    const records = readMerged(log, [{ topic: 't', partition: 0, from: 0, to: 0 }])[Symbol.asyncIterator]();
    expect(await records.next()).toEqual({ done: true, value: undefined });
  });
});
