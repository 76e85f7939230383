/**
 * The life of a training run, folded from its events:
 *
 *   started ──► completed (the adapter is published) ──► promoted
 *      │  ▲                                        └──► rejected (worse than its parent, or overtaken)
 *      │  └ checkpointed, any number of times
 *      ├──► rejected (nothing to learn from)
 *      └──► failed
 *
 * What a restarted trainer does with a run follows from where it stands.
 */
import type { AdapterPublished, EventOf, SeamEvent, TrainingRunStarted } from '@seamstream/events';

export interface Checkpoint {
  readonly step: number;
  readonly key: string;
  readonly digest: string;
}

export type TrainingRun =
  | { readonly status: 'unknown' }
  | { readonly status: 'started'; readonly started: TrainingRunStarted; readonly checkpoints: readonly Checkpoint[] }
  | {
      readonly status: 'completed';
      readonly started: TrainingRunStarted;
      readonly adapter: AdapterPublished;
      readonly metrics: Readonly<Record<string, number>>;
    }
  | { readonly status: 'promoted' | 'rejected' | 'failed'; readonly started: TrainingRunStarted };

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

/** The run after an event of its own; one that does not follow (told twice, or out of place) changes nothing. */
export function evolve(run: TrainingRun, event: SeamEvent): TrainingRun {
  switch (event.type) {
    case 'TrainingRunStarted':
      return run.status === 'unknown' ? { status: 'started', started: event, checkpoints: [] } : run;
    case 'TrainingRunCheckpointed': {
      if (run.status !== 'started') return run;
      const checkpoint = { step: event.step, key: event.checkpointKey, digest: event.checkpointDigest };
      const others = run.checkpoints.filter(({ step }) => step !== checkpoint.step);
      return { ...run, checkpoints: [...others, checkpoint].sort((a, b) => b.step - a.step) };
    }
    case 'AdapterPublished':
      return run.status === 'started'
        ? { status: 'completed', started: run.started, adapter: event, metrics: event.metrics }
        : run;
    case 'AdapterPromoted':
      return run.status === 'completed' ? { status: 'promoted', started: run.started } : run;
    case 'TrainingRunRejected':
      return run.status === 'started' || run.status === 'completed'
        ? { status: 'rejected', started: run.started }
        : run;
    case 'TrainingRunFailed':
      return run.status === 'started' || run.status === 'completed' ? { status: 'failed', started: run.started } : run;
    default:
      return run;
  }
}

/** The run after its promotion came too late to count. */
export function overtake(run: TrainingRun): TrainingRun {
  return run.status === 'completed' ? { status: 'rejected', started: run.started } : run;
}

/** What a trainer that finds the run in the log has to do. */
export function decide(run: TrainingRun): NextAction {
  switch (run.status) {
    case 'unknown':
      return { kind: 'train', checkpoints: [] };
    case 'started':
      return { kind: 'train', checkpoints: run.checkpoints };
    case 'completed':
      return { kind: 'evaluate', adapter: run.adapter, metrics: run.metrics };
    case 'promoted':
    case 'rejected':
    case 'failed':
      return { kind: 'none' };
  }
}

/** The run that an event belongs to; undefined for events of no run. */
export function runIdOf(event: SeamEvent): string | undefined {
  return isRunEvent(event) ? (event.runId ?? undefined) : undefined;
}

type RunEvent = EventOf<
  | 'TrainingRunStarted'
  | 'TrainingRunCheckpointed'
  | 'TrainingRunCompleted'
  | 'TrainingRunRejected'
  | 'TrainingRunFailed'
  | 'AdapterPublished'
  | 'AdapterPromoted'
>;

function isRunEvent(event: SeamEvent): event is RunEvent {
  return event.type.startsWith('TrainingRun') || event.type === 'AdapterPublished' || event.type === 'AdapterPromoted';
}
