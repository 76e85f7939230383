/**
 * A training job as files, for an engine in another process, on another machine, or in another language. What that reads is
 * `training-files.schema.json` next to this file, made from here; docs/reference/training-engines.md says what each file is for.
 */
import { z } from 'zod';
import { engineIdentitySchema } from './engine-identity.schema.js';
import { objectiveSchema, optimizerSchema, sequenceSchema, tokenId, trainableSchema } from './training-data.schema.js';

/** Grows with every change that an older engine would not understand. */
export const JOB_FORMAT = 1;

const fileSchema = z.strictObject({
  path: z.string().min(1).describe("Below the job's folder."),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().nonnegative(),
});

export type FileRef = z.infer<typeof fileSchema>;

/** input/job.json, written last: where it is, all other input is. */
export const jobSchema = z.strictObject({
  format: z.literal(JOB_FORMAT),
  operation: z
    .enum(['score', 'train'])
    .describe('score: ln π of every target under the weights that training would begin with. train: take the steps.'),
  runId: z.string().min(1).describe('Derived from content: who starts the job twice makes the same.'),
  baseModelDigest: z.string().min(1).describe('SHA-256 that names the base model.'),
  baseModelFiles: z
    .record(z.string(), z.string().regex(/^[0-9a-f]{64}$/))
    .optional()
    .describe('SHA-256 of config.json and of each file of weights, for an engine that cannot measure the digest.'),
  vocabularySize: z.int().positive(),
  trainable: trainableSchema,
  objective: objectiveSchema,
  optimizer: optimizerSchema.omit({ learningRate: true }).describe('AdamW.'),
  learningRates: z.array(z.number()).describe('Of each step: as many as there are steps. Empty for score.'),
  checkpointEverySteps: z.int().positive(),
  start: fileSchema
    .nullable()
    .describe('Safetensors: the trained tensors before the first step. Null: those of the base model.'),
  sequences: fileSchema.describe('JSON lines of `sequence`, by step.'),
  masks: fileSchema.describe('JSON lines of `mask`; a mask is named by its line, from 0.'),
});

/** A line of input/sequences.jsonl. */
export const jobSequenceSchema = sequenceSchema.omit({ allowed: true }).extend({
  step: z.int().nonnegative().describe('From 0. The sequences of a step stand together; 0 for score.'),
  masks: z.array(z.int().nonnegative()).optional().describe('Of each target its mask. Absent: every token is legal.'),
});

/** A line of input/masks.jsonl. Each distinct mask is there once, as the shorter of the two lists. */
export const maskSchema = z.strictObject({
  tokens: z.enum(['legal', 'banned']),
  ids: z.array(tokenId).describe('Ascending.'),
});

/** A line of output/metrics.jsonl: one a step, of a resumed run each step once. */
export const metricsSchema = z.strictObject({
  step: z.int().positive().describe('Steps done with this one.'),
  learningRate: z.number(),
  loss: z.number(),
  gradientNorm: z.number().nonnegative().describe('Before clipping.'),
  tokens: z.int().positive().describe('Trained tokens of the step.'),
  klNats: z.number().optional(),
  entropyNats: z.number().optional(),
  clippedRatio: z.number().optional(),
});

/** checkpoints/step-000010/checkpoint.json, written last. */
export const checkpointSchema = z.strictObject({
  runId: z.string().min(1),
  step: z.int().positive(),
  engine: engineIdentitySchema,
  state: z.array(fileSchema).min(1).describe("The engine's own: weights, moments, all that it resumes from."),
});

/** A line of output/scores.jsonl: of the sequence of the same line. */
export const scoresSchema = z.array(z.number().max(0)).describe('ln π of each target, in nats.');

const resultFields = { runId: z.string().min(1), engine: engineIdentitySchema };

/** output/result.json, written last: where it is, the job is done. */
export const resultSchema = z.discriminatedUnion('operation', [
  z.strictObject({ ...resultFields, operation: z.literal('score'), scores: fileSchema }),
  z.strictObject({
    ...resultFields,
    operation: z.literal('train'),
    steps: z.int().nonnegative(),
    metrics: fileSchema,
    artefact: z.strictObject({
      kind: z.enum(['full', 'lora']),
      baseModelDigest: z.string().min(1),
      settings: trainableSchema,
      file: fileSchema.describe('Safetensors, float32, with the names and shapes of `tensors`.'),
      tensors: z.array(z.strictObject({ name: z.string().min(1), shape: z.array(z.int().positive()) })).min(1),
    }),
  }),
]);

export type JobResult = z.infer<typeof resultSchema>;

/** output/failure.json: why the last attempt ended without a result. */
export const failureSchema = z.strictObject({
  code: z.string().min(1).describe('As in docs/reference/error-codes.md, e.g. INVALID_INPUT, NON_FINITE.'),
  message: z.string(),
});

const FILES = {
  job: jobSchema,
  sequence: jobSequenceSchema,
  mask: maskSchema,
  metrics: metricsSchema,
  checkpoint: checkpointSchema,
  scores: scoresSchema,
  result: resultSchema,
  failure: failureSchema,
};

/** The files as another language reads them (JSON Schema 2020-12), by the names above. */
export function trainingFilesJsonSchema(): object {
  const $defs = Object.fromEntries(
    Object.entries(FILES).map(([name, schema]) => {
      const definition = Object.entries(z.toJSONSchema(schema)).filter(([key]) => key !== '$schema');
      return [name, Object.fromEntries(definition)];
    }),
  );
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs };
}
