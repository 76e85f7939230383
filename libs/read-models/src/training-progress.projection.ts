/** What the trainers do: every run with its steps and figures. All events of a run are in one partition. */
import { type Evaluation, type OffsetRange, type SeamEvent, TOPIC } from '@seamstream/events';
import { compareText } from '@seamstream/kernel';
import { advance, type FoldedOffsets, type KeptProjection } from './projection.js';

export interface TrainingRun {
  readonly runId: string;
  readonly algorithm: string;
  /** What its adapter is served as. */
  readonly slot: string;
  readonly status: 'running' | 'completed' | 'failed' | 'rejected' | 'cancelled';
  /** Adapter that training started from; null is the bare base model. */
  readonly parentAdapter: string | null;
  /** What it learns from: the offsets that are replayed, and the digests of the buffer's manifests where that is read. */
  readonly inputs: readonly OffsetRange[];
  readonly manifests: readonly string[];
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
  readonly seed: string;
  readonly baseModelDigest: string;
  readonly codeVersion: string;
  /** The comparison that a refusal rests on; a promotion has its own. */
  readonly evaluation: Evaluation | null;
  /** Adapter that it made. */
  readonly adapterDigest: string | null;
  /** Optimizer steps done, as far as reported. */
  readonly steps: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Error code of a failed run. */
  readonly code: string | null;
  /** Why it failed, was rejected or was taken back. */
  readonly reason: string | null;
  /** The newest figures by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The figures of every checkpoint, by step. */
  readonly checkpoints: readonly { readonly step: number; readonly metrics: Readonly<Record<string, number>> }[];
}

export interface TrainingProgress {
  /** By start, then by id. */
  readonly runs: readonly TrainingRun[];
  /** Groups without variance that runs dropped: the sum of the runs' metric `deadGroups`. */
  readonly deadGroups: number;
}

type MutableRun = { -readonly [K in keyof TrainingRun]: TrainingRun[K] } & {
  checkpoints: TrainingRun['checkpoints'][number][];
};

export interface TrainingProgressState {
  readonly folded: FoldedOffsets;
  readonly runs: Map<string, MutableRun>;
}

export const trainingProgressProjection: KeptProjection<TrainingProgressState, TrainingProgress> = {
  name: 'training',
  topics: [TOPIC.training],

  initialState: () => ({ folded: new Map(), runs: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    if (event.type === 'TrainingRunStarted') {
      if (state.runs.has(event.runId)) return state; // resumed after a kill
      const { runId, algorithm, slot, parentAdapter, meta, inputs, configuration, seed, baseModelDigest, codeVersion } =
        event;
      const only = event.manifestDigest === null ? [] : [event.manifestDigest];
      state.runs.set(runId, {
        ...{ runId, algorithm, slot },
        status: 'running',
        parentAdapter,
        ...{ inputs, configuration, seed, baseModelDigest, codeVersion },
        manifests: [...only, ...event.manifests.map(({ digest }) => digest)],
        evaluation: null,
        adapterDigest: null,
        steps: 0,
        startedAt: meta.occurredAt,
        endedAt: null,
        code: null,
        reason: null,
        metrics: {},
        checkpoints: [],
      });
      return state;
    }
    const run = 'runId' in event && event.runId !== null ? state.runs.get(event.runId) : undefined;
    if (run === undefined) return state;
    evolveRun(run, event);
    return state;
  },

  read({ runs }) {
    const list = [...runs.values()].sort((a, b) => a.startedAt - b.startedAt || compareText(a.runId, b.runId));
    return {
      runs: list.map((run) => ({ ...run, checkpoints: [...run.checkpoints] })),
      deadGroups: list.reduce((sum, { metrics }) => sum + (metrics.deadGroups ?? 0), 0),
    };
  },
};

function evolveRun(run: MutableRun, event: SeamEvent): void {
  switch (event.type) {
    case 'TrainingRunCheckpointed':
      if (event.step <= run.steps) break; // reported again by a resumed trainer
      run.steps = event.step;
      run.metrics = event.metrics;
      run.checkpoints.push({ step: event.step, metrics: event.metrics });
      break;
    case 'TrainingRunCompleted':
      Object.assign(run, {
        status: 'completed',
        steps: event.steps,
        adapterDigest: event.adapterDigest,
        metrics: event.metrics,
        endedAt: run.endedAt ?? event.meta.occurredAt,
      });
      break;
    case 'TrainingRunFailed':
      Object.assign(run, {
        status: 'failed',
        code: event.code,
        reason: event.reason,
        metrics: { ...run.metrics, ...event.metrics },
        endedAt: run.endedAt ?? event.meta.occurredAt,
      });
      break;
    case 'TrainingRunRejected':
      Object.assign(run, {
        status: 'rejected',
        adapterDigest: event.adapterDigest ?? run.adapterDigest,
        reason: event.reason,
        evaluation: event.evaluation,
        metrics: { ...run.metrics, ...event.metrics },
        endedAt: run.endedAt ?? event.meta.occurredAt,
      });
      break;
    case 'TrainingRunCancelled':
      // What had ended by then stays as it is.
      if (run.endedAt === null)
        Object.assign(run, {
          status: 'cancelled',
          reason: `cancelled by ${event.cancelledBy}: ${event.reason}`,
          endedAt: event.meta.occurredAt,
        });
      break;
    default:
  }
}
