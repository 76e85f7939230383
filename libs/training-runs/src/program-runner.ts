/**
 * Carries out gradient jobs with a program that reads jobs of files: an engine in another language, in separate processes. The program
 * only writes into the job's folder. What counts of that is recorded here, and only while this worker holds the run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import {
  type Adapter,
  checkpointFiles,
  createAdapter,
  type Grammars,
  initialTensors,
  loadCheckpoint,
  type TrainableSettings,
  type TrainingSequence,
  withLegalTokens,
} from '@seamstream/language-model';
import { bareSequences, type ComputedLogProbs, type TrainingPlan } from '@seamstream/learning';
import {
  followJob,
  JobFolder,
  type JobLauncher,
  type JobMetrics,
  type JobOutput,
  type JobSequence,
  onDisk,
  PROGRESS_WITHIN_MS,
  packCheckpoint,
  readOutput,
  type TrainingJob,
  unpackCheckpoint,
  writeJob,
} from '@seamstream/training-contract';
import { computedLogProbs } from './computed-log-probs.js';
import type { GradientJob } from './gradient-method.js';
import { GradientRunner, type GradientRunnerDependencies } from './gradient-runner.js';
import type { JobResult, Recording } from './job-runner.js';
import { finite } from './run-events.js';

interface ProgramRunnerDependencies extends GradientRunnerDependencies {
  readonly launcher: JobLauncher;
  readonly base: ProgramBase;
  readonly grammars: Pick<Grammars, 'prepare'>;
  /** Each job has its own folder below this one; the system's temporary one when absent. */
  readonly jobsFolder?: string;
  /** How long a program may run without a further step or checkpoint. */
  readonly progressWithinMs?: number;
}

/** The base model as a program needs to know it. */
export interface ProgramBase {
  readonly files: Readonly<Record<string, string>>;
  readonly vocabularySize: number;
  /** The tensors that training starts from without a parent; null where those are the base model's own. */
  readonly startOf: (trainable: TrainableSettings) => Promise<Adapter | null>;
}

