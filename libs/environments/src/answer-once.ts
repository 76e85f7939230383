import type { AttemptOptions, AttemptRequest, Environment, ProblemStatement } from './environment.port.js';
import type { ExecutorAnswer } from './executor-model.port.js';

/** Takes off a problem what no model may see, its reference first. */
export function statementOf({ problemId, domain, prompt }: ProblemStatement): ProblemStatement {
  return { problemId, domain, prompt };
}

/** One answer per request, in their order. @param requests `seed` decides what the environment draws, if it draws */
export async function answerOnce(
  environment: Environment,
  requests: readonly (Pick<AttemptRequest, 'problem' | 'entry'> & { readonly seed: string })[],
  options?: AttemptOptions,
): Promise<readonly ExecutorAnswer[]> {
  const asked = requests.map(({ problem, entry, seed }) => ({ problem: statementOf(problem), entry, seeds: [seed] }));
  return (await environment.attempt(asked, options)).map(([answer]) => answer!);
}
