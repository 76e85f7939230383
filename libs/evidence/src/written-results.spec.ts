/** An end of a wait is borne out by its result, which is looked for near the end's time. */
import { InMemoryEventLog, type NewRecord } from '@seamstream/event-log';
import { encodeEvent, TOPIC } from '@seamstream/events';
import { explored, problemAbout } from '@seamstream/testing/result-log';
import { WrittenResults } from './written-results.js';

const DAY_MS = 86_400_000;

describe('the result of an end', () => {
  it('is found near its time, and not where another result is', async () => {
    const { log, results } = await logOf([outcome('before', 1), outcome('own', DAY_MS), outcome('after', 2 * DAY_MS)]);
    const [own, without] = [endOf('own', DAY_MS + 3), endOf('without', DAY_MS)];
    const early = endOf('after', DAY_MS);
    expect(await results.borneOut([own, without])).toEqual(new Set([own]));
    // Found all the same where reading comes as far: it is in the log.
    expect(await results.borneOut([early])).toEqual(new Set([early]));
    expect(log.numRead()).toBeLessThanOrEqual(4);
  });

  it('is found although a record before it has a clock that is far ahead', async () => {
    const others = Array.from({ length: 5_000 }, () => outcome('other', DAY_MS));
    const { results } = await logOf([outcome('ahead', 9 * DAY_MS), ...others, outcome('own', DAY_MS)]);
    const own = endOf('own', DAY_MS);
    expect(await results.borneOut([own])).toEqual(new Set([own]));
  });

  it('is not looked for in all that was written since', async () => {
    const later = Array.from({ length: 30_000 }, (_, index) => outcome('later', DAY_MS + 60_000 + index));
    const { log, results } = await logOf([outcome('other', DAY_MS), ...later]);
    expect(await results.borneOut([endOf('without', DAY_MS)])).toEqual(new Set());
    expect(log.numRead()).toBeLessThan(10_000);
  });
});

const resultOf = (problemId: string) => explored(problemAbout(problemId), { groupSize: 1 }).outcomes[0]!;

const outcome = (problemId: string, timestampMs: number): NewRecord => ({
  ...encodeEvent(resultOf(problemId)),
  timestampMs,
});

const endOf = (problemId: string, timestampMs: number) => ({
  event: { problemId, resultId: resultOf(problemId).meta.messageId },
  timestampMs,
});

/** A log whose outcomes are in one partition, and how many of them were read. */
async function logOf(outcomes: readonly NewRecord[]) {
  const log = new InMemoryEventLog();
  await log.createTopics([{ name: TOPIC.outcomes, partitions: 1 }]);
  await log.append(outcomes);
  let numRead = 0;
  const read = log.read.bind(log);
  log.read = async function* (range) {
    for await (const records of read(range)) {
      numRead += records.length;
      yield records;
    }
  };
  return { log: { numRead: () => numRead }, results: new WrittenResults(log) };
}
