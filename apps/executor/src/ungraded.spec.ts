import type { ExecutorModel } from '@seamstream/environments';
import { InMemoryEventLog } from '@seamstream/event-log';
import {
  attemptIdOf,
  decodeEvent,
  type EventOf,
  type EventType,
  encodeEvent,
  experienceIdOf,
  groupIdOf,
  originMeta,
  type SeamEvent,
  TOPICS,
} from '@seamstream/events';
import { Evidence } from '@seamstream/evidence';
import { derivedId, Random } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { ledgerProjection } from '@seamstream/read-models';
import { type RunningService, startService } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { executorConfigSchema, executorService } from './app.module.js';
import { refusalOf } from './settle-answers.decide.js';

const config = executorConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { maxAttempts: 3, firstRetryMs: 1, maxRetryMs: 5 },
});
const executor: ExecutorModel = {
  identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
  answer: (prompts) =>
    Promise.resolve(
      prompts.map(() => ({ status: 'answered', text: 'Perhaps.', finished: true, promptTokens: 9, responseTokens: 2 })),
    ),
};
const DAY_MS = 86_400_000;

function published(problemId: string, feedbackWithinMs: number | null): EventOf<'ProblemPublished'> {
  return {
    type: 'ProblemPublished',
    meta: originMeta({
      messageId: derivedId(problemId, 'published'),
      correlationId: problemId,
      source: 'seam/cli',
      occurredAt: 1,
      sourceClass: 'user',
    }),
    problem: { problemId, domain: 'essays', prompt: 'Is it so?', reference: null, verifier: null, metadata: {} },
    mode: 'explore',
    expiresAt: null,
    task: null,
    feedbackWithinMs,
  };
}

const attempt = (problemId: string, index = 0) => ({
  problemId,
  attemptId: experienceIdOf(derivedId(problemId, 'published'), index),
});

let log: InMemoryEventLog;
let running: RunningService[] = [];

beforeEach(() => newLog());

afterEach(() => stop());

const publish = (...events: readonly SeamEvent[]): Promise<unknown> => log.append(events.map(encodeEvent));

