import type { CurriculumConfig } from './curriculum.decide.js';

/** Settings of curriculum and algorithms that belong together. Only what differs from the defaults is in it. */
export interface LearningPreset {
  readonly curriculum: CurriculumConfig;
  /** Configuration by the algorithm's name. */
  readonly algorithms: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
