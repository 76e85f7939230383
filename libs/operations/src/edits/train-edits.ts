/**
 * One training on the edits of many passages, whose weights are kept: a folder that an executor is given (SEAM_EXECUTOR_ADAPTER_FOLDER).
 *
 *   lines ─► documents by passage ─► questions before ─► training ─► questions after ─► PEFT's files, and last their record
 */
import { join } from 'node:path';
import { answerLine } from '@seamstream/environments';
import {
  differences,
  learnPassages,
  type PassageLearning,
  type PassageQuestion,
  type PassagesLearned,
  scoresByPassage,
} from '@seamstream/evaluation';
import {
  encodeLearned,
  type InnerUpdateSettings,
  innerUpdateSchema,
  LEARNED_FILE,
  type LearnedRecord,
} from '@seamstream/inner-update';
import { canonicalJson, plural, SeamError, sha256 } from '@seamstream/kernel';
import { mean } from '@seamstream/statistics';
import type { OutputOptions } from '../evaluate/asking-world.js';
import { gradedPassages, type PassagesDoor } from '../evaluate/learned-passages.js';
import type { LearnerModel } from '../evaluate/study-retention.js';
import { type InputDoor, openDataset } from '../publish/dataset-file.js';
import { augmentedLines } from './augmented-line.js';

export interface TrainEditsRequest {
  /** The folder of the weights. */
  readonly to: string;
  /** Whether the passages themselves are learned. */
  readonly withPassages: boolean;
  readonly order: PassageLearning['order'];
  readonly seed: string;
  /** What differs from the executor's configured training. */
  readonly settings: Partial<Pick<InnerUpdateSettings, 'learningRate' | 'rank' | 'epochs' | 'batchTokens'>>;
  /** The passages with their questions, which are asked before and after; absent: nothing is asked. */
  readonly questions?: string | undefined;
  /** The form of that file; by its first row when absent. */
  readonly dataset?: string | undefined;
  readonly measure: 'exactMatch' | 'f1';
  readonly force?: true | undefined;
}

export interface TrainEditsWorld extends PassagesDoor {
  readonly signal: AbortSignal;
  openLearner(): Promise<LearnerModel>;
  makeFolder(path: string): Promise<void>;
  checkOutput(path: string, options?: OutputOptions): Promise<void>;
  writeOutput(path: string, body: Uint8Array, options?: OutputOptions): Promise<void>;
}

/**
 * @throws INVALID_INPUT for lines of another form, for none to learn from, and for questions about other passages; INVALID_CONFIGURATION for
 * an executor that cannot be trained; CONFLICT for a folder with weights; ABORTED, which leaves no weights
 */
export async function trainEdits(
  world: TrainEditsWorld,
  path: string,
  request: TrainEditsRequest,
  onProgress: (stage: string, done: number, total: number, note?: string) => void,
): Promise<LearnedRecord> {
  const { to, withPassages, order, seed, force: replace } = request;
  const edits = await learnedEdits(world, path, withPassages);
  const asked = request.questions === undefined ? null : await questionsFor(world, request.questions, edits, request);
  await world.makeFolder(to);
  for (const file of Object.values(LEARNED_FILE)) await world.checkOutput(join(to, file), { replace });
  const learner = await world.openLearner();
  const { executor, weights } = learner;
  if (weights === undefined) throw notTrainable(executor.identity.model);
  const settings = settingsOf(learner.update, request.settings);
  const exam = asked === null ? null : new Exam(learner, asked, request.measure, world.signal);
  const before = await exam?.scores(executor, (done, total) => onProgress('asking before', done, total));
  const documents = edits.passages.map((passage) => passage.documents);
  const learned = await learnPassages(executor, documents, {
    ...{ order, seed, settings, signal: world.signal },
    onStep: (at, of, { done, planned, loss }) =>
      onProgress(of === 1 ? 'training' : `training ${at + 1} of ${of}`, done, planned, `loss ${loss.toFixed(3)}`),
  });
  const { adapter } = learned;
  if (adapter === null) throw nothingLearned(path, learned.refused[0] ?? 'it holds no document');
  const after = await exam?.scores(learned.model, (done, total) => onProgress('asking after', done, total));
  const { record, files } = encodeLearned(
    {
      adapterDigest: adapter.digest,
      baseModelDigest: adapter.baseModelDigest,
      parent: weights.parent,
      edits: edits.facts,
      documentsDigest: sha256(canonicalJson(documents)),
      ...{ withPassages, order, seed, settings: { ...settings } },
      training: trainingFacts(learned),
      measured: exam === null ? null : exam.measured(before!, after!),
    },
    weights.encode(adapter),
  );
  // The record is last: a folder without it, or with that of other weights, is refused by who loads it.
  for (const part of ['tensors', 'config', 'record'] as const)
    await world.writeOutput(join(to, LEARNED_FILE[part]), files[part], { replace });
  return record;
}

/** The scale of the pairs stays as it is configured. As many steps as the edits take: the limit is for a single one. */
function settingsOf(configured: InnerUpdateSettings, asked: TrainEditsRequest['settings']): InnerUpdateSettings {
  const { rank = configured.rank } = asked;
  // Not where the rank is the same: 30 / 11 * 11 is not 30 in floating point, and weights that training begins with have the scale.
  const alpha = rank === configured.rank ? configured.alpha : (configured.alpha / configured.rank) * rank;
  return innerUpdateSchema.parse({ ...configured, ...asked, alpha, maxSteps: Number.MAX_SAFE_INTEGER });
}

