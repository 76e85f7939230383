import { type EventOf, encodeEvent } from '@seamstream/events';
import { ManualClock } from '@seamstream/kernel';
import { eventsOf, openLog } from '@seamstream/testing';
import { problemPublished } from './chat-events.decide.js';
import { EndAbandonedHandler } from './end-abandoned.handler.js';

const published = (problemId: string, nowMs: number): EventOf<'ProblemPublished'> =>
  problemPublished(
    { model: 'seam', messages: [{ role: 'user', content: 'Why?' }] },
    {
      ...{
        problemId,
        messageId: `m-${problemId}`,
        nowMs,
        client: { id: null, tenant: 'default' },
        traceparent: null,
        feedbackWithinMs: 1,
        metadata: {},
      },
      assignment: { experiment: 'e', unit: problemId, controlShare: 0 },
    },
  );

describe('requests of a gateway that died', () => {
  it('fail once their time is over, each once, and those with a result do not', async () => {
    const log = await openLog();
    const start = Date.now();
    const clock = new ManualClock(start);
    const settings = { answerWithinMs: 1_000, inlineContentBytes: 1024 };
    const handler = new EndAbandonedHandler(log, clock, settings, 0);
    await log.append([encodeEvent(published('dead', start - 2_000)), encodeEvent(published('young', start))]);
    await log.append([encodeEvent({ ...published('other', start - 2_000), answeredBy: null })]);
    expect(await handler.handle()).toBe(1);
    expect(await handler.handle()).toBe(0);
    const failures = await eventsOf(log, 'ExecutionFailed');
    expect(failures.map(({ problem, code }) => [problem.problemId, code])).toEqual([['dead', 'ABORTED']]);
  });
});
