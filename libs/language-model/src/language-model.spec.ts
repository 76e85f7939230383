import { cp, rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import type { Adapter } from './adapters/adapter.js';
import type { GenerationRequest } from './generation/generation.types.js';
import { LanguageModel } from './language-model.js';
import { writeRandomModel } from './random-model.fake.js';
import { TrainingSession } from './training/training-session.js';

const REQUESTS: readonly GenerationRequest[] = Array.from({ length: 4 }, (_, index) => ({
  promptTokenIds: [5, 6, 7, index],
  seeds: ['a', 'b'],
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 6 },
}));

let folder: string;
let adapters: Adapter[];
let adapter: Adapter;
beforeAll(async () => {
  folder = await writeRandomModel();
  const session = await TrainingSession.create({
    checkpoint: folder,
    trainable: { kind: 'full' },
    objective: { kind: 'negative-log-likelihood' },
    threads: 1,
  });
  adapters = [];
  for (let step = 0; step < 7; step++) {
    await session.step([{ tokenIds: [1, 2, 3, 4], targets: [2, 3], weights: [0.5, 0.5] }], {
      learningRate: 1e-2,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      clipNorm: 1,
    });
    adapters.push(await session.exportAdapter());
  }
  adapter = adapters[0]!;
  await session.close();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => rm(folder, { recursive: true }));

/** The threads that calls go to. */
async function threadsOf(model: LanguageModel): Promise<ReadonlySet<Worker>> {
  const spy = jest.spyOn(Worker.prototype, 'postMessage');
  await model.generate(REQUESTS, { adapter });
  const threads = new Set(spy.mock.contexts as Worker[]);
  spy.mockRestore();
  return threads;
}

describe('a language model whose thread ends', () => {
  it('fails what was under way, then answers the next call as before, adapter included', async () => {
    const model = await LanguageModel.load(folder, { threads: 2 });
    try {
      const expected = await model.generate(REQUESTS, { adapter });
      const [first] = await threadsOf(model);
      const underWay = model.generate(REQUESTS, { adapter });
      await Promise.all([expect(underWay).rejects.toMatchObject({ code: 'SESSION_FAILED' }), first!.terminate()]);
      expect(await model.generate(REQUESTS, { adapter })).toEqual(expected);
      const [one, two] = await Promise.all([1, 2].map(() => model.generate(REQUESTS, { adapter })));
      expect(one).toEqual(expected);
      expect(two).toEqual(expected);
    } finally {
      await model.close();
    }
  });

  it('refuses to continue with other weights that have come into the folder', async () => {
    const [mine, other] = await Promise.all([writeRandomModel(), writeRandomModel({ layers: 1 })]);
    const model = await LanguageModel.load(mine, { threads: 1 });
    try {
      const [thread] = await threadsOf(model);
      await cp(other, mine, { recursive: true });
      await thread!.terminate();
      for (let time = 0; time < 2; time++)
        await expect(model.generate(REQUESTS)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
    } finally {
      await model.close();
      await Promise.all([mine, other].map((each) => rm(each, { recursive: true })));
    }
  });

  it('once closed, stays closed', async () => {
    const model = await LanguageModel.load(folder, { threads: 1 });
    await model.close();
    await expect(model.generate(REQUESTS)).rejects.toMatchObject({ code: 'SESSION_FAILED' });
  });
});

describe('calls of a language model', () => {
  let model: LanguageModel;
  beforeAll(async () => {
    model = await LanguageModel.load(folder, { threads: 2 });
  });
  afterAll(() => model.close());
  const long = REQUESTS.map((request) => ({
    ...request,
    seeds: ['a', 'b', 'c'],
    sampling: { ...request.sampling, maxTokens: 140 },
    stopTokenIds: [],
  }));

  it('that run at the same time share the threads and get what they get alone', async () => {
    const calls = long.map((request, index) => [
      { ...request, sampling: { ...request.sampling, maxTokens: 9 + index } },
    ]);
    const alone = [];
    for (const call of calls) alone.push(await model.generate(call));
    expect(await Promise.all(calls.map((call) => model.generate(call)))).toEqual(alone);
  });

  it('keep their adapters to the end, however many others are at work', async () => {
    // Several errands for every thread: an adapter is needed again when those of all other calls have come.
    const wide = { ...REQUESTS[0]!, seeds: Array.from({ length: 600 }, (_, seed) => `${seed}`) };
    const alone = [];
    for (const each of adapters) alone.push(await model.generate([wide], { adapter: each }));
    expect(await Promise.all(adapters.map((each) => model.generate([wide], { adapter: each })))).toEqual(alone);
  });

  it('hear of every token once, in order, before they are answered', async () => {
    const heard = new Map<string, number[]>();
    let times = 0;
    const results = await model.generate(long, {
      onTokens: (written) => {
        times++;
        for (const { request, seed, tokenIds } of written) {
          const key = `${request} ${seed}`;
          heard.set(key, [...(heard.get(key) ?? []), ...tokenIds]);
        }
      },
    });
    results.forEach((candidates, request) => {
      candidates.forEach(({ tokenIds }, seed) => expect(heard.get(`${request} ${seed}`)).toEqual(tokenIds));
    });
    expect(times).toBeGreaterThan(100);
  });

  it('end when their signal says so, and leave the others alone', async () => {
    const expected = await model.generate(REQUESTS);
    const controller = new AbortController();
    const given = model.generate(long, { signal: controller.signal, onTokens: () => controller.abort() });
    const kept = model.generate(REQUESTS);
    await expect(given).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await kept).toEqual(expected);
    await expect(model.generate(REQUESTS, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('end when their time is over', async () => {
    await expect(model.generate(long, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      message: expect.stringContaining('1 ms'),
    });
    expect(await model.generate(REQUESTS, { timeoutMs: 60_000 })).toHaveLength(REQUESTS.length);
  });
});

describe.each(['webgpu', 'cuda'] as const)('the execution provider %s', (executionProvider) => {
  const greedy = REQUESTS.map((request) => ({ ...request, sampling: { ...request.sampling, temperature: 0 } }));
  const tokensOf = async (model: LanguageModel): Promise<(readonly number[])[]> => {
    const results = await model.generate(greedy);
    await model.close();
    return results.flat().map(({ tokenIds }) => tokenIds);
  };

  it('either computes what the cpu computes or is refused while loading, with what to do', async () => {
    const expected = await tokensOf(await LanguageModel.load(folder, { threads: 1 }));
    const loaded = await LanguageModel.load(folder, { executionProvider }).catch((error: unknown) => error);
    if (loaded instanceof LanguageModel) expect(await tokensOf(loaded)).toEqual(expected);
    else {
      const training = TrainingSession.create({
        checkpoint: folder,
        trainable: { kind: 'full' },
        objective: { kind: 'negative-log-likelihood' },
        executionProvider,
      });
      const message = expect.stringMatching(`on execution provider ${executionProvider}: .* brings cpu.*or choose cpu`);
      expect(loaded).toMatchObject({ code: 'INVALID_CONFIGURATION', message });
      await expect(training).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION', message });
    }
  });
});
