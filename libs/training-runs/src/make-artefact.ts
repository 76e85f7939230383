/** From a plan to an artefact: reads what the plan names, has its method make a job of it, and a runner carry the job out. */
import {
  examineRollouts,
  examineRun,
  examineSelfEdits,
  type Finding,
  findingMetrics,
  finishedGroups,
  summary,
} from '@seamstream/doctor';
import type { EventLog } from '@seamstream/event-log';
import type { SeamEvent } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import type { EntrySchemas } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { LearningInput } from '@seamstream/learning';
import type { ObjectStore } from '@seamstream/object-store';
import type { Artefact } from './artefact.js';
import { Checkpoints } from './checkpoints.js';
import type { JobResult, JobRunner, MethodsWithRunners, MethodWithRunner, Recording } from './job-runner.js';
import { readLearningInput, withContents } from './learning-input.js';
import type { Job, Recipe } from './learning-method.js';
import { RecordedEvents } from './recorded-events.js';
import type { RunPlan } from './run-plan.js';
import type { RunLines, RunLogger } from './run-settings.js';
import { spelledInput } from './spelled-input.js';
import type { Checkpoint } from './training-run.js';

/** For a live view; nothing depends on it. */
export interface TrainingProgress {
  readonly runId: string;
  readonly algorithm: string;
  readonly phase: 'preparing' | 'training' | 'evaluating';
  readonly done: number;
  readonly total: number;
  /** Of the last step, by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface MakeArtefactDependencies {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly methods: MethodsWithRunners;
  readonly schemaFor: EntrySchemas;
  readonly logger: RunLogger;
  /** For what is said of entries that are not believed. */
  readonly lines: RunLines;
  readonly onProgress: (progress: TrainingProgress) => void;
}

/** Where a run stands, and what it records. */
export interface MakingProgress {
  /** Aborts when the run is to be left for later: a checkpoint is saved first. */
  readonly signal: AbortSignal;
  /** Newest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Appends what a runner records of its work; absent: nothing is written. */
  readonly record?: (events: readonly SeamEvent[]) => Promise<unknown>;
  /** Records a checkpoint after so many steps; absent: nothing is saved. */
  readonly saving?: {
    readonly everySteps: number;
    readonly record: (checkpoint: Checkpoint, metrics: Readonly<Record<string, number>>) => Promise<unknown>;
  };
}

export class MakeArtefact {
  constructor(private readonly dependencies: MakeArtefactDependencies) {}

  /** What carries the plan's jobs out. @throws INVALID_CONFIGURATION where this version has no such method */
  runnerOf(plan: RunPlan): JobRunner {
    return this.methodOf(plan).runner;
  }

  /**
   * @param parent null: the bare base model
   * @throws ABORTED when the signal aborts; CHECKPOINT_INVALID where the plan is about another base model
   */
  async make(plan: RunPlan, parent: Artefact | null, progress: MakingProgress): Promise<JobResult> {
    const { method, runner } = this.methodOf(plan);
    const recipe = recipeOf(plan, method);
    assertBaseModel(plan, runner);
    // 1. What is learned from, as the plan names it.
    const recording = this.recordingOf(plan, progress);
    recording.report('preparing', 0, 1);
    const input = await this.inputOf(plan, recipe, runner);
    const findings = this.examine(input);
    // 2. The job, or why there is none.
    const planned = method.plan({ plan, input, schemaFor: this.dependencies.schemaFor });
    // 3. The artefact, or why there is none.
    const result =
      planned.status === 'refused' ? planned : await runner.run(jobOf(planned.job, runner), parent, recording);
    const metrics = { ...planned.metrics, ...result.metrics };
    return { ...result, metrics: this.withFindings(plan, metrics, findings) };
  }

