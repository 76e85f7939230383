import { readFileSync } from 'node:fs';
import { trainingStepJsonSchema, trainingStepSchema } from './training-data.schema.js';

const STEP = {
  baseModelDigest: 'ab'.repeat(32),
  trainable: { kind: 'full' },
  objective: { kind: 'negative-log-likelihood' },
  optimizer: { learningRate: 0.01, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, clipNorm: 1 },
  sequences: [{ tokenIds: [1, 2, 3], targets: [1, 2], weights: [0.5, 0.5], allowed: [[2, 7], [3]] }],
};

describe('the data of a training step', () => {
  it('are in a JSON Schema file that another language reads, as the code has them', () => {
    const file = new URL('./training-step.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(trainingStepJsonSchema())));
  });

  it('are taken as they are, and refused with a field that is not known or a token that cannot exist', () => {
    expect(trainingStepSchema.parse(STEP)).toEqual(STEP);
    for (const sequence of [
      { ...STEP.sequences[0], mood: 1 },
      { ...STEP.sequences[0], tokenIds: [1, -2] },
    ])
      expect(trainingStepSchema.safeParse({ ...STEP, sequences: [sequence] }).success).toBe(false);
  });
});
