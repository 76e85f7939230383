import type { ExecutorAnswer, ExecutorModel } from '@seamstream/environments';
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { domainEntrySchema, entrySchemas, MEMORY_ITEM_SCHEMA, schemaDigest } from '@seamstream/experience';
import { derivedId, SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { type RunningService, startService } from '@seamstream/service-kit';
import { totalRecords } from '@seamstream/testing';
import { executorConfigSchema, executorService } from './app.module.js';

const config = executorConfigSchema.parse({
  logging: { level: 'silent' },
  consuming: { maxAttempts: 3, firstRetryMs: 1, maxRetryMs: 5 },
  executor: { verifierEndpoints: { gone: { url: 'http://127.0.0.1:1/' } } },
});
const schema = domainEntrySchema({
  concepts: { words: ['carry'] },
  strategy: { words: ['once'] },
  pitfalls: { words: ['none'] },
});
const quoting = domainEntrySchema({
  concepts: { words: ['for a carry', 'for b carry'], minItems: 1, maxItems: 2, quotesBetween: ['for ', ' '] },
  strategy: { words: ['once'] },
  pitfalls: { words: ['none'] },
});
const schemaFor = entrySchemas({ sums: schema, quotes: quoting });
const ENTRY = '{"concepts":["carry"],"strategy":["once"],"pitfalls":["none"]}';

/** Solves what comes with an experience; some prompts meet a failure a given number of times. */
class FakeExecutor implements ExecutorModel {
  readonly prompts: string[] = [];
  readonly calls: number[] = [];

  constructor(
    private readonly trouble: (prompt: string, attempt: number) => ExecutorAnswer | Error | undefined = () => undefined,
    readonly identity = { model: 'fake', revision: 'weights-1', decoding: '{}' },
  ) {}

  async answer(prompts: readonly string[]): Promise<readonly ExecutorAnswer[]> {
    this.calls.push(prompts.length);
    this.prompts.push(...prompts);
    return prompts.map((prompt) => {
      const trouble = this.trouble(prompt, this.prompts.filter((each) => each === prompt).length);
      if (trouble instanceof Error) throw trouble;
      const text = prompt.includes('carry') ? 'Answer: 4' : 'Answer: 5';
      return trouble ?? { status: 'answered', text, finished: true, promptTokens: 9, responseTokens: 2 };
    });
  }
}

let running: RunningService[] = [];
let log: InMemoryEventLog;

beforeEach(async () => {
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
});

afterEach(async () => {
  await Promise.all(running.map((service) => service.close()));
  running = [];
});

const publish = (...events: SeamEvent[]): Promise<unknown> => log.append(events.map(encodeEvent));
const down: ExecutorAnswer = {
  status: 'failed',
  code: 'SESSION_FAILED',
  reason: 'the server is down',
  retryable: true,
};

describe('the executor service', () => {
  it('records what was answered and judged, with the experience copied and the executor named', async () => {
    await publish(experience('a'));
    await serve(new FakeExecutor());
    const [outcome] = await outcomes();
    expect(outcome).toMatchObject({
      type: 'OutcomeRecorded',
      attemptId: null,
      feedbackId: null,
      success: true,
      reward: 1,
      response: 'Answer: 4',
      extractedAnswer: '4',
      experienceId: 'x-a',
      groupId: 'g-a',
      candidateIndex: 1,
      groupSize: 4,
      arm: 'explore',
      entry: ENTRY,
      tokenIds: [2, 3],
      forced: [false, true],
      adapterDigest: 'a',
      baseModelDigest: 'b',
      executor: {
        model: 'fake',
        revision: 'weights-1',
        decoding: '{}',
        template: expect.stringMatching(/^executor@[0-9a-f]{64}$/),
      },
      meta: { causationId: experience('a').meta.messageId, correlationId: 'a' },
    });
  });

  it('solves the control arm without an experience', async () => {
    const executor = new FakeExecutor();
    await publish(withheld('a'));
    await serve(executor);
    expect(await outcomes()).toMatchObject([
      {
        type: 'OutcomeRecorded',
        attemptId: null,
        feedbackId: null,
        arm: 'control',
        groupSize: 1,
        entry: null,
        success: false,
        reward: 0,
        tokenIds: [],
        adapterDigest: null,
      },
    ]);
    expect(executor.prompts[0]).not.toContain('carry');
  });

  it.each([1, 4])('never shows the reference answer to the model (%i answers per entry)', async (rollouts) => {
    const { problem, ...others } = withheld('b');
    await publish(experience('a', { reference: 'SECRET' }), {
      ...others,
      problem: { ...problem, reference: 'SECRET' },
    });
    const executor = new FakeExecutor();
    const drawing: ExecutorModel = {
      identity: executor.identity,
      answer: (prompts) => executor.answer(prompts),
      sample: (requests) => Promise.all(requests.map(({ prompt, seeds }) => executor.answer(seeds.map(() => prompt)))),
    };
    await serve(drawing, { ...config, executor: { ...config.executor, rollouts } });
    expect(await outcomes()).toHaveLength(2);
    expect(executor.prompts).toHaveLength(2 * rollouts);
    for (const id of ['a', 'b']) expect(executor.prompts.join('\n')).toContain(`What is ${id}?`);
    expect(executor.prompts.join('\n')).not.toContain('SECRET');
  });

  it('gives no reward for a right answer to an invalid entry', async () => {
    await publish(
      experience('a', { entry: '{"concepts":["carry"],"more":1}' }),
      experience('b', { entry: '{"concepts":["carry"],"more":1}', entrySchema: 'unknown' }),
    );
    await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({ success: true, reward: 0 });
    expect(byProblem.get('b')).toMatchObject({ success: true, reward: 1 });
  });

  it('pays no reward for a right answer to an entry that gives it away, counts that, and pays where the settings say so', async () => {
    const leaking = { entry: '{"concepts":["carry, it is 4"]}', entrySchema: 'unknown' };
    await publish(
      experience('a', leaking),
      experience('b', { entry: '{"concepts":["carry"]}', entrySchema: 'unknown' }),
    );
    const service = await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({
      success: true,
      reward: 0,
      verifierDetail: expect.stringMatching(/; no reward: the entry gives the answer away$/),
    });
    expect(byProblem.get('b')).toMatchObject({ success: true, reward: 1 });
    expect(await service.metrics.registry.metrics()).toContain('seam_leaking_entries_total 1');
    await service.close();

    await serve(new FakeExecutor(), { ...config, executor: { ...config.executor, leaks: 'rewarded' } });
    await publish(experience('c', leaking));
    expect((await outcomes()).find(({ meta }) => meta.correlationId === 'c')).toMatchObject({ reward: 1 });
  });

  it('gives no reward for a right answer to an entry that misquotes its problem, says so, and counts both kinds', async () => {
    const entryOf = (...concepts: string[]): string =>
      JSON.stringify({ concepts, strategy: ['once'], pitfalls: ['none'] });
    const quotes = { domain: 'quotes', entrySchema: schemaDigest(quoting) };
    await publish(
      experience('a', { ...quotes, entry: entryOf('for a carry') }),
      experience('b', { ...quotes, entry: entryOf('for a carry') }),
      experience('c', { ...quotes, entry: entryOf('for b carry'), reference: '5' }),
      // It names the schema as it was before: of its quotes this service says nothing.
      experience('d', { ...quotes, entry: entryOf('for a carry'), entrySchema: 'earlier' }),
      experience('e'),
    );
    const service = await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({ success: true, reward: 1, faithful: true });
    expect(byProblem.get('b')).toMatchObject({
      success: true,
      reward: 0,
      faithful: false,
      verifierDetail: expect.stringMatching(/; no reward: it quotes "a", which is not in the problem$/),
    });
    expect(byProblem.get('c')).toMatchObject({ success: false, reward: 0, faithful: false });
    expect(byProblem.get('c')).toMatchObject({ verifierDetail: expect.not.stringContaining('no reward') });
    expect(byProblem.get('d')).toMatchObject({ success: true, reward: 1, faithful: null });
    expect(byProblem.get('e')).toMatchObject({ reward: 1, faithful: null });
    const metrics = await service.metrics.registry.metrics();
    expect(metrics).toContain('seam_quoting_entries_total{faithful="true"} 1');
    expect(metrics).toContain('seam_quoting_entries_total{faithful="false"} 2');
  });

  it('draws several answers where the settings say so: their mean is the reward, and the executor is another one', async () => {
    await publish(experience('a'), experience('b'));
    const executor: ExecutorModel = {
      identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
      answer: () => Promise.reject(new Error('no caller asks greedily')),
      sample: async (requests, { temperature }) =>
        requests.map(({ prompt, seeds }) =>
          seeds.map((seed): ExecutorAnswer => {
            // Of a's four answers three are right, of b's none.
            const isRight = prompt.includes('What is a?') && !seed.endsWith('/1');
            const text = `Answer: ${isRight ? 4 : temperature}`;
            return { status: 'answered', text, finished: true, promptTokens: 9, responseTokens: 2 };
          }),
        ),
    };
    const drawing = { ...config, executor: { ...config.executor, rollouts: 4, rolloutTemperature: 0.5 } };
    await serve(executor, drawing);
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({
      success: true,
      reward: 0.75,
      response: 'Answer: 4',
      verifierDetail: expect.stringMatching(/^3 of 4 answers right; /),
      executor: { decoding: '{"answer":"{}","rollouts":4,"temperature":0.5,"topP":1}' },
    });
    expect(byProblem.get('b')).toMatchObject({ success: false, reward: 0, response: 'Answer: 0.5' });
    await expect(serve(executor)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(serve(new FakeExecutor(), drawing)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  it("rewards a right answer with SEAM's container only where its text is not blank", async () => {
    const entrySchema = schemaDigest(MEMORY_ITEM_SCHEMA);
    await publish(
      experience('a', { entry: '{"memory_item":"mind the carry"}', entrySchema, verifier: 'exact' }),
      experience('b', { entry: '{"memory_item":"  "}', entrySchema, reference: '5' }),
    );
    const executor = new FakeExecutor();
    const service = await startService(executorService({ executor, schemaFor: () => MEMORY_ITEM_SCHEMA }), {
      config,
      drivers: { log, objects: new InMemoryObjectStore() },
      serveHttp: false,
    });
    running.push(service);
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({ success: true, reward: 1 });
    expect(byProblem.get('b')).toMatchObject({ success: true, reward: 0 });
    expect(executor.prompts.join()).toContain('<memory_item> mind the carry </memory_item>');
  });

  it('tries a failed infrastructure again: what comes out is an outcome as if nothing had happened', async () => {
    await publish(experience('a'));
    await serve(new FakeExecutor((_prompt, attempt) => (attempt < 3 ? down : undefined)));
    expect(await outcomes()).toMatchObject([
      { type: 'OutcomeRecorded', attemptId: null, feedbackId: null, success: true },
    ]);
  });

  it('records nothing of work that was asked to stop, not even on its last attempt', async () => {
    const hanging: ExecutorModel = {
      identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
      answer: (_, signal) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new SeamError('ABORTED', 'Asked to stop.'))),
        ),
    };
    await publish(experience('a'));
    await serve(hanging, { ...config, consuming: { ...config.consuming, maxAttempts: 1, deadlineMs: 30 } });
    expect(await outcomes()).toEqual([]);
  });

  it('records a failure that stays as ExecutionFailed with its attempts, never as a reward of 0, and continues', async () => {
    await publish(...['a', 'b', 'c'].map((id) => experience(id)));
    await serve(new FakeExecutor((prompt) => (prompt.includes('What is b?') ? down : undefined)));
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('b')).toMatchObject({
      type: 'ExecutionFailed',
      attemptId: null,
      code: 'SESSION_FAILED',
      reason: 'the server is down',
      attempts: 3,
      groupSize: 4,
    });
    expect([byProblem.get('a')?.type, byProblem.get('c')?.type]).toEqual(['OutcomeRecorded', 'OutcomeRecorded']);
  });

  it('finds the experience on which the executor throws and records that one as failed', async () => {
    await log.append(
      Array.from({ length: 16 }, (_, index) => ({ ...encodeEvent(experience(`p${index}.`)), partition: 0 })),
    );
    await serve(
      new FakeExecutor((prompt) =>
        prompt.includes('p11.') ? new SeamError('NON_FINITE', 'logits are NaN') : undefined,
      ),
    );
    const events = await outcomes();
    expect(events.filter(({ type }) => type === 'OutcomeRecorded')).toHaveLength(15);
    expect(events.filter(({ type }) => type === 'ExecutionFailed')).toMatchObject([
      { code: 'NON_FINITE', problem: { problemId: 'p11.' } },
    ]);
  });

  it('records a problem that cannot be judged as failed: a malformed reference says nothing about the answer', async () => {
    await publish(experience('a', { verifier: 'oracle' }), experience('b', { verifier: 'numeric', reference: 'many' }));
    await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({ type: 'ExecutionFailed', attemptId: null, code: 'UNKNOWN_VERIFIER' });
    expect(byProblem.get('b')).toMatchObject({ type: 'ExecutionFailed', attemptId: null, code: 'INVALID_INPUT' });
  });

  it('retries a verifier that fails, then records a failure, never a reward of 0; the other problems continue', async () => {
    const gone = { verifier: 'http', options: { endpoint: 'gone' } };
    await publish(experience('a', gone), experience('b'));
    await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({
      type: 'ExecutionFailed',
      attemptId: null,
      code: 'VERIFIER_FAILED',
      attempts: 3,
    });
    expect(byProblem.get('b')).toMatchObject({
      type: 'OutcomeRecorded',
      attemptId: null,
      feedbackId: null,
      success: true,
    });
  });

  it('judges by mathematical equivalence what was published so', async () => {
    await publish(
      experience('a', { verifier: 'math', reference: '\\frac{8}{2}' }),
      experience('b', { verifier: 'math', reference: '5' }),
    );
    await serve(new FakeExecutor());
    const byProblem = new Map((await outcomes()).map((event) => [event.meta.correlationId, event]));
    expect(byProblem.get('a')).toMatchObject({
      type: 'OutcomeRecorded',
      attemptId: null,
      feedbackId: null,
      success: true,
      reward: 1,
      extractedAnswer: '4',
    });
    expect(byProblem.get('b')).toMatchObject({
      type: 'OutcomeRecorded',
      attemptId: null,
      feedbackId: null,
      success: false,
      reward: 0,
    });
  });

  it('refuses to start where another executor made the outcomes', async () => {
    await publish(experience('a'));
    await (await serve(new FakeExecutor())).close();
    await serve(new FakeExecutor());
    await outcomes();
    const other = new FakeExecutor(undefined, { model: 'fake', revision: 'weights-2', decoding: '{}' });
    await expect(serve(other)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('recorded weights-1, this one weights-2'),
    });
    await serve(new FakeExecutor());
  });
});

