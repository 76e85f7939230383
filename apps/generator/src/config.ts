import { GENERATOR_SLOT } from '@seamstream/events';
import { EXECUTION_PROVIDERS } from '@seamstream/language-model';
import { checkVllmChoice, vllmGeneratorSchema } from '@seamstream/model-clients';
import { WRITING_LIMITS } from '@seamstream/self-edits';
import { commonConfigSchema } from '@seamstream/service-kit/config';
import { z } from 'zod';

/** Everything that the generator reads: SEAM_GENERATOR_… and the common settings. */
export const generatorConfigSchema = commonConfigSchema.extend({
  generator: z
    .object({
      /** `checkpoint`: the model is computed here. `vllm`: by a vLLM server, which has the same model; docs/how-to/executors.md. */
      driver: z.enum(['checkpoint', 'vllm']).default('checkpoint'),
      vllm: vllmGeneratorSchema,
      /** Folder of the base model, as Hugging Face publishes one. */
      modelFolder: z.string().min(1).default('models/generator-base'),
      /** What the adapters are promoted for that are served here. */
      slot: z.string().min(1).default(GENERATOR_SLOT),
      /**
       * `auto`: a prompt is a user's message in the checkpoint's chat template, if it has one (docs/how-to/checkpoints.md); `none`:
       * prompts are plain text.
       */
      chatTemplate: z.enum(['auto', 'none']).default('auto'),
      /** Threads that generate; results do not depend on it. */
      threads: z.int().positive().default(2),
      /** What computes the model: cpu, or a graphics processor by webgpu or cuda where the installation has it. */
      executionProvider: z.enum(EXECUTION_PROVIDERS).default('cpu'),
      /** Memory for the keys and values of candidates that are written together, in MiB: at most this, or one group. */
      cacheMib: z.int().positive().default(2048),
      /** Candidates per explored problem: 4 to 8 in the literature; never one, which has no advantage. They are in memory together. */
      groupSize: z.int().min(2).max(1024).default(8),
      /**
       * Of these, candidates that the bare base model writes once an adapter serves. They keep trying what the adapter has
       * given up, so that a wrong habit can be unlearned; they are judged and kept like all others.
       */
      scouts: z.int().nonnegative().default(0),
      /** Fraction of problems that get no experience: the control arm, chosen by a hash of the problem's id. */
      controlShare: z.number().min(0).max(1).default(0.1),
      /**
       * A problem's prompt and reference are copied into each event that follows where they take fewer bytes together; larger ones are named
       * there by their digest, and are in seam.problems only. 0: always named.
       */
      inlineContentBytes: z.int().nonnegative().default(1024),
      sampling: z
        .object({
          /** Of exploration; deployed answers are greedy. Learning wants the plain distribution: 1, no top-k, no top-p. */
          temperature: z.number().positive().default(1),
          /** Draws among so many tokens only; 0: among all. */
          topK: z.int().nonnegative().default(0),
          /** Nucleus sampling; 1 leaves all tokens. */
          topP: z.number().gt(0).max(1).default(1),
          /** Most tokens of an entry. */
          maxTokens: z.int().positive().default(64),
        })
        .prefault({}),
      /** Of self-edits, which may be long and fail: */
      edits: z
        .object({
          /** Longest time for a try of an edit, in milliseconds; waits do not count, and groups that are written together divide the time. */
          timeoutMs: z.int().positive().default(WRITING_LIMITS.timeoutMs),
          /** Tries of an edit. Then its passage is without one, and ExperienceGenerated says so. */
          tries: z.int().positive().max(100).default(WRITING_LIMITS.tries),
        })
        .prefault({}),
      /** Most problems of a batch; one adapter serves a batch, scouts aside. */
      maxBatchRecords: z.int().positive().default(64),
    })
    .superRefine(checkVllmChoice)
    .prefault({}),
});

export type GeneratorConfig = z.infer<typeof generatorConfigSchema>;
