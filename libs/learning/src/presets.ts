/** Named settings of curriculum and algorithms that belong together. Only what differs from the defaults is here. */
import type { z } from 'zod';
import { type CurriculumConfig, curriculumConfigSchema } from './curriculum.decide.js';
import type { grpoConfigSchema } from './grpo.js';
import type { sftConfigSchema } from './sft.js';

export interface LearningPreset {
  readonly curriculum: CurriculumConfig;
  /** Configuration by the algorithm's name. */
  readonly algorithms: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const embeddedSft: z.input<typeof sftConfigSchema> = {
  duration: { unit: 'steps', steps: 10 },
  learningRate: { peak: 1e-3 },
  // Among the first successes many are lucky numbers; preferring rare ones would prefer those.
  helpfulness: { power: 0 },
};

const embeddedGrpo: z.input<typeof grpoConfigSchema> = {
  duration: { unit: 'steps', steps: 10 },
  // A higher rate undid what imitation had learned, in every trial of a small world.
  learningRate: { peak: 3e-4 },
  entropyCoefficient: 0.02,
  window: { versions: 4, rounds: 4 },
};

/** `embedded`: a generator of about a million parameters, all weights trained, rounds of 64 problems. */
export const presets: ReadonlyMap<string, LearningPreset> = new Map([
  [
    'embedded',
    {
      curriculum: curriculumConfigSchema.parse({ imitateBelow: 0.45 }),
      algorithms: { sft: embeddedSft, grpo: embeddedGrpo },
    },
  ],
]);
