/**
 * Two engines on the same files: PyTorch (engines/torch) and ONNX Runtime. After ten steps they have the same losses, gradient norms and
 * adapters within a tolerance: on small models of every family and on SmolLM2, in one process and in two.
 */
import { readFile, rm } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { pythonWithTransformers, smolLm2 } from '@seamstream/dev-servers';
import { Random } from '@seamstream/kernel';
import {
  checkpointFiles,
  loadCheckpoint,
  type TrainableSettings,
  type TrainingObjective,
  type TrainingSequence,
  TrainingSession,
} from '@seamstream/language-model';
import { writeGoldenModel } from '@seamstream/language-model/testing';
import { InMemoryObjectStore } from '@seamstream/object-store';
import {
  differenceOf,
  engineIdentitySchema,
  isWithin,
  readOutput,
  type TrainingJob,
  writeJob,
} from '@seamstream/training-contract';
import { fetched } from '../real-model/fetched.js';
import { carryOutElsewhere, torchLauncher } from './torch-engine.js';

// Minutes on two quiet cores, and gigabytes the first time; what hangs ends nevertheless.
jest.setTimeout(1_800_000);

const STEPS = 10;
const OPTIMIZER = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 };
const LORA: TrainableSettings = {
  kind: 'lora',
  rank: 4,
  alpha: 8,
  targetModules: ['q_proj', 'v_proj', 'down_proj'],
  modulesToSave: [],
  seed: 'agreement',
};
const LIKELIHOOD: TrainingObjective = { kind: 'negative-log-likelihood' };
const POLICY: TrainingObjective = {
  kind: 'clipped-policy-gradient',
  clipLow: 0.2,
  clipHigh: 0.28,
  klCoefficient: 0.05,
  entropyCoefficient: 0.01,
};
/** Of losses, gradient norms and statistics: float32 in two orders of sums, through ten steps of Adam. */
const FIGURES = 1e-3;
/** Nats of one token before any step. */
const SCORES = 1e-4;

const needed = await fetched('transformers', pythonWithTransformers);
const python = needed!;

/** Sequences of different lengths; some of their targets under a mask, some not. */
function sequencesOf(vocabulary: number, isPolicy: boolean, [count, longest]: readonly [number, number]) {
  return Array.from({ length: count }, (_, index): TrainingSequence => {
    const random = Random.of('torch agreement', index);
    const tokenIds = Array.from({ length: longest / 2 + random.int(longest / 2) }, () => random.int(vocabulary));
    const targets = tokenIds.map((_id, at) => at).filter((at) => at > 0 && random.float() < 0.6);
    const all = (draw: () => number): number[] => targets.map(draw);
    const legal = (target: number): number[] => {
      const others = Array.from({ length: Math.min(12, vocabulary / 2) }, () => random.int(vocabulary));
      return [...new Set([tokenIds[target]!, ...others])];
    };
    const near = (): number => -2 - random.float();
    const policy = {
      advantages: all(() => random.normal()),
      proximalLogProbs: all(near),
      importanceWeights: all(() => 0.5 + random.float()),
      referenceLogProbs: all(near),
      ...(index % 2 === 0 ? { imitationWeights: all(() => random.float() / 2) } : {}),
    };
    return {
      tokenIds,
      targets,
      weights: all(() => 1 / (count * longest)),
      ...(index % 3 === 0 ? {} : { allowed: targets.map(legal) }),
      ...(isPolicy ? { policy } : {}),
    };
  });
}

interface Case {
  readonly model: string;
  readonly trainable: TrainableSettings;
  readonly objective: TrainingObjective;
  readonly size: readonly [number, number];
}

/** What the engine on PyTorch makes of a job. */
async function outputOf(job: TrainingJob, model: string, processes: number) {
  const objects = new InMemoryObjectStore(new Map());
  await writeJob(objects, '', job);
  await carryOutElsewhere(torchLauncher(python, model, processes), { objects, folder: '' });
  const output = await readOutput(objects, '', job);
  if (output === undefined) throw new Error('expected a result, got none');
  return output;
}

