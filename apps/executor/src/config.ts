import { commonConfigSchema } from '@seamstream/service-kit';
import { z } from 'zod';

/** Everything that the executor reads: SEAM_EXECUTOR_… and the common settings. */
export const executorConfigSchema = commonConfigSchema.extend({
  executor: z
    .object({
      /** Folder of the frozen model. */
      modelFolder: z.string().min(1).default('models/executor'),
      /** What outcomes call it. */
      name: z.string().min(1).default('executor'),
      /** Refuse to start with other weights: SHA-256 of the checkpoint. */
      expectedDigest: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
      /** Threads that generate; results do not depend on it. */
      threads: z.int().positive().default(2),
      /** Most tokens of a response. */
      maxTokens: z.int().positive().default(64),
      /** Most experiences of a batch. */
      maxBatchRecords: z.int().positive().default(256),
    })
    .prefault({}),
});

export type ExecutorConfig = z.infer<typeof executorConfigSchema>;
