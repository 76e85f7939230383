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
        const [{ low, high } = { low: -1, high: -1 }] = await new PastEventLog(log, { asOfMs }).watermarks('t');
        expect([low, high]).toEqual([0, times.filter((time) => time <= asOfMs).length]);
        const read: number[] = [];
        for await (const chunk of new PastEventLog(log, { asOfMs }).read({ topic: 't', partition: 0, from: 0 }))
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
    expect((await new PastEventLog(log, { asOfMs: -2 }).watermarks('t'))[0]!.high).toBe(0);
    // Kafka takes times below 0 for places.
    expect(asked).toEqual([0]);
  });

  it('ends with a record that is named by its place, and elsewhere with the records of its time', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([{ name: 't', partitions: 2 }]);
    await log.append([7, 7, 7, 8].map((time) => ({ ...record(time), partition: 0 })));
    await log.append([6, 7, 8].map((time) => ({ ...record(time), partition: 1 })));
    const ends = async (word: string) => {
      const past = await PastEventLog.asOf(log, word);
      return [past.asOfMs, ...(await past.watermarks('t')).map(({ high }) => high)];
    };
    expect(await ends('t/0/1')).toEqual([7, 2, 2]);
    expect(await ends('t/1/0')).toEqual([6, 0, 1]);
    expect(await ends(new Date(7).toISOString())).toEqual([7, 3, 2]);
  });

  it.each([
    ['t/0/1', 'NOT_FOUND', 'got t/0/1, where the log holds none'],
    ['t/9/0', 'NOT_FOUND', 'got t/9/0, where the log holds none'],
    ['u/0/0', 'NOT_FOUND', 'got u/0/0, where the log holds none'],
    ['t/0', 'INVALID_INPUT', 'expected a time in ISO 8601 with Z or an offset, a date or the place of a record'],
    ['then', 'INVALID_INPUT', 'got "then"'],
    ['2026-11-27T12:00:00', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-11-27 12:00 PST', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-11-27T12:00:00+99:00', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-02-30', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-02-29T12:00:00Z', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-11-27T24:00Z', 'INVALID_INPUT', 'with Z or an offset'],
    ['2026-11-27T12:00:61Z', 'INVALID_INPUT', 'with Z or an offset'],
  ])('is of no moment that it cannot find: %s', async (word, code, message) => {
    const log = new InMemoryEventLog();
    await log.createTopics([TOPIC]);
    await log.append([record(1)]);
    await expect(PastEventLog.asOf(log, word)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ['2026-11-27', Date.UTC(2026, 10, 27)],
    ['2028-02-29T23:59Z', Date.UTC(2028, 1, 29, 23, 59)],
    ['2026-11-27T12:00:00.250-05:00', Date.UTC(2026, 10, 27, 17, 0, 0, 250)],
    ['2026-01-01T01:30:00+05:30', Date.UTC(2025, 11, 31, 20)],
  ])('is of the time that a word names, wherever the process runs: %s', async (word, expected) => {
    const zone = process.env.TZ;
    process.env.TZ = 'America/New_York';
    try {
      expect((await PastEventLog.asOf(new InMemoryEventLog(), word)).asOfMs).toBe(expected);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('is of no place between records, as the end of a transaction is', async () => {
    class WithGap extends InMemoryEventLog {
      override read({ to: _, ...options }: Parameters<InMemoryEventLog['read']>[0]) {
        return super.read({ ...options, from: options.from === 1 ? 2 : options.from });
      }
    }
    const log = new WithGap();
    await log.createTopics([TOPIC]);
    await log.append([1, 2, 3].map(record));
    await expect(PastEventLog.asOf(log, 't/0/1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await PastEventLog.asOf(log, 't/0/2')).asOfMs).toBe(3);
  });

  it('is read no further than its moment, also by a reader that names a later end', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([TOPIC]);
    await log.append([1, 2, 3, 4].map(record));
    const offsets = async (past: PastEventLog, range: { readonly from: number; readonly to?: number }) => {
      const read: number[] = [];
      for await (const chunk of past.read({ topic: 't', partition: 0, ...range }))
        read.push(...chunk.map(({ offset }) => offset));
      return read;
    };
    const past = new PastEventLog(log, { asOfMs: 2 });
    expect(await offsets(past, { from: 0, to: 4 })).toEqual([0, 1]);
    expect(await offsets(past, { from: 2, to: 3 })).toEqual([]);
    expect(await offsets(past, { from: 1, to: 2 })).toEqual([1]);
    const all = new PastEventLog(log, { asOfMs: 9 });
    expect(await offsets(all, { from: 2 })).toEqual([2, 3]);
    await log.append([record(5)]);
    expect(await offsets(all, { from: 2, to: 5 })).toEqual([2, 3, 4]);
  });

  it('takes nothing, and leaves the log open', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics([TOPIC]);
    const past = new PastEventLog(log, { asOfMs: 5 });
    await expect(past.append()).rejects.toThrow('expected the log of now');
    for (const act of [past.claim, past.transact, past.consume, past.createTopics])
      await expect(act()).rejects.toThrow('expected the log of now');
    expect(() => past.follow()).toThrow('expected the log of now');
    await past.close();
    await log.append([record(1)]);
    expect((await past.watermarks('t'))[0]!.high).toBe(1);
  });
});
