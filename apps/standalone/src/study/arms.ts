/**
 * What "GRPO that earns its place" compares: ways to learn from the same number of rollouts. All have the models, rounds, gate, steps
 * and batch of the shipped preset; an arm says what is its own. docs/explanation/algorithms/grpo.md has the formulas.
 */
import { CURRICULUM } from '@seamstream/learning';
import type { Environment } from '@seamstream/service-kit';

export interface Arm {
  readonly name: string;
  readonly about: string;
  /** As `--algorithm` has it. */
  readonly algorithm: string;
  /** Laid over the preset's GRPO. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Laid over the preset's curriculum. */
  readonly curriculum?: Readonly<Record<string, unknown>>;
}

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
      'the shipped curriculum: imitation while exploration mostly fails, the tapered form after it, a turn for the other after a rejection',
    algorithm: CURRICULUM,
    settings: {},
    curriculum: { restAfter: 0 },
  },
  {
    name: 'rested',
    about:
      'the mixture, in which imitation rests after two rejections in a row for as long as the tapered form is promoted',
    algorithm: CURRICULUM,
    settings: {},
    curriculum: { restAfter: 2 },
  },
];

/** What the services of an arm receive besides the demonstration's own settings. */
export function armEnvironment({ settings, curriculum = {} }: Arm): Environment {
  return {
    ...(Object.keys(settings).length === 0 ? {} : { SEAM_TRAINER_ALGORITHMS: JSON.stringify({ grpo: settings }) }),
    ...Object.fromEntries(
      Object.entries(curriculum).map(([name, value]) => [
        `SEAM_TRAINER_CURRICULUM_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
        JSON.stringify(value),
      ]),
    ),
  };
}
