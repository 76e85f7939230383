/**
 * What takes an agent's place is trained until it is within δ0 of that agent, on the agent's own turns. The release mixes both policies,
 * π ∝ π_new^(1/(1+λ)) · π_old^(λ/(1+λ)), and searches λ: the minimum of KL(π ‖ π_new) + λ KL(π ‖ π_old). Its mixture is no adapter. Steps along
 * the distance alone from π_new on, which end at the first pass within δ0, leave it as near to itself as the bound allows.
 */
import { Random } from '@seamstream/kernel';
import type { Adapter, TrainableSettings, TrainingObjective, TrainingSequence } from '@seamstream/language-model';
import type { TrainingEngine, TrainingWeights } from '@seamstream/training-contract';
import { distancePerState } from '../formulas/kl-gate.js';
import { surrogateOf } from '../formulas/surrogate.js';
import { scoredTurns } from '../scored-turns.js';
import type { SwapSettings } from './swap.config.js';

/** Slopes are given with the turns: nothing of the engine's own surrogate is in use. */
const OBJECTIVE: TrainingObjective = {
  kind: 'clipped-policy-gradient',
  clipLow: 1,
  clipHigh: 1,
  klCoefficient: 0,
  entropyCoefficient: 0,
};

/** A turn of the agent that is replaced. */
interface ReplacedTurn {
  /** What was asked. */
  readonly state: string;
  /** With the places that were a choice as targets. */
  readonly sequence: TrainingSequence;
  /** [targets] ln of each as the replaced agent sampled it, in nats. */
  readonly logProbs: readonly number[];
}

export interface Alignment {
  readonly adapter: Adapter;
  /** Mean over states of the distance to the replaced agent, in nats: before any step, and after each pass. */
  readonly distances: readonly number[];
  readonly isWithin: boolean;
  readonly states: number;
  readonly steps: number;
}

interface AlignmentFacts {
  readonly engine: TrainingEngine;
  /** What joins; null: the bare base model. */
  readonly adapter: Adapter | null;
  readonly turns: readonly ReplacedTurn[];
  readonly settings: SwapSettings;
  readonly trainable: TrainableSettings;
  /** Decides the order of the turns. */
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly onPass: (passes: number, distance: number) => void;
}

export async function alignAgent(facts: AlignmentFacts): Promise<Alignment> {
  const { engine, adapter, trainable, settings, signal, onPass } = facts;
  const turns = facts.turns.filter(({ sequence }) => sequence.targets.length > 0);
  const weights = await engine.begin({ adapter, trainable, objective: OBJECTIVE });
  try {
    const distances: number[] = [];
    for (;;) {
      signal.throwIfAborted();
      const perState = [...distancePerState(await statesOf(weights, turns)).values()];
      const distance = perState.reduce((sum, each) => sum + each, 0) / Math.max(1, perState.length);
      distances.push(distance);
      const passes = distances.length - 1;
      onPass(passes, distance);
      const isWithin = distance <= settings.target;
      if (isWithin || passes === settings.maxPasses) {
        const figures = { distances, isWithin, states: perState.length, steps: weights.steps };
        return { adapter: await weights.exportAdapter(), ...figures };
      }
      await takePass(weights, turns, { settings, order: `${facts.seed}/${passes}`, signal });
    }
  } finally {
    await weights.close();
  }
}

/** Steps along the distance to the replaced agent, over its turns once. */
async function takePass(
  weights: TrainingWeights,
  turns: readonly ReplacedTurn[],
  { settings, order, signal }: { readonly order: string } & Pick<AlignmentFacts, 'settings' | 'signal'>,
): Promise<void> {
  const { batchSize, learningRate, optimizer } = settings;
  const drawn = Random.of(order).shuffled([...turns]);
  for (let at = 0; at < drawn.length; at += batchSize) {
    signal.throwIfAborted();
    const batch = drawn.slice(at, at + batchSize);
    const present = await scoredTurns(weights, batch);
    const sequences = batch.map(({ sequence, logProbs }, place): TrainingSequence => {
      const own = present[place]!;
      const turn = { logProbs: own, currentLogProbs: logProbs, advantage: 0, weight: 0 };
      const { slopes } = surrogateOf(turn, { clipLow: 1, clipHigh: 1, beta: 1 });
      const all = (value: number): number[] => own.map(() => value);
      return {
        ...sequence,
        weights: all(1 / batch.length),
        policy: {
          ...{ advantages: all(0), imitationWeights: [...slopes], proximalLogProbs: own },
          ...{ importanceWeights: all(1), referenceLogProbs: own },
        },
      };
    });
    await weights.step(sequences, { ...optimizer, learningRate });
  }
}

async function statesOf(
  weights: TrainingWeights,
  turns: readonly ReplacedTurn[],
): Promise<Parameters<typeof distancePerState>[0]> {
  const now = await scoredTurns(weights, turns);
  return turns.map(({ state, logProbs }, at) => ({ state, logProbs: now[at]!, currentLogProbs: logProbs }));
}
