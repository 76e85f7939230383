/**
 * What a step takes from turns that succeeded. A distance grows just as much where a policy learns as where it forgets: on sixty facts k3 did
 * not tell the steps after which fewer problems were solved from the others (docs/experiments/LOG.md, 2026-11-27). This looks at the turns
 * of successful rollouts alone, and at losses alone: in nats for each state, and as a probability for each problem.
 */
import type { StateTurn } from './kl-gate.js';

export interface RewardedTurn extends StateTurn {
  /** Whether the turn's rollout succeeded; null: its verdict is not compared with others, and says nothing. */
  readonly success: boolean | null;
}

export interface KnownTurn extends RewardedTurn {
  /** Id of the problem, of which a later agent's turns have several states. */
  readonly problem: string;
  /** What was written: turns of one state that wrote the same are one. */
  readonly written: string;
}

/** What an update took, by state and by problem. */
export interface Losses {
  /** In nats, by state. */
  readonly nats: ReadonlyMap<string, number>;
  /** Probability of success, by problem. */
  readonly success: ReadonlyMap<string, number>;
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
 * For each problem: how much of its known success is gone, as a probability; below 0 where more is known. A batch knows of a state that the
 * agent succeeds with Σ over the different turns seen there of π(turn) · (share of them that succeeded). A problem has the mean over its
 * turns of what is known of their states. A lucky turn that is rarely taken counts for little, and success that moves from one turn to another
 * is not lost. Nothing is known of turns too long to have a probability: ln π below some −50.
 */
export function successLostPerProblem(turns: readonly KnownTurn[]): ReadonlyMap<string, number> {
  const counted = turns.filter(({ success, logProbs }) => success !== null && logProbs.length > 0);
  return new Map(
    [...Map.groupBy(counted, ({ problem }) => problem)].map(([problem, own]) => {
      const states = [...Map.groupBy(own, ({ state }) => state).values()];
      const lost = states.reduce((sum, asked) => sum + asked.length * successLost(asked), 0);
      return [problem, lost / own.length];
    }),
  );
}

/** Of one state's turns. */
function successLost(turns: readonly KnownTurn[]): number {
  return [...Map.groupBy(turns, ({ written }) => written).values()].reduce((sum, alike) => {
    const share = alike.filter(({ success }) => success).length / alike.length;
    const { logProbs, currentLogProbs } = alike[0]!;
    return sum + share * (Math.exp(sumOf(currentLogProbs)) - Math.exp(sumOf(logProbs)));
  }, 0);
}

/**
 * The turns as the next try of an update that was taken back learns from them: what succeeded in a state or problem that lost more than half
 * of a limit has an advantage of at least `keptAdvantage`, also where its whole group succeeded and it had none. A larger β alone does not
 * bring it back: turns without an advantage take part in no step.
 */
export function keptTurns<
  Turn extends Pick<KnownTurn, 'state' | 'problem' | 'success'> & { readonly advantage: number },
>(
  turns: readonly Turn[],
  { nats, success }: Losses,
  limits: {
    readonly mostLost: number | null;
    readonly mostSuccessLost: number | null;
    readonly keptAdvantage: number;
  },
): readonly Turn[] {
  const exceedsHalf = (loss: number | undefined, limit: number | null): boolean =>
    limit !== null && (loss ?? 0) > limit / 2;
  return turns.map((turn) =>
    turn.success &&
    (exceedsHalf(nats.get(turn.state), limits.mostLost) ||
      exceedsHalf(success.get(turn.problem), limits.mostSuccessLost))
      ? { ...turn, advantage: Math.max(turn.advantage, limits.keptAdvantage) }
      : turn,
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
