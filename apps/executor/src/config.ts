import { commonConfigSchema, secret } from '@seamstream/service-kit';
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
      /**
       * Answers to each entry. One is greedy; several are drawn at `rolloutTemperature`, and the reward is the mean of their
       * verdicts: for groups that one answer judges alike.
       */
      rollouts: z.int().positive().default(1),
      rolloutTemperature: z.number().positive().default(1),
      rolloutTopP: z.number().gt(0).max(1).default(1),
      /** Most experiences of a batch. */
      maxBatchRecords: z.int().positive().default(256),
      /** Users' own verifiers by the name that problems give: {"mine": {"url": "https://…", "timeoutMs": 10000, "headers": {…}}}. */
      verifierEndpoints: secret(
        z.record(
          z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/),
          z.strictObject({
            url: z.url({ protocol: /^https?$/ }),
            timeoutMs: z.int().positive().max(300_000).default(10_000),
            headers: z.record(z.string(), z.string()).default({}),
          }),
        ),
      ).default({}),
      /** Languages whose sandbox is proven at start, ["python"] say; without it the service does not start. Others are proven by their first problem. */
      codeLanguages: z.array(z.enum(['python', 'javascript'])).default([]),
      /** Interpreter for answers in Python. */
      pythonPath: z.string().startsWith('/').default('/usr/bin/python3'),
    })
    .prefault({}),
});

export type ExecutorConfig = z.infer<typeof executorConfigSchema>;
