import { jest } from '@jest/globals';
import { InMemoryEventLog } from '@seamstream/event-log';
import { TOPIC, TOPICS } from '@seamstream/events';
import { newWorld, openLog } from '@seamstream/testing';
import { readTrainingHistory, WindowRestoration } from '@seamstream/training-runs';
import { explored } from '@seamstream/training-runs/testing';
import { closeServices, encodeAll, playRounds, serve } from './trainer-world.fake.js';

afterEach(closeServices);

describe('a window that is restored', () => {
  it('in slices is the one that is restored at once', async () => {
    const recorded = await log();
    const whole = await (await restorationOf(recorded)).advance();
    expect(whole).toMatchObject({ completedProblems: 2 });
    expect(whole!.open.size).toBe(1);
    for (const records of [1, 3, 7]) {
      const restoration = await restorationOf(recorded, records);
      let slices = 1;
      let window = await restoration.advance();
      for (; window === undefined; slices++) window = await restoration.advance();
      expect(window).toEqual(whole);
      expect(slices).toBeGreaterThanOrEqual(Math.floor(83 / records));
    }
  });

  it('resumes where an abort or an outage of the log ended it, and reads nothing twice', async () => {
    const recorded = await log();
    const whole = await (await restorationOf(recorded)).advance();
    const restoration = await restorationOf(recorded, 10);
    const reading = jest.spyOn(recorded, 'read');
    const stopped = new AbortController();
    stopped.abort(new Error('the batch is late'));
    await restoration.advance();
    await expect(restoration.advance(stopped.signal)).rejects.toThrow('the batch is late');
    let window = await restoration.advance();
    while (window === undefined) window = await restoration.advance();
    expect(window).toEqual(whole);
    expect(reading.mock.calls.length).toBeLessThan(40);
  });

  it('of a log without records is empty', async () => {
    const empty = new InMemoryEventLog();
    await empty.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    expect(await (await restorationOf(empty)).advance()).toMatchObject({ completedProblems: 0 });
  });
});

/** A log with three planned windows, and one that is not complete. */
async function log(): Promise<InMemoryEventLog> {
  const world = newWorld();
  const service = await serve(world);
  await playRounds(world, 3);
  await service.close();
  const opened = await openLog(world);
  await opened.append(encodeAll([...explored(18), ...explored(19), ...explored(20).slice(0, 6)]));
  return opened;
}

async function restorationOf(on: InMemoryEventLog, sliceRecords?: number): Promise<WindowRestoration> {
  const consumed = (await on.watermarks(TOPIC.outcomes)).map(({ partition, high }) => ({
    topic: TOPIC.outcomes,
    partition,
    nextOffset: high,
  }));
  return new WindowRestoration(on, await readTrainingHistory(on), consumed, sliceRecords);
}