function experience(
  id: string,
  changes: {
    entry?: string;
    entrySchema?: string;
    reference?: string;
    verifier?: string;
    options?: Record<string, string>;
    domain?: string;
  } = {},
): EventOf<'ExperienceGenerated'> {
  return {
    type: 'ExperienceGenerated',
    attemptId: null,
    feedbackWithinMs: null,
    meta: originMeta({
      messageId: derivedId(id, 'experience'),
      correlationId: id,
      source: 'seam/generator',
      occurredAt: 1,
      sourceClass: 'model',
    }),
    problem: {
      problemId: id,
      domain: changes.domain ?? 'sums',
      prompt: `What is ${id}?`,
      reference: changes.reference ?? '4',
      verifier: { kind: changes.verifier ?? 'exact', version: '1', options: changes.options ?? {} },
      metadata: {},
    },
    experienceId: `x-${id}`,
    groupId: `g-${id}`,
    candidateIndex: 1,
    groupSize: 4,
    arm: 'explore',
    entry: changes.entry ?? ENTRY,
    entrySchema: changes.entrySchema ?? schemaDigest(schema),
    promptTokenIds: [1],
    tokenIds: [2, 3],
    logProbs: [-0.5, 0],
    legalMass: [0.5, 1],
    forced: [false, true],
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 9, seed: 's' },
    tokenizerDigest: 't',
    baseModelDigest: 'b',
    adapterDigest: 'a',
    latencyMs: 1,
  };
}

