/**
 * What a step takes from turns that succeeded. A distance grows just as much where a policy learns as where it forgets: on sixty facts k3 did
 * not tell the steps after which fewer problems were solved from the others (docs/experiments/LOG.md, 2026-11-27). This looks at the turns
 * of successful rollouts alone, and at losses alone.
 */
import type { StateTurn } from './kl-gate.js';

export interface RewardedTurn extends StateTurn {
  /** Whether the turn's rollout succeeded. */
  readonly success: boolean;
}

/**
 * For each state with a successful turn: how much less likely its successful turns became, in nats; below 0 where they became likelier. The
 * mean over these turns of ln π_current − ln π of the whole turn.
 */
export function lostPerState(turns: readonly RewardedTurn[]): ReadonlyMap<string, number> {
  const states = Map.groupBy(
    turns.filter(({ success, logProbs }) => success && logProbs.length > 0),
    ({ state }) => state,
  );
  return new Map(
    [...states].map(([state, own]) => {
      const sum = own.reduce(
        (total, { logProbs, currentLogProbs }) => total + sumOf(currentLogProbs) - sumOf(logProbs),
        0,
      );
      return [state, sum / own.length];
    }),
  );
}

/**
 * The turns as the next try of an update that was taken back learns from them: what succeeded in a state that lost more than half of the
 * limit has an advantage of at least `keptAdvantage`, also where its whole group succeeded and it had none. A larger β alone does not bring it
 * back: turns without an advantage take part in no step.
 */
export function keptTurns<Turn extends Pick<RewardedTurn, 'state' | 'success'> & { readonly advantage: number }>(
  turns: readonly Turn[],
  lostBy: ReadonlyMap<string, number>,
  { mostLost, keptAdvantage }: { readonly mostLost: number | null; readonly keptAdvantage: number },
): readonly Turn[] {
  if (mostLost === null) return turns;
  return turns.map((turn) =>
    turn.success && (lostBy.get(turn.state) ?? 0) > mostLost / 2
      ? { ...turn, advantage: Math.max(turn.advantage, keptAdvantage) }
      : turn,
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
