/**
 * What takes an agent's place is trained until it is within δ0 of that agent, on the agent's own turns. The release mixes both policies,
 * π ∝ π_new^(1/(1+λ)) · π_old^(λ/(1+λ)), and searches λ: the minimum of KL(π ‖ π_new) + λ KL(π ‖ π_old). Its mixture is no adapter. Steps along
 * the distance alone from π_new on, which end at the first pass within δ0, leave it as near to itself as the bound allows.
 */
import { Random } from '@seamstream/kernel';
import type { Adapter, TrainableSettings, TrainingObjective } from '@seamstream/language-model';
import type { TrainingEngine, TrainingWeights } from '@seamstream/training-contract';
import { distancesNow, type SampledTurn, stepAlong } from '../turn-steps.js';
import type { SwapSettings } from './swap.config.js';

/** Slopes are given with the turns: nothing of the engine's own surrogate is in use. */
const OBJECTIVE: TrainingObjective = {
  kind: 'clipped-policy-gradient',
  clipLow: 1,
  clipHigh: 1,
  klCoefficient: 0,
  entropyCoefficient: 0,
};

/** Of the surrogate only the distance is left: no turn has an advantage. */
const TERMS = { clipLow: 1, clipHigh: 1, beta: 1 };

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
  /** Of the agent that is replaced, with what it sampled them by. */
  readonly turns: readonly SampledTurn[];
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
      const perState = await distancesNow(weights, turns);
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
  turns: readonly SampledTurn[],
  { settings, order, signal }: { readonly order: string } & Pick<AlignmentFacts, 'settings' | 'signal'>,
): Promise<void> {
  const { batchSize, learningRate, optimizer } = settings;
  const drawn = Random.of(order).shuffled(turns.map((turn) => ({ ...turn, advantage: 0, weight: 0 })));
  for (let at = 0; at < drawn.length; at += batchSize) {
    signal.throwIfAborted();
    await stepAlong(weights, drawn.slice(at, at + batchSize), TERMS, { ...optimizer, learningRate });
  }
}