describe('an answer that no verifier judges', () => {
  it('waits, and is neither a success nor a failure meanwhile', async () => {
    await publish(...asked('p'));
    await serve();
    const [answer] = await of('AnswerRecorded', 1);
    expect(answer).toMatchObject({ response: 'Perhaps.', unpaid: null, problem: { verifier: null } });
    expect(answer!.feedbackUntil - answer!.meta.occurredAt).toBe(DAY_MS);
    expect(await of('OutcomeRecorded')).toEqual([]);
    expect(await ledger()).toMatchObject({ inFlight: 1, failed: 0, ungraded: 0, balanced: true });
  });

  it.each([
    [0.8, true],
    [0.5, true],
    [0.49, false],
    [0, false],
  ])('becomes a result by feedback of %p, which the log bears out', async (score, success) => {
    await publish(...asked('p'));
    await serve();
    await of('AnswerRecorded', 1);
    await publish(feedback(attempt('p'), score));
    const [outcome] = await of('OutcomeRecorded', 1);
    expect(outcome).toMatchObject({ success, reward: score, verifierVersion: 'feedback', response: 'Perhaps.' });
    expect(outcome!.feedbackId).toBe(feedback(attempt('p'), score).meta.messageId);
    const placed = (await all()).filter(({ event }) => event.type === 'OutcomeRecorded');
    expect(await new Evidence(log).doubts(placed)).toEqual(new Map());
    expect(await ledger()).toMatchObject({ [success ? 'solved' : 'failed']: 1, ungraded: 0, balanced: true });
  });

  it('is settled once: of repeated feedback the first counts, and the others are refused for that reason', async () => {
    await publish(...asked('p'));
    await serve();
    await of('AnswerRecorded', 1);
    await publish(feedback(attempt('p'), 0.9), feedback(attempt('p'), 0.1));
    await of('FeedbackRefused', 1);
    await publish(feedback(attempt('p'), 0.2));
    const refused = await of('FeedbackRefused', 2);
    expect(refused.map(({ reason }) => reason)).toEqual(['settled', 'settled']);
    expect(await of('OutcomeRecorded')).toMatchObject([{ reward: 0.9 }]);
  });

  it('is not in the way of the answer of the tenant whose problem it is, where it is of another one', async () => {
    await publish(...asked('p'));
    await serve();
    const [answer] = await of('AnswerRecorded', 1);
    await stop();
    await newLog();
    const theirs = <E extends SeamEvent>(event: E): E => ({
      ...event,
      meta: { ...event.meta, tenant: 'globex', messageId: derivedId(event.type, 'theirs'), causationId: null },
    });
    await publish(theirs(answer!), theirs({ ...EXAMPLE_EVENTS.AnswerSettled, ...attempt('p') }), ...asked('p'));
    await serve();
    await of('AnswerRecorded', 2);
    await publish(feedback(attempt('p'), 0.9));
    expect(await of('OutcomeRecorded', 1)).toMatchObject([{ reward: 0.9, meta: { tenant: null } }]);
    expect(await of('FeedbackRefused')).toEqual([]);
  });

  it('is ungraded at its deadline, although an answer before it waits longer', async () => {
    const soon = { feedbackWithinMs: 1 };
    // Of one partition: 'a' and ids after it, until one falls on the same.
    await publish(...asked('a'), ...Array.from({ length: 12 }, (_, n) => asked(`b${n}`, soon)).flat());
    await serve();
    const ungraded = await of('AttemptUngraded', 12);
    expect(new Set(ungraded.map(attemptIdOf)).size).toBe(12);
    expect(await of('AnswerSettled', 12)).toHaveLength(12);
    expect(await of('OutcomeRecorded')).toEqual([]);
    expect(await ledger()).toMatchObject({ published: 13, ungraded: 12, inFlight: 1, failed: 0, balanced: true });
    expect((await ledger()).arms.explore).toMatchObject({ solved: 0 });
    await publish(feedback(attempt('b0'), 1));
    expect(await of('FeedbackRefused', 1)).toMatchObject([{ reason: 'settled' }]);
  });

  it('counts feedback that arrived in time, even if no service ran until after the deadline', async () => {
    await publish(...asked('p', { feedbackWithinMs: 400 }));
    await serve();
    const [answer] = await of('AnswerRecorded', 1);
    await stop();
    await publish(feedback(attempt('p'), 1, { at: answer!.feedbackUntil }));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, answer!.feedbackUntil + 5 - Date.now())));
    await serve();
    expect(await of('OutcomeRecorded', 1)).toMatchObject([{ success: true }]);
    expect(await of('AttemptUngraded')).toEqual([]);
  });

  it('still waits after a restart, and is found by its feedback', async () => {
    await publish(...asked('p', { groupSize: 3 }));
    await serve();
    await of('AnswerRecorded', 3);
    await publish(feedback(attempt('p', 1), 1));
    await of('AnswerSettled', 1);
    await stop();
    await serve();
    await publish(feedback(attempt('p', 0), 0), feedback(attempt('p', 1), 0.3), feedback(attempt('p', 2), 0.7));
    expect((await of('OutcomeRecorded', 3)).map(({ reward }) => reward).sort()).toEqual([0, 0.7, 1]);
    expect(await of('FeedbackRefused', 1)).toMatchObject([{ attemptId: attempt('p', 1).attemptId }]);
    expect(await ledger()).toMatchObject({ solved: 1, balanced: true });
  });
});

