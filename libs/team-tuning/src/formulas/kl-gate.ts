/**
 * The trust region: an update is kept only where the (1 − α)-quantile over states of the distance between new and current policy is at most
 * δ, and no state's successful turns lost more than is allowed. Otherwise weights and optimizer state go back, β grows, and the update is
 * tried again.
 */
import { SeamError } from '@seamstream/kernel';
import { meanK3 } from './surrogate.js';

/** β grows by this at each back-track, as the authors release it. */
const BETA_GROWTH = 1.5;

export interface StateTurn {
  /** Turns of equal state were asked the same: their distances are averaged. */
  readonly state: string;
  readonly logProbs: readonly number[];
  readonly currentLogProbs: readonly number[];
}

/**
 * The distance in each state, in nats: the mean of k3 over its turns and their tokens. The turns were sampled from the current policy, so it
 * estimates KL(new ‖ current) to second order only.
 */
export function distancePerState(turns: readonly StateTurn[]): ReadonlyMap<string, number> {
  const states = Map.groupBy(
    turns.filter(({ logProbs }) => logProbs.length > 0),
    ({ state }) => state,
  );
  return new Map(
    [...states].map(([state, own]) => {
      const tokens = own.reduce((sum, { logProbs }) => sum + logProbs.length, 0);
      const sum = own.reduce(
        (total, { logProbs, currentLogProbs }) => total + meanK3(logProbs, currentLogProbs) * logProbs.length,
        0,
      );
      return [state, sum / tokens];
    }),
  );
}

/** The smallest of the values that at least this share of them do not exceed. @throws INVALID_INPUT for none */
export function upperQuantile(values: readonly number[], share: number): number {
  if (values.length === 0 || !(share > 0 && share <= 1))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot form a quantile: expected values and a share above 0 up to 1, got ${values.length} values and ${share}. Sample states first.`,
    );
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length - 1e-9))) - 1]!;
}

export interface GateSettings {
  /** δ in nats. */
  readonly target: number;
  /** 1 − α. */
  readonly quantile: number;
  readonly maxBacktracks: number;
  /** Most that the successful turns of a state may lose (./lost-successes.ts), in nats; null: any loss is accepted. */
  readonly mostLost: number | null;
}

/** What a step did to the policy, in nats. */
export interface Movement {
  /** The quantile over states of the distance. */
  readonly distance: number;
  /** What the successful turns of the state that lost most have lost; 0 where none lost. */
  readonly lost: number;
}

export type GateDecision =
  | { readonly kind: 'accept' }
  /** Back to the state before, and once more with a larger β. */
  | { readonly kind: 'backtrack'; readonly beta: number }
  /** Back to the state before, for good. */
  | { readonly kind: 'give up' };

/** @param tried times that this step was taken back already */
export function decideGate(
  { distance, lost }: Movement,
  { beta, backtracks }: { readonly beta: number; readonly backtracks: number },
  { target, maxBacktracks, mostLost }: GateSettings,
): GateDecision {
  // What is no number is no small number.
  if (distance <= target && (mostLost === null || lost <= mostLost)) return { kind: 'accept' };
  return backtracks < maxBacktracks ? { kind: 'backtrack', beta: beta * BETA_GROWTH } : { kind: 'give up' };
}