/** What one engine and the other made of the same steps. */
async function bothOf({ model, trainable, objective, size }: Case, processes: number) {
  const checkpoint = await loadCheckpoint(model);
  const sequences = sequencesOf(checkpoint.config.vocabularySize, objective.kind !== LIKELIHOOD.kind, size);
  const session = await TrainingSession.create({ checkpoint: model, trainable, objective, threads: 2 });
  try {
    const start = await session.exportAdapter();
    const scores = await session.logProbabilities(sequences);
    const metrics = [];
    // Each step has other sequences, and the last one all.
    const batches = Array.from({ length: STEPS }, (_, step) =>
      step === STEPS - 1 ? sequences : sequences.filter((_each, index) => (index + step) % 2 === 0),
    );
    for (const batch of batches) metrics.push(await session.step(batch, OPTIMIZER));
    const expected = await session.exportAdapter();

    const { learningRate, ...optimizer } = OPTIMIZER;
    const facts = {
      runId: 'agreement',
      baseModelDigest: checkpoint.digest,
      baseModelFiles: await checkpointFiles(model),
      vocabularySize: checkpoint.config.vocabularySize,
      trainable,
      objective,
      start,
    };
    const steps = batches.map((batch) => ({ learningRate, sequences: batch }));
    const train = { ...facts, operation: 'train', optimizer, checkpointEverySteps: 5, steps } as const;
    const trained = await outputOf(train, model, processes);
    const scored = await outputOf({ ...facts, operation: 'score', sequences }, model, processes);
    if (trained.operation !== 'train' || scored.operation !== 'score') throw new Error('expected both operations');
    return { start, expected, metrics, scores, trained, logProbs: scored.logProbabilities };
  } finally {
    await session.close();
  }
}

/** Relative to the largest. */
function apart(got: readonly number[], expected: readonly number[]): number {
  expect(got).toHaveLength(expected.length);
  const largest = Math.max(1e-3, ...expected.map(Math.abs));
  return Math.max(...expected.map((value, at) => Math.abs(value - got[at]!))) / largest;
}

const FAMILIES = ['llama', 'qwen2', 'qwen3'] as const;
const SMALL: [string, (typeof FAMILIES)[number], TrainableSettings, TrainingObjective, number][] = FAMILIES.flatMap(
  (family): typeof SMALL => [
    ['all weights by likelihood', family, { kind: 'full' }, LIKELIHOOD, 1],
    ['LoRA factors by the policy objective', family, LORA, POLICY, family === 'llama' ? 2 : 1],
  ],
);

(needed === undefined ? describe.skip : describe)(
  'PyTorch and ONNX Runtime agree, after ten steps on the same files',
  () => {
    async function expectAgreement(name: string, example: Case, processes: number): Promise<void> {
      const { start, expected, metrics, scores, trained, logProbs } = await bothOf(example, processes);
      const { adapter, engine } = trained;
      const nats = Math.max(...scores.flat().map((value, at) => Math.abs(value - logProbs.flat()[at]!)));
      const figures = Object.keys(metrics[0]!).map((key) => {
        const column = (rows: readonly object[]): number[] => rows.map((row) => (row as Record<string, number>)[key]!);
        return apart(column(trained.metrics), column(metrics));
      });
      const difference = differenceOf(expected, adapter, start);
      process.stderr.write(
        `${name}, ${processes} process(es): scores ${nats.toExponential(1)} nats, figures ${Math.max(...figures).toExponential(1)}, ` +
          `weights ${difference.weights.toExponential(1)}, change ${difference.change.toExponential(1)}\n`,
      );
      expect(nats).toBeLessThan(SCORES);
      expect(Math.max(...figures)).toBeLessThan(FIGURES);
      expect(engineIdentitySchema.parse(engine)).toMatchObject({ name: 'torch', worldSize: processes });
      expect([difference, isWithin(difference, engine.tolerance!)]).toEqual([difference, true]);
      // The measure distinguishes training from none.
      expect(isWithin(differenceOf(expected, start, start), engine.tolerance!)).toBe(false);
    }

    it.each(SMALL)('%s of a small %s', async (title, family, trainable, objective, processes) => {
      const golden = await readFile(new URL(`../golden/engine-${family}.json`, import.meta.url), 'utf8');
      const model = await writeGoldenModel((JSON.parse(golden) as { config: Record<string, unknown> }).config);
      try {
        await expectAgreement(`${title} of ${family}`, { model, trainable, objective, size: [8, 24] }, processes);
      } finally {
        await rm(model, { recursive: true });
      }
    });

    it('LoRA factors of SmolLM2 by the policy objective', async () => {
      const { folder: model } = await smolLm2();
      await expectAgreement('SmolLM2', { model, trainable: LORA, objective: POLICY, size: [4, 40] }, 1);
    });
  },
);
