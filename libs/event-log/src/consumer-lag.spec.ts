import { consumerLag, waitingFor } from './consumer-lag.js';
import { InMemoryEventLog } from './event-log.fake.js';
import type { LogRecord, ReadOptions } from './event-log.js';

describe('the lag of a group', () => {
  it('is that of the offsets, but none where only markers are left', async () => {
    /** As Kafka does it: each append is followed by its transaction's marker. */
    class MarkedLog extends InMemoryEventLog {
      override async watermarks(topic: string): ReturnType<InMemoryEventLog['watermarks']> {
        return (await super.watermarks(topic)).map((each) => ({ ...each, high: each.high + 1 }));
      }

      override read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
        return super.read({ ...options, to: options.to! - 1 });
      }
    }
    const log = new MarkedLog();
    await log.createTopics([{ name: 't', partitions: 1 }]);
    await log.append([{ topic: 't', key: null, value: null }]);
    expect(await consumerLag(log, 'g', 't')).toEqual(new Map([[0, 2]]));
    const consumed = Promise.withResolvers<undefined>();
    const subscription = await log.consume({
      group: 'g',
      topics: ['t'],
      from: 'earliest',
      maxBatchRecords: 1,
      onBatch: async ({ topic, partition, claim }) => {
        await log.transact({ records: [], consumed: { claim, offsets: [{ topic, partition, nextOffset: 1 }] } });
        consumed.resolve(undefined);
      },
    });
    await consumed.promise;
    expect(await consumerLag(log, 'g', 't')).toEqual(new Map([[0, 0]]));
    await subscription.close();
  });

  it('says since when the oldest record waits, and not where a long stretch begins without one', async () => {
    /** As Kafka does it after many transactions that were aborted. */
    class GappyLog extends InMemoryEventLog {
      gap = 0;

      override read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
        return super.read({ ...options, from: options.from + this.gap });
      }
    }
    const log = new GappyLog();
    await log.createTopics([{ name: 't', partitions: 1 }]);
    await log.append(
      Array.from({ length: 1500 }, (_, index) => ({ topic: 't', key: null, value: null, timestampMs: 7 + index })),
    );
    expect(await waitingFor(log, 'g', 't')).toEqual(new Map([[0, { lag: 1500, sinceMs: 7 }]]));
    log.gap = 900;
    expect(await waitingFor(log, 'g', 't')).toEqual(new Map([[0, { lag: 1500, sinceMs: 907 }]]));
    log.gap = 1000;
    expect(await waitingFor(log, 'g', 't')).toEqual(new Map([[0, { lag: 1500, sinceMs: undefined }]]));
  });
});
