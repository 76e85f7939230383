/**
 * Supervised fine-tuning on the success buffer: makes entries that helped more likely. The formula, where it departs from
 * SEAM's and what every figure means: docs/explanation/algorithms/sft.md.
 */
import { compareText } from '@seamstream/kernel';
import { z } from 'zod';
import { defineAlgorithm } from './algorithm.js';
import { layExample } from './example.js';
import { imitation, imitationPlan } from './imitation.js';
import { effectiveSampleRatio } from './importance.js';
import type { Diagnostics } from './learning.types.js';
import { optimizerSchema, trainableSchema } from './optimizer.config.js';
import { balancedByClass, drawBatches, durationSchema, learningRateSchema, stepsOf } from './schedule.js';
import { lossAverages } from './token-weights.js';

/** Configuration of SFT. */
export const sftConfigSchema = z.strictObject({
  helpfulness: z
    .strictObject({
      /** A row is drawn in proportion to helpfulness^power + floor; power 0 draws all alike. */
      power: z.number().nonnegative().default(1),
      /** Keeps rows of easy problems in the mix, so that what is mastered is not forgotten. */
      floor: z.number().positive().default(0.02),
    })
    .prefault({}),
  /** What has equal shares of the draws: every domain, every stratum (domain/difficulty), or neither. */
  balance: z.enum(['domain', 'stratum', 'none']).default('domain'),
  lossAverage: z.enum(lossAverages).default('token-mean'),
  /** A run with fewer rows is refused. */
  minRows: z.int().positive().default(16),
  /** Rows per optimizer step. */
  batchSize: z.int().positive().default(64),
  duration: durationSchema.default({ unit: 'steps', steps: 10 }),
  learningRate: learningRateSchema.prefault({ peak: 1e-3 }),
  optimizer: optimizerSchema.prefault({}),
  trainable: trainableSchema.default({ kind: 'full' }),
});

export const sft = defineAlgorithm({
  name: 'sft',
  reads: 'buffer',
  configSchema: sftConfigSchema,

  replayedRounds: () => ({ least: 0, most: 0 }),
  hasEnoughSignal: () => true,

  prepare(input, config, context, seed) {
    const { helpfulness: preference, balance } = config;
    // Strata together and in the order of ids, so that the schedule is a function of the set of rows.
    const rows = input.rows
      .filter(({ baseModelDigest }) => baseModelDigest === context.baseModelDigest)
      .toSorted((a, b) => compareText(a.stratum, b.stratum) || compareText(a.outcomeId, b.outcomeId))
      .map((row) => ({ row, example: layExample(row.experienceId, row, context.entrySchemaOf(row.domain, row)) }))
      .filter(({ example }) => example.targets.length > 0);
    const examples = rows.map(({ example }) => example);
    const preferences = rows.map(({ row }) => row.helpfulness ** preference.power + preference.floor);
    const weights =
      balance === 'none'
        ? preferences
        : balancedByClass(
            preferences,
            rows.map(({ row }) => (balance === 'domain' ? row.domain : row.stratum)),
          );
    const diagnostics: Diagnostics = {
      bufferRows: input.rows.length,
      examples: rows.length,
      strata: new Set(rows.map(({ row }) => row.stratum)).size,
      freeTokens: examples.reduce((sum, { targets }) => sum + targets.length, 0),
      meanHelpfulness: rows.reduce((sum, { row }) => sum + row.helpfulness, 0) / Math.max(1, rows.length),
      effectiveSampleRatio: effectiveSampleRatio(weights),
    };
    if (rows.length < config.minRows) {
      return {
        status: 'refused',
        reason: `the buffer holds ${input.rows.length} rows, of which ${rows.length} can be used (same base model, at least one token that was a choice); expected at least ${config.minRows}: explore more problems first`,
        diagnostics,
      };
    }
    const steps = stepsOf(config.duration, rows.length, config.batchSize);
    const draws = drawBatches(weights, {
      steps,
      batchSize: config.batchSize,
      seed,
      classes: rows.map(({ row }) => row.stratum),
    });
    const epochs = (steps * Math.min(config.batchSize, rows.length)) / rows.length;
    const plan = imitationPlan({ examples, diagnostics: { ...diagnostics, epochs } }, draws, config);
    return { status: 'ready', plan };
  },

  ...imitation,
});
