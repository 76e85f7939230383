/**
 * What the live view and the report show, folded from the log: one row per round, counts per arm, the adapters. A
 * problem's id and metadata name its round, and a training run names its window, so the fold does not depend on the order
 * in which partitions are read. A fold changes `verdicts` in place, so a state belongs to one reader.
 */
import { type BufferCommitted, type Evaluation, type EventOf, promptOrName, type SeamEvent } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { type Cells, changesBy, MemoryCells } from '@seamstream/read-models';
import {
  evolveServedAdapter,
  initialServedAdapter,
  levelIn,
  type ServedAdapter,
  type ServedAdapterState,
} from '@seamstream/release';
import { binOf, histogramOf } from '@seamstream/statistics';
import { newestVersions, wholeBuffer } from '@seamstream/success-buffer';
import { placeInStream } from './problem-stream.js';

interface Tally {
  readonly executed: number;
  readonly solved: number;
}

export interface RoundProgress {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly published: number;
  /** Candidates of a served adapter, and of the bare base model. */
  readonly byAdapter: Tally;
  readonly byBase: Tally;
  readonly control: Tally;
  /** Rewards of candidates with an entry, in ten bins. */
  readonly rewards: readonly number[];
  /** Entries that were to quote their problem, and as solved those whose every quote stands there. */
  readonly quoting: Tally;
  readonly firstPublishedAtMs: number;
}

export interface RunProgress {
  readonly runId: string;
  /** 1 for the run of the first round; null for a run on demand, or while its start has not been read. */
  readonly window: number | null;
  readonly algorithm: string;
  readonly startedAtMs: number;
  /** When the candidate was there, and was still to be compared; null for none. */
  readonly madeAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly parent: string | null;
  readonly adapterDigest: string | null;
  /** Where the promoted adapter lies in the object store. */
  readonly adapterKey: string | null;
  readonly status: 'running' | 'promoted' | 'rejected' | 'failed';
  readonly validation: number | null;
  /** The parent's success on the same problems, and how many they are; null where nothing was compared. */
  readonly parentValidation: number | null;
  readonly validationProblems: number | null;
  /** Attempts that comparing took; null where nothing was compared, or it was not counted. */
  readonly comparedAttempts: number | null;
  readonly validationPerDomain: Readonly<Record<string, number>>;
  /** Of the adapter that the candidate was compared with; empty where they were not asked the same problems side by side. */
  readonly parentPerDomain: Readonly<Record<string, number>>;
  /** Problems that both were asked, per domain. */
  readonly askedPerDomain: Readonly<Record<string, number>>;
  /** Of these problems those that the candidate alone and the parent alone solved; null where they were not asked side by side. */
  readonly rescued: number | null;
  readonly broken: number | null;
  /** Problems of these that earlier comparisons had asked already. */
  readonly repeated: number;
  /** Of the comparison, as the run's plan states it; null where it was decided by another rule. */
  readonly level: number | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly reason: string | null;
}

export interface LoopProgress {
  /** Names of the streams that the rounds belong to: one, unless folders were mixed. */
  readonly streams: ReadonlySet<string>;
  readonly rounds: ReadonlyMap<number, RoundProgress>;
  /** By runId. */
  readonly runs: ReadonlyMap<string, RunProgress>;
  readonly experiences: number;
  readonly deadLettered: number;
  /** The verdicts that count, by their group. */
  readonly verdicts: Cells;
  /** Outcomes of all problems, those that other processes published as well. */
  readonly control: Tally;
  /** Of candidates with an entry, the newest: the last full half of a window of {@link NEWEST}, and the half that fills. */
  readonly newest: { readonly before: Tally; readonly filling: Tally };
  /** The newest version of each shard of the buffer. */
  readonly versions: readonly BufferCommitted[];
  /** All shards together, as soon as each has a version. */
  readonly buffer: {
    /** Of the shard that is least far. */
    readonly sequence: number;
    /** Of several shards the digest of the list of theirs. */
    readonly digest: string | null;
    readonly rows: number;
    readonly rowsPerStratum: Readonly<Record<string, number>>;
  };
  readonly rejections: Readonly<Record<string, number>>;
  readonly adapters: ServedAdapterState;
  /** The entry and problem seen last, for the view. */
  readonly lastSolved: { readonly prompt: string; readonly entry: string; readonly response: string } | null;
}

