/**
 * How a model is trained on a self-edit. The defaults are SEAL's for knowledge (arXiv 2506.10943, appendix B): LoRA of rank 32 with alpha
 * 64 on all linear layers, 10 epochs, learning rate 1e-3 that falls linearly to 0, one document a step, loss on all tokens.
 */
import { z } from 'zod';

const positive = z.int().positive();

export const innerUpdateSchema = z.strictObject({
  /** Rank of the LoRA pairs. */
  rank: positive.max(1024).default(32),
  /** Their scale is alpha / rank. */
  alpha: z.number().positive().default(64),
  /** Linear layers that get a pair. */
  targetModules: z
    .array(z.string().min(1))
    .min(1)
    .default(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']),
  /** Of the first step. */
  learningRate: z.number().positive().default(1e-3),
  /** `linear`: falls to 0 over the steps that were planned. `constant`: stays. */
  schedule: z.enum(['linear', 'constant']).default('linear'),
  /** Passes over the documents. */
  epochs: positive.max(1000).default(10),
  /** Documents a step. Memory does not grow with it: gradients of a step are summed over parts. */
  batchSize: positive.default(1),
  /** Instead of a number of documents: a step takes documents up to so many tokens, and a longer one alone. Absent: batchSize decides. */
  batchTokens: positive.optional(),
  /** A longer document is cut into documents of this many tokens. */
  maxDocumentTokens: z.int().min(2).default(2048),
  /** More optimizer steps than this are a fault of the edit: nothing is trained. */
  maxSteps: positive.default(1000),
  /** When training ends early: once the mean loss of epochs falls no more. */
  plateau: z
    .strictObject({
      /** Epochs without a fall after which training ends; 0: never. */
      patience: z.int().nonnegative().default(2),
      /** Share of the least loss so far; less is no fall. */
      minimumFall: z.number().min(0).max(1).default(0.001),
    })
    .prefault({}),
});

export type InnerUpdateSettings = z.infer<typeof innerUpdateSchema>;
