/** Experience to solution to verdict. */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { builtInVerifiers, type Verdict, type Verifiers } from '@seamstream/verifiers';
import type { ProblemStatement } from './explore.js';
import type { ExecutorAnswer, ExecutorModel, ExecutorResponse } from './models.port.js';

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
export function solveProblems(
  requests: readonly SolvingRequest[],
  executor: ExecutorModel,
  prompts: Prompts,
): Promise<readonly ExecutorAnswer[]> {
  return executor.answer(requests.map(({ problem, entry }) => executorPrompt(problem.prompt, entry, prompts)));
}

/** What the executor is asked; `entry` as in {@link SolvingRequest}. */
export function executorPrompt(problemPrompt: string, entry: string | null, prompts: Prompts): string {
  return entry === '' ? prompts.wrapperOnly(problemPrompt) : prompts.executor(problemPrompt, entry);
}

/**
 * The verifier's verdict on a response. The only function here that reads a problem's reference, and it does not see the entry.
 * @throws UNKNOWN_VERIFIER, INVALID_INPUT when the problem cannot be judged; VERIFIER_FAILED when the check itself failed.
 */
export async function judge(
  problem: Pick<Problem, 'verifier' | 'reference'>,
  response: Pick<ExecutorResponse, 'text' | 'finished'>,
  verifiers: Verifiers = builtInVerifiers,
): Promise<Judgement> {
  const verdict = await verifiers.verify(problem.verifier, response, problem.reference);
  return { ...verdict, reward: verdict.success ? 1 : 0 };
}