const NOTHING: Tally = { executed: 0, solved: 0 };

export const initialLoopProgress = (): LoopProgress => ({
  streams: new Set(),
  rounds: new Map(),
  runs: new Map(),
  experiences: 0,
  deadLettered: 0,
  verdicts: new MemoryCells(),
  control: NOTHING,
  newest: { before: NOTHING, filling: NOTHING },
  versions: [],
  buffer: { sequence: -1, digest: null, rows: 0, rowsPerStratum: {} },
  rejections: {},
  adapters: initialServedAdapter(),
  lastSolved: null,
});

/** Outcomes that "now" means in the live view: about half of what a round of the demonstration brings. */
const NEWEST = 512;

const counted = (tally: Tally, solved: boolean, by: 1 | -1 = 1): Tally => ({
  executed: tally.executed + by,
  solved: tally.solved + (solved ? by : 0),
});

/** The newest outcomes with an entry: between half of {@link NEWEST} and all of it, once there are so many. */
export function newestOf({ newest: { before, filling } }: LoopProgress): Tally {
  return { executed: before.executed + filling.executed, solved: before.solved + filling.solved };
}

function withNewest({ before, filling }: LoopProgress['newest'], solved: boolean): LoopProgress['newest'] {
  return filling.executed < NEWEST / 2
    ? { before, filling: counted(filling, solved) }
    : { before: filling, filling: counted(NOTHING, solved) };
}

/** Fraction solved; null when nothing was executed. */
export function rate(tally: Tally): number | null {
  return tally.executed === 0 ? null : tally.solved / tally.executed;
}

/** What the round's exploration is judged by: the adapter's candidates, the base model's before there is an adapter. */
export function exploredOf(row: RoundProgress): Tally {
  return row.byAdapter.executed > 0 ? row.byAdapter : row.byBase;
}

function withRound(
  state: LoopProgress,
  problem: Parameters<typeof placeInStream>[0],
  atMs: number,
  change: (row: RoundProgress) => RoundProgress,
): LoopProgress {
  const place = placeInStream(problem);
  if (place === null) return state;
  const { stream, ...ofRound } = place;
  const row = state.rounds.get(place.round) ?? {
    ...ofRound,
    published: 0,
    byAdapter: NOTHING,
    byBase: NOTHING,
    control: NOTHING,
    rewards: histogramOf([]),
    quoting: NOTHING,
    firstPublishedAtMs: atMs,
  };
  return {
    ...state,
    streams: state.streams.has(stream) ? state.streams : new Set(state.streams).add(stream),
    rounds: new Map(state.rounds).set(place.round, change(row)),
  };
}

const unseenRun = (runId: string): RunProgress => ({
  runId,
  window: null,
  algorithm: '',
  startedAtMs: 0,
  madeAtMs: null,
  endedAtMs: null,
  parent: null,
  adapterDigest: null,
  adapterKey: null,
  status: 'running',
  validation: null,
  parentValidation: null,
  validationProblems: null,
  comparedAttempts: null,
  validationPerDomain: {},
  parentPerDomain: {},
  askedPerDomain: {},
  rescued: null,
  broken: null,
  repeated: 0,
  level: null,
  metrics: {},
  reason: null,
});

/** What an evaluation says of a run's candidate. */
function measuredBy(evaluation: Evaluation | null): Partial<RunProgress> {
  return {
    validation: evaluation?.success ?? null,
    parentValidation: evaluation?.parentSuccess ?? null,
    validationProblems: evaluation?.problems ?? null,
    comparedAttempts: evaluation?.attempts ?? null,
    validationPerDomain: evaluation?.perDomain ?? {},
    parentPerDomain: evaluation?.parentPerDomain ?? {},
    askedPerDomain: evaluation?.asked ?? {},
    rescued: evaluation?.rescued ?? null,
    broken: evaluation?.broken ?? null,
    repeated: evaluation?.repeated ?? 0,
  };
}

