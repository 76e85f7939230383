import { grpo } from './grpo.js';
import type { LearningAlgorithm } from './learning.types.js';
import { restEm } from './rest-em.js';
import { sft } from './sft.js';

/** Every algorithm by its name. A new one is a separate file, a page in docs/explanation/algorithms, and a line here. */
export const algorithms: ReadonlyMap<string, LearningAlgorithm> = new Map(
  [grpo, restEm, sft].map((each) => [each.name, each]),
);
