/** Experience to solution to verdict. */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { builtInVerifiers, type Verdict, type Verifiers } from '@seamstream/verifiers';
import type { ProblemStatement } from './explore.js';
import type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  ExecutorResponse,
  SamplingParams,
} from './models.port.js';

export interface SolvingRequest {
  readonly problem: ProblemStatement;
  /** JSON text of an entry; null asks without the slot for one, `''` with an empty slot. */
  readonly entry: string | null;
}

export interface Judgement extends Verdict {
  /** 1 for success, 0 otherwise. */
  readonly reward: number;
}

/** Who answered: the model and the templates that it was asked with. */
export function executorIdentity(executor: ExecutorModel, prompts: Prompts): ExecutorIdentity {
  return { ...executor.identity, template: prompts.executorTemplate };
}

/** One answer per request, in their order. */
export async function solveProblems(
  requests: readonly SolvingRequest[],
  executor: ExecutorModel,
  prompts: Prompts,
  signal?: AbortSignal,
  onProgress?: (progress: AnsweringProgress) => void,
): Promise<readonly ExecutorAnswer[]> {
  const asked = requests.map(({ problem, entry }) => executorPrompt(problem.prompt, entry, prompts, executor));
  return (await executor.answer(asked, signal, onProgress)).map((answer) => readAnswer(answer, prompts));
}

/** An answer per seed and request, in their order, of an executor that can draw. */
export async function sampleAnswers(
  requests: readonly (SolvingRequest & { readonly seeds: readonly string[] })[],
  executor: ExecutorModel,
  prompts: Prompts,
  drawing: SamplingParams,
  signal?: AbortSignal,
  onProgress?: (progress: AnsweringProgress) => void,
): Promise<readonly (readonly ExecutorAnswer[])[]> {
  const drawn = await executor.sample!(
    requests.map(({ problem, entry, seeds }) => ({
      prompt: executorPrompt(problem.prompt, entry, prompts, executor),
      seeds,
    })),
    drawing,
    signal,
    onProgress,
  );
  return drawn.map((answers) => answers.map((answer) => readAnswer(answer, prompts)));
}

/** Marks what counts of a response. */
function readAnswer(answer: ExecutorAnswer, prompts: Prompts): ExecutorAnswer {
  return answer.status === 'answered' ? { ...answer, judged: prompts.judged(answer.text) } : answer;
}

/** What the executor is asked; `entry` as in {@link SolvingRequest}. */
function executorPrompt(
  problemPrompt: string,
  entry: string | null,
  prompts: Prompts,
  { controlTokens }: ExecutorModel,
): string {
  return entry === ''
    ? prompts.wrapperOnly(problemPrompt, controlTokens)
    : prompts.executor(problemPrompt, entry, controlTokens);
}

/**
 * The verifier's verdict on a response. The only function here that reads a problem's reference, and it does not see the entry.
 * @throws UNKNOWN_VERIFIER, INVALID_INPUT when the problem cannot be judged; VERIFIER_FAILED when the check itself failed.
 */
export async function judge(
  problem: Pick<Problem, 'verifier' | 'reference'>,
  response: Pick<ExecutorResponse, 'text' | 'judged' | 'finished'>,
  verifiers: Verifiers = builtInVerifiers,
): Promise<Judgement> {
  const { text, judged = text, finished } = response;
  const verdict = await verifiers.verify(problem.verifier, { text: judged, finished }, problem.reference);
  return { ...verdict, reward: verdict.success ? 1 : 0 };
}
