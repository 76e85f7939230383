/**
 * What the live view and the report show, folded from the log: one row per round, counts per arm, the adapters. A
 * problem's metadata names its round and phase, and the k-th training run learns from round k, so the fold does not
 * depend on the order in which partitions are read.
 */
import type { SeamEvent } from '@seamstream/events';

interface Tally {
  readonly executed: number;
  readonly solved: number;
}

interface RoundProgress {
  readonly round: number;
  readonly phase: 'base' | 'shifted';
  readonly published: number;
  readonly explored: Tally;
  readonly control: Tally;
  /** Candidates of the base model beside those of the served adapter. */
  readonly scouted: Tally;
  readonly firstPublishedAtMs: number;
}

export interface RunProgress {
  readonly runId: string;
  readonly algorithm: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly parent: string | null;
  readonly adapterDigest: string | null;
  /** Where the promoted adapter lies in the object store. */
  readonly adapterKey: string | null;
  readonly status: 'running' | 'promoted' | 'rejected' | 'failed';
  readonly validation: number | null;
  readonly validationPerDomain: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly reason: string | null;
}

export interface LoopProgress {
  readonly rounds: ReadonlyMap<number, RoundProgress>;
  /** By runId, in the order of their start. */
  readonly runs: ReadonlyMap<string, RunProgress>;
  readonly experiences: number;
  readonly deadLettered: number;
  readonly buffer: {
    readonly sequence: number;
    readonly digest: string | null;
    readonly rows: number;
    readonly rowsPerStratum: Readonly<Record<string, number>>;
  };
  readonly rejections: Readonly<Record<string, number>>;
  readonly served: string | null;
  /** The entry and problem seen last, for the view. */
  readonly lastSolved: { readonly prompt: string; readonly entry: string; readonly response: string } | null;
}

export const initialLoopProgress: LoopProgress = {
  rounds: new Map(),
  runs: new Map(),
  experiences: 0,
  deadLettered: 0,
  buffer: { sequence: -1, digest: null, rows: 0, rowsPerStratum: {} },
  rejections: {},
  served: null,
  lastSolved: null,
};

const NOTHING: Tally = { executed: 0, solved: 0 };
const counted = (tally: Tally, solved: boolean): Tally => ({
  executed: tally.executed + 1,
  solved: tally.solved + (solved ? 1 : 0),
});

/** Fraction solved; null when nothing was executed. */
export function rate(tally: Tally): number | null {
  return tally.executed === 0 ? null : tally.solved / tally.executed;
}

function withRound(
  state: LoopProgress,
  metadata: Readonly<Record<string, string>>,
  atMs: number,
  change: (row: RoundProgress) => RoundProgress,
): LoopProgress {
  const round = Number(metadata.round);
  if (!Number.isInteger(round)) return state; // published by somebody else, not by the rounds' driver
  const row = state.rounds.get(round) ?? {
    round,
    phase: metadata.phase === 'shifted' ? 'shifted' : 'base',
    published: 0,
    explored: NOTHING,
    control: NOTHING,
    scouted: NOTHING,
    firstPublishedAtMs: atMs,
  };
  return { ...state, rounds: new Map(state.rounds).set(round, change(row)) };
}

function withRun(state: LoopProgress, runId: string, change: Partial<RunProgress>): LoopProgress {
  const run = state.runs.get(runId);
  return run === undefined ? state : { ...state, runs: new Map(state.runs).set(runId, { ...run, ...change }) };
}

/** Folds one event into the progress. Events that it does not know leave it unchanged. */
export function evolveLoopProgress(state: LoopProgress, event: SeamEvent): LoopProgress {
  switch (event.type) {
    case 'ProblemPublished':
      return withRound(state, event.problem.metadata, event.meta.occurredAt, (row) => ({
        ...row,
        published: row.published + 1,
        firstPublishedAtMs: Math.min(row.firstPublishedAtMs, event.meta.occurredAt),
      }));
    case 'ExperienceGenerated':
      return { ...state, experiences: state.experiences + 1 };
    case 'OutcomeRecorded': {
      const next = withRound(state, event.problem.metadata, event.meta.occurredAt, (row) =>
        event.arm === 'control'
          ? { ...row, control: counted(row.control, event.success) }
          : event.adapterDigest === null && row.round > 1
            ? { ...row, scouted: counted(row.scouted, event.success) }
            : { ...row, explored: counted(row.explored, event.success) },
      );
      return event.success && event.entry !== null
        ? { ...next, lastSolved: { prompt: event.problem.prompt, entry: event.entry, response: event.response } }
        : next;
    }
    case 'BufferCommitted':
      return event.sequence <= state.buffer.sequence
        ? state
        : {
            ...state,
            buffer: {
              sequence: event.sequence,
              digest: event.bufferDigest,
              rows: event.rows,
              rowsPerStratum: event.rowsPerStratum,
            },
          };
    case 'SuccessRejected':
      return {
        ...state,
        rejections: { ...state.rejections, [event.reason]: (state.rejections[event.reason] ?? 0) + 1 },
      };
    case 'TrainingRunStarted':
      return {
        ...state,
        runs: new Map(state.runs).set(event.runId, {
          runId: event.runId,
          algorithm: event.algorithm,
          startedAtMs: event.meta.occurredAt,
          endedAtMs: null,
          parent: event.parentAdapter,
          adapterDigest: null,
          adapterKey: null,
          status: 'running',
          validation: null,
          validationPerDomain: {},
          metrics: {},
          reason: null,
        }),
      };
    case 'TrainingRunCompleted':
      return withRun(state, event.runId, { adapterDigest: event.adapterDigest, metrics: event.metrics });
    case 'TrainingRunRejected':
      return withRun(state, event.runId, {
        status: 'rejected',
        endedAtMs: event.meta.occurredAt,
        validation: event.evaluation?.success ?? null,
        validationPerDomain: event.evaluation?.perDomain ?? {},
        reason: event.reason,
        metrics: { ...state.runs.get(event.runId)?.metrics, ...event.metrics },
      });
    case 'TrainingRunFailed':
      return withRun(state, event.runId, { status: 'failed', endedAtMs: event.meta.occurredAt, reason: event.reason });
    case 'AdapterPromoted': {
      const next = { ...state, served: event.adapterDigest };
      return event.runId === null
        ? next
        : withRun(next, event.runId, {
            status: 'promoted',
            endedAtMs: event.meta.occurredAt,
            adapterDigest: event.adapterDigest,
            adapterKey: event.key,
            validation: event.evaluation?.success ?? null,
            validationPerDomain: event.evaluation?.perDomain ?? {},
            reason: event.rule,
          });
    }
    case 'AdapterRolledBack':
      return { ...state, served: event.to };
    case 'DeadLettered':
      return { ...state, deadLettered: state.deadLettered + 1 };
    default:
      return state;
  }
}

/** Runs that have ended, in the order of their start. */
export function endedRuns(state: LoopProgress): readonly RunProgress[] {
  return [...state.runs.values()].filter((run) => run.status !== 'running');
}
