import { cp, rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import type { Adapter } from './adapter.js';
import type { GenerationRequest } from './generation.types.js';
import { LanguageModel } from './language-model.js';
import { writeRandomModel } from './random-model.fake.js';
import { TrainingSession } from './training-session.js';

const REQUESTS: readonly GenerationRequest[] = Array.from({ length: 4 }, (_, index) => ({
  promptTokenIds: [5, 6, 7, index],
  seeds: ['a', 'b'],
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 6 },
}));

let folder: string;
let adapter: Adapter;
beforeAll(async () => {
  folder = await writeRandomModel();
  const session = await TrainingSession.create({
    checkpoint: folder,
    trainable: { kind: 'full' },
    objective: { kind: 'negative-log-likelihood' },
    threads: 1,
  });
  await session.step([{ tokenIds: [1, 2, 3, 4], targets: [2, 3], weights: [0.5, 0.5] }], {
    learningRate: 1e-2,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
  });
  adapter = await session.exportAdapter();
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

  it('refuses to go on with other weights that have come into the folder', async () => {
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
