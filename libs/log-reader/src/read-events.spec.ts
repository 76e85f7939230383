import { InMemoryEventLog, type LogRecord } from '@seamstream/event-log';
import { encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import fc from 'fast-check';
import { collectEvents, readEvents, readRecords, readTopics } from './read-events.js';
import type { ReadRange } from './read-range.js';
import { storedRanges } from './stored-ranges.js';

/** True: an event; false: an undecodable record. */
async function logOf(kinds: readonly boolean[]): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  await log.append(
    kinds.map((isEvent, index) =>
      isEvent
        ? encodeEvent({
            type: 'ProblemPublished',
            feedbackWithinMs: null,
            task: null,
            meta: originMeta({
              ...{ messageId: `m-${index}`, correlationId: `p-${index}`, source: 'seam/cli', occurredAt: index },
              ...{ sourceClass: 'user', subject: null },
            }),
            problem: {
              ...{ problemId: `p-${index}`, domain: 'd', prompt: `${index}?`, reference: '1', metadata: {} },
              verifier: { kind: 'exact', version: '1', options: {} },
            },
            mode: 'explore',
            expiresAt: null,
          })
        : { topic: TOPIC.problems, key: `p-${index}`, value: Buffer.from('no event') },
    ),
  );
  return log;
}

const place = ({ topic, partition, offset }: LogRecord): string => `${topic}/${partition}/${offset}`;
const stored = (log: InMemoryEventLog): Promise<readonly ReadRange[]> => storedRanges(log, TOPIC.problems);
const kindsOfRecords = fc.array(fc.boolean(), { maxLength: 40 });

describe('reading events of ranges', () => {
  it('finds the same events under each policy, in the order of each partition, for any size of chunks', async () => {
    await fc.assert(
      fc.asyncProperty(kindsOfRecords, fc.integer({ min: 1, max: 50 }), async (kinds, chunkRecords) => {
        const log = await logOf(kinds);
        const ranges = await stored(log);
        const faults: string[] = [];
        const observed = await collectEvents(log, ranges, {
          undecodable: (record) => void faults.push(place(record)),
          chunkRecords,
        });
        const skipped = await collectEvents(log, ranges, { undecodable: 'skip' });
        expect(observed.map(({ record }) => place(record))).toEqual(skipped.map(({ record }) => place(record)));
        expect(skipped).toHaveLength(kinds.filter(Boolean).length);
        expect(faults).toHaveLength(kinds.filter((isEvent) => !isEvent).length);
        const all: string[] = [];
        for await (const { records } of readRecords(log, ranges, { chunkRecords })) all.push(...records.map(place));
        expect([...faults, ...observed.map(({ record }) => place(record))].sort()).toEqual(all.sort());
        for (const { partition } of ranges) {
          const offsets = skipped
            .filter(({ record }) => record.partition === partition)
            .map((one) => one.record.offset);
          expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('ends at the first undecodable record where that is the policy', async () => {
    const log = await logOf([true, false, true]);
    const read = collectEvents(log, await stored(log), { undecodable: 'throw' });
    await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/MALFORMED_RECORD|UNKNOWN_SCHEMA/) });
    const whole = await logOf([true, true]);
    expect(await collectEvents(whole, await stored(whole), { undecodable: 'throw' })).toHaveLength(2);
  });

  it('opens no record that is not wanted: it is neither an event nor a fault', async () => {
    const log = await logOf([true, false, true]);
    const wanted = await collectEvents(log, await stored(log), {
      undecodable: 'throw',
      wants: ({ key }) => key === 'p-2',
    });
    expect(wanted.map(({ event }) => event.meta.messageId)).toEqual(['m-2']);
  });

  it('reports chunks with all their records, so that progress counts skipped ones', async () => {
    const log = await logOf([true, false, false, true]);
    let records = 0;
    for await (const chunk of readEvents(log, await stored(log), { undecodable: 'skip' }))
      records += chunk.records.length;
    expect(records).toBe(4);
  });

  it('stops between two chunks, and asks nothing of an empty range', async () => {
    const log = await logOf([true, true, true]);
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      for await (const { records } of readRecords(log, await stored(log), {
        signal: controller.signal,
        chunkRecords: 1,
      }))
        controller.abort(new Error(`after ${records.length}`));
    };
    await expect(read()).rejects.toThrow('after 1');
    await log.close();
    const none = [{ topic: TOPIC.problems, partition: 0, from: 3, to: 3 }];
    expect(await collectEvents(log, none, { undecodable: 'throw' })).toEqual([]);
  });

  it('lets timers and sockets of the process have a turn between two chunks', async () => {
    const log = await logOf([true, true, true]);
    const turnsBefore: number[] = [];
    let turns = 0;
    const turn = (): void => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    for await (const { records } of readRecords(log, await stored(log), { chunkRecords: 1 }))
      turnsBefore.push(...records.map(() => turns));
    clearImmediate(next);
    expect(turnsBefore).toEqual([0, 1, 2]);
  });

  it('reads topics one after the other, and none that the log does not have', async () => {
    const log = await logOf([true, true]);
    const topics: string[] = [];
    for await (const { range } of readTopics(log, ['other', TOPIC.outcomes, TOPIC.problems], { undecodable: 'skip' }))
      topics.push(range.topic);
    expect(new Set(topics)).toEqual(new Set([TOPIC.problems]));
  });
});