function trainingFacts({ trainings, refused, losses, tokens }: PassagesLearned): LearnedRecord['training'] {
  return {
    ...{ trainings, refused: refused.length, steps: losses.length, tokens },
    ...{ firstLoss: losses[0]!, lastLoss: losses.at(-1)! },
  };
}

interface LearnedEdits {
  readonly passages: readonly {
    readonly row: number;
    readonly passage: string;
    readonly documents: readonly string[];
  }[];
  readonly facts: LearnedRecord['edits'];
}

/** What lines teach, by passage in the order of its first line. A refused edit teaches nothing. */
async function learnedEdits(door: InputDoor, path: string, withPassages: boolean): Promise<LearnedEdits> {
  const { bytes, digest } = await openDataset(door, path);
  const byRow = new Map<number, { passage: string; documents: string[] }>();
  let edits = 0;
  for await (const { row, number, passage, edit, refused, documents } of augmentedLines(bytes, path)) {
    const own = byRow.get(row) ?? { passage, documents: [] };
    byRow.set(row, own);
    // The passage is the last document of its first line.
    own.documents.push(...(number === 0 && !withPassages ? documents.slice(0, -1) : documents));
    if (edit !== null && refused === null) edits++;
  }
  const passages = [...byRow].flatMap(([row, each]) => (each.documents.length === 0 ? [] : [{ row, ...each }]));
  const documents = passages.reduce((sum, each) => sum + each.documents.length, 0);
  if (documents === 0) throw nothingLearned(path, withPassages ? 'it holds no document' : 'it holds no edit');
  return { passages, facts: { sha256: digest, passages: passages.length, edits, documents } };
}

interface AskedPassages {
  readonly sha256: string;
  /** By passage that is learned and has answered questions. */
  readonly questions: readonly (readonly { readonly question: string; readonly golds: readonly string[] }[])[];
}

/** @throws INVALID_INPUT for a row that is another passage, for a faulty one, and without any question */
async function questionsFor(
  door: PassagesDoor,
  path: string,
  { passages }: LearnedEdits,
  { dataset }: Pick<TrainEditsRequest, 'dataset'>,
): Promise<AskedPassages> {
  const file = await gradedPassages(door, path, dataset);
  const learned = new Map(passages.map(({ row, passage }) => [row, passage]));
  const questions: AskedPassages['questions'][number][] = [];
  for await (const { row, task } of file.read()) {
    const passage = learned.get(row);
    if (passage === undefined) continue;
    if (passage !== task.passage)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot ask about row ${row} of ${path}: expected the passage that the edits of row ${row} were written of, got another one. Name the file that they were written of.`,
        { details: { file: path, row } },
      );
    questions.push(
      task.questions.map(({ question, reference, alternatives }) => ({
        question,
        golds: [reference!, ...alternatives],
      })),
    );
  }
  if (file.faultyRows > 0)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot ask about ${path}: expected the file that the edits were written of, got one with ${plural(file.faultyRows, 'faulty row')}, which seam edits generate refuses. Name the file that they were written of.`,
      { details: { file: path } },
    );
  if (questions.length > 0) return { sha256: file.digest, questions };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot ask about ${path}: expected answered questions about the passages of the edits, got none. Name the file that they were written of, and its form (--dataset).`,
  );
}

/** The same questions, whenever it is asked. */
class Exam {
  private readonly questions: readonly (readonly PassageQuestion[])[];

  constructor(
    { executor, prompts }: LearnerModel,
    private readonly asked: AskedPassages,
    private readonly measure: TrainEditsRequest['measure'],
    private readonly signal: AbortSignal,
  ) {
    this.judged = (response) => answerLine(prompts.judged(response));
    this.questions = asked.questions.map((own) =>
      own.map(({ question, golds }) => ({ prompt: prompts.executor(question, null, executor.controlTokens), golds })),
    );
  }

  private readonly judged: (response: string) => string;

  /** By passage. */
  async scores(
    model: Parameters<typeof scoresByPassage>[0],
    onAnswered: (answered: number, total: number) => void,
  ): Promise<readonly number[]> {
    const { questions, measure, signal, judged: answerOf } = this;
    const scoring = { measure, signal, answerOf, onAnswered };
    const scores = await scoresByPassage(model, questions, [...questions.keys()], scoring);
    return [...scores.values()];
  }

  measured(before: readonly number[], after: readonly number[]): LearnedRecord['measured'] {
    const { value, interval95 } = differences(after, before)!;
    return {
      ...{ sha256: this.asked.sha256, measure: this.measure, passages: before.length },
      questions: this.questions.reduce((sum, own) => sum + own.length, 0),
      ...{ before: mean(before), after: mean(after), gain: { value, interval95: [interval95[0], interval95[1]] } },
    };
  }
}

function nothingLearned(path: string, got: string): SeamError {
  return new SeamError(
    'INVALID_INPUT',
    `Cannot train on ${path}: expected at least one document with something to learn, got none: ${got}. Write edits with seam edits generate.`,
  );
}

function notTrainable(model: string): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot train on edits: expected an executor whose weights can be trained, got ${model} at an endpoint. Set SEAM_EXECUTOR_DRIVER to checkpoint.`,
  );
}
