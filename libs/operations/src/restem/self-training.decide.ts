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
  /** With the time of their publication, in milliseconds since the Unix epoch. */
  readonly problems: Map<string, number>;
  readonly results: ResultEvent[];
  /** Problems that will not be answered any more: expired, or sent to the dead letters. */
  readonly lost: Map<string, number>;
}

/** What the log records of one self-training, apart from its training runs. */
export interface SelfTraining {
  readonly selfTrainingId: string;
  config: RestEmRunConfig;
  startedAt: number;
  /** Who stopped it and why; null while it continues. */
  stopped: { readonly by: string; readonly reason: string } | null;
  readonly iterations: Map<number, Explored>;
  /** The most iterations that it was ever started with. */
  mostIterations: number;
  /** By iteration: ids of the file's first rows, as many as it was asked for. */
  readonly rowIds: Map<number, Set<string>>;
  /** When it works only while no other problem waits: from when to when it did, oldest first. */
  readonly stretches: Stretch[];
  /** Times of what is recorded of its training runs. */
  readonly runTimes: number[];
  /** Why it does not work now; null where it does, or has not begun. */
  pause: Pause | null;
}

/** Milliseconds since the Unix epoch. */
interface Stretch {
  readonly from: number;
  /** Null: its end is not recorded. It continues, or its process was killed. */
  to: number | null;
}

export interface Pause {
  readonly reason: string;
  /** Other problems that waited when it began. */
  readonly waiting: number;
  readonly since: number;
}

export interface SelfTrainings {
  readonly byId: Map<string, SelfTraining>;
  /** Iteration and self-training of each problem. */
  readonly places: Map<string, { readonly of: string; readonly index: number }>;
  /** The self-training of each training run that was planned for one. */
  readonly ofRuns: Map<string, string>;
}

export function initialSelfTrainings(): SelfTrainings {
  return { byId: new Map(), places: new Map(), ofRuns: new Map() };
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
      if (known === undefined) break;
      known.stopped = { by: event.stoppedBy, reason: event.reason };
      endStretch(known, event.meta.occurredAt);
      break;
    }
    case 'SelfTrainingResumed':
      resume(state.byId.get(event.selfTrainingId), event.meta.occurredAt);
      break;
    case 'SelfTrainingPaused':
      pause(state.byId.get(event.selfTrainingId), event);
      break;
    case 'TrainingRunPlanned':
    case 'TrainingRunStarted': {
      const iteration = iterationOf(event);
      if (iteration !== undefined) state.ofRuns.set(event.runId, iteration.of);
      noteRun(state, event.runId, event.meta.occurredAt);
      break;
    }
    case 'TrainingRunCheckpointed':
    case 'TrainingRunCompleted':
    case 'TrainingRunRejected':
    case 'TrainingRunFailed':
      noteRun(state, event.runId, event.meta.occurredAt);
      break;
    case 'ProblemPublished':
      publish(state, event);
      break;
    case 'ProblemExpired':
      exploredWith(state, event.problem.problemId)?.lost.set(event.problem.problemId, event.meta.occurredAt);
      break;
    case 'DeadLettered':
      if (event.key !== null) exploredWith(state, event.key)?.lost.set(event.key, event.meta.occurredAt);
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
      ...{ stopped: null, iterations: new Map(), mostIterations: config.iterations, rowIds: new Map() },
      ...{ stretches: [], runTimes: [], pause: null },
    });
  else {
    known.mostIterations = Math.max(known.mostIterations, config.iterations);
    Object.assign(known, { config, stopped: null });
  }
}

function resume(known: SelfTraining | undefined, at: number): void {
  if (known === undefined || known.stretches.some(({ from }) => from === at)) return;
  known.stretches.push({ from: at, to: null });
  known.pause = null;
}

function pause(known: SelfTraining | undefined, { reason, waiting, meta }: EventOf<'SelfTrainingPaused'>): void {
  const since = meta.occurredAt;
  const last = known?.stretches.at(-1);
  if (known === undefined || (last !== undefined && last.from > since)) return;
  endStretch(known, since);
  known.pause = { reason, waiting, since };
}

function endStretch({ stretches }: SelfTraining, at: number): void {
  const last = stretches.at(-1);
  if (last !== undefined) last.to ??= at;
}

