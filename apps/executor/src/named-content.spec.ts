/** Experiences that name the content of their problems: solved and judged by it, and never judged without it. */
import type { ExecutorAnswer, ExecutorModel } from '@seamstream/environments';
import type { EventLog } from '@seamstream/event-log';
import { copyOf, encodeEvent, type Problem, TOPIC } from '@seamstream/events';
import { MEMORY_ITEM_SCHEMA } from '@seamstream/experience';
import { eventsOf, newWorld, openLog, untilConsumed } from '@seamstream/testing';
import { explored } from '@seamstream/testing/result-log';
import { startForTest } from '@seamstream/testing/services';
import { executorConfigSchema, executorService } from './app.module.js';

it('solves and judges experiences by the content that they name, in this log or in one that it was copied from', async () => {
  const log = await openLog(newWorld());
  const problems = Array.from({ length: 6 }, (_, index) => problemOf(index));
  const places = await log.append(problems.map((problem) => encodeEvent(explored(problem).published)));
  const groups = problems.map((problem, index) =>
    explored(problem, { namedAt: index % 2 === 0 ? places[index]! : { partition: 3, offset: 77 } }),
  );
  await log.append(groups.flatMap(({ experiences }) => experiences.map(encodeEvent)));
  await served(log);
  const outcomes = await eventsOf(log, 'OutcomeRecorded');
  expect(outcomes).toHaveLength(24);
  for (const { type, success, problem, extractedAnswer } of outcomes) {
    const index = Number(problem.problemId.slice(2));
    expect({ type, success, extractedAnswer }).toEqual({
      type: 'OutcomeRecorded',
      success: true,
      extractedAnswer: `word${index}`,
    });
    // The result copies what the experience says, and not the content.
    expect(problem).toEqual(groups[index]!.experiences[0]!.problem);
  }
});

it('takes a problem whose content it does not have for neither wrong nor ungraded: the execution failed', async () => {
  const log = await openLog(newWorld());
  const gone = explored(problemOf(1), { groupSize: 1, namedAt: { partition: 0, offset: 0 } });
  const there = explored(problemOf(2), { groupSize: 1 });
  await log.append([...gone.experiences, ...there.experiences].map(encodeEvent));
  const executor = await served(log);
  expect(await eventsOf(log, 'ExecutionFailed')).toMatchObject([
    {
      code: 'NOT_FOUND',
      problem: { problemId: 'p-1' },
      reason: expect.stringContaining('content of problem p-1') as string,
      attempts: 1,
    },
  ]);
  expect(await eventsOf(log, 'OutcomeRecorded')).toMatchObject([{ problem: { problemId: 'p-2' }, success: true }]);
  expect(executor.calls).toBe(1);
});

it('lets an answer without a verifier wait, with the content named', async () => {
  const log = await openLog(newWorld());
  const problem = problemOf(3, false);
  const [place] = await log.append([encodeEvent(explored(problem).published)]);
  const { experiences } = explored(problem, { groupSize: 1, namedAt: place! });
  await log.append(experiences.map(encodeEvent));
  await served(log);
  expect(await eventsOf(log, 'AnswerRecorded')).toMatchObject([
    { type: 'AnswerRecorded', extractedAnswer: 'word3', problem: copyOf(problem, place!, 0) },
  ]);
});

/** Answers with the last word of the question, so that the answer is right only if the whole prompt was read. */
class LastWord implements ExecutorModel {
  readonly identity = { model: 'fake', revision: 'weights-1', decoding: '{}' };
  calls = 0;

  async answer(prompts: readonly string[]): Promise<readonly ExecutorAnswer[]> {
    this.calls += prompts.length;
    return prompts.map((prompt) => {
      const text = `Answer: ${/ends with (\w+)/u.exec(prompt)?.[1] ?? 'nothing'}`;
      return { status: 'answered', text, finished: true, promptTokens: 9, responseTokens: 2 };
    });
  }
}

function problemOf(index: number, isGraded = true): Problem {
  return {
    problemId: `p-${index}`,
    domain: 'words',
    prompt: `${'Read this. '.repeat(200)}It ends with word${index}`,
    reference: isGraded ? `word${index}` : null,
    verifier: isGraded ? { kind: 'exact', version: '1', options: {} } : null,
    metadata: {},
  };
}

/** Serves until all experiences are through. */
async function served(log: EventLog): Promise<LastWord> {
  const executor = new LastWord();
  const config = executorConfigSchema.parse({ logging: { level: 'silent' } });
  await startForTest(executorService({ executor, schemaFor: () => MEMORY_ITEM_SCHEMA }), { config, log });
  await untilConsumed(log, { group: 'seam.executor', topic: TOPIC.experiences });
  return executor;
}
