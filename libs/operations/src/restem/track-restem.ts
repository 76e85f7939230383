/** Self-trainings as runs of a tracker of experiments. What is sent follows from the log: sending it again adds what is new. */
import type { ExperimentTracker, Tracked, TrackedPoint, TrackedRun } from '@seamstream/experiment-tracking';
import { shortId } from '@seamstream/kernel';
import type { IterationFigures } from './iteration-figures.js';
import type { SelfTrainingReport } from './self-training-report.js';
import { dynamicsOf } from './training-dynamics.js';

export interface TrackedSelfTraining extends Tracked {
  readonly selfTrainingId: string;
}

/** @throws as the tracker */
export async function trackSelfTrainings(
  tracker: ExperimentTracker,
  reports: readonly SelfTrainingReport[],
): Promise<readonly TrackedSelfTraining[]> {
  const tracked: TrackedSelfTraining[] = [];
  for (const report of reports)
    tracked.push({ selfTrainingId: report.selfTrainingId, ...(await tracker.track(trackedRun(report))) });
  return tracked;
}

/** Of the iterations whose training has ended: their figures change no more. */
export function trackedRun({
  selfTrainingId,
  startedAt,
  standing,
  config,
  iterations,
}: SelfTrainingReport): TrackedRun {
  const ended = iterations.filter(({ run }) => run !== null && run.endedAt !== null);
  const isOver = standing === 'ended' || standing === 'stopped';
  const isFailed = iterations.some(({ run }) => run?.status === 'failed');
  return {
    ...{ id: selfTrainingId, name: `restem ${shortId(selfTrainingId)}`, startedAt },
    endedAt: isOver ? (ended.at(-1)?.run?.endedAt ?? startedAt) : null,
    status: isFailed ? 'failed' : isOver ? 'finished' : 'running',
    parameters: flattened(config),
    points: ended.flatMap((figures, at) => pointsOf(figures, ended.slice(0, at + 1))),
  };
}

/** @param sofar this iteration with those before it */
function pointsOf(figures: IterationFigures, sofar: readonly IterationFigures[]): readonly TrackedPoint[] {
  const { index, reward, attempts, failed, control, gaining, success, measured, questions, before, after, run } =
    figures;
  const { refused, feedback } = figures;
  const dynamics = dynamicsOf(sofar.flatMap((each) => (each.reward === null ? [] : [each.reward.mean])));
  const values: readonly (readonly [string, number | null | undefined])[] = [
    ['reward/mean', reward?.mean],
    ['reward/std', reward?.std],
    ...(reward?.histogram ?? []).map((count, bin) => [`reward/histogram_${bin}`, count] as const),
    ['reward/control', control],
    ['reward/trend', dynamics?.trend],
    ['reward/unsteadiness', dynamics?.unsteadiness],
    ['attempts', attempts],
    ['attempts_failed', failed],
    ['edits_refused', refused.reduce((sum, { count }) => sum + count, 0)],
    ['feedback/attempts', feedback?.attempts],
    ['feedback/people', feedback?.people],
    ['feedback/reward', feedback?.reward],
    ['feedback/decided', feedback?.decided],
    ['success_rate', success],
    ['gaining_share', gaining],
    ['accuracy/before_update', measured?.before],
    ['accuracy/after_update', measured?.after],
    ['questions_per_passage', questions],
    ['validation/before_training', before],
    ['validation/after_training', after],
    ['promoted', Number(run?.status === 'promoted')],
  ];
  return values.flatMap(([metric, value]) =>
    value == null || !Number.isFinite(value) ? [] : [{ metric, step: index, value, at: run!.endedAt! }],
  );
}

/** A configuration as names with dots and texts. */
function flattened(value: object, prefix = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
      const name = `${prefix}${key}`;
      return typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.entries(flattened(each, `${name}.`))
        : [[name, typeof each === 'string' ? each : JSON.stringify(each)]];
    }),
  );
}
