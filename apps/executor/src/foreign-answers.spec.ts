/** Who may append to the topics of answers keeps no experience from being answered, and ends no answer's wait. */
import type { ExecutorModel } from '@seamstream/environments';
import { partitionForKey } from '@seamstream/event-log';
import {
  conversationTemplate,
  deriveMeta,
  type EventOf,
  encodeEvent,
  originMeta,
  type Problem,
  type SeamEvent,
  TOPIC,
} from '@seamstream/events';
import { derivedId, newId } from '@seamstream/kernel';
import { eventsOf, openLog, untilConsumed } from '@seamstream/testing';
import { explored, FORGERIES, outcomeOf } from '@seamstream/testing/result-log';
import { startForTest } from '@seamstream/testing/services';
import { executorConfigSchema, executorService } from './app.module.js';

const config = executorConfigSchema.parse({ logging: { level: 'silent' }, executor: { leaks: 'rewarded' } });
const names = Object.keys(FORGERIES);

describe('an experience', () => {
  it('is answered, although records of every forged kind name it as their cause, and each of them is reported', async () => {
    const log = await openLog();
    const stories = names.map((_, index) => explored(problemOf(`p${index}`, '4'), { groupSize: 1 }));
    const forged = names.flatMap((name, index) => {
      const own = outcomeOf(stories[index]!.experiences[0]!, true);
      const result = FORGERIES[name]!(own, outcomeOf(stories[(index + 1) % names.length]!.experiences[0]!, true));
      return [result, answerFrom(result)].filter((event) => event !== undefined);
    });
    // Those in the partition of the experience: no others are looked at.
    const { length: partitions } = await log.watermarks(TOPIC.experiences);
    const placeOf = (each: { readonly problem: { readonly problemId: string } }): number =>
      partitionForKey(each.problem.problemId, partitions);
    const naming = forged.filter((each) =>
      stories.some(({ experiences: [own] }) => {
        return each.meta.causationId === own!.experienceId && placeOf(each) === placeOf(own!);
      }),
    );
    await log.append(stories.flatMap(({ published, experiences }) => [published, ...experiences]).map(encodeEvent));
    await log.append(forged.map(encodeEvent));
    const service = await serve(log);
    await untilConsumed(log, { group: 'seam.executor', topic: TOPIC.experiences });
    const given = (await eventsOf(log, 'OutcomeRecorded')).filter(({ response }) => response === ANSWER);
    const ids = new Set(given.map(({ meta }) => meta.messageId));
    const answered = stories.map(({ experiences }) => ids.has(outcomeOf(experiences[0]!, true).meta.messageId));
    expect(names.filter((_, index) => !answered[index])).toEqual([]);
    expect(given).toHaveLength(names.length);
    expect(naming.length).toBeGreaterThan(names.length);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_foreign_answers_total')).toContain(
      `seam_foreign_answers_total{group="seam.executor"} ${naming.length}`,
    );
  });
});

describe('an answer that waits for feedback', () => {
  it.each([
    ['before', -1],
    ['before, with a deadline that is over', 1],
    ['after', -1],
  ])(
    'is settled by its own feedback, although foreign records of every kind stand %s it, each of which is reported',
    async (when, until) => {
      const log = await openLog();
      const kinds = Object.values(FOREIGN);
      const stories = kinds.map((_, index) => explored(problemOf(`q${index}`, null), { groupSize: 1 }));
      const deadline = until < 0 ? Date.now() + 60_000 : until;
      const foreign = kinds.map((forge, index) => forge(answerTo(stories[index]!.experiences[0]!, deadline)));
      const true_ = stories.map(({ experiences }) => answerTo(experiences[0]!, deadline));
      const asked = stories.flatMap(({ published, experiences }) => [published, ...experiences]);
      if (!when.startsWith('after')) await log.append(foreign.map(encodeEvent));
      await log.append(asked.map(encodeEvent));
      const service = await serve(log);
      await untilConsumed(log, { group: 'seam.executor', topic: TOPIC.experiences });
      if (when === 'after') await log.append(foreign.map(encodeEvent));
      await log.append(true_.map((answer) => encodeEvent(feedbackOn(answer, 1))));
      await untilConsumed(log, { group: 'seam.executor.judge', topic: TOPIC.feedback });
      const outcomes = await eventsOf(log, 'OutcomeRecorded');
      expect(outcomes.map((each) => each.response)).toEqual(kinds.map(() => ANSWER));
      expect(new Set(outcomes.map(({ experienceId }) => experienceId)).size).toBe(kinds.length);
      expect(await eventsOf(log, 'AttemptUngraded')).toEqual([]);
      expect(await eventsOf(log, 'FeedbackRefused')).toEqual([]);
      expect(await service.metrics.registry.getSingleMetricAsString('seam_answers_settled_total')).toContain(
        `seam_answers_settled_total{result="foreign"} ${kinds.length}`,
      );
    },
  );
});

