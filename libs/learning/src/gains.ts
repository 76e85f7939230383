/** What an entry's reward is compared with, before anybody says that the entry helped. */
import { definiteResults } from '@seamstream/experience-groups';
import { mean } from '@seamstream/statistics';
import type { ResultEvent } from './learning.types.js';

/** Mean reward of the problems without an entry, by domain: the control arm. Domains without one are absent. */
export function controlRewards(results: Iterable<ResultEvent>): ReadonlyMap<string, number> {
  const controls = [...definiteResults(results).values()]
    .filter((result) => result.type === 'OutcomeRecorded')
    .filter(({ arm }) => arm === 'control');
  const byDomain = Map.groupBy(controls, ({ problem }) => problem.domain);
  return new Map([...byDomain].map(([domain, ofDomain]) => [domain, mean(ofDomain.map(({ reward }) => reward))]));
}

/**
 * The gain of each reward of a group: its difference from the domain's control arm, or from the group's mean where the domain has none.
 * @param rewards of one group's entries, in any order
 */
export function gainsOf(rewards: readonly number[], control: number | undefined): readonly number[] {
  const baseline = control ?? mean(rewards);
  return rewards.map((reward) => reward - baseline);
}
