import { checkExecutorChoice, executorChoiceShape, judgeSchema } from '@seamstream/model-clients';
import { rewardShape } from '@seamstream/rollout';
import { commonConfigSchema, httpAddress, secret } from '@seamstream/service-kit/config';
import { z } from 'zod';

/** Everything that the executor reads: SEAM_EXECUTOR_… and the common settings. */
export const executorConfigSchema = commonConfigSchema.extend({
  executor: z
    .object({
      /** Which executor, and how it is asked. */
      ...executorChoiceShape,
      /**
       * Answers to each entry. One is greedy; several are drawn at `rolloutTemperature`, and the reward is the mean of their
       * verdicts: for groups that one answer judges alike.
       */
      rollouts: z.int().positive().default(1),
      /** Sampling temperature of several answers. 0: greedy ones, each after a training with another seed, in an environment that trains. */
      rolloutTemperature: z.number().nonnegative().default(1),
      /** Nucleus sampling of several answers; 1 leaves all tokens. */
      rolloutTopP: z.number().gt(0).max(1).default(1),
      /** Most experiences of a batch; an endpoint's limits may make it less, and attempts that train are recorded one by one. */
      maxBatchRecords: z.int().positive().default(256),
      /**
       * Of environments that train: attempts under way at a time, of different partitions. Each needs the memory of a training, and a process
       * that dies repeats so many.
       */
      attemptsAtOnce: z.int().positive().default(1),
      /**
       * Whether a success is rewarded whose entry gives the answer away (docs/reference/verifiers.md, "Entries that give the answer
       * away"). `rewarded` is for domains whose words are their answers.
       */
      leaks: z.enum(['unrewarded', 'rewarded']).default('unrewarded'),
      /**
       * Milliseconds in which feedback counts on an answer to a problem without a verifier, where the problem does not say; then it is
       * ungraded. A week.
       */
      feedbackWithinMs: z.int().positive().default(604_800_000),
      /** What attempts earn (docs/reference/rewards.md). */
      reward: z
        .object({
          ...rewardShape,
          /** Of the kind http: who is asked. */
          endpoint: z
            .object({
              /** Its address. */
              url: httpAddress.meta({ secretWhenRefused: true }).optional(),
              /** Longest wait for an answer. */
              timeoutMs: z.int().positive().max(300_000).default(10_000),
              /** Sent along, say an authorization, as a JSON object. */
              headers: secret(z.record(z.string(), z.string())).default({}),
            })
            .prefault({}),
        })
        .prefault({}),
      /** Users' own verifiers by the name that problems give: {"mine": {"url": "https://…", "timeoutMs": 10000, "headers": {…}}}. */
      verifierEndpoints: secret(
        z.record(
          z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/),
          z.strictObject({
            url: httpAddress,
            timeoutMs: z.int().positive().max(300_000).default(10_000),
            headers: z.record(z.string(), z.string()).default({}),
          }),
        ),
      ).default({}),
      /** The model that judges problems with judge@1. */
      judge: judgeSchema,
      /** Languages whose sandbox is proven at start, ["python"] say; without it the service does not start. Others are proven by their first problem. */
      codeLanguages: z.array(z.enum(['python', 'javascript'])).default([]),
      /** Interpreter for answers in Python. */
      pythonPath: z.string().startsWith('/').default('/usr/bin/python3'),
      /** Most memory in MB that a problem with code@1 may give to an answer; one that wants more is INVALID_INPUT. */
      sandboxMemoryMb: z.int().min(64).max(65_536).default(1024),
    })
    .superRefine(checkExecutorChoice)
    .prefault({}),
});

export type ExecutorConfig = z.infer<typeof executorConfigSchema>;
