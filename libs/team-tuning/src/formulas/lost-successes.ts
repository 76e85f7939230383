/**
 * What a step takes from turns that succeeded. A distance grows just as much where a policy learns as where it forgets: on sixty facts k3 did
 * not tell the steps after which fewer problems were solved from the others (docs/experiments/LOG.md, 2026-11-27). This looks at the turns
 * of successful rollouts alone, and at losses alone: in nats for each state, and as a probability for each problem.
 */
import { type GateSettings, LEAST_FALL, type StateTurn } from './kl-gate.js';

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
  /** By problem. */
  readonly success: ReadonlyMap<string, SuccessLoss>;
}

/** What a problem lost of its known success, as a probability; below 0 where more is known. */
export interface SuccessLoss {
  /** Of turns that are sampled: Σ π(turn) · (share that succeeded), before less now. */
  readonly sampled: number;
  /** Of the likeliest turn, which is what a team is served with: its share that succeeded, before less now. */
  readonly likeliest: number;
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
 * For each problem: how much of its known success is gone. What a batch knows of a state rests on the different turns that were seen there, and
 * on the share of each that succeeded; a problem has the mean over its turns, each in its state. A lucky turn that is rarely taken counts for
 * little, and success that moves from one turn to another is not lost. Turns too long to have a probability, ln π below some −50, lose nothing
 * as they are sampled; the likeliest of them is known all the same.
 */
export function successLostPerProblem(turns: readonly KnownTurn[]): ReadonlyMap<string, SuccessLoss> {
  const counted = turns.filter(({ success, logProbs }) => success !== null && logProbs.length > 0);
  return new Map(
    [...Map.groupBy(counted, ({ problem }) => problem)].map(([problem, own]) => {
      const states = [...Map.groupBy(own, ({ state }) => state).values()].map(differentTurns);
      const lostOf = (loss: (state: readonly DifferentTurn[]) => number): number =>
        states.reduce((sum, state) => sum + timesAsked(state) * loss(state), 0) / own.length;
      return [problem, { sampled: lostOf(sampledLoss), likeliest: lostOf(likeliestLoss) }];
    }),
  );
}

/** The mean over problems of what their likeliest turns lost: how many problems fewer are solved by them, as a share. 0 for no problems. */
export function meanLikeliestLost(success: Losses['success']): number {
  return [...success.values()].reduce((sum, { likeliest }) => sum + likeliest, 0) / Math.max(1, success.size);
}

/** What was written in a state, by all of its rollouts that count. */
interface DifferentTurn {
  readonly times: number;
  /** Share of them that succeeded. */
  readonly share: number;
  /** ln π of the whole turn. */
  readonly before: number;
  readonly now: number;
}

function differentTurns(turns: readonly KnownTurn[]): readonly DifferentTurn[] {
  return [...Map.groupBy(turns, ({ written }) => written).values()].map((alike) => ({
    times: alike.length,
    share: alike.filter(({ success }) => success).length / alike.length,
    before: sumOf(alike[0]!.currentLogProbs),
    now: sumOf(alike[0]!.logProbs),
  }));
}

function timesAsked(state: readonly DifferentTurn[]): number {
  return state.reduce((sum, { times }) => sum + times, 0);
}

function sampledLoss(state: readonly DifferentTurn[]): number {
  return state.reduce((sum, { share, before, now }) => sum + share * (Math.exp(before) - Math.exp(now)), 0);
}

function likeliestLoss(state: readonly DifferentTurn[]): number {
  const likeliest = (by: 'before' | 'now'): DifferentTurn => state.reduce((a, b) => (b[by] > a[by] ? b : a));
  return likeliest('before').share - likeliest('now').share;
}

/**
 * The turns as the next try of an update that was taken back learns from them: what succeeded in a state or problem that lost more than half
 * of a limit has an advantage of at least `keptAdvantage`, also where its whole group succeeded and it had none. What the likeliest turn of a
 * problem lost counts where they lost success over all problems. A larger β alone does not bring it back: turns without an advantage take part
 * in no step.
 */
export function keptTurns<
  Turn extends Pick<KnownTurn, 'state' | 'problem' | 'success'> & { readonly advantage: number },
>(
  turns: readonly Turn[],
  { nats, success }: Losses,
  limits: Pick<GateSettings, 'mostLost' | 'mostSuccessLost'> & { readonly keptAdvantage: number },
): readonly Turn[] {
  const hasFallen = meanLikeliestLost(success) > LEAST_FALL;
  const lostIn = (problem: string): number => {
    const { sampled, likeliest } = success.get(problem) ?? { sampled: 0, likeliest: 0 };
    return hasFallen ? Math.max(sampled, likeliest) : sampled;
  };
  const exceedsHalf = (loss: number, limit: number | null): boolean => limit !== null && loss > limit / 2;
  return turns.map((turn) =>
    turn.success &&
    (exceedsHalf(nats.get(turn.state) ?? 0, limits.mostLost) ||
      exceedsHalf(lostIn(turn.problem), limits.mostSuccessLost))
      ? { ...turn, advantage: Math.max(turn.advantage, limits.keptAdvantage) }
      : turn,
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