function withheld(id: string): EventOf<'ExperienceWithheld'> {
  const { meta, problem, experienceId, groupId } = experience(id);
  return {
    type: 'ExperienceWithheld',
    attemptId: null,
    feedbackWithinMs: null,
    meta,
    problem,
    experienceId,
    groupId,
    share: 0.1,
  };
}

async function serve(executor: ExecutorModel, settings = config): Promise<RunningService> {
  const service = await startService(executorService({ executor, schemaFor }), {
    config: settings,
    drivers: { log, objects: new InMemoryObjectStore() },
    serveHttp: false,
  });
  running.push(service);
  return service;
}

async function outcomes(): Promise<SeamEvent[]> {
  const giveUp = Date.now() + 20_000;
  for (;;) {
    const consumed = (await log.committedOffsets('seam.executor')).reduce((sum, { nextOffset }) => sum + nextOffset, 0);
    if (consumed === (await totalRecords(log, TOPIC.experiences))) break;
    if (Date.now() > giveUp) throw new Error('not consumed within 20 s');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const events: SeamEvent[] = [];
  for (const { partition } of await log.watermarks(TOPIC.outcomes)) {
    for await (const chunk of log.read({ topic: TOPIC.outcomes, partition, from: 0 }))
      events.push(...chunk.map(decodeEvent));
  }
  return events;
}
