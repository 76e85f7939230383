import { rm } from 'node:fs/promises';
import { Random } from '@seamstream/kernel';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '@seamstream/model-files';
import type { Adapter } from '../adapters/adapter.js';
import { LanguageModel } from '../language-model.js';
import { writeRandomModel } from '../random-model.fake.js';
import type { TrainableSettings, TrainingObjective, TrainingSequence } from './training.types.js';
import { TrainingSession, type TrainingSessionSettings } from './training-session.js';

const OPTIMIZER = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const LORA: TrainableSettings = {
  kind: 'lora',
  rank: 4,
  alpha: 8,
  targetModules: ['q_proj', 'v_proj', 'down_proj'],
  modulesToSave: [],
  seed: 'factors',
};
const LIKELIHOOD: TrainingObjective = { kind: 'negative-log-likelihood' };
const POLICY: TrainingObjective = {
  kind: 'clipped-policy-gradient',
  clipLow: 0.2,
  clipHigh: 0.28,
  klCoefficient: 0.02,
  entropyCoefficient: 0.01,
};

const sequence = (index: number): TrainingSequence => {
  const random = Random.of('sequence', index);
  const tokenIds = Array.from({ length: 9 + random.int(12) }, () => random.int(300));
  const targets = [4, 5, 7, 8];
  return { tokenIds, targets, weights: targets.map(() => 1 / 40) };
};
const BATCH = Array.from({ length: 10 }, (_, index) => sequence(index));

let folder: string;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  folder = await writeRandomModel();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((session) => session.close()));
});
afterAll(() => rm(folder, { recursive: true }));

async function train(settings: Partial<TrainingSessionSettings> = {}): Promise<TrainingSession> {
  const session = await TrainingSession.create({
    checkpoint: folder,
    trainable: { kind: 'full' },
    objective: LIKELIHOOD,
    threads: 1,
    ...settings,
  });
  open.push(session);
  return session;
}

/** The adapter with one tensor of another shape. */
function otherShapes(adapter: Adapter): Adapter {
  const [[name, tensor]] = [...adapter.tensors] as [[string, StoredTensor]];
  const tensors = new Map(adapter.tensors).set(name, { ...tensor, shape: [1, ...tensor.shape] });
  return { ...adapter, tensors };
}

const KINDS: readonly (readonly [string, TrainableSettings])[] = [
  ['all weights', { kind: 'full' }],
  ['LoRA factors', LORA],
];

describe.each(KINDS)('training %s', (_, trainable) => {
  it('lowers the loss on what it trains on', async () => {
    const session = await train({ trainable });
    const losses: number[] = [];
    for (let step = 0; step < 12; step++) losses.push((await session.step(BATCH, OPTIMIZER)).loss);
    expect(losses.at(-1)!).toBeLessThan(0.8 * losses[0]!);
    expect(session.steps).toBe(12);
  });

  it('gives the same adapter with one thread and with two', async () => {
    const digests = new Set<string>();
    for (const threads of [1, 2]) {
      const session = await train({ trainable, threads });
      for (let step = 0; step < 3; step++) await session.step(BATCH, OPTIMIZER);
      digests.add((await session.exportAdapter()).digest);
    }
    expect(digests.size).toBe(1);
  });

  it('continues from a saved state as if it had never stopped', async () => {
    const first = await train({ trainable });
    await first.step(BATCH, OPTIMIZER);
    await first.step(BATCH.slice(0, 5), OPTIMIZER);
    const state = await first.saveState();
    await first.step(BATCH.slice(3), OPTIMIZER);
    const second = await train({ trainable });
    await second.restoreState(state);
    await second.step(BATCH.slice(3), OPTIMIZER);
    expect((await second.exportAdapter()).digest).toBe((await first.exportAdapter()).digest);
  });

  it('begins another run with the bits of a new session, regardless of the run before', async () => {
    const first = await train({ trainable });
    for (let step = 0; step < 3; step++) await first.step(BATCH, OPTIMIZER);
    const adapter = await first.exportAdapter();
    for (const start of [{}, { adapter }]) {
      await first.restart({ trainable, ...start });
      const fresh = await train({ trainable, ...start });
      expect(first.steps).toBe(0);
      for (const session of [first, fresh]) for (let step = 0; step < 2; step++) await session.step(BATCH, OPTIMIZER);
      expect(Buffer.from(await first.saveState()).equals(Buffer.from(await fresh.saveState()))).toBe(true);
      expect((await first.exportAdapter()).digest).toBe((await fresh.exportAdapter()).digest);
    }
    expect(first.isReusable).toBe(true);
  });

  it('refuses to begin another run from tensors of other shapes and leaves the session as it was', async () => {
    const session = await train({ trainable });
    await session.step(BATCH, OPTIMIZER);
    const before = await session.saveState();
    const adapter = otherShapes(await session.exportAdapter());
    await expect(session.restart({ trainable, adapter })).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
    expect(session.steps).toBe(1);
    expect(Buffer.from(await session.saveState()).equals(Buffer.from(before))).toBe(true);
  });

  it('makes an adapter that a serving model computes with as the session does', async () => {
    const session = await train({ trainable });
    const model = await LanguageModel.load(folder, { threads: 1 });
    open.push(model);
    expect(await session.logProbabilities(BATCH)).toEqual(await model.logProbabilities(BATCH));
    await session.step(BATCH, OPTIMIZER);
    const adapter = await session.exportAdapter();
    const scores = await session.logProbabilities(BATCH);
    const served = await model.logProbabilities(BATCH, { adapter });
    // Fixed weights are laid out in advance, fed ones are not: other blocks of sums, the same numbers to float32.
    scores.flat().forEach((score, at) => expect(Math.abs(score - served.flat()[at]!)).toBeLessThan(2e-5));
    expect(scores).not.toEqual(await model.logProbabilities(BATCH));
    const continued = await train({ trainable, adapter });
    expect(await continued.logProbabilities(BATCH)).toEqual(scores);
  });
});

