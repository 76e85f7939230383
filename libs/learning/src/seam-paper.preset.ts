/**
 * SEAM as its authors run it: their released scripts' values, each with where it stands. `train.sh`, `sft.sh` and `lpem.py` are
 * files of the public copy github.com/Cocobalt/SEAM at 66a8d7f; "verl" is that repository's verl, whose defaults hold where the
 * scripts say nothing. The services' share is in service-presets.ts. What the system cannot do as they do
 * is listed in docs/explanation/seam.md.
 */
import type { z } from 'zod';
import { curriculumConfigSchema } from './curriculum.decide.js';
import type { grpoConfigSchema } from './grpo.js';
import type { LearningPreset } from './preset.types.js';
import type { sftConfigSchema } from './sft.js';

const grpo: z.input<typeof grpoConfigSchema> = {
  // train.sh: algorithm.adv_estimator=grpo; verl: norm_adv_by_std_in_grpo=True.
  advantage: 'std',
  // verl: loss_agg_mode=token-mean.
  lossAverage: 'token-mean',
  // verl: clip_ratio=0.2 on both sides. Its dual clip (c = 3) is left out.
  clip: { low: 0.2, high: 0.2 },
  // train.sh: use_kl_loss=True, kl_loss_coef=0.001, kl_loss_type=low_var_kl (k3). verl's reference is the model before any training.
  kl: { coefficient: 0.001, reference: 'base' },
  // train.sh: entropy_coeff=0.
  entropyCoefficient: 0,
  // train.sh: samples, trains and throws the samples away.
  window: { rounds: 1, versions: 1 },
  // verl filters no groups in its GRPO.
  deadGroups: 'keep',
  minLiveGroups: 1,
  // train.sh: ppo_mini_batch_size=20 problems, times rollout.n=4 entries.
  batchSize: 80,
  // verl: ppo_epochs=1; of 128 problems × 4 entries these are 7 steps.
  duration: { unit: 'epochs', epochs: 1 },
  // train.sh: optim.lr=1e-6; verl: constant, no warm-up.
  learningRate: { peak: 1e-6, decay: 'constant', warmupSteps: 0 },
  // verl: AdamW of PyTorch with weight_decay=0.01, grad_clip=1.0; betas and epsilon are PyTorch's defaults.
  optimizer: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
  // train.sh trains all weights (FSDP); it has no LoRA.
  trainable: { kind: 'full' },
};

const sft: z.input<typeof sftConfigSchema> = {
  // README: "optional stratification", without code; sft.sh draws rows alike.
  helpfulness: { power: 0 },
  balance: 'none',
  lossAverage: 'token-mean',
  // sft.sh: batches of 4, which is the micro-batch per GPU; its global batch is not said.
  batchSize: 4,
  // sft.sh: total_training_steps=500. How often it is started is not said.
  duration: { unit: 'steps', steps: 500 },
  // sft.sh: lr=1e-5.
  learningRate: { peak: 1e-5 },
  optimizer: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, clipNorm: 1 },
  trainable: { kind: 'full' },
};

export const seamPaper: LearningPreset = {
  // README: GRPO first; SFT on logged successes "periodically" after deployment, on which the schedule is silent: a person asks for it.
  curriculum: curriculumConfigSchema.parse({ imitateBelow: 0 }),
  algorithms: { grpo, sft },
};
