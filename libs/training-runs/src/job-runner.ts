/** Carries out jobs of one kind, and knows what they make: how it is stored, loaded and measured. */
import type { AdapterPublished, EngineIdentity, SeamEvent } from '@seamstream/events';
import type { AdapterDifference } from '@seamstream/training-contract';
import type { AdapterEvaluation } from './adapter-evaluation.port.js';
import type { Artefact, StoredArtefact } from './artefact.js';
import type { Job, LearningMethod } from './learning-method.js';
import type { RunPlan } from './run-plan.js';
import type { Checkpoint } from './training-run.js';

/** What is kept of a job in progress, so that it can be resumed. */
export interface Resumable {
  /** Steps done so far. */
  readonly steps: number;
  saveState(): Promise<Uint8Array>;
  restoreState(bytes: Uint8Array): Promise<void>;
}

/** How a job continues, and what it leaves on the way. */
export interface Recording {
  readonly runId: string;
  /** Aborts when the run is to be left for later: a checkpoint is saved first. */
  readonly signal: AbortSignal;
  /** Restores the newest checkpoint that is whole; undefined where there is none. */
  readonly resume: (work: Resumable) => Promise<Checkpoint | undefined>;
  /** Saves and records a checkpoint; absent: nothing is saved. */
  readonly saving?: {
    readonly everySteps: number;
    readonly save: (work: Resumable, metrics: Readonly<Record<string, number>>) => Promise<unknown>;
  };
  /** Records what happened on the way, as the run's only holder: FENCED for another, also where nothing happened; absent where nothing is written (rehearsals, verification). */
  readonly record?: (events: readonly SeamEvent[]) => Promise<unknown>;
  readonly report: (
    phase: 'preparing' | 'training',
    done: number,
    total: number,
    metrics?: Readonly<Record<string, number>>,
  ) => void;
}

export type JobResult<A extends Artefact = Artefact> =
  | {
      readonly status: 'made';
      readonly artefact: A;
      readonly steps: number;
      readonly metrics: Readonly<Record<string, number>>;
      /** What trained, where only the result says so; absent: the runner's engine. */
      readonly engine?: EngineIdentity;
    }
  | { readonly status: 'refused'; readonly reason: string; readonly metrics: Readonly<Record<string, number>> };

export abstract class JobRunner<J extends Job = Job, A extends Artefact = Artefact> {
  /** Of the jobs that it carries out. */
  abstract readonly kind: J['kind'];
  /** The model that the artefacts are for. */
  abstract readonly baseModelDigest: string;
  /** Measures the artefacts before they may serve. */
  abstract readonly evaluation: AdapterEvaluation<A>;

  /** What trains; null where nothing is trained and equal jobs give equal artefacts, or where each result says it. */
  abstract readonly engine: EngineIdentity | null;

  /** The text that sampled tokens spell; absent where nothing can tell: entries are then not checked against their tokens. */
  decode?(tokenIds: readonly number[]): string;

  /**
   * @param parent what the run begins with; null is the bare base model
   * @throws ABORTED when the signal aborts
   */
  abstract run(job: J, parent: A | null, recording: Recording): Promise<JobResult<A>>;

  abstract store(artefact: A, plan: RunPlan, metrics: Readonly<Record<string, number>>): Promise<StoredArtefact>;

  /** @throws ADAPTER_INVALID when the object is not what was published; OBJECT_NOT_FOUND */
  abstract load(published: Pick<AdapterPublished, 'key' | 'adapterDigest'>): Promise<A>;

  /** How far an artefact that was made again is from the first; absent where digests say all. @param parent what both began with */
  differenceOf?(artefact: A, again: A, parent: A | null): Promise<AdapterDifference>;

  /** Why an artefact must not be served however it is measured, in words; absent where every one may be. */
  hindranceTo?(artefact: A, parent: A | null): string | undefined;

  /** What a process that serves the artefact proves its identity by. */
  abstract fingerprint(artefact: A): Promise<string>;
}

/** A method, and what carries out its jobs. */
export interface MethodWithRunner {
  readonly method: LearningMethod;
  readonly runner: JobRunner;
}

/** By the name of the method. */
export type MethodsWithRunners = ReadonlyMap<string, MethodWithRunner>;
