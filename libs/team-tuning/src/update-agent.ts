/** One agent's update while the others are frozen: steps along the surrogate, and a gate after each pass that keeps them or takes them back. */
import { Random } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import type { TrainingEngine, TrainingWeights } from '@seamstream/training-contract';
import { decideGate, distancePerState, upperQuantile } from './formulas/kl-gate.js';
import { keptTurns, lostPerState } from './formulas/lost-successes.js';
import type { TuningSettings } from './tuning.config.js';
import { type SampledTurn, scoredTurns, stepAlong, turnsNow } from './turn-steps.js';

/** A turn of the agent, as its update needs it. */
export interface TrainedTurn extends Omit<SampledTurn, 'currentLogProbs'> {
  readonly advantage: number;
  /** Truncated weight of the rollout. */
  readonly weight: number;
  /** Whether the rollout succeeded, and counts: its reward is compared with others. */
  readonly success: boolean;
}

/** A pass over the turns, and what the gate made of it. */
export interface PassTried {
  readonly pass: number;
  readonly beta: number;
  /** The quantile over states of the distance to the policy before the update, in nats. */
  readonly distance: number;
  readonly states: number;
  /** What the successful turns of the state that lost most have lost, in nats. */
  readonly lost: number;
  readonly decision: 'accepted' | 'taken back' | 'given up';
  /** Mean over the trained turns of what was maximised, before the pass's steps. */
  readonly gain: number;
  readonly clipped: number;
  readonly steps: number;
}

export interface AgentUpdate {
  readonly adapter: Adapter;
  readonly passes: readonly PassTried[];
  /** Of the accepted passes; 0 where all were taken back. */
  readonly distance: number;
  readonly beta: number;
}

export interface UpdateFacts {
  readonly engine: Pick<TrainingEngine, 'begin'>;
  /** What the agent is served with; null: the bare base model. */
  readonly adapter: Adapter | null;
  readonly turns: readonly TrainedTurn[];
  readonly settings: TuningSettings;
  /** Decides the order of the turns. */
  readonly seed: string;
  readonly signal?: AbortSignal | undefined;
  readonly onPass?: ((pass: PassTried) => void) | undefined;
}

export async function updateAgent(facts: UpdateFacts): Promise<AgentUpdate> {
  const { engine, adapter, settings, turns } = facts;
  const { clip, entropyCoefficient, trainable } = settings;
  const weights = await engine.begin({
    adapter,
    trainable,
    objective: {
      kind: 'clipped-policy-gradient',
      // The turn's ratio is clipped here; the engine's own, of tokens, is not in use.
      clipLow: clip.low,
      clipHigh: clip.high,
      klCoefficient: 0,
      entropyCoefficient,
    },
  });
  try {
    return await withWeights(weights, { ...facts, turns: turns.filter(({ sequence }) => sequence.targets.length > 0) });
  } finally {
    await weights.close();
  }
}

type UpdatedTurn = TrainedTurn & SampledTurn;

async function withWeights(weights: TrainingWeights, facts: UpdateFacts): Promise<AgentUpdate> {
  const { settings, signal, onPass } = facts;
  const { gate, passes: wanted } = settings;
  const current = await scoredTurns(weights, facts.turns);
  let turns: readonly UpdatedTurn[] = facts.turns.map((turn, at) => ({ ...turn, currentLogProbs: current[at]! }));
  const passes: PassTried[] = [];
  let beta = settings.kl.beta;
  let accepted = 0;
  for (let pass = 0; pass < wanted; ) {
    signal?.throwIfAborted();
    const before = gate === null ? null : await weights.saveState();
    const backtracks = passes.filter((tried) => tried.pass === pass).length;
    const stepped = await takePass(weights, { ...facts, turns, beta, order: `${facts.seed}/${pass}` });
    const { lostBy, ...moved } = await movementOf(weights, turns, gate?.quantile ?? 0.99);
    const decision = gate === null ? { kind: 'accept' as const } : decideGate(moved, { beta, backtracks }, gate);
    const tried: PassTried = {
      ...{ pass, beta, ...moved, ...stepped },
      decision: decision.kind === 'accept' ? 'accepted' : decision.kind === 'backtrack' ? 'taken back' : 'given up',
    };
    passes.push(tried);
    onPass?.(tried);
    if (decision.kind === 'accept') {
      accepted = moved.distance;
      pass++;
      continue;
    }
    // The optimizer's moments too: what was taken back leaves no momentum.
    await weights.restoreState(before!);
    if (decision.kind === 'give up') break;
    ({ beta } = decision);
    turns = keptTurns(turns, lostBy, gate!);
  }
  return { adapter: await weights.exportAdapter(), passes, distance: accepted, beta };
}

/** How far the policy moved since the update began. */
async function movementOf(
  weights: TrainingWeights,
  turns: readonly UpdatedTurn[],
  quantile: number,
): Promise<Pick<PassTried, 'distance' | 'states' | 'lost'> & { readonly lostBy: ReadonlyMap<string, number> }> {
  const now = await turnsNow(weights, turns);
  const distances = [...distancePerState(now).values()];
  const lostBy = lostPerState(now);
  return {
    distance: distances.length === 0 ? 0 : upperQuantile(distances, quantile),
    states: distances.length,
    lost: Math.max(0, ...lostBy.values()),
    lostBy,
  };
}

interface Pass extends Pick<UpdateFacts, 'settings' | 'signal'> {
  readonly turns: readonly UpdatedTurn[];
  readonly beta: number;
  readonly order: string;
}

/** One pass over the turns that teach something, in steps. */
async function takePass(
  weights: TrainingWeights,
  { turns, settings, beta, order, signal }: Pass,
): Promise<Pick<PassTried, 'gain' | 'clipped' | 'steps'>> {
  const { clip, batchSize, learningRate, optimizer } = settings;
  const terms = { clipLow: clip.low, clipHigh: clip.high, beta };
  const teaching = turns.filter(({ advantage, weight }) => advantage * weight !== 0);
  const drawn = Random.of(order, 0).shuffled(teaching);
  let gain = 0;
  let clipped = 0;
  let steps = 0;
  for (let at = 0; at < drawn.length; at += batchSize) {
    signal?.throwIfAborted();
    const surrogates = await stepAlong(weights, drawn.slice(at, at + batchSize), terms, { ...optimizer, learningRate });
    for (const surrogate of surrogates) {
      gain += surrogate.gain;
      clipped += Number(surrogate.isClipped);
    }
    steps++;
  }
  const count = Math.max(1, drawn.length);
  return { gain: gain / count, clipped: clipped / count, steps };
}
