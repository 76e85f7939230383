/**
 * Named settings of all services, as the variables that an operator would write. SEAM_PRESET chooses one; what the environment
 * says besides goes before it.
 */
import { SeamError } from '@seamstream/kernel';

/** A variable's text, and where the value comes from. */
interface PresetValue {
  readonly value: string;
  readonly source: string;
}

/**
 * SEAM as its authors run it. `train.sh` and `lpem.py` are files of the public copy github.com/Cocobalt/SEAM at 66a8d7f. What the
 * algorithms do is the preset of the same name in libs/learning; docs/explanation/seam.md says where the two cannot do as the authors do.
 */
const seamPaper: Readonly<Record<string, PresetValue>> = {
  SEAM_ENTRY_SCHEMAS: { value: 'memory-item', source: 'lpem.py: the container <memory_item>, present and not blank' },
  SEAM_GENERATOR_GROUP_SIZE: { value: '4', source: "train.sh: rollout.n=4 (8 in a reproduction's script)" },
  SEAM_GENERATOR_SCOUTS: { value: '0', source: 'train.sh: all candidates by the policy' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0', source: 'train.sh: every problem is explored' },
  SEAM_GENERATOR_SAMPLING_TEMPERATURE: { value: '1', source: "verl's default" },
  SEAM_GENERATOR_SAMPLING_TOP_K: { value: '0', source: "verl's default, -1: off" },
  SEAM_GENERATOR_SAMPLING_TOP_P: { value: '1', source: "verl's default" },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '4096', source: 'train.sh: data.max_response_length=4096' },
  SEAM_EXECUTOR_MAX_TOKENS: { value: '8192', source: 'train.sh: response length of the executor' },
  SEAM_EXECUTOR_ROLLOUTS: { value: '1', source: 'train.sh: grm.rollout.m=1' },
  SEAM_TRAINER_PRESET: { value: 'seam-paper', source: 'train.sh, sft.sh: libs/learning/src/seam-paper.preset.ts' },
  SEAM_TRAINER_ALGORITHM: { value: 'grpo', source: 'train.sh; sft.sh is started by hand' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '128', source: 'train.sh: data.train_batch_size=128' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '4096', source: 'as the generator' },
  SEAM_TRAINER_RESPONSE_MAX_TOKENS: { value: '8192', source: 'as the executor' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'tolerance', source: 'as the next' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'train.sh: the policy goes on whatever its validation says' },
};

const PRESETS: ReadonlyMap<string, Readonly<Record<string, PresetValue>>> = new Map([['seam-paper', seamPaper]]);

/** Chooses a preset. */
export const PRESET_VARIABLE = 'SEAM_PRESET';

/** The environment with the variables of its preset. @throws INVALID_CONFIGURATION for an unknown one */
export function withPreset(given: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { [PRESET_VARIABLE]: name, ...rest } = given;
  if (name === undefined) return rest;
  const preset = PRESETS.get(name);
  if (preset === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Reading the configuration: ${PRESET_VARIABLE} names no preset, came ${JSON.stringify(name)}. Known are ${[...PRESETS.keys()].join(', ')}.`,
    );
  }
  return { ...Object.fromEntries(Object.entries(preset).map(([variable, { value }]) => [variable, value])), ...rest };
}
