/** Answers to questions by the chosen adapter and the executor, returned as they arrive. Nothing is recorded. */
import { type AnsweredQuestion, answerQuestions, type Question } from '@seamstream/rollout';
import { loadAdapter } from '../adapters/find-adapter.js';
import type { AskingWorld, Models } from '../evaluate/asking-world.js';
import { openedFor } from '../evaluate/judging.js';
import type { ReadingOptions } from '../read-models/kept-log.js';
import {
  type AnswerFacts,
  type AnswerLine,
  answerLine,
  counted,
  heldAnswers,
  NO_ANSWERS,
  type Tally,
  workName,
} from './answer-lines.js';
import { chosenQuestions, type QuestionOptions } from './questions.js';

export interface SolveRequest extends QuestionOptions {
  /** `base`, `served`, or the first digits of a digest. */
  readonly adapter: string;
  /** False: the executor is asked alone. */
  readonly entry: boolean;
  /** Of the entries; 0 takes the most probable. */
  readonly temperature: number;
  readonly seed: string;
  /** A file that answers go into as they are known; the same request continues where it stopped. */
  readonly out?: string;
  readonly force?: true;
}

/** A question with what was said about it. */
export interface SolvedQuestion {
  readonly question: Question;
  readonly answer: AnsweredQuestion;
  readonly line: AnswerLine;
}

/** Questions that can be answered: models are loaded, and the file of answers is open. */
export interface Solving {
  readonly models: Models;
  readonly questions: readonly Question[];
  /** Null: the bare base model, or no entries. */
  readonly adapterDigest: string | null;
  /** Answers that an earlier run left, from the first question on. */
  readonly kept: number;
  /** Where answers are until all are known; null where no file is asked for. */
  readonly partPath: string | null;
  /** What is known so far, the answers kept included. */
  tally(): Tally;
  /** Answers what is left, and yields the answers of each batch when they are written. Rejects with the signal's reason when it aborts. */
  batches(): AsyncGenerator<readonly SolvedQuestion[], void>;
}

/** Few enough to see answers soon, many enough that a model's batch is worth its while. */
const BATCH = 16;

/**
 * Prepares to answer the questions of a file, or the one of the request.
 * @throws INVALID_INPUT for questions that cannot be asked and for a file that cannot be written, before models are loaded
 */
export async function openSolving(
  world: AskingWorld,
  path: string | undefined,
  request: SolveRequest,
  reading: ReadingOptions,
): Promise<Solving> {
  const { out, temperature, seed, force: replace, entry: withEntry } = request;
  const questions = await chosenQuestions(world, path, request);
  if (out !== undefined) await world.checkOutput(out, { replace });
  const verifiers = await openedFor(
    world,
    questions.flatMap(({ judgedBy }) => (judgedBy === null ? [] : [judgedBy])),
  );
  const models = await world.openModels();
  const { generator, environment, prompts, maxEntryTokens } = models;
  const schemaFor = await world.entrySchemas();
  const adapter = withEntry ? await loadAdapter(world, request.adapter, generator.digest, reading) : null;
  const facts: AnswerFacts = { adapterDigest: adapter?.digest ?? null, withEntry, seed };
  const domains = [...new Set(questions.map(({ domain }) => domain))];
  let tally = NO_ANSWERS;
  const output =
    out === undefined
      ? undefined
      : await world.growOutput(out, {
          replace,
          work: workName(questions, {
            ...{ ...facts, temperature, maxEntryTokens, generator: generator.digest, executor: environment.identity },
            ...{ generatorTemplate: prompts.generatorTemplate, schemas: domains.map((domain) => schemaFor(domain)) },
          }),
          async keep(lines) {
            const held = await heldAnswers(lines, questions);
            tally = held.reduce(counted, NO_ANSWERS);
            return held.length;
          },
        });
  const kept = output?.kept ?? 0;
  return {
    ...{ models, questions, kept, adapterDigest: facts.adapterDigest, partPath: output?.partPath ?? null },
    tally: () => tally,
    async *batches() {
      let next = kept;
      const batches = answerQuestions(questions.slice(next), {
        ...{ generator, environment, adapter, prompts, schemaFor, maxEntryTokens, temperature, seed },
        ...{ verifiers, withEntries: withEntry, batchSize: BATCH, signal: world.signal },
      });
      for await (const answers of batches) {
        const solved = answers.map((answer, at): SolvedQuestion => {
          const question = questions[next + at]!;
          return { question, answer, line: answerLine(question, answer, facts) };
        });
        await output?.append(solved.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
        tally = solved.reduce((sum, { line }) => counted(sum, line), tally);
        next += answers.length;
        yield solved;
      }
      await output?.finish();
    },
  };
}
