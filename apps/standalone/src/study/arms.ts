/**
 * What "GRPO that earns its place" compares: ways to learn from the same number of rollouts. All have the models, rounds, gate and
 * batch of the demonstration; an arm says what is its own. All but the shipped one take the steps of the preset `embedded`. docs/explanation/algorithms/grpo.md has the formulas.
 */
import { CURRICULUM } from '@seamstream/learning';
import type { Environment } from '@seamstream/service-kit';

export interface Arm {
  readonly name: string;
  readonly about: string;
  /** As `--algorithm` has it. */
  readonly algorithm: string;
  /** Laid over the preset's GRPO; without it the demonstration's own settings hold. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Laid over the demonstration's curriculum. */
  readonly curriculum?: Readonly<Record<string, unknown>>;
}

/** Explored success under which the longer mixtures imitate, as the preset `embedded` has it. */
const IMITATE_BELOW = 0.9;

export const ARMS: readonly Arm[] = [
  {
    name: 'sft',
    about: 'rejection sampling: successes of the buffer are imitated, and nothing else',
    algorithm: 'sft',
    settings: {},
  },
  {
    name: 'published',
    about:
      'GRPO as published: standard deviation, mean of sequences, symmetric clip, KL to the base, the last round alone',
    algorithm: 'grpo',
    settings: {
      ...{ advantage: 'std', lossAverage: 'sequence-mean', clip: { low: 0.2, high: 0.2 }, deadGroups: 'keep' },
      ...{ importance: { correction: 'truncate' }, kl: { coefficient: 0.001, reference: 'base' } },
      window: { rounds: 1, versions: 1 },
    },
  },
  {
    name: 'taper',
    about: 'replayed rounds by TOPR: better entries by likelihood, worse ones by a ratio of at most one',
    algorithm: 'grpo',
    settings: {},
  },
  {
    name: 'sequence',
    about: 'replayed rounds by one truncated ratio for each entry, as GSPO forms it',
    algorithm: 'grpo',
    settings: { importance: { correction: 'truncate', unit: 'entry' } },
  },
  {
    name: 'mixture',
    about:
      'imitation until exploration solves nine of ten problems, the tapered form after it, a turn for the other after a rejection',
    algorithm: CURRICULUM,
    settings: {},
    curriculum: { imitateBelow: IMITATE_BELOW },
  },
  {
    name: 'rested',
    about:
      'the mixture, in which imitation rests after two rejections in a row for as long as the tapered form is promoted',
    algorithm: CURRICULUM,
    settings: {},
    curriculum: { imitateBelow: IMITATE_BELOW, restAfter: 2 },
  },
  {
    name: 'shipped',
    about:
      'what the demonstration does: imitation until exploration solves 6 %, the tapered form with twice the steps after it, a turn for the other after a rejection',
    algorithm: CURRICULUM,
  },
];

/** What the services of an arm receive besides the demonstration's own settings, or in their place. */
export function armEnvironment({ settings, curriculum = {} }: Arm): Environment {
  return {
    ...(settings === undefined ? {} : { SEAM_TRAINER_ALGORITHMS: JSON.stringify({ grpo: settings }) }),
    ...Object.fromEntries(
      Object.entries(curriculum).map(([name, value]) => [
        `SEAM_TRAINER_CURRICULUM_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
        JSON.stringify(value),
      ]),
    ),
  };
}
