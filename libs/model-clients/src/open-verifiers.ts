/** Verifiers with the model that judges: of the executor's service, of evaluations, and of the trainer's comparisons. */
import { RememberingJudge, type VerifierSettings, Verifiers } from '@seamstream/verifiers';
import { EndpointJudge, type JudgeChoice } from './judge.endpoint.adapter.js';

interface OpenVerifiersOptions extends Omit<VerifierSettings, 'judge'> {
  /** Of the process: the judge's key is in it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which setting names the variable of that key; SEAM_EXECUTOR_JUDGE_KEY_VARIABLE when absent. */
  readonly keySetting?: string;
}

/**
 * Asks nothing yet. Equal tasks are judged once in the life of what is returned.
 * @throws INVALID_CONFIGURATION for a variable of the key that is not set
 */
export async function openVerifiers(
  choice: JudgeChoice,
  { environment, keySetting, ...settings }: OpenVerifiersOptions,
): Promise<Verifiers> {
  const judge = await EndpointJudge.open(choice, environment, keySetting);
  return new Verifiers({ ...settings, judge: judge === undefined ? undefined : new RememberingJudge(judge) });
}
