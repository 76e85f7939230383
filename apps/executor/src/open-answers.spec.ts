/** Which answers wait, regardless of what any client appends about them, and what it costs to know that. */
import { InMemoryEventLog } from '@seamstream/event-log';
import {
  conversationTemplate,
  deriveMeta,
  type EventOf,
  encodeEvent,
  GROUP,
  originMeta,
  type Problem,
  type SeamEvent,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { Evidence } from '@seamstream/evidence';
import { derivedId, newId } from '@seamstream/kernel';
import { type DeliveredBatch, RationedLines } from '@seamstream/service-kit';
import { eventsOf } from '@seamstream/testing';
import { explored, outcomeOf, publicationOf } from '@seamstream/testing/result-log';
import { RESULT_WITHIN_MS } from './doubtful-ends.js';
import { assertFrozen } from './frozen-executor.js';
import { OpenAnswers } from './open-answers.js';
import { EARLY_WAIT_MS } from './partition-answers.js';
import { standingOf } from './settle-answers.decide.js';
import { SettleAnswersHandler } from './settle-answers.handler.js';

const NEVER = 9e12;

describe('an answer that waits', () => {
  it('is believed, although a later forged experience of its id is nearer', async () => {
    const log = await newLog();
    const own = written(open('victim'));
    await log.append([at(own, 1_000), ...others(1_500, 2_000), at({ ...own, entry: '{"n":"mine"}' }, 5_000)]);
    await log.append([at(answerTo(own), 6_000)]);
    const { answers, foreign } = reader(log);
    expect((await answers.readOn(0)).open.size).toBe(1);
    expect(foreign).toEqual([]);
  });

  it.each([
    ['foreign early answers', 1],
    ['many foreign early answers', 300],
  ])('of a gateway is settled once its experience is there, although %s stand before it', async (_, count) => {
    const log = await newLog();
    const own = conversation('g1');
    const early = forgedFrom(answerOfGateway(own), NEVER);
    await log.append([...Array.from({ length: count }, () => at(early, 2)), at(answerOfGateway(own), 3)]);
    const { answers, foreign } = reader(log);
    const { open: waiting } = await answers.readOn(0);
    await log.append([at(own, 4)]);
    const [attempt] = waiting.keys();
    expect((await answers.toSettle(0, attempt!))?.problem).toEqual(own.problem);
    expect(foreign).toHaveLength(count);
    expect(waiting.size).toBe(1);
  });

  it('is judged by its feedback, although a foreign early answer has a deadline that is over', async () => {
    const log = await newLog();
    const own = conversation('g1');
    const answer = answerOfGateway(own);
    await log.append([at(forgedFrom(answer, 1), 2), at(answer, 3)]);
    let nowMs = 10;
    const handler = settler(log, () => nowMs);
    for (; nowMs < 3 * EARLY_WAIT_MS; nowMs += EARLY_WAIT_MS) await handler.endOverdue(batchOf());
    expect(await eventsOf(log, 'AttemptUngraded')).toEqual([]);
    await log.append([at(own, 4)]);
    const [result] = await handler.judge(batchOf(feedbackOn(answer)));
    const events = result !== undefined && 'events' in result ? result.events : [];
    expect(events).toMatchObject([{ type: 'OutcomeRecorded', problem: own.problem }, { type: 'AnswerSettled' }]);
  });

  it('of a gateway is not ended by a lone foreign early answer whose deadline is over, but by its own feedback', async () => {
    const log = await newLog();
    const own = conversation('g1');
    const answer = answerOfGateway(own);
    await log.append([at(forgedFrom(answer, 1), 2)]);
    let nowMs = 10;
    const handler = settler(log, () => nowMs);
    for (; nowMs < EARLY_WAIT_MS; nowMs += EARLY_WAIT_MS / 4) await handler.endOverdue(batchOf());
    expect(await eventsOf(log, 'AttemptUngraded')).toEqual([]);
    await log.append([at(answer, 3), at(own, 4)]);
    nowMs = 2 * EARLY_WAIT_MS;
    await handler.endOverdue(batchOf());
    const [result] = await handler.judge(batchOf(feedbackOn(answer)));
    expect(result).toMatchObject({ events: [{ type: 'OutcomeRecorded', problem: own.problem }, {}] });
  });

  it.each([
    ['its experience has come', 1, true],
    ['its experience never comes', EARLY_WAIT_MS, false],
  ])('of a gateway ends ungraded at its deadline where %s', async (_, waitMs, comes) => {
    const log = await newLog();
    const own = conversation('g1');
    await log.append([at({ ...answerOfGateway(own), feedbackUntil: 5 }, 2)]);
    let nowMs = 10;
    const handler = settler(log, () => nowMs);
    await handler.endOverdue(batchOf());
    if (comes) await log.append([at(own, 4)]);
    // It is looked for after a minute, and again later and later.
    nowMs += Math.max(waitMs, 60_000) - 1;
    await handler.endOverdue(batchOf());
    expect(await eventsOf(log, 'AttemptUngraded')).toHaveLength(0);
    nowMs += 60_000;
    await handler.endOverdue(batchOf());
    expect(await eventsOf(log, 'AttemptUngraded')).toHaveLength(1);
  });

  it('of a gateway is of the attempt of its experience, and no answer names another one', async () => {
    const own = conversation('g1');
    const answer = answerOfGateway(own);
    for (const experience of [own, undefined]) {
      expect(standingOf({ ...answer, attemptId: 'other' }, experience)).toBe('foreign');
      expect(standingOf(answer, experience)).toBe(experience === undefined ? 'early' : 'ours');
    }
  });

  it('of a gateway without its entry, which was late, becomes a result by feedback that the log bears out', async () => {
    const log = await newLog();
    const own = conversation('g1');
    const unpaid = 'the executor was asked without an entry';
    const answer: Answer = { ...answerOfGateway(own), arm: 'deploy', withoutEntry: 'late', unpaid };
    const published = { ...publicationOf(own.problem as Problem, null), mode: 'deploy', answeredBy: 'seam/gateway' };
    await log.append([at(published as SeamEvent, 1), at(answer, 2), at(own, 3)]);
    const [result] = await settler(log).judge(batchOf(feedbackOn(answer)));
    const [event] = result !== undefined && 'events' in result ? result.events : [];
    expect(event).toMatchObject({ type: 'OutcomeRecorded', success: true, reward: 0, entry: null });
    const position = { topic: TOPIC.outcomes, partition: 0, offset: 0 };
    expect(await new Evidence(log).doubts([{ event: event!, position }])).toEqual(new Map());
  });

  it('of a gateway in the control arm becomes a result by feedback that comes before its experience', async () => {
    const log = await newLog();
    const own = conversation('g1');
    const answer: Answer = { ...answerOfGateway(own), arm: 'control', withoutEntry: null };
    const drawn = { assignment: { experiment: 'e', unit: 'g1', controlShare: 1 }, answeredBy: 'seam/gateway' };
    const published = { ...publicationOf(own.problem as Problem, null), mode: 'deploy', ...drawn };
    await log.append([at(published as SeamEvent, 1), at(answer, 2)]);
    const [result] = await settler(log).judge(batchOf(feedbackOn(answer)));
    const [event] = result !== undefined && 'events' in result ? result.events : [];
    expect(event).toMatchObject({ type: 'OutcomeRecorded', arm: 'control', success: true, reward: 1 });
    const position = { topic: TOPIC.outcomes, partition: 0, offset: 0 };
    expect(await new Evidence(log).doubts([{ event: event!, position }])).toEqual(new Map());
  });

  it('has one end, although feedback is committed while its deadline is looked at', async () => {
    const log = await newLog();
    const own = written(open('p'));
    const answer = { ...answerTo(own), feedbackUntil: 1 };
    await log.append([at(own, 1), at(answer, 2)]);
    const committedOffsets = log.committedOffsets.bind(log);
    log.committedOffsets = async (group) => {
      if (group === GROUP.judge) await log.append([at(outcomeOf(own, true), 3), at(endOf(answer), 3)]);
      return committedOffsets(group);
    };
    await settler(log).endOverdue(batchOf());
    expect(await eventsOf(log, 'AttemptUngraded')).toEqual([]);
  });

  it.each([
    ['after its own', (own: Answer) => [own, endOf(own), forgedEnd(own), own]],
    ['after its own, where reading begins with the end', (own: Answer) => [endOf(own), forgedEnd(own), own]],
    ['before its own, where reading begins with it', (own: Answer) => [forgedEnd(own), endOf(own), own]],
  ])('stays ended when it is recorded again, although a forged end stands %s', async (_, story) => {
    const log = await newLog();
    const own = written(open('p'));
    const told = [...story(answerTo(own)), outcomeOf(own, true)];
    await log.append([at(own, 1), ...told.map((event) => at(event, 2))]);
    const { answers, foreign } = reader(log);
    expect((await answers.readOn(0)).open.size).toBe(0);
    expect(foreign).toHaveLength(1);
  });

  it('waits on although a client says that it has ended, with all ids as the service derives them', async () => {
    const log = await newLog();
    const own = written(open('p'));
    const answer = { ...answerTo(own), feedbackUntil: 5 };
    await log.append([at(own, 1), at(answer, 2), at(endOf(answer), 3), ...othersEnded(2_000, 4)]);
    let nowMs = 10;
    const handler = settler(log, () => nowMs);
    const ungraded = () => eventsOf(log, 'AttemptUngraded');
    await handler.endOverdue(batchOf());
    // Its result may be about to come.
    expect(await ungraded()).toHaveLength(0);
    for (let again = 0; again < 3; again++) {
      nowMs += RESULT_WITHIN_MS;
      await log.append([at(endOf(answer), 3)]);
      await handler.endOverdue(batchOf());
    }
    expect(await ungraded()).toMatchObject([{ problem: { problemId: 'p' } }]);
    const { answers, foreign } = reader(log);
    expect((await answers.readOn(0)).open.size).toBe(0);
    // Its own end, and four of the client.
    expect(foreign).toHaveLength(4);
  });

  it('has ended once the result of its end is seen, which may be a moment later', async () => {
    const log = await newLog();
    const own = written(open('p'));
    const answer = { ...answerTo(own), feedbackUntil: 5 };
    await log.append([at(own, 1), at(answer, 2), at(endOf(answer), 3)]);
    let nowMs = 10;
    const { answers, foreign } = reader(log, () => nowMs);
    expect((await answers.readOn(0)).open.size).toBe(1);
    await log.append([at(outcomeOf(own, true), 3)]);
    nowMs += 1_000;
    expect((await answers.readOn(0)).open.size).toBe(0);
    expect(foreign).toEqual([]);
  });
});

describe('what reading experiences costs', () => {
  it("is the same for any log where a gateway's answer comes before its experience", async () => {
    const log = await newLog();
    await log.append(others(6_000, 1_000));
    await log.append([at(answerOfGateway(conversation('g1')), 7_000)]);
    const read = counted(log);
    const { answers } = reader(log);
    expect((await answers.readOn(0)).open.size).toBe(1);
    expect(read()).toBeLessThan(1_100);
  });

  it('is little at a start where the first outcome came long after its experience', async () => {
    const log = await newLog();
    const own = written(open('first'));
    const early = outcomeOf(own, true);
    const outcome = { ...early, meta: { ...early.meta, occurredAt: 6_500 } };
    await log.append([at(own, 1), ...others(6_000, 1_000), at(outcome, 6_500)]);
    const read = counted(log);
    const other = { ...outcome.executor, revision: 'weights-2' };
    await expect(assertFrozen(log, other, 'required')).rejects.toThrow('made by another one');
    expect(read()).toBeLessThan(2_100);
  });

  it('is one reading of them at a start where no outcome is borne out', async () => {
    const log = await newLog();
    await log.append(others(6_000, 1_000));
    const foreign = Array.from({ length: 500 }, (_, index) => written(open(`x${index}`)));
    await log.append(foreign.map((each) => at(outcomeOf(each, true), 6_500)));
    const read = counted(log);
    await assertFrozen(log, { ...identity, template: 't' }, 'required');
    // How much is read ahead depends on what runs at the same time.
    expect(read()).toBeLessThan(2 * 6_000);
  });
});

type Answer = EventOf<'AnswerRecorded'>;
type Experience = EventOf<'ExperienceGenerated'>;
type Written = ReturnType<typeof encodeEvent> & { readonly timestampMs: number };

const identity = { model: 'fake', revision: 'weights-1', decoding: '{}' };

async function newLog(): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
  return log;
}