describe('feedback', () => {
  it.each([1.0001, -0.1, 7])('of a score of %p does not count', async (score) => {
    await publish(...asked('p'));
    await serve();
    await of('AnswerRecorded', 1);
    await publish(feedback(attempt('p'), score, { id: derivedId('p', 'out of bounds') }));
    expect(await of('FeedbackRefused', 1)).toMatchObject([{ reason: 'score', by: 'ada' }]);
    expect(await of('OutcomeRecorded')).toEqual([]);
  });

  it('says nothing about attempts that do not wait: unknown ones, and those of other problems', async () => {
    await publish(...asked('p'), ...asked('q'));
    await serve();
    await of('AnswerRecorded', 2);
    await publish(
      feedback({ problemId: 'p', attemptId: derivedId('nobody', 'x') }, 1),
      feedback({ problemId: 'q', attemptId: attempt('p').attemptId }, 1),
    );
    const refused = await of('FeedbackRefused', 2);
    expect(refused.map(({ reason }) => reason)).toEqual(['unknown_attempt', 'unknown_attempt']);
    expect(await of('OutcomeRecorded')).toEqual([]);
  });

  it('counts exactly when its score is from 0 to 1, the frozen executor’s answer waits, and it came in time', () => {
    const random = Random.of('feedback', 1);
    for (let round = 0; round < 2_000; round++) {
      const score = random.pick([
        0,
        1,
        0.5,
        random.float(),
        -random.float(),
        1 + random.float(),
        Number.POSITIVE_INFINITY,
      ]);
      const at = random.int(20);
      const said = feedback({ problemId: random.pick(['p', 'q']), attemptId: 'x' }, score, { id: 'f', at });
      const tenant = random.pick([null, 'acme', 'globex']);
      const given = { ...said, meta: { ...said.meta, tenant } };
      const isOpen = random.float() < 0.8;
      const settled = random.float() < 0.2 ? { isOfSession: random.float() < 0.5 } : undefined;
      const isOfSession = random.float() < 0.2;
      const open = isOpen ? { problemId: 'p', tenant: 'acme', feedbackUntil: 10, isOfSession } : undefined;
      const isAbout = isOpen && given.problemId === 'p' && tenant === 'acme';
      const counts = score >= 0 && score <= 1 && isAbout && settled === undefined && !isOfSession && at <= 10;
      expect(refusalOf(given, open, settled) === undefined).toBe(counts);
    }
  });
});

/** The problem's event and its group, as generators write them. */
function asked(problemId: string, { feedbackWithinMs = DAY_MS, groupSize = 1 } = {}): SeamEvent[] {
  const problem = published(problemId, feedbackWithinMs);
  const { messageId } = problem.meta;
  const experiences = Array.from({ length: groupSize }, (_, index): SeamEvent => {
    const experienceId = experienceIdOf(messageId, index);
    return {
      type: 'ExperienceGenerated',
      attemptId: null,
      feedbackWithinMs,
      meta: { ...problem.meta, messageId: experienceId, causationId: messageId, sourceClass: 'model' },
      problem: problem.problem,
      ...{ experienceId, groupId: groupIdOf(messageId), candidateIndex: index, groupSize, arm: 'explore' },
      ...{ entry: `{"n":${index}}`, entrySchema: 's', promptTokenIds: [1], tokenIds: [2], logProbs: [-1] },
      ...{ legalMass: [1], forced: [false], tokenizerDigest: 't', baseModelDigest: 'b', adapterDigest: null },
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 9, seed: 's' },
      latencyMs: 1,
    };
  });
  return [problem, ...experiences];
}

function feedback(
  { attemptId, problemId }: { readonly attemptId: string; readonly problemId: string },
  score: number,
  { id = derivedId(attemptId, 'feedback', Math.round(score * 100)), at = Date.now() } = {},
): EventOf<'FeedbackGiven'> {
  return {
    type: 'FeedbackGiven',
    meta: originMeta({
      ...{ messageId: id, correlationId: problemId, source: 'seam/cli', occurredAt: at, sourceClass: 'user' },
    }),
    ...{ problemId, attemptId, score, by: 'ada', reason: 'read' },
  };
}

async function newLog(): Promise<void> {
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
}

async function stop(): Promise<void> {
  await Promise.all(running.map((service) => service.close()));
  running = [];
}

async function serve(): Promise<void> {
  const drivers = { log, objects: new InMemoryObjectStore() };
  running.push(await startService(executorService({ executor }), { config, drivers, serveHttp: false }));
}

async function all(): Promise<
  { readonly event: SeamEvent; readonly position: Parameters<typeof ledgerProjection.evolve>[2] }[]
> {
  const found = [];
  for (const { name } of TOPICS)
    for (const { partition } of await log.watermarks(name))
      for await (const records of log.read({ topic: name, partition, from: 0 }))
        for (const record of records) found.push({ event: decodeEvent(record), position: record });
  return found;
}

async function of<T extends EventType>(type: T, least = 0): Promise<EventOf<T>[]> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    const found = (await all()).flatMap(({ event }) => (event.type === type ? [event as unknown as EventOf<T>] : []));
    if (found.length >= least) return found;
    if (Date.now() > giveUp) throw new Error(`expected ${least} of ${type} within 20 s, got ${found.length}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function ledger() {
  const state = (await all()).reduce(
    (fold, { event, position }) => ledgerProjection.evolve(fold, event, position),
    ledgerProjection.initialState(),
  );
  return ledgerProjection.read(state);
}