describe('the policy objective', () => {
  it('raises the probability of what had an advantage and lowers the other, and measures its distance', async () => {
    const session = await train({ objective: POLICY });
    const before = await session.logProbabilities(BATCH);
    const rewarded = BATCH.map((item, index) => ({
      ...item,
      policy: {
        advantages: item.targets.map(() => (index % 2 === 0 ? 1 : -1)),
        proximalLogProbs: before[index]!,
        importanceWeights: item.targets.map(() => 1),
        referenceLogProbs: before[index]!,
      },
    }));
    const first = await session.step(rewarded, { ...OPTIMIZER, learningRate: 3e-3 });
    expect(first.klNats).toBeCloseTo(0, 6);
    expect(first.clippedRatio).toBe(0);
    expect(first.entropyNats).toBeGreaterThan(1);
    const second = await session.step(rewarded, { ...OPTIMIZER, learningRate: 3e-3 });
    expect(second.klNats).toBeGreaterThan(0);
    const after = await session.logProbabilities(BATCH);
    const change = (parity: number): number =>
      after
        .flatMap((scores, index) =>
          index % 2 === parity ? scores.map((score, at) => score - before[index]![at]!) : [],
        )
        .reduce((a, b) => a + b, 0);
    expect(change(0)).toBeGreaterThan(0);
    expect(change(1)).toBeLessThan(0);
  });
});

describe('a step that cannot be taken', () => {
  // One session for all: each case leaves it as it was.
  let session: TrainingSession;
  beforeAll(async () => {
    session = await TrainingSession.create({
      checkpoint: folder,
      trainable: { kind: 'full' },
      objective: LIKELIHOOD,
      threads: 1,
    });
  });
  afterAll(() => session.close());

  it('names a weight that is not finite and leaves everything as it was', async () => {
    const before = await session.saveState();
    const broken = { ...sequence(0), weights: [1, Number.NaN, 1, 1] };
    await expect(session.step([broken], OPTIMIZER)).rejects.toMatchObject({
      code: 'NON_FINITE',
      details: { tensor: 'weights' },
    });
    expect(await session.saveState()).toEqual(before);
    expect(session.steps).toBe(0);
  });

  it('names the tensor whose gradient overflows and leaves everything as it was', async () => {
    const before = await session.saveState();
    // Finite in itself, but its products with the activations pass the largest float32.
    const huge = { ...sequence(0), weights: [3e38, 0, 0, 0] };
    await expect(session.step([huge], OPTIMIZER)).rejects.toMatchObject({
      code: 'NON_FINITE',
      details: { tensor: expect.any(String) },
    });
    expect(await session.saveState()).toEqual(before);
  });

  it.each([
    ['no trained token', { targets: [], weights: [] }, /at least one trained token/],
    ['a target beyond its tokens', { targets: [4, 400] }, /ascending targets.*got 400/],
    ['a weight too few', { weights: [1] }, /expected 4 weights.*got 1/],
    ['a token outside the vocabulary', { tokenIds: [1, 2, 3, 4, 5, 6, 7, 8, 301] }, /below 300, got 301/],
  ])('is refused for %s', async (_, changes, message) => {
    await expect(session.step([{ ...sequence(0), ...changes }], OPTIMIZER)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(message),
    });
  });

  it('is refused for a state of another session', async () => {
    const other = await train({ trainable: LORA });
    await expect(session.restoreState(await other.saveState())).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { tensor: expect.stringMatching(/weight/) },
    });
    const before = await session.saveState();
    const { metadata, tensors } = decodeSafetensors(before, 'training state');
    for (const [changes, expected] of [
      [{ baseModelDigest: 'another' }, /expected base model .* got a state of another/],
      [{ format: 'another' }, /written by saveState/],
      [{ step: '-1' }, /written by saveState/],
      [{ step: '0.5' }, /written by saveState/],
    ] as const)
      await expect(session.restoreState(encodeSafetensors(tensors, { ...metadata, ...changes }))).rejects.toMatchObject(
        { code: 'CHECKPOINT_INVALID', message: expect.stringMatching(expected) },
      );
    expect(await session.saveState()).toEqual(before);
  });
});

describe('a loaded model', () => {
  it('computes outside the event loop, gives the same with one thread and two, and shows its weights in its fingerprint', async () => {
    const [one, two] = await Promise.all([1, 2].map((threads) => LanguageModel.load(folder, { threads })));
    open.push(one!, two!);
    const requests = Array.from({ length: 9 }, (_, index) => ({
      promptTokenIds: [1 + index, 2, 3],
      seeds: ['a', 'b', `${index}`],
      sampling: { temperature: 1, topK: 0, topP: 0.95, maxTokens: 40 },
    }));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const results = await one!.generate(requests);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
    expect(await two!.generate(requests)).toEqual(results);
    const fingerprint = await one!.fingerprint();
    expect(await two!.fingerprint()).toBe(fingerprint);
    const session = await train();
    await session.step(BATCH, OPTIMIZER);
    expect(await one!.fingerprint(await session.exportAdapter())).not.toBe(fingerprint);
  });

  it('refuses an adapter of another base model, and a folder without a model', async () => {
    const model = await LanguageModel.load(folder, { threads: 1 });
    open.push(model);
    const session = await train();
    const adapter = { ...(await session.exportAdapter()), baseModelDigest: 'another' };
    await expect(model.fingerprint(adapter)).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
    await expect(LanguageModel.load('/nowhere', { threads: 1 })).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
  });
});