function at(event: SeamEvent, timestampMs: number): Written {
  return { ...encodeEvent(event), timestampMs };
}

function open(problemId: string): Problem {
  return { problemId, domain: 'sums', prompt: `Is ${problemId} so?`, reference: null, verifier: null, metadata: {} };
}

function written(problem: Problem): Experience {
  return explored(problem, { groupSize: 1 }).experiences[0]!;
}

function others(count: number, sinceMs: number): readonly Written[] {
  return Array.from({ length: count }, (_, index) => at(written(open(`other-${index}`)), sinceMs + index));
}

/** Results of other attempts, each appended a millisecond after the one before it. */
function othersEnded(count: number, sinceMs: number): readonly Written[] {
  return Array.from({ length: count }, (_, index) =>
    at(outcomeOf(written(open(`ended-${index}`)), true), sinceMs + index),
  );
}

function reader(
  log: InMemoryEventLog,
  now: () => number = () => 10,
): { readonly answers: OpenAnswers; readonly foreign: readonly number[] } {
  const foreign: number[] = [];
  return { answers: new OpenAnswers(log, 'required', { now }, ({ offset }) => foreign.push(offset)), foreign };
}

function settler(log: InMemoryEventLog, now: () => number = () => 10): SettleAnswersHandler {
  const lines = new RationedLines({ warn: () => undefined } as never, () => undefined);
  const clock = { now } as never;
  return new SettleAnswersHandler({ ...{ log, lines, clock }, ...reader(log, now), onSettled: () => undefined });
}

