/** Attempts of which each costs a training: made one after the other, and those of a call that was ended are kept for the next one. */
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { Attempt, AttemptOptions, AttemptRequest } from './environment.port.js';
import type { ExecutorAnswer } from './executor-model.port.js';

export class OneByOne {
  /** Of a call that was ended: the attempts that it had finished. */
  private readonly finished = new Map<string, Attempt>();

  /** @throws ABORTED once the signal aborts; otherwise as `make` */
  async attempts(
    requests: readonly AttemptRequest[],
    make: (request: AttemptRequest, options: AttemptOptions) => Promise<Attempt>,
    { signal, onProgress }: AttemptOptions,
  ): Promise<readonly Attempt[]> {
    const attempts: Attempt[] = [];
    let tokens = 0;
    for (const request of requests) {
      if (signal?.aborted)
        throw new SeamError('ABORTED', 'Cannot finish self-edits: the caller has stopped them. Ask again.');
      const key = canonicalJson([
        ...[request.problem.prompt, request.entry, [...request.seeds]],
        request.examination?.id ?? null,
      ]);
      const known = this.finished.get(key);
      const attempt =
        known ??
        (await make(request, {
          signal,
          onProgress: (told) => onProgress?.({ ...told, answered: attempts.length, tokens: tokens + told.tokens }),
        }));
      this.finished.set(key, attempt);
      attempts.push(attempt);
      tokens += attempt.reduce((sum, answer) => sum + (answer.status === 'answered' ? answer.responseTokens : 0), 0);
      onProgress?.({ answered: attempts.length, tokens, tokensPerPrompt: Math.ceil(tokens / attempts.length) });
    }
    this.finished.clear();
    return attempts;
  }
}

/**
 * An answer a seed, one after the other.
 * @param isAlike the frozen model answers greedily: all seeds have the same answer, which is computed once
 */
export async function answersBySeed(
  seeds: readonly string[],
  isAlike: boolean,
  answer: (seed: string) => Promise<ExecutorAnswer>,
): Promise<Attempt> {
  if (isAlike) {
    const one = await answer('frozen');
    return seeds.map(() => one);
  }
  const answers: ExecutorAnswer[] = [];
  for (const seed of seeds) answers.push(await answer(seed));
  return answers;
}
