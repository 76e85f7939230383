/**
 * A self-training, folded from the log: which problems each iteration explores, the results of their attempts, and the training run that
 * followed. What is to be done next follows from it alone, so a process that continues after a kill does the same.
 *
 *   explore ──► wait for the outcomes ──► train and compare ──► the next iteration explores
 */
import type { EventOf, SeamEvent } from '@seamstream/events';
import { definiteResults, isAttemptResult, isComplete } from '@seamstream/experience-groups';
import { derivedId } from '@seamstream/kernel';
import type { ResultEvent } from '@seamstream/learning';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import { type RestEmRunConfig, recordedConfig } from './restem.config.js';

/** Under these names a problem's metadata says whose it is. */
const OF = 'selfTraining';
const ITERATION = 'iteration';

/** The problems of one iteration and what became of their attempts. */
interface Explored {
  readonly problems: Set<string>;
  readonly results: ResultEvent[];
  /** Problems that will not be answered any more: expired, or sent to the dead letters. */
  readonly lost: Set<string>;
}

/** What the log records of one self-training, apart from its training runs. */
export interface SelfTraining {
  readonly selfTrainingId: string;
  config: RestEmRunConfig;
  startedAt: number;
  /** Who stopped it and why; null while it continues. */
  stopped: { readonly by: string; readonly reason: string } | null;
  readonly iterations: Map<number, Explored>;
}

export interface SelfTrainings {
  readonly byId: Map<string, SelfTraining>;
  /** Iteration and self-training of each problem. */
  readonly places: Map<string, { readonly of: string; readonly index: number }>;
}

export function initialSelfTrainings(): SelfTrainings {
  return { byId: new Map(), places: new Map() };
}

/** Id of a problem of an iteration: the same for every publisher and each time. */
export function explorationId(selfTrainingId: string, index: number, row: number): string {
  return derivedId(selfTrainingId, `iteration/${index}`, row);
}

/** What a problem's metadata says. */
export function explorationMetadata(selfTrainingId: string, index: number): Readonly<Record<string, string>> {
  return { [OF]: selfTrainingId, [ITERATION]: String(index) };
}

/** The state after an event, which is changed in place; events may be repeated. */
export function evolveSelfTrainings(state: SelfTrainings, event: SeamEvent): SelfTrainings {
  switch (event.type) {
    case 'SelfTrainingStarted':
      start(state, event);
      break;
    case 'SelfTrainingStopped': {
      const known = state.byId.get(event.selfTrainingId);
      if (known !== undefined) known.stopped = { by: event.stoppedBy, reason: event.reason };
      break;
    }
    case 'ProblemPublished':
      publish(state, event);
      break;
    case 'ProblemExpired':
      exploredWith(state, event.problem.problemId)?.lost.add(event.problem.problemId);
      break;
    case 'DeadLettered':
      if (event.key !== null) exploredWith(state, event.key)?.lost.add(event.key);
      break;
    default:
      if (isAttemptResult(event)) exploredWith(state, event.problem.problemId)?.results.push(event);
  }
  return state;
}

function start(state: SelfTrainings, event: EventOf<'SelfTrainingStarted'>): void {
  const { selfTrainingId, configuration, meta } = event;
  const config = recordedConfig(selfTrainingId, configuration);
  const known = state.byId.get(selfTrainingId);
  if (known === undefined)
    state.byId.set(selfTrainingId, {
      ...{ selfTrainingId, config, startedAt: meta.occurredAt },
      ...{ stopped: null, iterations: new Map() },
    });
  else Object.assign(known, { config, stopped: null });
}

function publish(state: SelfTrainings, { problem: { problemId, metadata } }: EventOf<'ProblemPublished'>): void {
  const [of, index] = [metadata[OF], Number(metadata[ITERATION])];
  const known = of === undefined ? undefined : state.byId.get(of);
  if (known === undefined || !Number.isInteger(index) || index < 1) return;
  const explored = known.iterations.get(index) ?? { problems: new Set(), results: [], lost: new Set() };
  known.iterations.set(index, explored);
  explored.problems.add(problemId);
  state.places.set(problemId, { of: known.selfTrainingId, index });
}

