/** A log as it was has what a reader would have found then, and takes nothing. */
import fc from 'fast-check';
import { InMemoryEventLog } from './event-log.fake.js';
import { PastEventLog } from './past-event-log.js';

const TOPIC = { name: 't', partitions: 1 };
const record = (timestampMs: number) => ({ topic: 't', key: null, value: null, headers: {}, timestampMs });

describe('a log of the past', () => {
  it('ends before the first record of a later time, and is the whole log from its last one on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 8 }), fc.nat(10), async (steps, asOfMs) => {
        const log = new InMemoryEventLog();
        await log.createTopics([TOPIC]);
        const times = steps.map((_, at) => steps.slice(0, at + 1).reduce((sum, step) => sum + (step % 3), 0));
        if (times.length > 0) await log.append(times.map(record));
        const [{ low, high } = { low: -1, high: -1 }] = await new PastEventLog(log, asOfMs).watermarks('t');
        expect([low, high]).toEqual([0, times.filter((time) => time <= asOfMs).length]);
        const read: number[] = [];
        for await (const chunk of new PastEventLog(log, asOfMs).read({ topic: 't', partition: 0, from: 0 }))
          read.push(...chunk.map(({ offset }) => offset));
        expect(read).toHaveLength(high);
      }),
    );
  });

  it('has nothing where the moment is before all times', async () => {
    const asked: number[] = [];
    class Asked extends InMemoryEventLog {
      override offsetForTime(topic: string, partition: number, timestampMs: number): Promise<number> {
        asked.push(timestampMs);
        return super.offsetForTime(topic, partition, timestampMs);
      }
    }
    const log = new Asked();
    await log.createTopics([TOPIC]);
    await log.append([record(1)]);
    expect((await new PastEventLog(log, -2).watermarks('t'))[0]!.high).toBe(0);
    // Kafka takes times below 0 for places.
    expect(asked).toEqual([0]);
  });

  it('takes nothing, and leaves the log open', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([TOPIC]);
    const past = new PastEventLog(log, 5);
    await expect(past.append()).rejects.toThrow('expected the log of now');
    for (const act of [past.claim, past.transact, past.consume, past.createTopics])
      await expect(act()).rejects.toThrow('expected the log of now');
    expect(() => past.follow()).toThrow('expected the log of now');
    await past.close();
    await log.append([record(1)]);
    expect((await past.watermarks('t'))[0]!.high).toBe(1);
  });
});
