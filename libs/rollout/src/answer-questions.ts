/**
 * Answers to questions, as a deployed system gives them: the adapter writes one entry, and the executor answers once with it. A verifier judges
 * the answers to questions that have a reference. Nothing is recorded.
 */

import {
  answerOnce,
  type Environment,
  type ExecutorResponse,
  type ProblemStatement,
  statementOf,
} from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { derivedId, isSeamError, SeamError } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import { finalAnswer, type Verifiers } from '@seamstream/verifiers';
import { generateExperiences } from './explore.js';
import type { GeneratorModel } from './generator-model.port.js';
import { judge } from './judge.js';
import type { Served } from './served.js';
import type { Unjudged } from './unjudged.js';

export interface Question extends ProblemStatement {
  /** Null without a reference. */
  readonly judgedBy: Pick<Problem, 'verifier' | 'reference'> | null;
}

export interface AnsweringSettings {
  readonly generator: GeneratorModel;
  readonly environment: Environment;
  /** Null: the bare base model. */
  readonly adapter: Served | null;
  /** Without entries the executor is asked alone. */
  readonly withEntries: boolean;
  readonly prompts: Prompts;
  readonly verifiers?: Verifiers;
  readonly schemaFor: (domain: string) => JsonSchema;
  /** Most tokens of an entry. */
  readonly maxEntryTokens: number;
  /** Of the entries; 0 is greedy. Answers are always greedy. */
  readonly temperature: number;
  /** Decides what is drawn, with the question's id. */
  readonly seed: string;
  /** Questions that are asked together; answers do not depend on it. */
  readonly batchSize: number;
  readonly signal?: AbortSignal;
}

export interface AnsweredQuestion {
  /** JSON text; null where none was asked for, or none could be written. */
  readonly entry: string | null;
  /** The executor's whole answer; null where it could not be asked. */
  readonly response: string | null;
  /** What the response states as its answer; null where it states none. */
  readonly answer: string | null;
  /** Null without a reference, or without a response. */
  readonly verdict: { readonly success: boolean; readonly detail: string } | null;
  /** Why there is no response, or no verdict on it. */
  readonly failure: Unjudged | null;
}

/**
 * Answers in batches, in the order of the questions. A question that cannot be asked (too long for a model, no answer from an endpoint)
 * fails alone.
 * @throws what a model throws; an executor's reason where nothing else would be answered either
 */
export async function* answerQuestions(
  questions: readonly Question[],
  settings: AnsweringSettings,
): AsyncGenerator<readonly AnsweredQuestion[]> {
  for (let at = 0; at < questions.length; at += settings.batchSize) {
    settings.signal?.throwIfAborted();
    yield answerBatch(questions.slice(at, at + settings.batchSize), settings);
  }
}

async function answerBatch(
  questions: readonly Question[],
  settings: AnsweringSettings,
): Promise<readonly AnsweredQuestion[]> {
  const { environment, seed, signal } = settings;
  const entries = settings.withEntries ? await entriesFor(questions, settings) : questions.map(() => null);
  const askable = [...questions.keys()].filter((i) => !isUnjudged(entries[i]!));
  const answers = await answerOnce(
    environment,
    askable.map((i) => ({
      problem: questions[i]!,
      entry: entries[i] as string | null,
      seed: derivedId(questions[i]!.problemId, `attempt:${seed}`),
    })),
    { signal },
  );
  const answered = questions.map((_, i): AnsweredQuestion => {
    const entry = entries[i]!;
    return { entry: null, response: null, answer: null, verdict: null, failure: isUnjudged(entry) ? entry : null };
  });
  await Promise.all(
    answers.map(async (answer, place) => {
      const i = askable[place]!;
      const entry = entries[i] as string | null;
      if (answer.status === 'answered')
        answered[i] = { entry, ...(await judgedAnswer(questions[i]!, answer, settings)) };
      else if (answer.halts === true) throw new SeamError(answer.code, `Cannot answer: ${answer.reason}`);
      else answered[i] = { ...answered[i]!, entry, failure: answer };
    }),
  );
  return answered;
}

async function judgedAnswer(
  { judgedBy }: Question,
  response: ExecutorResponse,
  { verifiers }: AnsweringSettings,
): Promise<Omit<AnsweredQuestion, 'entry'>> {
  const { text, judged = text } = response;
  const unjudged = { response: text, answer: finalAnswer(judged), verdict: null, failure: null };
  if (judgedBy === null) return unjudged;
  try {
    const { success, detail, extractedAnswer } = await judge(judgedBy, response, verifiers);
    return { response: text, answer: extractedAnswer, verdict: { success, detail }, failure: null };
  } catch (error) {
    // The answer is there, even where its judge fails.
    if (!isSeamError(error)) throw error;
    return { ...unjudged, failure: { code: error.code, reason: error.message } };
  }
}

async function entriesFor(
  questions: readonly Question[],
  { generator, adapter, prompts, schemaFor, maxEntryTokens, temperature, seed, signal }: AnsweringSettings,
): Promise<readonly (string | Unjudged)[]> {
  const explorations = await generateExperiences(
    // A generator knows nothing of what is right.
    questions.map((question) => ({
      eventId: derivedId(question.problemId, `answer:${seed}`),
      problem: statementOf(question),
    })),
    {
      model: generator,
      adapter,
      prompts,
      groupSize: 1,
      sampling: { temperature, topK: 0, topP: 1, maxTokens: maxEntryTokens },
      schemaFor,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  return explorations.map((exploration) =>
    exploration.status === 'explored' ? exploration.candidates[0]!.entry : exploration,
  );
}

function isUnjudged(entry: string | Unjudged | null): entry is Unjudged {
  return typeof entry === 'object' && entry !== null;
}