function noteRun(state: SelfTrainings, runId: string, at: number): void {
  const of = state.ofRuns.get(runId);
  if (of !== undefined) state.byId.get(of)?.runTimes.push(at);
}

function publish(state: SelfTrainings, { meta, problem: { problemId, metadata } }: EventOf<'ProblemPublished'>): void {
  const [of, index] = [metadata[OF], Number(metadata[ITERATION])];
  const known = of === undefined ? undefined : state.byId.get(of);
  if (known === undefined || !isRowOf(known, index, problemId)) return;
  const explored = known.iterations.get(index) ?? { problems: new Map(), results: [], lost: new Map() };
  known.iterations.set(index, explored);
  if (!explored.problems.has(problemId)) explored.problems.set(problemId, meta.occurredAt);
  state.places.set(problemId, { of: known.selfTrainingId, index });
}

/** Whether a problem is a row of an iteration. Anyone may write its metadata: what has another id is work of others. */
function isRowOf({ selfTrainingId, config, mostIterations, rowIds }: SelfTraining, index: number, id: string): boolean {
  if (!Number.isInteger(index) || index < 1 || index > mostIterations) return false;
  const ids = rowIds.get(index) ?? new Set<string>();
  rowIds.set(index, ids);
  // The log does not say how many rows the file has. An iteration explores none behind these.
  while (!ids.has(id) && ids.size < index * config.passages) ids.add(explorationId(selfTrainingId, index, ids.size));
  return ids.has(id);
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
  const settled = new Set([...lost.keys(), ...complete.map(([first]) => first!.problem.problemId)]);
  return [...problems.keys()].filter((problemId) => settled.has(problemId)).length;
}

export type NextStep =
  /** The problems of these rows are still to be published. */
  | { readonly kind: 'explore'; readonly index: number; readonly rows: readonly number[] }
  | { readonly kind: 'wait'; readonly index: number; readonly settled: number; readonly problems: number }
  | { readonly kind: 'train'; readonly index: number }
  /** People can judge the answers until then, in milliseconds since the Unix epoch. */
  | { readonly kind: 'listen'; readonly index: number; readonly until: number }
  /** Other problems wait: it works when they are answered. */
  | { readonly kind: 'rest'; readonly index: number; readonly waiting: number }
  | { readonly kind: 'none'; readonly reason: 'done' | 'no gain' | 'stopped' | 'failed' | 'budget' };

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
    const [settled, problems] = explored === undefined ? [0, 0] : [settledIn(explored), explored.problems.size];
    const { idle } = state.config;
    if (missing.length > 0 && idle === null) return { kind: 'explore', index, rows: missing };
    // In idle time one after the other, so that no more than one is in the way of other work.
    if (missing.length > 0 && settled === problems) return { kind: 'explore', index, rows: missing.slice(0, 1) };
    return settled < problems ? { kind: 'wait', index, settled, problems } : { kind: 'train', index };
  }
  return { kind: 'none', reason: 'done' };
}

/** Clocks of machines differ by less, in milliseconds. What says that it is further ahead says nothing of the time. */
const MOST_AHEAD = 3_600_000;

/** People have their time to judge the answers before these are trained on. @param now in milliseconds since the Unix epoch */
export function whenHeard(
  step: NextStep,
  { config: { feedbackSeconds }, iterations }: Pick<SelfTraining, 'config' | 'iterations'>,
  now: number,
): NextStep {
  const explored = iterations.get(step.kind === 'train' ? step.index : 0);
  if (step.kind !== 'train' || feedbackSeconds === undefined || explored === undefined) return step;
  const results = explored.results.map(({ meta }) => meta.occurredAt);
  const times = [...explored.problems.values(), ...explored.lost.values(), ...results];
  const known = times.filter((at) => at <= now + MOST_AHEAD).map((at) => Math.min(at, now));
  const until = known.reduce((last, at) => Math.max(last, at), 0) + feedbackSeconds * 1000;
  return now < until ? { kind: 'listen', index: step.index, until } : step;
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

function iterationOf({
  configuration,
}: Pick<RecordedRun, 'configuration'>): { readonly of: string; readonly index: number } | undefined {
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