/** A run's end may be read before its start: the topics are different ones. */
function withRun(state: LoopProgress, runId: string, change: (run: RunProgress) => Partial<RunProgress>): LoopProgress {
  const run = state.runs.get(runId) ?? unseenRun(runId);
  return { ...state, runs: new Map(state.runs).set(runId, { ...run, ...change(run) }) };
}

/** Index of the window that a run learned from, as its recorded configuration names it. */
function windowOf(configuration: string): number | null {
  const { window } = JSON.parse(configuration) as { window?: { index?: number } | null };
  return window?.index ?? null;
}

function bufferOf(versions: readonly BufferCommitted[]): LoopProgress['buffer'] | undefined {
  if (versions.length === 0) return undefined;
  const digests = versions.map(({ bufferDigest }) => bufferDigest);
  return {
    sequence: Math.min(...versions.map(({ sequence }) => sequence)),
    digest: digests.length === 1 ? digests[0]! : sha256(canonicalJson(digests)),
    rows: versions.reduce((sum, { rows }) => sum + rows, 0),
    rowsPerStratum: Object.assign({}, ...versions.map(({ rowsPerStratum }) => rowsPerStratum)) as Record<
      string,
      number
    >,
  };
}

/** Folds one event into the progress. Events that it does not know leave it unchanged. */
export function evolveLoopProgress(state: LoopProgress, event: SeamEvent): LoopProgress {
  return withDecisions(evolveFigures(state, event), evolveServedAdapter(state.adapters, event));
}

/** The result of the promotions so far. One that the log does not bear out ends no run, until what it rests on has been read as well. */
function withDecisions(state: LoopProgress, adapters: ServedAdapterState): LoopProgress {
  if (adapters.decisions === state.adapters.decisions) return { ...state, adapters };
  let next: LoopProgress = { ...state, adapters };
  for (const { event, status, reason } of adapters.decisions) {
    if (status === 'refused' || event.type !== 'AdapterPromoted' || event.runId === null) continue;
    next = withRun(next, event.runId, () => ({
      status: status === 'overtaken' ? 'rejected' : 'promoted',
      endedAtMs: event.meta.occurredAt,
      adapterDigest: event.adapterDigest,
      adapterKey: event.key,
      ...measuredBy(event.evaluation),
      reason: status === 'overtaken' ? reason : event.rule,
    }));
  }
  return next;
}

function evolveFigures(state: LoopProgress, event: SeamEvent): LoopProgress {
  switch (event.type) {
    case 'ProblemPublished':
      return withRound(state, event.problem, event.meta.occurredAt, (row) => ({
        ...row,
        published: row.published + 1,
        firstPublishedAtMs: Math.min(row.firstPublishedAtMs, event.meta.occurredAt),
      }));
    case 'ExperienceGenerated':
      return { ...state, experiences: state.experiences + 1 };
    case 'OutcomeRecorded':
      return withOutcome(state, event);
    case 'BufferCommitted': {
      const versions = newestVersions([...state.versions, event]);
      return { ...state, versions, buffer: bufferOf(wholeBuffer(versions)) ?? state.buffer };
    }
    case 'SuccessRejected':
      return {
        ...state,
        rejections: { ...state.rejections, [event.reason]: (state.rejections[event.reason] ?? 0) + 1 },
      };
    case 'DeadLettered':
      return { ...state, deadLettered: state.deadLettered + 1 };
    default:
      return evolveRuns(state, event);
  }
}

