export { type AnsweredQuestion, answerQuestions, type Question } from './answer-questions.js';
export {
  candidateSeed,
  type ExperienceCandidate,
  type Exploration,
  type ExplorationProgress,
  type ExplorationRequest,
  type ExplorationSettings,
  generateExperiences,
} from './explore.js';
export { exploreEdits, UNWRITTEN_CODES, type WritingLimits } from './explore-edits.js';
export { fittingPrompt } from './fitting-prompt.js';
export { encodePrompt, type GeneratorModel } from './generator-model.port.js';
export { type Judgement, judge, judgeAll } from './judge.js';
export { addedTallies, areOfOneJudge, isSameJudge, type JudgedBy, tallyJudges } from './judges.js';
export { REWARD_KINDS, type RewardChoice, rewardShape } from './rewards/reward.config.js';
export type { Measurement } from './rewards/reward.types.js';
export { ConfiguredReward, configuredReward, examinationOf, measurementOf } from './rewards/rewards.js';
export { decodeServed, isLibrary, isTeamKey, type Served, TEAM_FOLDER, weightsOf } from './served.js';
export type { Unjudged } from './unjudged.js';
export { groupUnjudged, type UnjudgedGroup } from './unjudged.js';
