import { rm } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { LanguageModel, TrainingSession } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { carryOutJob } from '@seamstream/training-contract';
import { describeTrainingEngine } from '../../../libs/training-contract/src/training-engine.contract.js';
import { describeTrainingJobs } from '../../../libs/training-contract/src/training-job.contract.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';

const OPTIMIZER = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 };
const BATCH = [{ tokenIds: [5, 6, 7, 8, 9], targets: [2, 3, 4], weights: [1, 1, 1] }];
const RUN = {
  adapter: null,
  trainable: { kind: 'full' },
  objective: { kind: 'negative-log-likelihood' },
} as const;

let folder: string;
let model: LanguageModel;
const engines: LanguageModelTraining[] = [];
beforeAll(async () => {
  folder = await writeRandomModel();
  model = await LanguageModel.load(folder, { threads: 1 });
});
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.close())));
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

it('trains the same adapter in a session that another run left as in a new one', async () => {
  const engine = engineOf();
  await trained(engine, 3);
  expect(await trained(engine, 2)).toBe(await trained(engineOf(), 2));
});

it('trains two runs at the same time as if each were alone', async () => {
  const engine = engineOf();
  const digests = await Promise.all([trained(engine, 1), trained(engine, 2)]);
  expect(digests).toEqual([await trained(engineOf(), 1), await trained(engineOf(), 2)]);
});

it('gives no run a session in which another one failed, and none twice', async () => {
  const engine = engineOf();
  const failing = await engine.begin(RUN);
  const bad = [{ tokenIds: [5, 6], targets: [1], weights: [Number.NaN] }];
  await expect(failing.step(bad, OPTIMIZER)).rejects.toMatchObject({ code: 'NON_FINITE' });
  const create = jest.spyOn(TrainingSession, 'create');
  try {
    await failing.close();
    await failing.close();
    await expect(failing.step(BATCH, OPTIMIZER)).rejects.toMatchObject({ code: 'INTERNAL' });
    const [one, two] = [await engine.begin(RUN), await engine.begin(RUN)];
    expect(create.mock.calls.length).toBe(2);
    await Promise.all([one.close(), one.close(), two.close()]);
    expect(await trained(engine, 2)).toBe(await trained(engineOf(), 2));
  } finally {
    create.mockRestore();
  }
});

it('compiles one session for runs of one kind, and ends it with the engine', async () => {
  const create = jest.spyOn(TrainingSession, 'create');
  const close = jest.spyOn(TrainingSession.prototype, 'close');
  try {
    const engine = engineOf();
    for (let run = 0; run < 3; run++) await trained(engine, 1);
    expect([create.mock.calls.length, close.mock.calls.length]).toEqual([1, 0]);
    const underWay = await engine.begin(RUN);
    await engine.close();
    await underWay.close();
    expect(close.mock.calls.length).toBe(1);
  } finally {
    create.mockRestore();
    close.mockRestore();
  }
});

describeTrainingEngine('of ONNX Runtime', () => ({
  open: () => Promise.resolve(engineOf()),
  sequences: [...BATCH, { tokenIds: [9, 4, 11, 3, 2, 8], targets: [3, 5], weights: [0.5, 0.5] }],
}));

describeTrainingJobs('with ONNX Runtime', () => ({
  // One engine a test: it keeps the sessions that it has compiled.
  carryOut: async (place) => carryOutJob({ engine: engines.at(-1) ?? engineOf(), ...place }),
  open: () => Promise.resolve(engines.at(-1) ?? engineOf()),
  vocabularySize: model.config.vocabularySize,
  sequences: [...BATCH, { ...BATCH[0]!, allowed: [[7, 8], [8], [1, 9, 11]] }],
}));

/** The digest of an adapter after so many steps. */
async function trained(engine: LanguageModelTraining, steps: number): Promise<string> {
  const weights = await engine.begin(RUN);
  try {
    for (let step = 0; step < steps; step++) await weights.step(BATCH, OPTIMIZER);
    expect(weights.steps).toBe(steps);
    return (await weights.exportAdapter()).digest;
  } finally {
    await weights.close();
  }
}

function engineOf(): LanguageModelTraining {
  const engine = new LanguageModelTraining(folder, model, { threads: 1, executionProvider: 'cpu' });
  engines.push(engine);
  return engine;
}
