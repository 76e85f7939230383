/** Turns under the present weights: how likely they are, how far that is from what they were sampled with, and steps along their surrogate. */
import type { TrainingSequence } from '@seamstream/language-model';
import type { TrainingWeights } from '@seamstream/training-contract';
import { distancePerState, type StateTurn } from './formulas/kl-gate.js';
import { type Surrogate, type SurrogateTerms, surrogateOf } from './formulas/surrogate.js';

export interface SampledTurn {
  /** What was asked: turns of equal state count as one. */
  readonly state: string;
  /** With the places that were a choice as targets; its own weights and policy are not read. */
  readonly sequence: TrainingSequence;
  /** [targets] ln of each under the policy that distances are measured to, in nats. */
  readonly currentLogProbs: readonly number[];
}

/** The distance of each state, in nats. */
export async function distancesNow(
  weights: TrainingWeights,
  turns: readonly SampledTurn[],
): Promise<readonly number[]> {
  return [...distancePerState(await turnsNow(weights, turns)).values()];
}

/** The turns with ln π of their tokens under the present weights. */
export async function turnsNow<Turn extends SampledTurn>(
  weights: TrainingWeights,
  turns: readonly Turn[],
): Promise<readonly (Turn & StateTurn)[]> {
  const now = await scoredTurns(weights, turns);
  return turns.map((turn, at) => ({ ...turn, logProbs: now[at]! }));
}

/** One optimizer step along the mean surrogate of the turns. @returns their surrogates before it */
export async function stepAlong(
  weights: TrainingWeights,
  batch: readonly (SampledTurn & { readonly advantage: number; readonly weight: number })[],
  terms: SurrogateTerms,
  optimizer: Parameters<TrainingWeights['step']>[1],
): Promise<readonly Surrogate[]> {
  const logProbs = await scoredTurns(weights, batch);
  const surrogates = batch.map((turn, place) => surrogateOf({ ...turn, logProbs: logProbs[place]! }, terms));
  const sequences = batch.map(({ sequence }, place): TrainingSequence => {
    const own = logProbs[place]!;
    const all = (value: number): number[] => own.map(() => value);
    return {
      ...sequence,
      weights: all(1 / batch.length),
      policy: {
        advantages: all(0),
        imitationWeights: [...surrogates[place]!.slopes],
        proximalLogProbs: own,
        importanceWeights: all(1),
        referenceLogProbs: own,
      },
    };
  });
  await weights.step(sequences, optimizer);
  return surrogates;
}

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