function batchOf(...events: readonly SeamEvent[]): DeliveredBatch {
  const records = events.map((event, offset) => ({ event, position: { topic: TOPIC.answers, partition: 0, offset } }));
  return { partition: 0, records, signal: new AbortController().signal } as never;
}

/** How many experiences are read from now on. */
function counted(log: InMemoryEventLog): () => number {
  let count = 0;
  const read = log.read.bind(log);
  log.read = async function* (range) {
    for await (const records of read(range)) {
      if (range.topic === TOPIC.experiences) count += records.length;
      yield records;
    }
  };
  return () => count;
}

function answerTo(experience: Experience): Answer {
  const {
    success: _s,
    reward: _r,
    verifierVersion: _v,
    verifierDetail: _d,
    feedbackId: _f,
    measurement: _m,
    ...said
  } = outcomeOf(experience, true);
  const meta = { ...said.meta, messageId: derivedId(experience.experienceId, 'answer') };
  return { ...said, type: 'AnswerRecorded', unpaid: null, feedbackUntil: NEVER, meta };
}

function conversation(problemId: string): Experience {
  const own = written(open(problemId));
  return { ...own, arm: 'deploy', answeredBy: 'seam/gateway' };
}

function answerOfGateway(experience: Experience): Answer {
  const answer = answerTo(experience);
  return {
    ...answer,
    executor: { ...answer.executor, template: conversationTemplate('x') },
    ...{ entry: null, promptTokenIds: [], tokenIds: [], forced: [], baseModelDigest: null, adapterDigest: null },
  };
}

function forgedFrom(answer: Answer, feedbackUntil: number): Answer {
  return { ...answer, feedbackUntil, problem: { ...answer.problem, prompt: 'mine' } };
}

function endOf({ meta, problem, experienceId }: Answer): EventOf<'AnswerSettled'> {
  return {
    type: 'AnswerSettled',
    meta: deriveMeta(meta, { role: 'settled', source: 'seam/executor', occurredAt: 4 }),
    ...{ problemId: problem.problemId, attemptId: experienceId, resultId: derivedId(experienceId, 'outcome') },
    feedbackId: null,
  };
}

function forgedEnd(answer: Answer): EventOf<'AnswerSettled'> {
  const end = endOf(answer);
  return { ...end, meta: { ...end.meta, messageId: newId() } };
}

function feedbackOn({ problem: { problemId }, experienceId }: Answer): EventOf<'FeedbackGiven'> {
  const messageId = newId();
  return {
    type: 'FeedbackGiven',
    meta: originMeta({
      ...{ messageId, correlationId: problemId, source: 'seam/cli', occurredAt: Date.now(), sourceClass: 'user' },
    }),
    ...{ problemId, attemptId: experienceId, score: 1, by: 'ada', reason: '' },
  };
}