  private recordingOf({ runId, algorithm }: RunPlan, progress: MakingProgress): Recording {
    const { signal, checkpoints, saving, record } = progress;
    const { objects, onProgress } = this.dependencies;
    const kept = new Checkpoints(objects, runId);
    return {
      runId,
      signal,
      resume: (work) => kept.restoreInto(work, checkpoints),
      ...(saving === undefined
        ? {}
        : {
            saving: {
              everySteps: saving.everySteps,
              save: async (work, metrics) => saving.record(await kept.save(work), metrics),
            },
          }),
      ...(record === undefined ? {} : { record }),
      report: (phase, done, total, metrics = {}) => onProgress({ runId, algorithm, phase, done, total, metrics }),
    };
  }

  /** What the plan names, with whole problems, and without entries whose tokens spell another. */
  private async inputOf(plan: RunPlan, recipe: Recipe, runner: JobRunner): Promise<LearningInput> {
    const { log, objects, lines } = this.dependencies;
    const read = await readLearningInput(new RecordedEvents(log), objects, recipe, plan);
    const { input, missing } = await withContents(read, new ProblemContents(log));
    for (const experienceId of missing)
      lines.warn(
        'content missing',
        { runId: plan.runId, experienceId },
        "the content of the entry's problem is not in the log; nothing is learned from it",
      );
    if (runner.decode === undefined) return input;
    const { input: sound, misspelled } = spelledInput(input, (tokenIds) => runner.decode!(tokenIds));
    for (const experienceId of misspelled)
      lines.warn(
        'misspelled',
        { runId: plan.runId, experienceId },
        'entry NOT BELIEVED: its tokens spell another; nothing is learned from it',
      );
    return sound;
  }

  /** What the records that a run learns from say about the system that made them. */
  private examine(input: LearningInput): readonly Finding[] {
    if (input.reads !== 'log') return [];
    const { schemaFor } = this.dependencies;
    const groups = finishedGroups(input.experiences, input.results);
    return [...examineRollouts(groups, { schemaFor }), ...examineSelfEdits(groups, input.results)];
  }

  /** Says what keeps the run from learning, with the remedy, and adds it to the figures that its events record. */
  private withFindings(
    { runId, algorithm, configuration }: RunPlan,
    metrics: Readonly<Record<string, number>>,
    seen: readonly Finding[],
  ): Record<string, number> {
    // Of the steps the last one alone: a run that was killed and resumed must record what it would have recorded.
    const run = { algorithm, settings: configuration.algorithm, code: null, metrics, checkpoints: [] };
    const findings = summary([...seen, ...examineRun(run)]);
    for (const { code, severity, evidence, remedy } of findings)
      this.dependencies.logger.warn(
        { runId, finding: code, severity, evidence, remedy },
        'training run has findings that prevent learning',
      );
    return { ...metrics, ...findingMetrics(findings) };
  }

  private methodOf({ method, runId }: RunPlan): MethodWithRunner {
    const { methods } = this.dependencies;
    const found = methods.get(method);
    if (found !== undefined) return found;
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot carry out run ${runId}: expected one of the methods ${[...methods.keys()].join(', ')}, got ${method}. Use a version that has it.`,
    );
  }
}

function recipeOf({ algorithm, runId }: RunPlan, { recipes }: MethodWithRunner['method']): Recipe {
  const found = recipes.get(algorithm);
  if (found !== undefined) return found;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot train run ${runId}: expected one of the algorithms ${[...recipes.keys()].join(', ')}, got ${algorithm}. Train it with the version that planned it.`,
  );
}

/** The job, where the runner that was registered with the method carries out such jobs. */
function jobOf(job: Job, { kind }: JobRunner): Job {
  if (job.kind === kind) return job;
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot carry out a job: expected one of kind ${kind}, got ${job.kind}. Register the method with a runner of its jobs.`,
  );
}

function assertBaseModel({ baseModelDigest, runId }: RunPlan, runner: JobRunner): void {
  if (baseModelDigest === runner.baseModelDigest) return;
  throw new SeamError(
    'CHECKPOINT_INVALID',
    `Cannot train run ${runId}: expected base model ${baseModelDigest}, got ${runner.baseModelDigest} in the model folder. Restore the folder.`,
  );
}