/** Reads the model folder once for the digests of its files. @throws CHECKPOINT_INVALID, UNSUPPORTED_MODEL */
export async function programBase(folder: string, baseModelDigest: string): Promise<ProgramBase> {
  const checkpoint = await loadCheckpoint(folder);
  if (checkpoint.digest !== baseModelDigest)
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot train by a program: expected base model ${baseModelDigest}, got ${checkpoint.digest} in ${folder}. Restore the folder.`,
    );
  return {
    files: await checkpointFiles(folder),
    vocabularySize: checkpoint.config.vocabularySize,
    startOf: async (settings) => {
      if (settings.kind === 'full') return null;
      const tensors = await initialTensors(checkpoint, settings);
      return createAdapter({ kind: settings.kind, settings, baseModelDigest, tensors });
    },
  };
}

export class ProgramRunner extends GradientRunner {
  constructor(private readonly program: ProgramRunnerDependencies) {
    super(program);
  }

  /** Each result says what trained it: a program may run elsewhere tomorrow. */
  override get engine(): null {
    return null;
  }

  override async run(job: GradientJob, parent: Adapter | null, recording: Recording): Promise<JobResult<Adapter>> {
    const { learning, settings } = job;
    const algorithm = this.program.algorithms.get(job.algorithm)!;
    // 1. What the objective is held to, by the engine that trains.
    const computed = await this.scoresFor(learning, parent, recording);
    const review = algorithm.review(learning, settings, computed);
    const metrics: Record<string, number> = { ...learning.diagnostics, ...review.diagnostics };
    if (review.status === 'refused') return { status: 'refused', reason: review.reason, metrics };
    // 2. The steps, from the newest checkpoint on.
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = learning.optimizer;
    const optimizer = { beta1, beta2, epsilon, weightDecay, clipNorm };
    const steps: { learningRate: number; sequences: readonly JobSequence[] }[] = [];
    for (const [step, { learningRate }] of learning.steps.entries()) {
      const sequences = await this.spelledOut(algorithm.complete(learning, settings, step, computed));
      steps.push({ learningRate, sequences });
    }
    const checkpointEverySteps = recording.saving?.everySteps ?? Math.max(1, steps.length);
    const facts = await this.factsOf(learning, parent, recording);
    const output = await this.carryOut(
      { ...facts, operation: 'train', optimizer, checkpointEverySteps, steps },
      recording,
    );
    if (output.operation !== 'train') throw wrongOutput(recording, output);
    Object.assign(metrics, figuresOf(output.metrics.at(-1)));
    const { adapter, engine } = output;
    return { status: 'made', artefact: adapter, steps: steps.length, metrics: finite(metrics), engine };
  }

  private scoresFor(learning: TrainingPlan, parent: Adapter | null, recording: Recording): Promise<ComputedLogProbs> {
    let spelled: Promise<readonly JobSequence[]> | undefined;
    const under = async (start: Adapter | null): Promise<readonly (readonly number[])[]> => {
      spelled ??= this.spelledOut(bareSequences(learning));
      const sequences = await spelled;
      recording.report('preparing', 0, 1);
      const facts = await this.factsOf(learning, start, recording);
      const output = await this.carryOut({ ...facts, operation: 'score', sequences }, recording);
      if (output.operation !== 'score') throw wrongOutput(recording, output);
      return output.logProbabilities;
    };
    return computedLogProbs(learning, parent !== null, {
      underParent: () => under(parent),
      underBase: () => under(null),
    });
  }

  private async factsOf({ trainable, objective }: TrainingPlan, parent: Adapter | null, { runId }: Recording) {
    const { files, vocabularySize, startOf } = this.program.base;
    const start = parent ?? (await startOf(trainable));
    const { baseModelDigest } = this;
    return { runId, baseModelDigest, baseModelFiles: files, vocabularySize, trainable, objective, start };
  }

  /** With their legal tokens as data: the program has no grammar. */
  private async spelledOut(sequences: readonly TrainingSequence[]): Promise<readonly JobSequence[]> {
    const grammarOf = await this.program.grammars.prepare(sequences.map(({ schema }) => schema));
    return sequences.map((sequence) => withLegalTokens(sequence, grammarOf));
  }

  private async carryOut(job: TrainingJob, recording: Recording): Promise<JobOutput> {
    const { launcher, logger, jobsFolder = tmpdir(), progressWithinMs = PROGRESS_WITHIN_MS } = this.program;
    const { signal, saving } = recording;
    const folder = new JobFolder(await onDisk(jobsFolder, () => mkdtemp(join(jobsFolder, 'seam-job-'))));
    try {
      await writeJob(folder, '', job);
      // A worker that has lost the run would end its new holder's program. Nothing to record is refused all the same.
      await recording.record?.([]);
      if (job.operation === 'score') await followJob({ launcher, folder, signal, progressWithinMs });
      else {
        const resumed = await recording.resume(checkpointIn(folder));
        if (resumed !== undefined)
          logger.info({ key: resumed.key, step: resumed.step }, 'training resumed from a checkpoint');
        let figures: Record<string, number> = {};
        await followJob({
          launcher,
          folder,
          signal,
          progressWithinMs,
          onStep: (metrics) => {
            figures = figuresOf(metrics);
            recording.report('training', metrics.step, job.steps.length, figures);
          },
          onCheckpoint: async (checkpoint) => {
            const state = await packCheckpoint(folder, checkpoint);
            if (state !== undefined) await saving?.save(checkpointIn(folder, checkpoint.step, state), figures);
          },
        });
      }
      const output = await readOutput(folder, '', job);
      if (output !== undefined) return output;
      throw new SeamError(
        'ENGINE_FAILED',
        `Cannot take what run ${recording.runId} made: expected a result, got none. Look at the output of the training program.`,
      );
    } finally {
      // What was made counts, also where its files stay.
      await rm(folder.path, { recursive: true, force: true }).catch((error: unknown) =>
        logger.warn({ folder: folder.path, err: error }, 'the files of a job are left: delete them'),
      );
    }
  }
}

/** A checkpoint of the folder as the run's own ones are kept. */
function checkpointIn(folder: JobFolder, steps = 0, state: Uint8Array = new Uint8Array()) {
  return {
    steps,
    saveState: () => Promise.resolve(state),
    restoreState: (bytes: Uint8Array) => unpackCheckpoint(folder, bytes),
  };
}

/** Without the step, which the event's place says. */
function figuresOf(metrics: JobMetrics | undefined): Record<string, number> {
  return finite(Object.fromEntries(Object.entries(metrics ?? {}).filter(([name]) => name !== 'step')));
}

function wrongOutput({ runId }: Recording, { operation }: JobOutput): SeamError {
  return new SeamError(
    'OBJECT_CORRUPT',
    `Cannot take what run ${runId} made: got the result of a job to ${operation}. Look at the training program.`,
  );
}
