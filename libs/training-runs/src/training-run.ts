/**
 * The life of a training run, folded from its events:
 *
 *   planned ──► started ──► completed (the adapter is published) ──► promoted
 *                │  ▲                                          └──► rejected (worse than its parent, or overtaken)
 *                │  └ checkpointed, any number of times
 *                ├──► rejected (nothing to learn from)
 *                └──► failed (also before its start)
 *   planned, started or completed ──► cancelled (a person took it back)
 *
 * What a worker does with a run follows from its state. Runs of older releases begin with `started`.
 */
import type { AdapterPublished, EventOf, SeamEvent, TrainingRunPlanned, TrainingRunStarted } from '@seamstream/events';

export interface Checkpoint {
  readonly step: number;
  readonly key: string;
  readonly digest: string;
}

/** What states a run's plan: either event holds all of it. */
type PlanEvent = TrainingRunPlanned | TrainingRunStarted;

interface Known {
  /** The first event that states the plan. */
  readonly plan: PlanEvent;
  /** Whose workers take the run; null: a person's process carries it out, or an older release began it. */
  readonly queue: string | null;
}

export type TrainingRun =
  | { readonly status: 'unknown' }
  | (Known & { readonly status: 'planned' })
  | (Known & {
      readonly status: 'started';
      readonly started: TrainingRunStarted;
      readonly checkpoints: readonly Checkpoint[];
    })
  | (Known & {
      readonly status: 'completed';
      readonly started: TrainingRunStarted;
      readonly adapter: AdapterPublished;
      readonly metrics: Readonly<Record<string, number>>;
    })
  | (Known & { readonly status: 'promoted' | 'rejected' | 'failed' | 'cancelled' });

/** What is to be done next with a run. */
export type NextAction =
  /** From the newest checkpoint that can be read, the first in the list; from the beginning when there is none. */
  | { readonly kind: 'train'; readonly checkpoints: readonly Checkpoint[] }
  | {
      readonly kind: 'evaluate';
      readonly adapter: AdapterPublished;
      readonly metrics: Readonly<Record<string, number>>;
    }
  | { readonly kind: 'none' };

export function initialState(): TrainingRun {
  return { status: 'unknown' };
}

/** The run after one of its events. An event that does not follow (repeated, or out of order) changes nothing. */
export function evolve(run: TrainingRun, event: SeamEvent): TrainingRun {
  switch (event.type) {
    case 'TrainingRunPlanned':
      return run.status === 'unknown' ? { status: 'planned', plan: event, queue: event.queue || null } : run;
    case 'TrainingRunStarted': {
      if (run.status !== 'unknown' && run.status !== 'planned') return run;
      const { plan, queue } = run.status === 'planned' ? run : { plan: event, queue: null };
      return { status: 'started', plan, queue, started: event, checkpoints: [] };
    }
    case 'TrainingRunCheckpointed': {
      if (run.status !== 'started') return run;
      const checkpoint = { step: event.step, key: event.checkpointKey, digest: event.checkpointDigest };
      const others = run.checkpoints.filter(({ step }) => step !== checkpoint.step);
      return { ...run, checkpoints: [...others, checkpoint].sort((a, b) => b.step - a.step) };
    }
    case 'AdapterPublished':
      return run.status === 'started'
        ? { ...knownOf(run), status: 'completed', started: run.started, adapter: event, metrics: event.metrics }
        : run;
    case 'AdapterPromoted':
      return run.status === 'completed' ? { ...knownOf(run), status: 'promoted' } : run;
    case 'TrainingRunRejected':
      return isOpen(run) ? { ...knownOf(run), status: 'rejected' } : run;
    case 'TrainingRunFailed':
      return isOpen(run) ? { ...knownOf(run), status: 'failed' } : run;
    case 'TrainingRunCancelled':
      return isOpen(run) ? { ...knownOf(run), status: 'cancelled' } : run;
    default:
      return run;
  }
}

function knownOf({ plan, queue }: Known): Known {
  return { plan, queue };
}

/** Whether the run is known and has not ended; also one that failed before its start could be recorded may end. */
function isOpen(run: TrainingRun): run is Extract<TrainingRun, { status: 'planned' | 'started' | 'completed' }> {
  return run.status === 'planned' || run.status === 'started' || run.status === 'completed';
}

/** The run after its promotion came too late to count. */
export function overtake(run: TrainingRun): TrainingRun {
  return run.status === 'completed' ? { ...knownOf(run), status: 'rejected' } : run;
}

/** What a worker that finds the run in the log has to do. */
export function decide(run: TrainingRun): NextAction {
  switch (run.status) {
    case 'unknown':
    case 'planned':
      return { kind: 'train', checkpoints: [] };
    case 'started':
      return { kind: 'train', checkpoints: run.checkpoints };
    case 'completed':
      return { kind: 'evaluate', adapter: run.adapter, metrics: run.metrics };
    case 'promoted':
    case 'rejected':
    case 'failed':
    case 'cancelled':
      return { kind: 'none' };
  }
}

/** Whether nothing more happens to the run. */
export function hasEnded(run: TrainingRun): boolean {
  return decide(run).kind === 'none';
}

/** The run that an event belongs to; undefined for events of no run. */
export function runIdOf(event: SeamEvent): string | undefined {
  return isRunEvent(event) ? (event.runId ?? undefined) : undefined;
}

export type RunEvent = EventOf<
  | 'TrainingRunPlanned'
  | 'TrainingRunStarted'
  | 'TrainingRunCheckpointed'
  | 'TrainingRunCompleted'
  | 'TrainingRunRejected'
  | 'TrainingRunFailed'
  | 'TrainingRunCancelled'
  | 'AdapterPublished'
  | 'AdapterPromoted'
>;

function isRunEvent(event: SeamEvent): event is RunEvent {
  return event.type.startsWith('TrainingRun') || event.type === 'AdapterPublished' || event.type === 'AdapterPromoted';
}
