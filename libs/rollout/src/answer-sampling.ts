/**
 * Several answers to one entry: the mean of their verdicts is a finer reward than one verdict, and gives variance to groups
 * that one greedy answer would judge alike (SEAM's `m`; in a reproduction 62 % of groups were without variance at m = 1, on hard problems).
 */
import type { Problem } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { Verifiers } from '@seamstream/verifiers';
import type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  ExecutorResponse,
  SamplingParams,
} from './models.port.js';
import { type Judgement, judge, type SolvingRequest, sampleAnswers } from './solve.js';

export interface RolloutSettings extends SamplingParams {
  /** m: answers to each entry, 2 or more; one answer is greedy and needs no settings. */
  readonly rollouts: number;
}

/** An executor that is to answer several times is another one than the same that answers greedily: its decoding says so. @throws INVALID_CONFIGURATION where it cannot draw */
export function toSamplingParams(
  executor: ExecutorModel,
  { rollouts, temperature, topP }: RolloutSettings,
): ExecutorModel {
  if (executor.sample === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Answering every entry ${rollouts} times: expected an executor that can draw answers at a temperature, came ${executor.identity.model}, which answers greedily. Use one rollout.`,
    );
  }
  return {
    identity: {
      ...executor.identity,
      decoding: canonicalJson({ answer: executor.identity.decoding, rollouts, temperature, topP }),
    },
    ...(executor.controlTokens === undefined ? {} : { controlTokens: executor.controlTokens }),
    answer: (prompts, signal, onProgress) => executor.answer(prompts, signal, onProgress),
    sample: (requests, drawing, signal, onProgress) => executor.sample!(requests, drawing, signal, onProgress),
  };
}

/** The answers to each request, in their order. @param requests seed: draws an entry's answers, whoever else is asked */
export function answerRepeatedly(
  requests: readonly (SolvingRequest & { readonly seed: string })[],
  executor: ExecutorModel,
  prompts: Prompts,
  { rollouts, temperature, topP }: RolloutSettings,
  signal?: AbortSignal,
  onProgress?: (progress: AnsweringProgress) => void,
): Promise<readonly (readonly ExecutorAnswer[])[]> {
  return sampleAnswers(
    requests.map(({ problem, entry, seed }) => ({
      problem,
      entry,
      seeds: Array.from({ length: rollouts }, (_, n) => `${seed}/rollout/${n}`),
    })),
    executor,
    prompts,
    { temperature, topP },
    signal,
    onProgress,
  );
}

/**
 * Reward is the mean of the verdicts; success is what more than half of them say, and the answer that stands for all is the
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
  return {
    answer: standing.answer,
    judgement: { ...standing.judgement, success, reward: right / judged.length, detail },
  };
}
