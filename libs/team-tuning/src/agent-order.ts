/** Which agent is updated first. */
import { Random } from '@seamstream/kernel';
import { alikeInGroups } from './judged-alike.js';
import type { Team } from './team.js';
import type { TeamRollout } from './team-rollout.js';

/** @returns places of the agents in the team, in the order of their updates */
export function agentOrder(
  kind: 'static' | 'random' | 'information',
  team: Team,
  { rollouts, seed }: { readonly rollouts: readonly TeamRollout[]; readonly seed: string },
): readonly number[] {
  const places = team.agents.map((_, place) => place);
  switch (kind) {
    case 'static':
      return places;
    case 'random':
      return Random.of(seed, 'order').shuffled(places);
    case 'information': {
      const gains = places.map((place) => informationGain(rollouts, place));
      return places.toSorted((a, b) => gains[b]! - gains[a]! || a - b);
    }
  }
}

/**
 * What an agent's turn says about the reward: the mean over problems of the variance between the mean rewards of its different turns. 0 where
 * it writes the same in every rollout, or where the reward does not depend on what it writes. Problems whose rewards different revisions of
 * a judge gave do not count.
 */
function informationGain(rollouts: readonly TeamRollout[], place: number): number {
  const groups = [...Map.groupBy(alikeInGroups(rollouts), ({ problem }) => problem.problemId).values()];
  if (groups.length === 0) return 0;
  const gains = groups.map((group) => {
    const mean = meanOf(group);
    const turns = Map.groupBy(group, ({ turns: own }) => own[place]!.text);
    return [...turns.values()].reduce((sum, own) => sum + (own.length * (meanOf(own) - mean) ** 2) / group.length, 0);
  });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

function meanOf(rollouts: readonly TeamRollout[]): number {
  return rollouts.reduce((sum, { reward }) => sum + reward, 0) / rollouts.length;
}
