/** What the windows before say of a plan: which of them a run learns from, and which of their records it leaves out. Pure. */
import type { PreviousRun } from '@seamstream/learning';
import type { RunPlan, RunWindow } from './run-plan.js';
import type { TrainingHistory } from './training-history.js';

export function refusedIn(windows: readonly RunWindow[]): Pick<RunPlan['configuration'], 'refused'> {
  const refused = windows.flatMap((window) => window.refused ?? []);
  return refused.length === 0 ? {} : { refused };
}

/** Windows of the log that lie less than so many rounds before the current one. */
export function windowsBefore(current: RunWindow, rounds: number, { windows }: TrainingHistory): readonly RunWindow[] {
  return [...windows.values()].filter(({ index }) => index < current.index && index > current.index - rounds);
}

/** Runs of the windows so far, oldest first. */
export function runsOfWindows({ runs, runOfWindow }: TrainingHistory): readonly PreviousRun[] {
  return [...runOfWindow]
    .sort(([a], [b]) => a - b)
    .flatMap(([, runId]) => {
      const run = runs.get(runId);
      return run === undefined || run.status === 'unknown'
        ? []
        : [{ algorithm: run.plan.algorithm, promoted: run.status === 'promoted' }];
    });
}

/** By partition of seam.experiences: where those of the last window that has some there begin. Later windows have none before. */
export function lastExperiences({ windows }: TrainingHistory): ReadonlyMap<number, number> {
  const inOrder = [...windows.values()].sort((a, b) => a.index - b.index);
  return new Map(inOrder.flatMap(({ experiences }) => experiences.map(({ partition, from }) => [partition, from])));
}

/** Groups of windows that are no inputs, with records in the ranges of the given windows. Each counts once, in its own window. */
export function excludedFrom(windows: readonly RunWindow[], upTo: number): Pick<RunPlan['configuration'], 'excluded'> {
  const excluded = windows.flatMap(({ index, repeated = {} }) =>
    Object.entries(repeated).flatMap(([groupId, age]) => (index - age <= upTo ? [groupId] : [])),
  );
  return excluded.length === 0 ? {} : { excluded: [...new Set(excluded)].sort() };
}
