import { commonConfigSchema } from '@seamstream/service-kit/config';
import { bufferConfigSchema } from '@seamstream/success-buffer';
import { z } from 'zod';

/** Everything that the buffer service reads: SEAM_BUFFER_… and the common settings. */
export const bufferServiceConfigSchema = commonConfigSchema.extend({
  buffer: z
    .object({
      /** Completed problems (every candidate has a result) after which a version is committed. */
      commitEveryProblems: z.int().positive().default(64),
      /**
       * Parts into which a hash divides the domains. Each has its own consumer group, versions and memory, and the instances
       * share them. All instances need the same number, for as long as the log is used: with another number the service
       * refuses to start. Needed from some 1,000 problems per second on (docs/explanation/scale.md).
       */
      shards: z.int().min(1).max(64).default(1),
      /** Of the files of a version: Parquet, one file per stratum; JSON Lines, one file. */
      formats: z
        .array(z.enum(['parquet', 'jsonl']))
        .min(1)
        .default(['parquet']),
      /** Most records of a batch: bounds what is folded again after a failed commit. */
      maxBatchRecords: z.int().positive().default(500),
      /**
       * A version writes a snapshot for restarts when the last one is this old, or when as much was read since as that holds.
       * Outcomes have to be retained for longer than this.
       */
      maxSnapshotAgeMs: z.int().positive().default(3_600_000),
      /** What is kept. */
      rules: bufferConfigSchema
        .extend({
          /**
           * Some 250 documents suffice to plant a backdoor; see bufferConfigSchema. An operator who trusts a publisher names
           * its subject among the uncapped.
           */
          maxRowsPerSubject: z.int().nonnegative().default(100),
          // eslint-disable-next-line house/plain-words -- the value as it is configured
          /** Subjects without this limit. `(nobody)`: problems without a subject. */
          uncappedSubjects: z.array(z.string()).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
});

export type BufferServiceConfig = z.infer<typeof bufferServiceConfigSchema>;
