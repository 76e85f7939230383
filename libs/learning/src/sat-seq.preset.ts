/**
 * Sequential tuning of a team as its authors release it (arXiv 2605.05216; `configs/sat_default.yaml`), for agents of billions of
 * parameters. The recipe is of libs/team-tuning, whose spec reads this; departures are in docs/explanation/algorithms/sequential-tuning.md.
 */
import { curriculumConfigSchema } from './curriculum.decide.js';
import type { LearningPreset } from './preset.types.js';

export const satSeq: LearningPreset = {
  curriculum: curriculumConfigSchema.parse({}),
  algorithms: {
    sft: {},
    grpo: {},
    'sat-seq': {
      updates: 'sequential',
      order: 'static',
      // The release reuses a batch; what it lost by that is in the successor's ablation (arXiv 2605.15207).
      resample: true,
      groupSize: 4,
      // The draft's response length. The release samples at 0.8, and its ratios are of the plain distribution.
      sampling: { temperature: 1, maxTokens: 2048 },
      advantage: { kind: 'group', clip: 5 },
      clip: { low: 0.2, high: 0.2 },
      kl: { beta: 0.001 },
      gate: { target: 0.05, quantile: 0.99, maxBacktracks: 5 },
      learningRate: 1e-5,
      optimizer: { weightDecay: 0.01, clipNorm: 1 },
    },
  },
};
