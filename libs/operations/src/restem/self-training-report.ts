/** A self-training in figures, as the log records it. Pure. */
import { type Spent, spentBy } from './idle.decide.js';
import { type IterationFigures, iterationFigures } from './iteration-figures.js';
import type { RestEmRunConfig } from './restem.config.js';
import { nextStep, type Pause, runsByIteration, type SelfTraining } from './self-training.decide.js';

export interface SelfTrainingReport {
  readonly selfTrainingId: string;
  readonly startedAt: number;
  readonly standing: 'exploring' | 'training' | 'resting' | 'ended' | 'stopped';
  readonly stopped: SelfTraining['stopped'];
  readonly config: RestEmRunConfig;
  /** In idle time: what it has spent, and why it does not work now. Null: it works next to other work. */
  readonly idle: { readonly spent: Spent; readonly pause: Pause | null } | null;
  readonly iterations: readonly IterationFigures[];
}

/** @param runs of the log */
export function reportOf(state: SelfTraining, runs: Parameters<typeof nextStep>[1]): SelfTrainingReport {
  const { selfTrainingId, startedAt, stopped, config } = state;
  return {
    ...{ selfTrainingId, startedAt, stopped, config },
    standing: standingOf(state, runs),
    idle: config.idle === null ? null : { spent: spentBy(state), pause: state.pause },
    iterations: iterationFigures(state, runs),
  };
}

/** From outside the file is not known: of problems to explore those that were. */
function standingOf(state: SelfTraining, runs: Parameters<typeof nextStep>[1]): SelfTrainingReport['standing'] {
  if (state.stopped !== null) return 'stopped';
  // What a stopped process left is as it is after a kill.
  if (state.config.idle !== null && state.pause !== null && state.pause.reason !== 'stop')
    return state.pause.reason === 'work' || state.pause.reason === 'feedback' ? 'resting' : 'ended';
  const isUnderWayNow = [...runsByIteration(state.selfTrainingId, runs).values()].some(isUnderWay);
  const most = Math.max(1, ...[...state.iterations.values()].map(({ problems }) => problems.size));
  const { kind } = nextStep(state, runs, most);
  if (kind === 'none') return 'ended';
  // In idle time passages are published one by one: those that are settled are not all. People may be judging answers.
  const isDue = kind === 'train' && state.config.idle === null && state.config.feedbackSeconds === undefined;
  const isTraining = isUnderWayNow || isDue;
  return isTraining ? 'training' : 'exploring';
}

function isUnderWay({ status, decision }: Parameters<typeof nextStep>[1][number]): boolean {
  return status === 'running' || (status === 'completed' && decision === 'published');
}
