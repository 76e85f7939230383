import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { deadLettered } from '@seamstream/testing/log-of';
import { planRedriveOf, redriveDeadLetters } from './redrive-dead-letters.js';

let log: EventLog;
beforeEach(async () => {
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  await log.append(Array.from({ length: 1200 }, (_, n) => encodeEvent(deadLettered('seam.problems', `p${n}`, n))));
});

async function redriven(signal: AbortSignal, onStep: () => void = () => undefined): Promise<readonly number[]> {
  const { plan } = await planRedriveOf(log, {});
  const steps: number[] = [];
  for await (const step of redriveDeadLetters(log, plan, { by: 'ada', reason: 'mended' }, systemClock, signal)) {
    steps.push(step);
    onStep();
  }
  return steps;
}

describe('A redrive', () => {
  it('plans without recording, appends each record once, and reports its steps', async () => {
    const { signal } = new AbortController();
    expect(await planRedriveOf(log, { limit: 3, topic: 'problems' })).toMatchObject({ selected: 3 });
    expect((await log.watermarks('seam.problems')).every(({ high }) => high === 0)).toBe(true);
    expect(await redriven(signal)).toEqual([500, 500, 200]);
    expect(await redriven(signal)).toEqual([]);
    expect((await planRedriveOf(log, {})).plan).toMatchObject({ records: [], alreadyRedriven: 1200 });
  });

  it('that is stopped resumes with the remaining records', async () => {
    const stop = new AbortController();
    expect(await redriven(stop.signal, () => stop.abort())).toEqual([500]);
    expect(await redriven(new AbortController().signal)).toEqual([500, 200]);
  });
});
