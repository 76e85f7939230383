/** Verdicts that say nothing, for learning that must then come to nothing: the negative control of everything that claims to learn. */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { compareText, Random } from '@seamstream/kernel';

type Outcome = EventOf<'OutcomeRecorded'>;
/** What a round's results are taken for. */
export type Judging = (outcomes: readonly Outcome[]) => readonly Outcome[];

/**
 * Every explored entry has the verdict of another one, of any problem: as many successes as there were, on entries that did not earn them.
 * @param order another one is another shuffle
 */
export const shuffled =
  (order: string): Judging =>
  (outcomes) => {
    const explored = outcomes
      .filter(({ arm }) => arm === 'explore')
      .toSorted((a, b) => compareText(a.experienceId, b.experienceId));
    const others = Random.of('shuffled rewards', order).shuffled(explored);
    const given = new Map(explored.map(({ experienceId }, at) => [experienceId, others[at]!]));
    return outcomes.map((outcome) => {
      const { success, reward } = given.get(outcome.experienceId) ?? outcome;
      return { ...outcome, success, reward };
    });
  };

/** What a round consists of, besides its problems and its verdicts. */
const ATTEMPTS: ReadonlySet<string> = new Set([
  ...['ExperienceGenerated', 'ExperienceWithheld', 'AttemptUngraded', 'ExecutionFailed'],
]);

/** The events of a round in an order in which services may read them, under other verdicts. */
export function rejudged(round: readonly SeamEvent[], judging: Judging): readonly SeamEvent[] {
  return [
    ...round.filter(({ type }) => type === 'ProblemPublished'),
    ...round.filter(({ type }) => ATTEMPTS.has(type)),
    ...judging(round.filter((event) => event.type === 'OutcomeRecorded')),
  ];
}
