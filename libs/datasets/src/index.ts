export { ANSWER_FORMS, type AnswerForm, answerForm } from './answer-form.js';
export { ARC_FORM } from './arc.form.js';
export { columnsForm, parseColumnMapping } from './columns.form.js';
export type { DatasetForm, DatasetProblem, RowFault, StatedVerifier, UngradedProblem } from './dataset.types.js';
export { detectedForm } from './detected-form.js';
export { type Duplicate, QuestionIndex } from './duplicates.js';
export { bytesInMemory, type FileBytes, fileDigest } from './file-bytes.js';
export { isJsonDocument } from './json-document.js';
export { isParquet } from './parquet-rows.js';
export { normalisedQuestion } from './question.js';
export {
  PREFERENCE_EXAMPLE,
  type PreferencePair,
  type PreferenceReading,
  readPreferences,
} from './read-preferences.js';
export { type ReadingSettings, type RowReading, readProblems } from './read-problems.js';
export { type DatasetQuestion, type QuestionSettings, readQuestions } from './read-questions.js';
export { datasetForms } from './registry.js';
export { rowsOf } from './rows.js';
export { DOMAIN_NAME } from './seam.form.js';
export { parseFractions, SPLITS, type Split, type SplitRule, splitOf } from './split.js';
export { unpublishedProblem } from './unpublished-problem.js';
