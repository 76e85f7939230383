/**
 * How recorded attempts become a better artefact. A method decides and does nothing: it names what a run reads, and makes a job out of what
 * was read. A runner of the job's kind (job-runner.ts) carries the job out.
 */
import type { EntrySchemas } from '@seamstream/experience';
import type { LearningInput, ReplayedRounds } from '@seamstream/learning';
import type { RunPlan } from './run-plan.js';

/** What a planner has to know of one way to learn. Every LearningAlgorithm is one. */
export interface Recipe {
  readonly reads: LearningInput['reads'];
  /** The whole configuration with every default filled in. @throws INVALID_CONFIGURATION that lists all faults at once */
  resolveConfiguration(given: unknown): Readonly<Record<string, unknown>>;
  /** How many of the most recent rounds of problems are read from the log. */
  replayedRounds(configuration: unknown): ReplayedRounds;
  /** Whether the input holds enough; if not, the planner reads one round more, up to the most. @throws DATA_REFUSED */
  hasEnoughSignal(
    input: LearningInput,
    configuration: unknown,
    context: { readonly baseModelDigest: string; readonly servedAdapters: readonly (string | null)[] },
  ): boolean;
  /** Whether the plan names what people said of answers; absent: never. */
  hearsFeedback?(configuration: unknown): boolean;
}

/** What a runner is given: data, of a kind that the runner knows. */
export interface Job {
  readonly kind: string;
}

export interface JobFacts {
  readonly plan: RunPlan;
  /** What the plan names, without records that are not believed. */
  readonly input: LearningInput;
  readonly schemaFor: EntrySchemas;
}

export type PlannedJob<J extends Job = Job> =
  | {
      readonly status: 'ready';
      readonly job: J;
      /** Of what was read: the run records them next to its runner's figures. Absent where that has them itself. */
      readonly metrics?: Readonly<Record<string, number>>;
    }
  | {
      readonly status: 'refused';
      /** In words for an operator. */
      readonly reason: string;
      readonly metrics: Readonly<Record<string, number>>;
    };

/** Pure: equal facts give equal jobs. */
export interface LearningMethod<J extends Job = Job> {
  /** As plans and artefacts name it. */
  readonly name: string;
  /** What its artefacts are served as. */
  readonly slot: string;
  /** By the name that a plan calls its algorithm. */
  readonly recipes: ReadonlyMap<string, Recipe>;
  /** What is to be done for a plan. @throws DATA_REFUSED when records lack facts that the method needs; INVALID_CONFIGURATION */
  plan(facts: JobFacts): PlannedJob<J>;
  /**
   * Whether such a run may be planned now; absent: any may. A run that was planned is carried out and made again without it.
   * @throws what has to be done before
   */
  assertPlannable?(run: Pick<RunPlan, 'algorithm' | 'parentAdapter'>): void;
}
