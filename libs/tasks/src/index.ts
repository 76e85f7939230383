export {
  type AskedFewShot,
  askedFewShot,
  FEW_SHOT_END,
  fewShotAnswer,
  fewShotContent,
  fewShotOf,
  fewShotPrompt,
  readFewShotAnswer,
} from './few-shot.task.js';
export {
  type AskedPassage,
  askedPassage,
  goldAnswers,
  passageContent,
  passageOf,
  passagePrompt,
  passageReference,
} from './passage.task.js';
export { MOST_PROMPT_CHARACTERS } from './prompt-limit.js';
export {
  type FewShotTask,
  type PassageQuestion,
  type PassageTask,
  type Task,
  type TaskContent,
  type TurnsTask,
  taskDigest,
} from './task.types.js';
export { turnsContent, turnsFault, turnsOf, turnsPrompt } from './turns.task.js';
