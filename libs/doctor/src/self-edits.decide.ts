/** Whether self-edits can teach their writer: neither nearly none nor nearly all of them may help. */
import { controlRewards, gainsOf, type ResultEvent } from '@seamstream/learning';
import { wilsonInterval } from '@seamstream/statistics';
import { type Finding, finding, LIMITS, percent } from './finding.js';
import type { FinishedGroup } from './rollouts.decide.js';

/** As outcomes name the environments in which an entry acts by a training: self-edits, and tool configurations of tasks on grids. */
const TRAINED_ON = ['inner-lora-update@', 'few-shot-lora-update@'];

/**
 * The share of self-edits with a gain over the control arm of their domain. Where no passage was tried without an edit, the mean of the
 * group takes its place: then some edits gain whenever two differ, and only too few of them is a finding.
 * @param groups finished ones; those whose entries act otherwise are passed over
 * @param results among them those of the control arm
 */
export function examineSelfEdits(groups: readonly FinishedGroup[], results: Iterable<ResultEvent>): readonly Finding[] {
  const controls = controlRewards(results);
  const gains = groups.flatMap((group) => gainsIn(group, controls));
  const gaining = gains.filter((gain) => gain > 0).length;
  const share = gaining / Math.max(1, gains.length);
  const isTooHard = share < LIMITS.leastGainingShare;
  const isTooEasy = share > LIMITS.mostGainingShare && controls.size > 0;
  if (gains.length < LIMITS.minEditAttempts || !(isTooHard || isTooEasy)) return [];
  const [low, high] = wilsonInterval(gaining, gains.length);
  const over = controls.size > 0 ? 'passages without an edit' : 'the mean of their group';
  return [
    finding(
      isTooHard ? 'self-edits-too-hard' : 'self-edits-too-easy',
      gaining === 0 ? 'error' : 'warning',
      `${gaining} of ${gains.length} self-edits (${percent(share)}, 95 % interval ${percent(low)} to ${percent(high)}) did better than ${over}; ReST-EM learns best where ${percent(LIMITS.leastGainingShare)} to ${percent(LIMITS.mostGainingShare)} do.`,
    ),
  ];
}

/** Of a group's self-edits; none where its domain has no control arm and others have. */
function gainsIn({ members }: FinishedGroup, controls: ReadonlyMap<string, number>): readonly number[] {
  const outcomes = members.flatMap(({ result }) =>
    result.type === 'OutcomeRecorded' && TRAINED_ON.some((name) => result.executor.template.startsWith(name))
      ? [result]
      : [],
  );
  if (outcomes.length < 2) return [];
  const control = controls.get(outcomes[0]!.problem.domain);
  if (control === undefined && controls.size > 0) return [];
  return gainsOf(
    outcomes.map(({ reward }) => reward),
    control,
  );
}
