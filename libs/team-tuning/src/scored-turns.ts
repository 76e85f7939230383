/** How likely the present weights make what was sampled. */
import type { TrainingSequence } from '@seamstream/language-model';
import type { TrainingWeights } from '@seamstream/training-contract';

/** Sequences that log-probabilities are asked of at once. */
const SCORED_AT_ONCE = 128;

/** ln π of each turn's chosen tokens under the present weights. Equal turns are asked once. */
export async function scoredTurns(
  weights: TrainingWeights,
  turns: readonly { readonly sequence: TrainingSequence }[],
): Promise<readonly (readonly number[])[]> {
  const places = new Map<string, number>();
  const different: TrainingSequence[] = [];
  const at = turns.map(({ sequence }) => {
    const key = `${sequence.tokenIds.join()}/${sequence.targets.join()}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, different.length);
    different.push(sequence);
    return different.length - 1;
  });
  const values: (readonly number[])[] = [];
  for (let from = 0; from < different.length; from += SCORED_AT_ONCE)
    values.push(...(await weights.logProbabilities(different.slice(from, from + SCORED_AT_ONCE))));
  return at.map((place) => values[place]!);
}
