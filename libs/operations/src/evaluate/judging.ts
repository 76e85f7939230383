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
  const verifiers = await openedFor(world, problems);
  verifiers.assertCanJudge(problems);
  return verifiers;
}

/** The same for who wants the answers also where no model can judge them. */
export async function openedFor(
  world: JudgingWorld,
  problems: readonly Pick<Problem, 'verifier'>[],
): Promise<Verifiers> {
  return problems.some(isJudgedByModel) ? world.openVerifiers() : builtInVerifiers;
}