const ANSWER = 'The answer is 4.';

const executor: ExecutorModel = {
  identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
  answer: async (prompts) =>
    prompts.map(() => ({ status: 'answered', text: ANSWER, finished: true, promptTokens: 9, responseTokens: 2 })),
};

function problemOf(problemId: string, reference: string | null): Problem {
  const verifier = reference === null ? null : { kind: 'exact', version: '1', options: {} };
  return { problemId, domain: 'sums', prompt: `Of ${problemId} what is half?`, reference, verifier, metadata: {} };
}

function serve(log: Awaited<ReturnType<typeof openLog>>): ReturnType<typeof startForTest> {
  return startForTest(executorService({ executor }), { config, log });
}

/** What any client may append about an answer that waits, before or after it, without deriving all ids as the executor does. */
const FOREIGN: Readonly<Record<string, (answer: Answer) => SeamEvent>> = {
  'an answer of another tenant': (own) => ({ ...own, meta: { ...own.meta, tenant: 'globex' } }),
  'an answer with another entry': (own) => ({ ...own, entry: '{"n":"mine"}' }),
  'an answer to another problem': (own) => ({ ...own, problem: { ...own.problem, prompt: 'mine' } }),
  'an answer under another id': (own) => ({ ...own, meta: { ...own.meta, messageId: newId() } }),
  'an answer in the name of another person': (own) => ({ ...own, meta: { ...own.meta, subject: 'eve' } }),
  'an answer in another group': (own) => ({ ...own, groupId: newId() }),
  "an answer as a gateway's": (own) => ({ ...own, executor: { ...own.executor, template: conversationTemplate('x') } }),
  'an answer to a problem that a verifier judges': (own) => ({
    ...own,
    problem: problemOf(own.problem.problemId, '4'),
  }),
  'an end under another id': (own) => ({ ...endOf(own), meta: { ...endOf(own).meta, messageId: newId() } }),
  'an end that something else caused': (own) => ({ ...endOf(own), meta: { ...endOf(own).meta, causationId: newId() } }),
  'an end by a result that does not follow': (own) => ({ ...endOf(own), resultId: newId() }),
};

type Answer = EventOf<'AnswerRecorded'>;

function endOf(answer: Answer): EventOf<'AnswerSettled'> {
  const { meta, problem, experienceId } = answer;
  const end = deriveMeta(meta, { role: 'settled', source: 'seam/executor', occurredAt: 4 });
  const resultId = derivedId(experienceId, 'outcome');
  return {
    type: 'AnswerSettled',
    meta: end,
    problemId: problem.problemId,
    attemptId: experienceId,
    resultId,
    feedbackId: null,
  };
}

/** The answer that the executor will give. */
function answerTo(experience: EventOf<'ExperienceGenerated'>, feedbackUntil: number): Answer {
  const answer = answerFrom(outcomeOf(experience, true))!;
  const { identity } = executor;
  return { ...answer, executor: { ...answer.executor, ...identity }, feedbackUntil };
}

function feedbackOn({ problem, experienceId, meta }: Answer, score: number): EventOf<'FeedbackGiven'> {
  const { tenant } = meta;
  const said = originMeta({
    ...{ messageId: newId(), correlationId: problem.problemId, source: 'seam/cli', occurredAt: Date.now() },
    ...{ sourceClass: 'user', ...(typeof tenant === 'string' ? { tenant } : {}) },
  });
  return {
    type: 'FeedbackGiven',
    meta: said,
    problemId: problem.problemId,
    attemptId: experienceId,
    score,
    by: 'ada',
    reason: '',
  };
}

/** What a forged outcome says, in a record of the answers' topic. */
function answerFrom(result: SeamEvent): EventOf<'AnswerRecorded'> | undefined {
  if (result.type !== 'OutcomeRecorded') return undefined;
  const isUnderOwnId = result.meta.messageId === derivedId(result.meta.causationId ?? '', 'outcome');
  const messageId = isUnderOwnId ? derivedId(result.meta.causationId!, 'answer') : newId();
  const {
    success: _s,
    reward: _r,
    verifierVersion: _v,
    verifierDetail: _d,
    feedbackId: _f,
    measurement: _m,
    ...said
  } = result;
  return { ...said, type: 'AnswerRecorded', unpaid: null, feedbackUntil: 1, meta: { ...result.meta, messageId } };
}
