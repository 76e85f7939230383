/** Which weights an objective's log-probabilities are computed under, for every engine. */
import type { ComputedLogProbs, TrainingPlan } from '@seamstream/learning';

type LogProbs = readonly (readonly number[])[];

/** Computes the sequences of a plan: [sequence][target] in nats. */
interface Scoring {
  /** Under the parent; under the base model where a run has none. */
  readonly underParent: () => Promise<LogProbs>;
  readonly underBase: () => Promise<LogProbs>;
}

/** What the plan needs, and each weights' at most once. */
export async function computedLogProbs(
  { needs: { proximalLogProbs, referenceLogProbs } }: TrainingPlan,
  hasParent: boolean,
  { underParent, underBase }: Scoring,
): Promise<ComputedLogProbs> {
  const ofParent = proximalLogProbs || referenceLogProbs === 'parent' ? await underParent() : undefined;
  const proximal = proximalLogProbs && ofParent !== undefined ? { proximal: ofParent } : {};
  if (referenceLogProbs === null) return proximal;
  const isParents = referenceLogProbs === 'parent' || !hasParent;
  return { ...proximal, reference: (isParents ? ofParent : undefined) ?? (await underBase()) };
}
