/**
 * What self-edits are worth (SEAL, arXiv 2506.10943, section 4): the same questions, asked without their passage, of the frozen model and
 * after short trainings on the passage alone, on as many tokens of it as an edit has, and on edits of several writers. Every arm has the same
 * passages, seeds, prompts and decoding, so that differences are paired over passages.
 */
import {
  type Adaptation,
  passageAnswers,
  passageScores,
  type TextScore,
  type TrainableExecutor,
} from '@seamstream/environments';
import type { JudgeTally, Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import type { InnerUpdateSettings } from '@seamstream/inner-update';
import { canonicalJson, compareText, Random, SeamError, sha256 } from '@seamstream/kernel';
import { type JudgedBy, judge, tallyJudges } from '@seamstream/rollout';
import { selfEditKind, trainingDocuments } from '@seamstream/self-edits';
import { bootstrapMean, boundedMean, type Estimate, histogramOf, mean } from '@seamstream/statistics';
import { type AskedPassage, askedPassage, goldAnswers } from '@seamstream/tasks';
import type { Verifiers } from '@seamstream/verifiers';

/** The arms that need no writer. */
const EDIT_CONTROLS = ['nothing', 'passage', 'sameTokens'] as const;
/** The arms of a study, in the order in which each should do no worse than the one before it. */
export const EDIT_ARMS = [...EDIT_CONTROLS, 'before', 'after', 'endpoint'] as const;
export type EditArm = (typeof EDIT_ARMS)[number];

/** As tables and pages name them. */
export const EDIT_ARM_NAMES: Readonly<Record<EditArm, string>> = {
  nothing: 'no training',
  passage: 'passage alone',
  sameTokens: 'passage, as many tokens',
  before: 'edits before training',
  after: 'edits after training',
  endpoint: "an endpoint's edits",
};

/** The arms of a writer. */
export type WriterArm = Exclude<EditArm, (typeof EDIT_CONTROLS)[number]>;

/**
 * Of a passage and a seed, by writer: the edit's documents with the passage as the last; null where none could be written, and the passage
 * alone is trained on.
 */
export type WrittenEdits = Readonly<Partial<Record<WriterArm, readonly string[] | null>>>;

export interface SelfEditsStudySettings {
  readonly executor: TrainableExecutor;
  readonly prompts: Prompts;
  readonly innerUpdate: InnerUpdateSettings;
  /** Each is a separate training for every passage and arm. */
  readonly seeds: readonly string[];
  readonly arms: readonly EditArm[];
  /** The edits of a passage that the writers' arms train on. */
  edits(problem: Problem, seed: string): WrittenEdits | Promise<WrittenEdits>;
  readonly verifiers?: Verifiers;
  readonly signal?: AbortSignal | undefined;
  /** A trial that an earlier call finished; see {@link EditTrial.key}. */
  known?(key: string): EditTrial | undefined;
  onTrial?(trial: EditTrial, done: number, total: number): void | Promise<void>;
}

/** One passage in one arm under one seed. */
export interface EditTrial {
  /** SHA-256 of all that decides its result: equal keys have equal results. */
  readonly key: string;
  readonly arm: EditArm;
  readonly problemId: string;
  readonly seed: string;
  /** Share of the questions that are right. */
  readonly accuracy: number;
  /** SQuAD's F1, where answers are words. */
  readonly f1: number | null;
  /** The model whose opinion the accuracy is; null where none was asked. */
  readonly judge: JudgedBy;
  /** Mean ln p of a gold answer's token, over all gold answers' tokens; null where the executor returns no probabilities. */
  readonly logLikelihood: number | null;
  /** Why nothing could be trained, a fault of the edit: there are no answers, and it earns nothing. */
  readonly refused: string | null;
  /** No edit could be written. */
  readonly unaugmented: boolean;
  readonly documents: number;
  readonly seconds: number;
}

export interface EditArmResult {
  readonly trials: number;
  readonly accuracy: Estimate;
  /** Passages by the share of their questions that is right, in ten bins; of several seeds the mean. */
  readonly histogram: readonly number[];
  readonly f1: Estimate | null;
  readonly logLikelihood: Estimate | null;
  /** Models whose opinions the trials' accuracies are; several revisions of one: its server changed it meanwhile. */
  readonly judges: readonly JudgeTally[];
  /** Shares of the trials. */
  readonly refused: number;
  readonly unaugmented: number;
  /** Mean seconds of a trial: training and answering. */
  readonly seconds: number;
}

/** Of `one` less `other`, paired over passages; a passage counts with the mean over its seeds. */
export interface EditDifference {
  readonly one: EditArm;
  readonly other: EditArm;
  readonly accuracy: Estimate;
  readonly f1: Estimate | null;
  readonly logLikelihood: Estimate | null;
}

export interface SelfEditsStudy {
  readonly passages: number;
  readonly questions: number;
  readonly seeds: number;
  readonly arms: Readonly<Partial<Record<EditArm, EditArmResult>>>;
  readonly differences: readonly EditDifference[];
  /** The same of each domain's passages, by name: what a writer that was trained on one domain does for others. */
  readonly domains: readonly DomainStudy[];
}

/** What the trials on one domain's passages come to. */
interface DomainStudy extends Omit<SelfEditsStudy, 'seeds' | 'domains'> {
  readonly domain: string;
}

/** A passage as a trial takes it. */
interface StudiedPassage {
  readonly problem: Problem;
  readonly asked: AskedPassage;
  /** Of each question the first gold answer. */
  readonly golds: readonly string[];
}

/**
 * Measures every arm on every passage.
 * @throws INVALID_INPUT for problems that are no passages, or of which there are none; ABORTED at the signal; SESSION_FAILED for an answer that
 * could not be had
 */
export async function studySelfEdits(
  problems: readonly Problem[],
  settings: SelfEditsStudySettings,
): Promise<SelfEditsStudy> {
  const passages = problems.map(studiedPassage);
  if (passages.length === 0)
    throw new SeamError('INVALID_INPUT', 'Cannot study self-edits: expected passages with questions, got none.');
  const arms = EDIT_ARMS.filter((arm) => settings.arms.includes(arm));
  const trials: EditTrial[] = [];
  const total = passages.length * settings.seeds.length * arms.length;
  for (const passage of passages) {
    for (const seed of settings.seeds) {
      const written =
        arms.some(isWritten) || arms.includes('sameTokens') ? await settings.edits(passage.problem, seed) : {};
      for (const arm of arms) {
        if (settings.signal?.aborted)
          throw new SeamError(
            'ABORTED',
            `Cannot finish the study: it was stopped after ${trials.length} of ${total} trials.`,
          );
        const documents = documentsOf(arm, passage, written, settings);
        const unaugmented = isWritten(arm) && (written[arm] ?? null) === null;
        const key = keyOf(arm, passage, documents, seed, settings);
        const trial =
          settings.known?.(key) ?? (await tryEdit({ key, arm, seed, passage, documents, unaugmented }, settings));
        trials.push(trial);
        await settings.onTrial?.(trial, trials.length, total);
      }
    }
  }
  return {
    ...{ passages: passages.length, questions: questionsIn(passages), seeds: settings.seeds.length },
    ...studyOf(trials),
    domains: domainsOf(passages, trials),
  };
}

const questionsIn = (passages: readonly StudiedPassage[]): number =>
  passages.reduce((sum, { golds }) => sum + golds.length, 0);

function domainsOf(passages: readonly StudiedPassage[], trials: readonly EditTrial[]): readonly DomainStudy[] {
  const byDomain = [...Map.groupBy(passages, ({ problem }) => problem.domain)].sort(([a], [b]) => compareText(a, b));
  return byDomain.map(([domain, own]) => {
    const ids = new Set(own.map(({ problem }) => problem.problemId));
    const theirs = trials.filter(({ problemId }) => ids.has(problemId));
    return { domain, passages: own.length, questions: questionsIn(own), ...studyOf(theirs) };
  });
}

/** What trials come to, arm by arm, and their paired differences. Pure: the order of the trials changes nothing. */
export function studyOf(trials: readonly EditTrial[]): Pick<SelfEditsStudy, 'arms' | 'differences'> {
  const byArm = Map.groupBy(trials, ({ arm }) => arm);
  const arms = EDIT_ARMS.filter((arm) => byArm.has(arm));
  return {
    arms: Object.fromEntries(arms.map((arm) => [arm, armResult(byArm.get(arm)!)])),
    differences: arms.flatMap((one, at) =>
      arms.slice(0, at).map((other) => differenceOf(one, other, byArm.get(one)!, byArm.get(other)!)),
    ),
  };
}

function studiedPassage(problem: Problem): StudiedPassage {
  const asked = askedPassage(problem.prompt);
  const golds = asked === undefined ? undefined : goldAnswers(problem.reference);
  if (asked === undefined || golds?.length !== asked.questions.length)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot study self-edits on problem ${problem.problemId}: expected a passage with questions and their answers, got another problem. Give passages as {"passage", "questions"}.`,
    );
  return { problem, asked, golds };
}

function isWritten(arm: EditArm): arm is WriterArm {
  return !(EDIT_CONTROLS as readonly string[]).includes(arm);
}

/** What is trained on; null: the frozen model answers. */
function documentsOf(
  arm: EditArm,
  { asked }: StudiedPassage,
  written: WrittenEdits,
  { executor }: SelfEditsStudySettings,
): readonly string[] | null {
  if (arm === 'nothing') return null;
  const [alone] = trainingDocuments(selfEditKind('passage'), '', asked) as [string];
  if (arm === 'passage') return [alone];
  if (isWritten(arm)) return written[arm] ?? [alone];
  // As many tokens as the edit of the trained writer has, or of the first writer there is.
  const edit = (written.after ?? written.before ?? written.endpoint ?? [alone]).slice(0, -1);
  const tokens = edit.reduce((sum, document) => sum + executor.countTokens(document), 0);
  const copies = tokens === 0 ? 0 : Math.max(1, Math.round(tokens / Math.max(1, executor.countTokens(alone))));
  return Array.from({ length: 1 + copies }, () => alone);
}

function keyOf(
  arm: EditArm,
  { problem }: StudiedPassage,
  documents: readonly string[] | null,
  seed: string,
  { executor, prompts, innerUpdate }: SelfEditsStudySettings,
): string {
  const { prompt, reference, verifier } = problem;
  return sha256(
    canonicalJson([
      ...['self-edits study 1', arm, prompt, reference, verifier, documents === null ? null : [...documents], seed],
      ...[{ ...executor.identity }, prompts.executorTemplate, { ...innerUpdate }],
    ]),
  );
}

type Refused = Extract<Adaptation, { status: 'refused' }>;

async function tryEdit(
  {
    key,
    arm,
    seed,
    passage: { problem, asked, golds },
    documents,
    unaugmented,
  }: {
    readonly key: string;
    readonly arm: EditArm;
    readonly seed: string;
    readonly passage: StudiedPassage;
    readonly documents: readonly string[] | null;
    readonly unaugmented: boolean;
  },
  { executor, prompts, innerUpdate, verifiers, signal }: SelfEditsStudySettings,
): Promise<EditTrial> {
  const startedMs = performance.now();
  const { controlTokens } = executor;
  const adaptation: Pick<Extract<Adaptation, { status: 'adapted' }>, 'status' | 'model'> | Refused =
    documents === null
      ? { status: 'adapted', model: executor }
      : await executor.adapt({ documents, settings: innerUpdate, seed }, { signal });
  const trial = {
    ...{ key, arm, problemId: problem.problemId, seed, unaugmented },
    documents: documents?.length ?? 0,
  };
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  if (adaptation.status === 'refused')
    return {
      ...trial,
      accuracy: 0,
      f1: 0,
      judge: null,
      logLikelihood: null,
      refused: adaptation.reason,
      seconds: seconds(),
    };
  const { model } = adaptation;
  const answer = await passageAnswers(model, asked.questions, { prompts, controlTokens, drawing: null, seed, signal });
  if (answer.status === 'failed')
    throw new SeamError(
      'SESSION_FAILED',
      `Cannot study self-edits: problem ${problem.problemId} could not be answered (${answer.code}: ${answer.reason}).`,
    );
  const { reward, figures, judgedBy = null } = await judge(problem, answer, verifiers);
  const scores =
    model.score === undefined
      ? undefined
      : await passageScores(model, asked.questions, golds, { prompts, controlTokens });
  return {
    ...trial,
    accuracy: reward,
    f1: figures?.f1 ?? null,
    judge: judgedBy,
    logLikelihood: scores === undefined ? null : perToken(scores),
    refused: null,
    seconds: seconds(),
  };
}

function perToken(scores: readonly TextScore[]): number {
  const total = (of: (score: TextScore) => number): number => scores.reduce((sum, score) => sum + of(score), 0);
  return total(({ logLikelihood }) => logLikelihood) / total(({ tokens }) => tokens);
}

type Measure = 'accuracy' | 'f1' | 'logLikelihood';

/** The mean over a passage's seeds, by passage; passages without a figure are left out. */
function byPassage(trials: readonly EditTrial[], measure: Measure): ReadonlyMap<string, number> {
  const means = [...Map.groupBy(trials, ({ problemId }) => problemId)].flatMap(([problemId, own]) => {
    const values = own.map((trial) => trial[measure]).filter((value) => value !== null);
    return values.length === 0 ? [] : [[problemId, mean(values)] as const];
  });
  return new Map(means.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function armResult(trials: readonly EditTrial[]): EditArmResult {
  const estimate = (measure: Measure): Estimate | null =>
    estimateOf([...byPassage(trials, measure).values()], measure, [0, 1]);
  const share = (of: (trial: EditTrial) => boolean): number => trials.filter(of).length / trials.length;
  return {
    trials: trials.length,
    accuracy: estimate('accuracy')!,
    histogram: histogramOf([...byPassage(trials, 'accuracy').values()]),
    f1: estimate('f1'),
    logLikelihood: estimate('logLikelihood'),
    judges: tallyJudges(trials.map(({ judge: judgedBy }) => judgedBy)),
    refused: share(({ refused }) => refused !== null),
    unaugmented: share(({ unaugmented }) => unaugmented),
    seconds: mean(trials.map(({ seconds }) => seconds)),
  };
}

function differenceOf(
  one: EditArm,
  other: EditArm,
  own: readonly EditTrial[],
  others: readonly EditTrial[],
): EditDifference {
  const estimate = (measure: Measure): Estimate | null => {
    const theirs = byPassage(others, measure);
    const differences = [...byPassage(own, measure)].flatMap(([problemId, value]) => {
      const their = theirs.get(problemId);
      return their === undefined ? [] : [value - their];
    });
    return estimateOf(differences, measure, [-1, 1]);
  };
  return { one, other, accuracy: estimate('accuracy')!, f1: estimate('f1'), logLikelihood: estimate('logLikelihood') };
}

/** Shares have bounds; likelihoods have none, and are resampled. */
function estimateOf(values: readonly number[], measure: Measure, bounds: readonly [number, number]): Estimate | null {
  return measure === 'logLikelihood'
    ? bootstrapMean(values, Random.of('self-edits study', measure))
    : boundedMean(values, bounds);
}
