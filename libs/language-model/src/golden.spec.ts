/** The engine against PyTorch and transformers: values made by test/golden/make-golden.py, versions in the files. */
import { readFile, rm } from 'node:fs/promises';
import { Session, type TensorData } from '@seamstream/tensor-graph';
import { initialTensors } from './adapters/parameters.js';
import { type Checkpoint, loadCheckpoint } from './checkpoint/checkpoint.js';
import { GenerationLane } from './generation/generation-lane.js';
import { writeGoldenModel } from './golden-model.fake.js';
import { gradientName, lossGraph } from './graphs/training-graph.js';
import { batchFeeds } from './training/sequence-batch.js';
import type { TrainingObjective } from './training/training.types.js';
import { TrainingSession } from './training/training-session.js';

interface Packed {
  readonly shape: number[];
  readonly data: string;
}

/**
 * Both sides compute in float32 and add in different orders: a sum of n terms of size s differs by about √n·2⁻²⁴·s.
 * Through two layers that is below 1e-5 of the largest value; AdamW's first step divides by |g| + ε, which leaves it.
 */
const TOLERANCE = 2e-5;

const unpack = ({ data }: Packed): Float32Array => {
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  return new Float32Array(bytes.buffer);
};

describe.each(['llama', 'qwen2', 'qwen3'])('a small random model of the family %s', (family) => {
  let folder: string;
  let golden: Golden;
  let checkpoint: Checkpoint;
  beforeAll(async () => {
    const file = new URL(`../../../test/golden/engine-${family}.json`, import.meta.url);
    golden = JSON.parse(await readFile(file, 'utf8')) as Golden;
    folder = await writeGoldenModel(golden.config);
    checkpoint = await loadCheckpoint(folder);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** One run of a loss graph on the golden sequences. */
  async function lossOf(objective: TrainingObjective, extra: Record<string, readonly number[]>, legal?: number[][]) {
    const source = { checkpoint, inputs: { kind: 'full' } as const };
    const session = await Session.create(lossGraph(source, objective, legal !== undefined).graph);
    const sequences = golden.sequences.map((tokenIds, index) => ({ tokenIds, targets: golden.targets[index]! }));
    const feeds: Record<string, TensorData> = batchFeeds(checkpoint.config, sequences, false, () => {
      throw new Error('no grammar here');
    });
    for (const [name, { data, shape }] of await initialTensors(checkpoint, { kind: 'full' }))
      feeds[name] = { data, dims: shape };
    for (const [name, values] of Object.entries(extra)) {
      feeds[name] = { data: Float32Array.from(values), dims: [values.length] };
    }
    if (legal) feeds.legal = { data: Uint8Array.from(legal.flat()), dims: [legal.length, legal[0]!.length] };
    return session.run(feeds);
  }

  it('gives the logits of transformers', async () => {
    const lane = new GenerationLane(checkpoint, {
      executionProvider: 'cpu',
      lanes: 1,
      threadsPerLane: 1,
      isLarge: false,
      cacheBytes: 2 ** 30,
    });
    const logits = await lane.probe(golden.sequences);
    golden.lastLogits.forEach((expected, index) => {
      expect(distance(logits[index]!, expected)).toBeLessThan(TOLERANCE);
    });
    await lane.close();
  });

  it('has the loss of PyTorch and its gradient for every weight', async () => {
    const { weights, loss, gradients } = golden.likelihood;
    const outputs = await lossOf({ kind: 'negative-log-likelihood' }, { weights });
    expect(distance(outputs.loss!.data, [loss])).toBeLessThan(TOLERANCE);
    expect(Object.keys(gradients).sort()).toEqual(
      [...(await initialTensors(checkpoint, { kind: 'full' })).keys()].sort(),
    );
    for (const [name, packed] of Object.entries(gradients)) {
      expect([name, distance(outputs[gradientName(name)]!.data, unpack(packed)) < TOLERANCE]).toEqual([name, true]);
    }
  });

  it('has the clipped policy objective of PyTorch under a mask, its statistics and its gradients', async () => {
    const { policy } = golden;
    const outputs = await lossOf(
      policy.objective,
      {
        weights: policy.weights,
        advantages: policy.advantages,
        proximal: policy.proximalLogProbs,
        importance: policy.importanceWeights,
        reference: policy.referenceLogProbs,
        imitation: policy.weights.map(() => 0),
      },
      policy.legal,
    );
    const total = policy.weights.reduce((a, b) => a + b, 0);
    expect(Math.abs(outputs.loss!.data[0]! - policy.loss)).toBeLessThan(1e-5);
    expect(outputs.kl!.data[0]! / total).toBeCloseTo(policy.klNats, 5);
    expect(outputs.entropy!.data[0]! / total).toBeCloseTo(policy.entropyNats, 5);
    expect(outputs.clipped!.data[0]! / total).toBeCloseTo(policy.clippedRatio, 6);
    for (const [name, packed] of Object.entries(policy.gradients)) {
      expect([name, distance(outputs[gradientName(name)]!.data, unpack(packed)) < TOLERANCE]).toEqual([name, true]);
    }
  });

  it('is the likelihood of PyTorch where the policy objective only imitates', async () => {
    const { weights, loss, gradients } = golden.likelihood;
    const all = (value: number): number[] => weights.map(() => value);
    const outputs = await lossOf(
      { kind: 'clipped-policy-gradient', clipLow: 0.2, clipHigh: 0.2, klCoefficient: 0, entropyCoefficient: 0 },
      { weights, advantages: all(0), proximal: all(-1), importance: all(1), reference: all(-1), imitation: all(1) },
    );
    expect(distance(outputs.loss!.data, [loss])).toBeLessThan(TOLERANCE);
    for (const [name, packed] of Object.entries(gradients)) {
      expect([name, distance(outputs[gradientName(name)]!.data, unpack(packed)) < TOLERANCE]).toEqual([name, true]);
    }
  });

  it('takes the AdamW step of PyTorch, clipped and decayed', async () => {
    const { likelihood } = golden;
    const session = await TrainingSession.create({
      checkpoint: folder,
      trainable: { kind: 'full' },
      objective: { kind: 'negative-log-likelihood' },
      threads: 1,
    });
    let at = 0;
    const sequences = golden.sequences.map((tokenIds, index) => {
      const targets = golden.targets[index]!;
      at += targets.length;
      return { tokenIds, targets, weights: likelihood.weights.slice(at - targets.length, at) };
    });
    const metrics = await session.step(sequences, likelihood.optimizer);
    expect(distance([metrics.loss, metrics.gradientNorm], [likelihood.loss, likelihood.gradientNorm])).toBeLessThan(
      TOLERANCE,
    );
    const tensors = await session.exportTensors();
    for (const [name, packed] of Object.entries(likelihood.afterStep)) {
      expect([name, distance(tensors.get(name)!.data, unpack(packed)) < TOLERANCE]).toEqual([name, true]);
    }
    await session.close();
  });
});

type Tensors = Readonly<Record<string, Packed>>;

interface Golden {
  readonly versions: Readonly<Record<string, string>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sequences: number[][];
  readonly targets: number[][];
  readonly lastLogits: number[][];
  readonly likelihood: {
    readonly weights: number[];
    readonly loss: number;
    readonly gradients: Tensors;
    readonly optimizer: Parameters<TrainingSession['step']>[1];
    readonly gradientNorm: number;
    readonly afterStep: Tensors;
  };
  readonly policy: {
    readonly objective: TrainingObjective;
    readonly weights: number[];
    readonly legal: number[][];
    readonly advantages: number[];
    readonly proximalLogProbs: number[];
    readonly importanceWeights: number[];
    readonly referenceLogProbs: number[];
    readonly loss: number;
    readonly klNats: number;
    readonly entropyNats: number;
    readonly clippedRatio: number;
    readonly gradients: Tensors;
  };
}

/** The largest difference, as a share of the largest expected value. */
function distance(got: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(got.length).toBe(expected.length);
  let largest = 0;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i]!));
    difference = Math.max(difference, Math.abs(got[i]! - expected[i]!));
  }
  return difference / Math.max(largest, 1e-3);
}
