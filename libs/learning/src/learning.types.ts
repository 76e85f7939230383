/**
 * What an algorithm of learning is to the trainer. The trainer knows none by name: it resolves the configuration, lets the
 * algorithm prepare a plan, computes the log-probabilities that the plan asks for, lets the algorithm review them, and
 * then for each step asks for its sequences and takes one optimizer step. Plans are plain data and a function of their
 * inputs, so a trainer that resumes makes the same plan again and continues at its next step.
 */
import type { ExperienceGenerated, FeedbackGiven, ProblemPublished, TeamPreferencePublished } from '@seamstream/events';
import type { WrittenEntry } from '@seamstream/experience';
import type { AttemptResult } from '@seamstream/experience-groups';
import type {
  OptimizerSettings,
  TrainableSettings,
  TrainingObjective,
  TrainingSequence,
} from '@seamstream/language-model';
import type { BufferRow } from '@seamstream/success-buffer';
import type { JsonSchema } from '@seamstream/token-grammar';

export type ResultEvent = AttemptResult;

/** Replayed from recorded offset ranges; order and repeats do not matter. */
export interface LogInput {
  readonly reads: 'log';
  readonly experiences: readonly ExperienceGenerated[];
  readonly results: readonly ResultEvent[];
  /** What people said of answers, up to where the plan reads it; absent where the algorithm does not hear it. */
  readonly feedback?: readonly FeedbackGiven[];
}

/** The rows of a committed manifest. */
export interface BufferInput {
  readonly reads: 'buffer';
  readonly rows: readonly BufferRow[];
}

/** Published problems without an attempt: the run rolls them out itself. In the order of their ids. */
export interface ProblemsInput {
  readonly reads: 'problems';
  readonly problems: readonly ProblemPublished[];
}

/** The pairs of one set, in their order. */
export interface PreferencesInput {
  readonly reads: 'preferences';
  readonly pairs: readonly TeamPreferencePublished[];
}

export type LearningInput = LogInput | BufferInput | ProblemsInput | PreferencesInput;

/** What is known around the run. */
export interface LearningContext {
  /** Digest of the base model that is trained; records of another are left out. */
  readonly baseModelDigest: string;
  /**
   * Adapters that were served, oldest first (null is the bare base model); the last is the one that training starts from.
   * An example's age is counted back from the end.
   */
  readonly servedAdapters: readonly (string | null)[];
  /** The schema that an entry was sampled under, of its domain and its problem; undefined when it was sampled without one. */
  readonly entrySchemaOf: (domain: string, written: WrittenEntry) => JsonSchema | undefined;
}

/** One entry after its prompt, with the tokens that were a choice. */
export interface TrainingExample {
  /** experienceId */
  readonly exampleId: string;
  /** Prompt and entry, as they were fed and sampled. */
  readonly tokenIds: readonly number[];
  /** Index into tokenIds of each free (not forced) token of the entry, ascending; never empty. [T'] */
  readonly targets: readonly number[];
  /** Index of the entry's first token. */
  readonly continuationStart: number;
  readonly schema?: JsonSchema;
  /** The token budget that the entry was sampled with; absent: unlimited. */
  readonly maxTokens?: number;
  /** Policy objective only. */
  readonly policy?: {
    readonly advantage: number;
    /** ln μ of each target as logged when it was sampled, in nats. [T'] */
    readonly behaviourLogProbs: readonly number[];
  };
}

export interface TrainingStep {
  readonly learningRate: number;
  /** Indices into the plan's examples, each once. */
  readonly examples: readonly number[];
  /** Share of every trained token of that example in the loss; parallel to `examples`. */
  readonly tokenWeights: readonly number[];
}

/** Named figures; finite, recorded with the run's events. */
export type Diagnostics = Readonly<Record<string, number>>;

export interface TrainingPlan {
  readonly examples: readonly TrainingExample[];
  readonly steps: readonly TrainingStep[];
  readonly objective: TrainingObjective;
  /** Log-probabilities of every example's targets that must be computed before the first step. */
  readonly needs: {
    /** Under the policy as training starts. */
    readonly proximalLogProbs: boolean;
    /** Under the adapter that training starts from, or under the bare base model; null: not needed. */
    readonly referenceLogProbs: 'parent' | 'base' | null;
  };
  readonly optimizer: OptimizerSettings;
  readonly trainable: TrainableSettings;
  readonly diagnostics: Diagnostics;
}

/** A run that cannot learn says why, in words for an operator. */
export interface Refusal {
  readonly status: 'refused';
  readonly reason: string;
  readonly diagnostics: Diagnostics;
}

export type Preparation = { readonly status: 'ready'; readonly plan: TrainingPlan } | Refusal;

/** ln π of each example's targets, in nats, parallel to the plan's examples and their targets. */
export interface ComputedLogProbs {
  readonly proximal?: readonly (readonly number[])[];
  readonly reference?: readonly (readonly number[])[];
}

export type Review = { readonly status: 'ready'; readonly diagnostics: Diagnostics } | Refusal;

/** Rounds of problems; both 0 for an algorithm that does not read the log. */
export interface ReplayedRounds {
  /** Replayed in any case, as far as there are so many. */
  readonly least: number;
  /** Never more than these, however little they hold. */
  readonly most: number;
}

export interface LearningAlgorithm {
  /** As in configuration, events and lineage, e.g. grpo. */
  readonly name: string;
  readonly reads: LearningInput['reads'];
  /** The whole configuration with every default filled in, plain data. INVALID_CONFIGURATION lists all faults at once. */
  resolveConfiguration(given: unknown): Readonly<Record<string, unknown>>;
  /** How many of the most recent rounds of problems an algorithm that reads the log wants to see. */
  replayedRounds(configuration: unknown): ReplayedRounds;
  /**
   * Whether the input holds enough to learn from. Asked while fewer than the most rounds are replayed: when it does not, the
   * replay reaches one round further back. A function of its arguments alone.
   * @throws as `prepare`
   */
  hasEnoughSignal(
    input: LearningInput,
    configuration: unknown,
    context: Omit<LearningContext, 'entrySchemaOf'>,
  ): boolean;
  /** Whether what people said of answers is part of the input. */
  hearsFeedback(configuration: unknown): boolean;
  /**
   * What to train on, in which order. Depends on its arguments alone.
   * @param seed decides the schedule; the run's own.
   * @throws DATA_REFUSED when records lack facts that the algorithm cannot do without; INVALID_CONFIGURATION.
   */
  prepare(input: LearningInput, configuration: unknown, context: LearningContext, seed: string): Preparation;
  /** Judges the computed log-probabilities before the first step. SHAPE_MISMATCH when they do not fit the plan. */
  review(plan: TrainingPlan, configuration: unknown, computed: ComputedLogProbs): Review;
  /** The sequences of one step. SHAPE_MISMATCH when the log-probabilities do not fit the plan. */
  complete(plan: TrainingPlan, configuration: unknown, step: number, computed: ComputedLogProbs): TrainingSequence[];
}
