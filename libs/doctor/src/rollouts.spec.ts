import type { EventOf } from '@seamstream/events';
import type { ResultEvent } from '@seamstream/learning';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { finishedGroups } from './rollouts.decide.js';

const meta = (messageId: string) => ({ ...EXAMPLE_EVENTS.OutcomeRecorded.meta, messageId });
const experience = (experienceId: string): EventOf<'ExperienceGenerated'> => ({
  ...EXAMPLE_EVENTS.ExperienceGenerated,
  experienceId,
  groupId: 'g',
  groupSize: 2,
});
const verdict = (experienceId: string, messageId: string): ResultEvent => ({
  ...EXAMPLE_EVENTS.OutcomeRecorded,
  experienceId,
  meta: meta(messageId),
});
const failure = (experienceId: string, messageId: string): ResultEvent => ({
  ...EXAMPLE_EVENTS.ExecutionFailed,
  experienceId,
  meta: meta(messageId),
});

it('examines groups by the verdicts that are learned from, in any order of reading', () => {
  const [first, second] = [verdict('x', 'b'), verdict('y', 'c')];
  const earlier = verdict('y', 'a');
  for (const results of [
    [first, second, earlier, failure('x', 'a')],
    [failure('x', 'a'), earlier, second, first],
  ]) {
    const [group] = finishedGroups([experience('x'), experience('y')], results);
    expect(group!.members.map(({ result }) => result)).toEqual([first, earlier]);
  }
});

it('leaves out groups that still wait for a result', () => {
  expect(finishedGroups([experience('x'), experience('y')], [verdict('x', 'a')])).toEqual([]);
});
