/** How tasks on grids are trained on and asked, except for what an entry decides. */
import { MAX_EXAMPLES, readToolConfiguration } from '@seamstream/grid-tasks';
import { z } from 'zod';

/** All augmentations at the authors' best fixed rate and epochs (arXiv 2506.10943, appendix A.3). */
const FIXED = {
  data_generation: {
    use_basic_augmentations: true,
    use_size_augmentations: true,
    use_chain_augmentations: true,
    use_repeat_augmentations: true,
  },
  training: { strategy: 'train_using_output_tokens', learning_rate: 1e-4, num_train_epochs: 2 },
};

export const fewShotSchema = z.strictObject({
  /** The tool configuration that acts where an entry is empty, as JSON: the control with a fixed configuration. */
  fixed: z
    .string()
    .superRefine((text, context) => {
      const { failure } = readToolConfiguration(text);
      if (failure !== undefined)
        context.addIssue({ code: 'custom', message: `expected a tool configuration (${failure.detail})` });
    })
    .default(JSON.stringify(FIXED)),
  /** Most training examples. */
  maxExamples: z.int().min(1).max(MAX_EXAMPLES).default(MAX_EXAMPLES),
  /** What votes: `symmetries`, the task turned in seven ways, or `identity`, the task as it is. */
  views: z.enum(['symmetries', 'identity']).default('symmetries'),
  /** Orders of the pairs in which each of these is asked. */
  orders: z.int().min(1).max(16).default(2),
});

export type FewShotSettings = z.infer<typeof fewShotSchema>;
