/** What judges the answers of an evaluation. */
import type { Problem } from '@seamstream/events';
import { builtInVerifiers, isJudgedByModel, type Verifiers } from '@seamstream/verifiers';

export interface JudgingWorld {
  /** Verifiers with the model that judges as the executor's service has it. Asks nothing yet. */
  openVerifiers(): Promise<Verifiers>;
}

/**
 * The model that judges is looked for where a problem needs it.
 * @throws INVALID_CONFIGURATION, before anything is asked, where a problem needs it and none is configured
 */
export async function verifiersFor(
  world: JudgingWorld,
  problems: readonly Pick<Problem, 'verifier'>[],
): Promise<Verifiers> {
  if (!problems.some(isJudgedByModel)) return builtInVerifiers;
  const verifiers = await world.openVerifiers();
  verifiers.assertCanJudge(problems);
  return verifiers;
}
