/**
 * What the services share of each preset, as the variables that an operator would write. What the algorithms do is in the file of the
 * same name in this folder. An entry without imports, so that reading settings loads no algorithm.
 */

/** A variable's text, and where the value comes from. */
interface PresetValue {
  readonly value: string;
  readonly source: string;
}

/**
 * SEAM as its authors run it. `train.sh` and `lpem.py` are files of the public copy github.com/Cocobalt/SEAM at 66a8d7f. What the
 * algorithms do is in seam-paper.preset.ts; docs/explanation/seam.md says where the two cannot do as the authors do.
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
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'train.sh: the policy is kept regardless of its validation' },
};

/** The executor's settings of an environment that trains, for its service and for evaluations. */
function trainedOn(values: Readonly<Record<string, string>>, source: string): Readonly<Record<string, PresetValue>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [`SEAM_EXECUTOR_${name}`, { value, source }],
      [`SEAM_TRAINER_EXECUTOR_${name}`, { value, source }],
    ]),
  );
}

/**
 * SEAL's knowledge incorporation as its authors run it (arXiv 2506.10943, section 4 and appendix B; github.com/Continual-Intelligence/SEAL at
 * 4cb1e7d). What ReST-EM does is in seal.presets.ts.
 */
const sealPaperKnowledge: Readonly<Record<string, PresetValue>> = {
  SEAM_ENTRY_SCHEMAS: { value: 'self-edit/implications', source: 'make_squad_data.py: the main kind' },
  SEAM_GENERATOR_GROUP_SIZE: { value: '5', source: 'appendix B: five edits a passage' },
  SEAM_GENERATOR_SCOUTS: { value: '0', source: 'all edits by the present model' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0', source: 'every passage is explored' },
  SEAM_GENERATOR_SAMPLING_TEMPERATURE: { value: '1', source: 'make_squad_data.py' },
  SEAM_GENERATOR_SAMPLING_TOP_K: { value: '0', source: 'make_squad_data.py: off' },
  SEAM_GENERATOR_SAMPLING_TOP_P: { value: '0.95', source: 'make_squad_data.py' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '8192', source: 'make_squad_data.py' },
  ...trainedOn(
    {
      ENVIRONMENT: 'inner-lora-update',
      TEMPLATE: 'direct',
      INNER_UPDATE_RANK: '32',
      INNER_UPDATE_ALPHA: '64',
      INNER_UPDATE_LEARNING_RATE: '1e-3',
      INNER_UPDATE_EPOCHS: '10',
      INNER_UPDATE_BATCH_SIZE: '1',
      INNER_UPDATE_MAX_DOCUMENT_TOKENS: '2048',
      INNER_UPDATE_PLATEAU_PATIENCE: '0',
    },
    'appendix B, TTT_server.py',
  ),
  SEAM_EXECUTOR_MAX_TOKENS: { value: '64', source: 'TTT_server.py: answers of at most 64 tokens' },
  SEAM_EXECUTOR_ROLLOUTS: { value: '3', source: 'section 4.2: three seeds of each inner update' },
  SEAM_EXECUTOR_ROLLOUT_TEMPERATURE: { value: '0', source: 'TTT_server.py: greedy answers' },
  SEAM_TRAINER_PRESET: { value: 'seal-paper-knowledge', source: 'libs/learning/src/seal.presets.ts' },
  SEAM_TRAINER_ALGORITHM: { value: 'rest-em', source: 'section 3' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '50', source: 'section 4.2: 50 contexts a round' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '8192', source: 'as the generator' },
  SEAM_TRAINER_RESPONSE_MAX_TOKENS: { value: '64', source: 'as the executor' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'tolerance', source: 'as the next' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'train_SFT.py: each round begins with the last model' },
};

/** SQuAD with fewer tokens, and a writer that is compared before it is promoted. Values of a project's plan for experts to carry. */
const sealSquad: Readonly<Record<string, PresetValue>> = {
  ...sealPaperKnowledge,
  SEAM_GENERATOR_GROUP_SIZE: { value: '4', source: 'four edits a passage' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0.1', source: 'gains are over passages without an edit' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '1024', source: 'the longest edit' },
  SEAM_EXECUTOR_ROLLOUTS: { value: '1', source: 'a third of the trainings' },
  ...trainedOn({ EDIT_FILTERS: 'on' }, 'edits of 20 to 2,048 tokens that are no gibberish'),
  SEAM_TRAINER_PRESET: { value: 'knowledge-incorporation-squad', source: 'libs/learning/src/seal.presets.ts' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '1024', source: 'as the generator' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'better', source: 'beyond chance' },
  SEAM_TRAINER_PROMOTION_MEASURE: { value: 'share', source: 'small models seldom answer all questions of a passage' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '0', source: 'belongs to another rule' },
};

/** Self-edits in minutes on two cores, with the shipped models; for a look at the path, not at what is learned. */
const sealTest: Readonly<Record<string, PresetValue>> = {
  ...sealSquad,
  SEAM_ENTRY_SCHEMAS: { value: 'self-edit/facts', source: 'short edits' },
  SEAM_GENERATOR_GROUP_SIZE: { value: '3', source: 'a choice' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0.2', source: 'some of few passages' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '40', source: 'the shipped generator writes no prose' },
  ...trainedOn(
    {
      ENVIRONMENT: 'inner-lora-update',
      TEMPLATE: 'direct',
      // The shipped generator writes no prose: filters would leave nothing.
      EDIT_FILTERS: 'off',
      INNER_UPDATE_RANK: '8',
      INNER_UPDATE_ALPHA: '16',
      INNER_UPDATE_LEARNING_RATE: '1e-2',
      INNER_UPDATE_EPOCHS: '20',
      INNER_UPDATE_PLATEAU_PATIENCE: '0',
    },
    'test/learning/restem-flow.spec.ts: the shipped executor learns a passage so',
  ),
  SEAM_EXECUTOR_MAX_TOKENS: { value: '8', source: 'a word or two' },
  SEAM_TRAINER_PRESET: { value: 'test', source: 'libs/learning/src/seal.presets.ts' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '40', source: 'as the generator' },
  SEAM_TRAINER_RESPONSE_MAX_TOKENS: { value: '8', source: 'as the executor' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'tolerance', source: 'few validation problems decide nothing' },
  SEAM_TRAINER_PROMOTION_MEASURE: { value: 'success', source: 'as before' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'as before' },
};

/**
 * SEAL's few-shot learning as its authors run it (arXiv 2506.10943, section 4.1 and appendix A; the same repository, `few-shot/`). Their cosine
 * schedule with a warm-up of 11 steps is left out.
 */
const sealPaperArc: Readonly<Record<string, PresetValue>> = {
  SEAM_ENTRY_SCHEMAS: { value: 'tool-configuration', source: 'appendix A: a configuration as JSON' },
  SEAM_GENERATOR_GROUP_SIZE: { value: '15', source: 'section 4.1: 15 configurations a task' },
  SEAM_GENERATOR_SCOUTS: { value: '0', source: 'all configurations by the present model' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0', source: 'every task is explored' },
  SEAM_GENERATOR_SAMPLING_TEMPERATURE: { value: '0.8', source: 'few-shot: temperature 0.8' },
  SEAM_GENERATOR_SAMPLING_TOP_K: { value: '0', source: 'off' },
  SEAM_GENERATOR_SAMPLING_TOP_P: { value: '1', source: 'off' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '128', source: 'few-shot: at most 128 tokens' },
  ...trainedOn(
    {
      ENVIRONMENT: 'few-shot-lora-update',
      TEMPLATE: 'direct',
      INNER_UPDATE_RANK: '128',
      INNER_UPDATE_ALPHA: '16',
      INNER_UPDATE_TARGET_MODULES: '["q_proj","v_proj","gate_proj","down_proj","up_proj"]',
      INNER_UPDATE_MAX_DOCUMENT_TOKENS: '8192',
      INNER_UPDATE_PLATEAU_PATIENCE: '0',
      FEW_SHOT_MAX_EXAMPLES: '250',
      FEW_SHOT_VIEWS: 'symmetries',
    },
    'appendix A: rank 128, five kinds of layers, 250 examples of at most 8,192 tokens',
  ),
  SEAM_EXECUTOR_CHAT_TEMPLATE: { value: 'none', source: 'prompts and training texts are plain text' },
  SEAM_EXECUTOR_MAX_TOKENS: { value: '1000', source: 'a grid of 30 rows and columns' },
  SEAM_EXECUTOR_ROLLOUTS: { value: '1', source: 'few-shot: one sample at temperature 0' },
  SEAM_TRAINER_PRESET: { value: 'seal-paper-arc', source: 'libs/learning/src/seal.presets.ts' },
  SEAM_TRAINER_ALGORITHM: { value: 'rest-em', source: 'section 3' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '11', source: 'section 4.1: 11 tasks' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '128', source: 'as the generator' },
  SEAM_TRAINER_RESPONSE_MAX_TOKENS: { value: '1000', source: 'as the executor' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'tolerance', source: 'as the next' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'the trained model is used, regardless of what it solves' },
};

/** ARC with fewer configurations a task, and a writer that is compared before it is promoted. */
const sealArc: Readonly<Record<string, PresetValue>> = {
  ...sealPaperArc,
  SEAM_GENERATOR_GROUP_SIZE: { value: '4', source: 'four configurations a task' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0.1', source: 'gains are over tasks without a configuration' },
  SEAM_TRAINER_PRESET: { value: 'few-shot-learning-arc', source: 'libs/learning/src/seal.presets.ts' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'better', source: 'beyond chance' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '0', source: 'belongs to another rule' },
};

/** Training-Free GRPO as its authors run it (arXiv 2510.08191; github.com/TencentCloudADP/youtu-agent, branch training_free_GRPO). */
const trainingFreeGrpo: Readonly<Record<string, PresetValue>> = {
  SEAM_ENTRY_SCHEMAS: { value: 'memory-item', source: 'math/prompts.py: all experiences as lines of one text' },
  SEAM_GENERATOR_GROUP_SIZE: { value: '5', source: 'train.py: grpo_n 5' },
  SEAM_GENERATOR_SCOUTS: { value: '0', source: 'all attempts with the library' },
  SEAM_GENERATOR_SAMPLING_TEMPERATURE: { value: '0.7', source: 'train.py: rollout_temperature 0.7' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '4096', source: 'room for 46 experiences' },
  SEAM_EXECUTOR_MAX_TOKENS: { value: '16384', source: 'README: 16,384 tokens' },
  SEAM_TRAINER_METHOD: { value: 'library', source: 'no weight changes' },
  SEAM_TRAINER_ALGORITHM: { value: 'llm', source: 'section 2' },
  SEAM_TRAINER_PRESET: { value: 'training-free-grpo', source: 'libs/learning/src/library.presets.ts' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '100', source: 'README: batches of 100 problems' },
  SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: { value: '1', source: 'train.py: experiences are saved after each step' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '4096', source: 'as the generator' },
  SEAM_TRAINER_RESPONSE_MAX_TOKENS: { value: '16384', source: 'as the executor' },
};

/** The same with the values of a project's plan for a gym: batches of 64, three operations, and a library that is compared. */
const gym: Readonly<Record<string, PresetValue>> = {
  ...trainingFreeGrpo,
  SEAM_TRAINER_PRESET: { value: 'gym', source: 'libs/learning/src/library.presets.ts' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '64', source: 'batches of 64 problems' },
};

/** DAPO as its authors run it (arXiv 2503.14476, section 4.1). */
const dapo: Readonly<Record<string, PresetValue>> = {
  SEAM_GENERATOR_GROUP_SIZE: { value: '16', source: 'section 4.1: 16 responses a prompt' },
  SEAM_GENERATOR_SCOUTS: { value: '0', source: 'all candidates by the policy' },
  SEAM_GENERATOR_CONTROL_SHARE: { value: '0', source: 'every problem is explored' },
  SEAM_GENERATOR_SAMPLING_TEMPERATURE: { value: '1', source: 'section 4.1' },
  SEAM_GENERATOR_SAMPLING_TOP_K: { value: '0', source: 'off' },
  SEAM_GENERATOR_SAMPLING_TOP_P: { value: '1', source: 'section 4.1' },
  SEAM_GENERATOR_SAMPLING_MAX_TOKENS: { value: '20480', source: 'section 4.1: 16,384 and a buffer of 4,096' },
  SEAM_TRAINER_PRESET: { value: 'dapo', source: 'libs/learning/src/dapo.preset.ts' },
  SEAM_TRAINER_ALGORITHM: { value: 'grpo', source: 'section 3' },
  SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: { value: '512', source: 'section 4.1: 512 prompts a rollout' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '20480', source: 'as the generator' },
  SEAM_TRAINER_PROMOTION_RULE: { value: 'tolerance', source: 'as the next' },
  SEAM_TRAINER_PROMOTION_TOLERANCE: { value: '1', source: 'the policy is kept regardless of its validation' },
};

/** Sequential agent tuning as its authors release it (arXiv 2605.05216); SEAM_TRAINER_TEAM names the team's file. */
const satSeq: Readonly<Record<string, PresetValue>> = {
  SEAM_TRAINER_METHOD: { value: 'team', source: 'agents are tuned and promoted together' },
  SEAM_TRAINER_ALGORITHM: { value: 'sat-seq', source: 'README: sequential updates' },
  SEAM_TRAINER_PRESET: { value: 'sat-seq', source: 'libs/learning/src/sat-seq.preset.ts' },
  SEAM_TRAINER_ENTRY_MAX_TOKENS: { value: '2048', source: 'as the turns of a stage' },
};

/** By the name that SEAM_PRESET says. */
export const servicePresets: ReadonlyMap<string, Readonly<Record<string, PresetValue>>> = new Map([
  ['seam-paper', seamPaper],
  ['seal-paper-knowledge', sealPaperKnowledge],
  ['knowledge-incorporation-squad', sealSquad],
  ['seal-paper-arc', sealPaperArc],
  ['few-shot-learning-arc', sealArc],
  ['test', sealTest],
  ['training-free-grpo', trainingFreeGrpo],
  ['gym', gym],
  ['dapo', dapo],
  ['sat-seq', satSeq],
]);
