/** What the adapter of a session answered is in the log, and is no answer of the frozen executor. */
import type { ExecutorModel } from '@seamstream/environments';
import { conversationTemplate, type EventOf, encodeEvent, originMeta, TOPIC } from '@seamstream/events';
import { derivedId, newId } from '@seamstream/kernel';
import { eventsOf, openLog, until, untilConsumed } from '@seamstream/testing';
import { explored, outcomeOf, problemAbout } from '@seamstream/testing/result-log';
import { startForTest } from '@seamstream/testing/services';
import { executorConfigSchema, executorService } from './app.module.js';

const executor: ExecutorModel = {
  identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
  answer: () => Promise.reject(new Error('nothing is asked')),
};

describe('an answer of a gateway', () => {
  it('that the adapter of a session gave becomes no outcome, in whichever way people judge it', async () => {
    const log = await openLog();
    const names = ['frozen', 'waiting', 'session'];
    const open = { reference: null, verifier: null };
    const stories = names.map((name) => explored({ ...problemAbout(name), ...open }, { groupSize: 1 }));
    const experiences = stories.map((story) => ({ ...story.experiences[0]!, answeredBy: 'seam/gateway' }));
    const [frozen, waiting, session] = experiences.map((each) => answerTo(each, Date.now() + 60_000));
    // As a gateway has it: the wait is over with the answer.
    const over = { ...session!, sessionAdapter: 'adapter-1', feedbackUntil: session!.meta.occurredAt };
    const answers = [frozen!, { ...waiting!, sessionAdapter: 'adapter-1' }, over];
    const asked = stories.map(({ published }) => ({ ...published, answeredBy: 'seam/gateway' }));
    await log.append([...asked, ...experiences, ...answers].map(encodeEvent));
    const config = executorConfigSchema.parse({ logging: { level: 'silent' } });
    await startForTest(executorService({ executor }), { config, log });
    await log.append(answers.slice(0, 2).map((answer) => encodeEvent(feedbackOn(answer))));
    await untilConsumed(log, { group: 'seam.executor.judge', topic: TOPIC.feedback });
    expect(await eventsOf(log, 'OutcomeRecorded')).toMatchObject([{ problem: { problemId: 'frozen' }, reward: 1 }]);
    await until(async () => (await eventsOf(log, 'AttemptUngraded')).length === 1);
    expect(await eventsOf(log, 'AttemptUngraded')).toMatchObject([{ problem: { problemId: 'session' } }]);
    await log.append([encodeEvent(feedbackOn(over))]);
    await until(async () => (await eventsOf(log, 'FeedbackRefused')).length === 2);
    expect(await eventsOf(log, 'FeedbackRefused')).toMatchObject([
      { problemId: 'waiting', reason: 'session_adapter' },
      { problemId: 'session', reason: 'session_adapter' },
    ]);
  });
});

function answerTo(experience: EventOf<'ExperienceGenerated'>, feedbackUntil: number): EventOf<'AnswerRecorded'> {
  const { success, reward, verifierVersion, verifierDetail, feedbackId, measurement, ...said } = outcomeOf(
    experience,
    true,
  );
  const meta = { ...said.meta, messageId: derivedId(experience.experienceId, 'answer') };
  const identity = { ...said.executor, template: conversationTemplate('d') };
  return { ...said, type: 'AnswerRecorded', executor: identity, unpaid: null, feedbackUntil, meta };
}

function feedbackOn({ problem, experienceId }: EventOf<'AnswerRecorded'>): EventOf<'FeedbackGiven'> {
  return {
    type: 'FeedbackGiven',
    meta: originMeta({
      ...{ messageId: newId(), correlationId: problem.problemId, source: 'seam/cli' },
      ...{ occurredAt: Date.now(), sourceClass: 'user' },
    }),
    ...{ problemId: problem.problemId, attemptId: experienceId, score: 1, by: 'ada', reason: '' },
  };
}