function exploredWith(state: SelfTrainings, problemId: string): Explored | undefined {
  const place = state.places.get(problemId);
  return place === undefined ? undefined : state.byId.get(place.of)?.iterations.get(place.index);
}

/** Rows of a file with so many that an iteration explores, from 0. */
export function rowsOf(index: number, { passages }: RestEmRunConfig, total: number): readonly number[] {
  const count = Math.min(passages, total);
  return Array.from({ length: count }, (_, at) => ((index - 1) * count + at) % total);
}

/** Problems of an iteration whose attempts are all in, or that are lost. */
export function settledIn({ problems, results, lost }: Explored): number {
  const byGroup = Map.groupBy(definiteResults(results).values(), ({ groupId }) => groupId);
  const complete = [...byGroup.values()].filter((members) =>
    isComplete({ groupSize: members[0]!.groupSize, members: members.length }),
  );
  const settled = new Set([...lost, ...complete.map(([first]) => first!.problem.problemId)]);
  return [...problems].filter((problemId) => settled.has(problemId)).length;
}

export type NextStep =
  /** The problems of these rows are still to be published. */
  | { readonly kind: 'explore'; readonly index: number; readonly rows: readonly number[] }
  | { readonly kind: 'wait'; readonly index: number; readonly settled: number; readonly problems: number }
  | { readonly kind: 'train'; readonly index: number }
  | { readonly kind: 'none'; readonly reason: 'done' | 'no gain' | 'stopped' | 'failed' };

/**
 * @param runs of the log: those of this self-training are found by what they were planned for
 * @param total problems of its file
 */
export function nextStep(state: SelfTraining, runs: readonly RecordedRun[], total: number): NextStep {
  if (state.stopped !== null) return { kind: 'none', reason: 'stopped' };
  const own = runsByIteration(state.selfTrainingId, runs);
  let without = 0;
  for (let index = 1; index <= state.config.iterations; index++) {
    const run = own.get(index);
    if (run !== undefined && hasEnded(run)) {
      if (run.status === 'failed') return { kind: 'none', reason: 'failed' };
      without = isBetter(run) ? 0 : without + 1;
      if (state.config.patience > 0 && without >= state.config.patience) return { kind: 'none', reason: 'no gain' };
      continue;
    }
    const explored = state.iterations.get(index);
    const missing = rowsOf(index, state.config, total).filter(
      (row) => explored?.problems.has(explorationId(state.selfTrainingId, index, row)) !== true,
    );
    if (missing.length > 0) return { kind: 'explore', index, rows: missing };
    const [settled, problems] = [settledIn(explored!), explored!.problems.size];
    return settled < problems ? { kind: 'wait', index, settled, problems } : { kind: 'train', index };
  }
  return { kind: 'none', reason: 'done' };
}

/** The training run of each iteration. */
export function runsByIteration(
  selfTrainingId: string,
  runs: readonly RecordedRun[],
): ReadonlyMap<number, RecordedRun> {
  return new Map(
    runs.flatMap((run) => {
      const iteration = iterationOf(run);
      return iteration?.of === selfTrainingId ? [[iteration.index, run] as const] : [];
    }),
  );
}

function iterationOf({ configuration }: RecordedRun): { readonly of: string; readonly index: number } | undefined {
  try {
    const { iteration } = JSON.parse(configuration) as { readonly iteration?: { of: string; index: number } };
    return iteration;
  } catch {
    return undefined;
  }
}

/** Whether its adapter was taken into service, then or since. */
export function isBetter({ decision }: RecordedRun): boolean {
  return decision === 'served' || decision === 'promoted' || decision === 'rolledBack';
}

function hasEnded({ status, decision }: RecordedRun): boolean {
  const isOpen = status === 'running' || (status === 'completed' && (decision === null || decision === 'published'));
  return !isOpen;
}