/** Counts an outcome, and takes back the one that it replaces. Among the newest a candidate has the verdict that was read first. */
function withOutcome(state: LoopProgress, event: EventOf<'OutcomeRecorded'>): LoopProgress {
  const { arm, adapterDigest, success, faithful, reward, entry, problem, response, meta } = event;
  const place = arm === 'control' ? 'control' : adapterDigest === null ? 'byBase' : 'byAdapter';
  const changes = changesBy(state.verdicts, event, { place, success, faithful, reward } as const);
  let next = state;
  for (const [told, by] of changes) {
    next = withRound(next, problem, meta.occurredAt, (row) => ({
      ...row,
      [told.place]: counted(row[told.place], told.success, by),
      ...(told.place === 'control'
        ? {}
        : { rewards: row.rewards.with(binOf(told.reward), row.rewards[binOf(told.reward)]! + by) }),
      ...(told.faithful === null ? {} : { quoting: counted(row.quoting, told.faithful, by) }),
    }));
    if (told.place === 'control') next = { ...next, control: counted(next.control, told.success, by) };
  }
  if (changes.length === 1 && place !== 'control') next = { ...next, newest: withNewest(next.newest, success) };
  return success && entry !== null && changes.length > 0
    ? { ...next, lastSolved: { prompt: promptOrName(problem), entry, response } }
    : next;
}

function evolveRuns(state: LoopProgress, event: SeamEvent): LoopProgress {
  switch (event.type) {
    case 'TrainingRunStarted':
      return withRun(state, event.runId, () => ({
        window: windowOf(event.configuration),
        level: levelIn(event.configuration),
        algorithm: event.algorithm,
        startedAtMs: event.meta.occurredAt,
        parent: event.parentAdapter,
      }));
    case 'TrainingRunCompleted':
      return withRun(state, event.runId, (run) => ({
        adapterDigest: event.adapterDigest,
        madeAtMs: event.meta.occurredAt,
        metrics: { ...run.metrics, ...event.metrics },
      }));
    case 'TrainingRunRejected':
      return withRun(state, event.runId, (run) => ({
        status: 'rejected',
        endedAtMs: event.meta.occurredAt,
        ...measuredBy(event.evaluation),
        reason: event.reason,
        metrics: { ...run.metrics, ...event.metrics },
      }));
    case 'TrainingRunFailed':
      return withRun(state, event.runId, () => ({
        status: 'failed',
        endedAtMs: event.meta.occurredAt,
        reason: event.reason,
      }));
    case 'TrainingRunCancelled':
      return withRun(state, event.runId, () => ({
        status: 'rejected',
        endedAtMs: event.meta.occurredAt,
        reason: `cancelled by ${event.cancelledBy}: ${event.reason}`,
      }));
    default:
      return state;
  }
}

/** The run that made the served adapter, with what its promotion was decided by; undefined while the base model is served. */
export function servedRun(state: LoopProgress): RunProgress | undefined {
  const digest = state.adapters.served?.adapterDigest;
  return digest === undefined
    ? undefined
    : [...state.runs.values()].findLast((run) => run.status === 'promoted' && run.adapterDigest === digest);
}

/** What was served at a time, in milliseconds since 1970, as the decisions that count by then had it; null is the base model. */
export function servedAt({ adapters }: LoopProgress, atMs: number): ServedAdapter | null {
  let served: ServedAdapter | null = null;
  for (const { event, status } of adapters.decisions) {
    if (status !== 'counted' || event.meta.occurredAt > atMs) continue;
    if (event.type === 'AdapterPromoted') served = event;
    else if (event.type === 'AdapterRolledBack') {
      const { to, key, fingerprint } = event;
      served = to === null || key === null || fingerprint === null ? null : { adapterDigest: to, key, fingerprint };
    }
  }
  return served;
}

/** The rounds' runs that have ended, in the order of their windows. Runs on demand belong to no round. */
export function endedRuns(state: LoopProgress): readonly RunProgress[] {
  return [...state.runs.values()]
    .filter((run) => run.status !== 'running' && run.window !== null)
    .sort((a, b) => a.window! - b.window!);
}

/** The runs that say how good the adapter that is served is: the one that made it, and those that it was the parent of. */
export function ofServed(runs: readonly RunProgress[], servedDigest: string | null): readonly RunProgress[] {
  return runs.filter(({ parent, adapterDigest }) => parent === servedDigest || adapterDigest === servedDigest);
}
