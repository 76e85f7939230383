/** Who may append to the topics of answers keeps no experience from being answered, and ends no answer's wait. */
import type { ExecutorModel } from '@seamstream/environments';
import { deriveMeta, type EventOf, encodeEvent, type Problem, type SeamEvent, TOPIC } from '@seamstream/events';
import { derivedId, newId } from '@seamstream/kernel';
import { eventsOf, openLog, until, untilConsumed } from '@seamstream/testing';
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
    const naming = forged.filter(({ meta }) => stories.some(({ experiences }) => meta.causationId === experiences[0]!.experienceId));
    await log.append(stories.flatMap(({ published, experiences }) => [published, ...experiences]).map(encodeEvent));
    await log.append(forged.map(encodeEvent));
    const service = await serve(log);
    await untilConsumed(log, { group: 'seam.executor', topic: TOPIC.experiences });
    for (const { experiences } of stories) {
      const { meta } = outcomeOf(experiences[0]!, true);
      const given = (await eventsOf(log, 'OutcomeRecorded')).filter((each) => each.response === ANSWER);
      expect(given.filter((each) => each.meta.messageId === meta.messageId)).toHaveLength(1);
    }
    expect(naming.length).toBeGreaterThan(names.length);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_foreign_answers_total')).toContain(
      `seam_foreign_answers_total{group="seam.executor"} ${naming.length}`,
    );
  });
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

/** What a forged outcome says, in a record of the answers' topic. */
function answerFrom(result: SeamEvent): EventOf<'AnswerRecorded'> | undefined {
  if (result.type !== 'OutcomeRecorded') return undefined;
  const isUnderOwnId = result.meta.messageId === derivedId(result.meta.causationId ?? '', 'outcome');
  const messageId = isUnderOwnId ? derivedId(result.meta.causationId!, 'answer') : newId();
  const { success: _s, reward: _r, verifierVersion: _v, verifierDetail: _d, feedbackId: _f, measurement: _m, ...said } = result;
  return { ...said, type: 'AnswerRecorded', unpaid: null, feedbackUntil: 1, meta: { ...result.meta, messageId } };
}
void deriveMeta; void until;
