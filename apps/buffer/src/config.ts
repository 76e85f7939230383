import { commonConfigSchema } from '@seamstream/service-kit';
import { bufferConfigSchema } from '@seamstream/success-buffer';
import { z } from 'zod';

/** Everything that the buffer service reads: SEAM_BUFFER_… and the common settings. */
export const bufferServiceConfigSchema = commonConfigSchema.extend({
  buffer: z
    .object({
      /** Completed problems (every candidate has a result) after which a version is committed. */
      commitEveryProblems: z.int().positive().default(64),
      /** Of the files of a version: Parquet, one file per stratum; JSON Lines, one file. */
      formats: z
        .array(z.enum(['parquet', 'jsonl']))
        .min(1)
        .default(['parquet']),
      /** Most records of a batch: bounds what is folded again after a failed commit. */
      maxBatchRecords: z.int().positive().default(500),
      /** What is kept. */
      rules: bufferConfigSchema.prefault({}),
    })
    .prefault({}),
});

export type BufferServiceConfig = z.infer<typeof bufferServiceConfigSchema>;
