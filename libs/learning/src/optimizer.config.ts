import { z } from 'zod';

/** AdamW. The learning rate is a separate setting, because it changes from step to step. */
export const optimizerSchema = z.strictObject({
  beta1: z.number().min(0).lt(1).default(0.9),
  /** Remembers about 20 steps: runs are tens of steps long (PyTorch's 0.999 remembers 1000). */
  beta2: z.number().min(0).lt(1).default(0.95),
  epsilon: z.number().positive().default(1e-8),
  /** Decoupled weight decay; 0: a run is too short to over-fit by the size of weights. */
  weightDecay: z.number().nonnegative().default(0),
  /** Global L2 norm to which gradients are clipped; 0 turns it off. */
  clipNorm: z.number().nonnegative().default(1),
});

/** What is trained: all weights, or low-rank pairs next to the linear layers. */
export const trainableSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('full') }),
  z.strictObject({
    kind: z.literal('lora'),
    rank: z.int().positive().default(16),
    alpha: z.number().positive().default(32),
    targetModules: z
      .array(z.string())
      .default(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']),
    /** A base model that knows nothing needs its embeddings trained too (LoRA alone left a toy generator at chance). */
    modulesToSave: z.array(z.enum(['embed_tokens', 'lm_head'])).default([]),
    seed: z.string().default('lora'),
  }),
]);

export type OptimizerConfig = z.infer<typeof optimizerSchema>;
export type TrainableConfig = z.infer<typeof trainableSchema>;
