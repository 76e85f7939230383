/**
 * Libraries by a model's replies: Training-Free GRPO as its authors run it (arXiv 2510.08191; `training_free_grpo/train.py` of
 * github.com/TencentCloudADP/youtu-agent), and the values of a project's plan for a gym. The services' share is in
 * service-presets.ts, departures are in docs/explanation/algorithms/experience-library.md.
 */
import { curriculumConfigSchema } from './curriculum.decide.js';
import type { LearningPreset } from './preset.types.js';

const curriculum = curriculumConfigSchema.parse({});

export const trainingFreeGrpo: LearningPreset = {
  curriculum,
  // One edit a problem, texts of 32 words, all items sent each time, three tries of replies at temperature 0.
  algorithms: {
    sft: {},
    grpo: {},
    llm: { maxOperations: 1, maxWords: 32, batchSize: 100, epochs: 1, temperature: 0, maxTokens: 16_384 },
  },
};

export const gym: LearningPreset = {
  curriculum,
  // The plan's 0.7 is the temperature of attempts, which the services have.
  algorithms: {
    sft: {},
    grpo: {},
    llm: { maxItems: 100, maxOperations: 3, batchSize: 64, epochs: 3, temperature: 0, maxTokens: 4096 },
  },
};
