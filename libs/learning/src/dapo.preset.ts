/**
 * DAPO as its authors run it (arXiv 2503.14476; verl's recipe/dapo), for a pretrained generator. The services' share is in
 * service-presets.ts, departures are in docs/explanation/algorithms/grpo.md.
 */
import type { z } from 'zod';
import { curriculumConfigSchema } from './curriculum.decide.js';
import type { grpoConfigSchema } from './grpo.js';
import type { LearningPreset } from './preset.types.js';

const grpo: z.input<typeof grpoConfigSchema> = {
  // Equation 9: (R − mean) / std of the group.
  advantage: 'std',
  // Section 3.3: every token of the batch counts alike.
  lossAverage: 'token-mean',
  // Section 3.1: clip-higher.
  clip: { low: 0.2, high: 0.28 },
  // Section 2.3: no KL term, neither in the loss nor in the reward.
  kl: { coefficient: 0 },
  entropyCoefficient: 0,
  // Section 3.2: groups of one verdict are left out, and more are taken until the batch is full: 512 groups of at most ten batches.
  deadGroups: 'drop',
  dynamicSampling: { liveGroups: 512, maxRounds: 10 },
  window: { rounds: 1, versions: 1 },
  minLiveGroups: 1,
  // Section 3.4: 20,480 tokens, the last 4,096 of them punished little by little. There 1 of rewards −1 and 1; here they are 0 and 1.
  overlong: { of: 'entry', maxTokens: 20_480, bufferTokens: 4096, penalty: 0.5 },
  // Section 4.1: mini-batches of 512 entries, one pass: 16 steps for 512 groups of 16.
  batchSize: 512,
  duration: { unit: 'epochs', epochs: 1 },
  // Section 4.1: 1e-6. Its warm-up is over 20 batches, each of which is a run here.
  learningRate: { peak: 1e-6, decay: 'constant', warmupSteps: 0 },
  // verl: AdamW with weight_decay=0.1, grad_clip=1.0; betas and epsilon are PyTorch's defaults.
  optimizer: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.1, clipNorm: 1 },
  trainable: { kind: 'full' },
};

export const dapo: LearningPreset = {
  curriculum: curriculumConfigSchema.parse({ imitateBelow: 0 }),
  algorithms: { sft: {}, grpo },
};
