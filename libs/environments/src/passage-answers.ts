/** Answers to the questions about a passage, each asked without it. */
import type { Prompts } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  ExecutorResponse,
  SamplingParams,
  TextScore,
} from './executor-model.port.js';

export interface PassageAsking {
  readonly prompts: Prompts;
  /** Spellings that control the model. */
  readonly controlTokens?: readonly string[] | undefined;
  /** Null: greedily. */
  readonly drawing: SamplingParams | null;
  /** Of what is drawn. */
  readonly seed: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: AnsweringProgress) => void) | undefined;
}

/** Asks each question on its own; the answers together are as the passage's prompt asks for them: a line each. */
export async function passageAnswers(
  model: Pick<ExecutorModel, 'answer' | 'sample'>,
  questions: readonly string[],
  { prompts, controlTokens, drawing, seed, signal, onProgress }: PassageAsking,
): Promise<ExecutorAnswer> {
  const asked = questions.map((question) => prompts.executor(question, null, controlTokens));
  const answers =
    drawing === null
      ? await model.answer(asked, signal, onProgress)
      : (
          await model.sample!(
            asked.map((prompt, index) => ({ prompt, seeds: [`${seed}/${index}`] })),
            drawing,
            signal,
            onProgress,
          )
        ).map(([answer]) => answer!);
  const failure = answers.find(({ status }) => status === 'failed');
  return failure ?? joined(answers as readonly ExecutorResponse[], prompts);
}

/**
 * How likely the model finds a text behind each question, asked as {@link passageAnswers} asks it.
 * @throws INVALID_CONFIGURATION for a model that has no probabilities
 */
export async function passageScores(
  model: Pick<ExecutorModel, 'score'>,
  questions: readonly string[],
  continuations: readonly string[],
  { prompts, controlTokens }: Pick<PassageAsking, 'prompts' | 'controlTokens'>,
): Promise<readonly TextScore[]> {
  if (model.score === undefined)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot score answers: expected an executor with probabilities, got one without. Use a checkpoint (SEAM_EXECUTOR_DRIVER).',
    );
  return model.score(
    questions.map((question, index) => ({
      prompt: prompts.executor(question, null, controlTokens),
      // What an answer begins with behind the template's last word.
      continuation: ` ${continuations[index]!}`,
    })),
  );
}

function joined(answers: readonly ExecutorResponse[], prompts: Prompts): ExecutorResponse {
  const total = (count: (answer: ExecutorResponse) => number): number =>
    answers.reduce((sum, answer) => sum + count(answer), 0);
  return {
    status: 'answered',
    text: answers.map(({ text }, index) => `${index + 1}: ${answerLine(prompts.judged(text))}`).join('\n'),
    finished: true,
    promptTokens: total(({ promptTokens }) => promptTokens),
    responseTokens: total(({ responseTokens }) => responseTokens),
  };
}

/** What was answered, without the marker: behind the last one, or the first line with text. */
export function answerLine(judged: string): string {
  const lines = judged.split('\n').map((line) => line.trim());
  const marked = lines.findLast((line) => line.startsWith(MARKER));
  return marked === undefined ? (lines.find((line) => line !== '') ?? '') : marked.slice(MARKER.length).trim();
}

const MARKER = 'Answer:';
