/** Carries a job of files out with any engine: what a worker on another machine does, and what engines in other languages do likewise. */
import { canonicalJson, isSeamError, SeamError } from '@seamstream/kernel';
import { encodeAdapter } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import {
  getFile,
  JOB_PATHS,
  type JobFiles,
  type JobMetrics,
  jsonFile,
  jsonLines,
  linesAs,
  parsedAs,
  putFile,
  readJob,
  readOutput,
  type TrainingJob,
  tensorList,
} from './job-files.js';
import { checkpointSchema, metricsSchema } from './job-files.schema.js';
import type { TrainingEngine, TrainingWeights } from './training-engine.port.js';

interface Place {
  readonly engine: TrainingEngine;
  readonly objects: JobFiles & Pick<ObjectStore, 'list'>;
  /** Empty, or ends with a slash. */
  readonly folder: string;
}

/**
 * Reads the job, computes and writes the result. Does nothing where the result is; resumes from the newest checkpoint that is whole.
 * @throws OBJECT_CORRUPT, OBJECT_NOT_FOUND for a job that is not whole; CHECKPOINT_INVALID for one of another base model
 */
export async function carryOutJob(place: Place): Promise<void> {
  const { engine, objects, folder } = place;
  const job = await readJob(objects, folder);
  if (job.baseModelDigest !== engine.baseModelDigest)
    throw new SeamError(
      'CHECKPOINT_INVALID',
      `Cannot carry out run ${job.runId}: expected base model ${job.baseModelDigest}, got ${engine.baseModelDigest}. Give the job to an engine of its model.`,
    );
  if ((await readOutput(objects, folder, job)) !== undefined) return;
  const { start, trainable, objective } = job;
  const weights = await engine.begin({ adapter: start, trainable, objective });
  try {
    await (job.operation === 'score' ? score(place, job, weights) : train(place, job, weights));
  } finally {
    await weights.close();
  }
}

async function score(
  { engine, objects, folder }: Place,
  { runId, sequences }: Extract<TrainingJob, { operation: 'score' }>,
  weights: TrainingWeights,
): Promise<void> {
  const bytes = jsonLines(await weights.logProbabilities(sequences));
  const scores = await putFile(objects, folder, { path: JOB_PATHS.scores, bytes });
  const result = { operation: 'score', runId, engine: engine.identity, scores };
  await putFile(objects, folder, { path: JOB_PATHS.result, bytes: jsonFile(result) });
}

async function train(
  place: Place,
  job: Extract<TrainingJob, { operation: 'train' }>,
  weights: TrainingWeights,
): Promise<void> {
  const { engine, objects, folder } = place;
  const { runId, steps, optimizer, checkpointEverySteps } = job;
  const metrics = await resume(place, job, weights);
  while (weights.steps < steps.length) {
    const { learningRate, sequences } = steps[weights.steps]!;
    const figures = await weights.step(sequences, { ...optimizer, learningRate });
    metrics.push({ ...figures, step: weights.steps, learningRate });
    const isDue = weights.steps % checkpointEverySteps === 0 && weights.steps < steps.length;
    if (isDue) await saveCheckpoint(place, runId, weights, metrics);
  }
  const adapter = await weights.exportAdapter();
  const file = await putFile(objects, folder, { path: JOB_PATHS.artefact, bytes: encodeAdapter(adapter) });
  const { kind, settings, baseModelDigest } = adapter;
  const result = {
    operation: 'train',
    runId,
    engine: engine.identity,
    steps: weights.steps,
    metrics: await putFile(objects, folder, { path: JOB_PATHS.metrics, bytes: jsonLines(metrics) }),
    artefact: { kind, settings, baseModelDigest, file, tensors: tensorList(adapter) },
  };
  await putFile(objects, folder, { path: JOB_PATHS.result, bytes: jsonFile(result) });
}

const STATE = 'state.bin';
const METRICS = 'metrics.jsonl';

async function saveCheckpoint(
  { engine, objects, folder }: Place,
  runId: string,
  weights: TrainingWeights,
  metrics: readonly JobMetrics[],
): Promise<void> {
  const below = `checkpoints/step-${String(weights.steps).padStart(6, '0')}/`;
  const state = [
    await putFile(objects, folder, { path: `${below}${STATE}`, bytes: await weights.saveState() }),
    await putFile(objects, folder, { path: `${below}${METRICS}`, bytes: jsonLines(metrics) }),
  ];
  const checkpoint = { runId, step: weights.steps, engine: engine.identity, state };
  await putFile(objects, folder, { path: `${below}checkpoint.json`, bytes: jsonFile(checkpoint) });
}

/** Restores the newest checkpoint of this run that is whole. @returns the metrics of the steps that are done with it */
async function resume(place: Place, { runId }: TrainingJob, weights: TrainingWeights): Promise<JobMetrics[]> {
  const { objects, folder } = place;
  const keys: string[] = [];
  for await (const { key } of objects.list(`${folder}checkpoints/`))
    if (key.endsWith('/checkpoint.json')) keys.push(key);
  for (const key of keys.reverse()) {
    try {
      const metrics = await restored(place, { key, runId }, weights);
      if (metrics !== undefined) return metrics;
    } catch (error) {
      if (!isSeamError(error) || !UNUSABLE.includes(error.code)) throw error;
    }
  }
  return [];
}

const UNUSABLE: readonly string[] = ['OBJECT_NOT_FOUND', 'OBJECT_CORRUPT', 'CHECKPOINT_INVALID'];

/** Undefined for a checkpoint of another run, or of an engine that is not this one in every respect: its promise holds for its own steps. */
async function restored(
  { engine, objects, folder }: Place,
  { key, runId }: { readonly key: string; readonly runId: string },
  weights: TrainingWeights,
): Promise<JobMetrics[] | undefined> {
  const checkpoint = parsedAs(checkpointSchema, Buffer.from(await objects.get(key)).toString(), key);
  if (checkpoint.runId !== runId || canonicalJson(checkpoint.engine) !== canonicalJson(engine.identity))
    return undefined;
  const fileOf = async (name: string): Promise<Uint8Array> => {
    const file = checkpoint.state.find(({ path }) => path.endsWith(`/${name}`));
    if (file === undefined) throw new SeamError('OBJECT_CORRUPT', `Cannot read ${key}: expected ${name}, got none.`);
    return getFile(objects, folder, file);
  };
  const metrics = linesAs(metricsSchema, await fileOf(METRICS), METRICS);
  await weights.restoreState(await fileOf(STATE));
  return [...metrics] as JobMetrics[];
}
