/**
 * One optimisation step and what it is a step of, as data that needs no grammar: the tokens that were legal are listed with the targets. What
 * another language reads is `training-step.schema.json` next to this file, made from here.
 */
import type { TrainableSettings, TrainingObjective } from '@seamstream/language-model';
import { z } from 'zod';

export const tokenId = z.int().min(0);
/** Parallel to the targets. */
const figures = z.array(z.number());

/** What a loss is formed over. */
export const sequenceSchema = z.strictObject({
  tokenIds: z.array(tokenId).min(2).describe('Prompt and continuation, as they were fed and sampled.'),
  targets: z
    .array(z.int().min(1))
    .describe('Index into tokenIds of each trained token, ascending; all lists run parallel to it.'),
  weights: figures.describe('Share of each target in the loss.'),
  allowed: z
    .array(z.array(tokenId).min(1))
    .optional()
    .describe(
      'Of each target the tokens that were legal there: its distribution is the softmax over these. Absent: over all.',
    ),
  policy: z
    .strictObject({
      advantages: figures,
      proximalLogProbs: figures.describe('ln of the proximal policy, in nats.'),
      importanceWeights: figures.describe('min(proximal / behaviour, cap), a constant for the gradient.'),
      referenceLogProbs: figures.describe('ln of the reference policy, in nats.'),
      imitationWeights: figures.optional().describe('Likelihood of the token, unclipped. Absent: 0 for every target.'),
    })
    .optional()
    .describe('Of the objective clipped-policy-gradient alone.'),
});

export const objectiveSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('negative-log-likelihood') }),
  z.strictObject({
    kind: z.literal('clipped-policy-gradient'),
    clipLow: z.number(),
    clipHigh: z.number(),
    klCoefficient: z.number(),
    entropyCoefficient: z.number(),
  }),
]) satisfies z.ZodType<TrainingObjective>;

export const trainableSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('full') }),
  z.strictObject({
    kind: z.literal('lora'),
    rank: z.int().positive(),
    alpha: z.number().positive(),
    targetModules: z.array(z.string()),
    modulesToSave: z.array(z.enum(['embed_tokens', 'lm_head'])),
    seed: z.string(),
  }),
]) satisfies z.ZodType<TrainableSettings>;

export const optimizerSchema = z.strictObject({
  learningRate: z.number(),
  beta1: z.number(),
  beta2: z.number(),
  epsilon: z.number(),
  weightDecay: z.number(),
  clipNorm: z.number().describe('Global L2 norm to which gradients are clipped; 0 turns clipping off.'),
});

/** A step of an engine: which weights, which loss, which sequences, which optimizer. */
export const trainingStepSchema = z.strictObject({
  baseModelDigest: z.string().describe('SHA-256 that names the base model.'),
  trainable: trainableSchema,
  objective: objectiveSchema,
  optimizer: optimizerSchema,
  sequences: z.array(sequenceSchema).min(1),
});

export type TrainingStepData = z.infer<typeof trainingStepSchema>;

/** The schema as another language reads it (JSON Schema 2020-12). */
export function trainingStepJsonSchema(): object {
  return z.toJSONSchema(trainingStepSchema);
}
