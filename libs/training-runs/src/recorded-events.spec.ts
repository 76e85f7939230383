import { InMemoryEventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import type { ResultEvent } from '@seamstream/learning';
import { explored } from './explored-problems.fake.js';
import { findExperiences } from './learning-input.js';
import { RecentEvents, RecordedEvents } from './recorded-events.js';

const experiencesOf = (index: number): EventOf<'ExperienceGenerated'>[] =>
  explored(index).filter((event) => event.type === 'ExperienceGenerated');
const resultsOf = (index: number): ResultEvent[] => explored(index).filter((event) => event.type === 'OutcomeRecorded');

/** A log of so many problems, with four experiences each. */
async function logOf(problems: number): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const records = Array.from({ length: problems }, (_, index) => experiencesOf(index).map(encodeEvent)).flat();
  await log.append(records);
  return log;
}

describe('what is kept of a log that is looked through', () => {
  it('is what holds the experiences that a window needs, not the topic', async () => {
    const log = await logOf(2_400);
    const recent = new RecentEvents(log);
    const results = [2_390, 2_395, 2_399].flatMap(resultsOf);
    const watermarks = await log.watermarks(TOPIC.experiences);
    const ranges = await findExperiences(recent, results, watermarks, new Map());
    expect(ranges).toEqual(await findExperiences(new RecordedEvents(log), results, watermarks, new Map()));
    expect(ranges.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThanOrEqual(48);
    // 9,600 experiences were looked through, 1,000 at a time; what holds the window's is kept.
    expect(recent.size).toBeLessThanOrEqual(watermarks.length * 1_000);
  });

  it('is nothing where an experience that is named is not there', async () => {
    const log = await logOf(500);
    const recent = new RecentEvents(log);
    const ranges = await findExperiences(recent, resultsOf(9_999), await log.watermarks(TOPIC.experiences), new Map());
    expect([ranges, recent.size]).toEqual([[], 0]);
  });

  it('is the same stretch of events whichever parts of it were asked for, and in which order', async () => {
    const log = await logOf(200);
    const [{ high }] = (await log.watermarks(TOPIC.experiences)) as unknown as [{ high: number }];
    const range = { topic: TOPIC.experiences, partition: 0, from: 0, to: high };
    const whole = await new RecordedEvents(log).placed(range);
    const recent = new RecentEvents(log);
    for (const [from, to] of [
      [50, 60],
      [40, 55],
      [58, 90],
      [0, 3],
      [3, 41],
      [95, high],
      [0, high],
    ] as const)
      expect(await recent.placed({ ...range, from, to })).toEqual(whole.slice(from, to));
    const key = (await log.read(range)[Symbol.asyncIterator]().next()).value![0]!.key;
    expect(await new RecentEvents(log).sought({ ...range, to: 10 }, (record) => record.key === key)).toEqual(
      whole.slice(0, 10),
    );
    recent.forgetBefore([{ ...range, from: 70 }]);
    expect(recent.size).toBe(high - 70);
    expect(await recent.placed({ ...range, from: 60 })).toEqual(whole.slice(60));
  });

  it('is read no further once the reading is aborted', async () => {
    const log = await logOf(500);
    const aborted = AbortSignal.abort(new Error('late'));
    const watermarks = await log.watermarks(TOPIC.experiences);
    await expect(findExperiences(new RecentEvents(log), resultsOf(1), watermarks, new Map(), aborted)).rejects.toThrow(
      'late',
    );
  });
});
