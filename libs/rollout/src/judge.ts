/** Solution to verdict. */
import type { ExecutorResponse } from '@seamstream/environments';
import { isGraded, judgesOf, type Problem } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { builtInVerifiers, type Verdict, type Verifiers } from '@seamstream/verifiers';

export interface Judgement extends Verdict {
  /** The share that is right of several questions; otherwise 1 for success, 0 without. */
  readonly reward: number;
}

/**
 * The verifier's verdict on a response. The only function here that reads a problem's reference, and it does not see the entry.
 * @throws UNKNOWN_VERIFIER, INVALID_INPUT when the problem cannot be judged; VERIFIER_FAILED when the check itself failed.
 */
export async function judge(
  problem: Pick<Problem, 'verifier' | 'reference'>,
  response: Pick<ExecutorResponse, 'text' | 'judged' | 'finished' | 'ended'>,
  verifiers: Verifiers = builtInVerifiers,
): Promise<Judgement> {
  if (!isGraded(problem))
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot judge an answer: expected a problem with a verifier and a reference, got one without. Judge it with "seam feedback".',
    );
  const { text, judged = text, finished, ended } = response;
  const verdict = await verifiers.verify(problem.verifier, { text: judged, finished }, problem.reference);
  // Of a response that is unfinished nothing else is said.
  const detail = ended ?? verdict.detail;
  return { ...verdict, detail, reward: verdict.share ?? (verdict.success ? 1 : 0) };
}

/**
 * Reward is the mean of the rewards; success is what more than half of them say, and the answer that stands for all is the
 * first with that verdict. Of one answer it is `judge`.
 * @throws as `judge`
 */
export async function judgeAll(
  problem: Pick<Problem, 'verifier' | 'reference'>,
  answers: readonly ExecutorResponse[],
  verifiers?: Verifiers,
): Promise<{ readonly answer: ExecutorResponse; readonly judgement: Judgement }> {
  const judged = await Promise.all(
    answers.map(async (answer) => ({ answer, judgement: await judge(problem, answer, verifiers) })),
  );
  const right = judged.filter(({ judgement }) => judgement.success).length;
  const success = right > judged.length / 2;
  const standing = judged.find(({ judgement }) => judgement.success === success)!;
  if (judged.length === 1) return standing;
  const detail = `${right} of ${judged.length} answers right; this one: ${standing.judgement.detail}`;
  const { judgedBy: _, ...told } = standing.judgement;
  const judgedBy = judgesOf(judged.map(({ judgement }) => judgement.judgedBy));
  return {
    answer: standing.answer,
    judgement: {
      ...told,
      ...(judgedBy === undefined ? {} : { judgedBy }),
      success,
      reward: sumOf(judged.map((each) => each.judgement.reward)) / judged.length,
      detail,
    },
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
