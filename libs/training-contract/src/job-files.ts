/** Writes a training job as files, and reads what an engine made of it. Nothing is believed that is not what its digest says. */
import { canonicalJson, isSeamError, SeamError, sha256 } from '@seamstream/kernel';
import {
  type Adapter,
  createAdapter,
  decodeAdapter,
  encodeAdapter,
  type OptimizerSettings,
  type StepMetrics,
  type TrainableSettings,
  type TrainingObjective,
  type TrainingSequence,
} from '@seamstream/language-model';
import { decodeSafetensors } from '@seamstream/model-files';
import type { z } from 'zod';
import {
  type FileRef,
  JOB_FORMAT,
  type JobResult,
  jobSchema,
  jobSequenceSchema,
  maskSchema,
  metricsSchema,
  resultSchema,
  scoresSchema,
} from './job-files.schema.js';

/** Legal tokens of a sequence come as data: a schema has no place in a file. */
export type JobSequence = Omit<TrainingSequence, 'schema' | 'continuationStart' | 'maxTokens'>;

/** Where a job's files are: an object store, or a folder. */
export interface JobFiles {
  get(key: string): Promise<Uint8Array>;
  put(key: string, bytes: Uint8Array): Promise<unknown>;
}

export interface JobFacts {
  readonly runId: string;
  readonly baseModelDigest: string;
  /** SHA-256 of config.json and of each file of weights, for an engine that cannot measure the digest. */
  readonly baseModelFiles?: Readonly<Record<string, string>>;
  readonly vocabularySize: number;
  readonly trainable: TrainableSettings;
  readonly objective: TrainingObjective;
  /** Where training begins; null: the base model. */
  readonly start: Adapter | null;
}

export type TrainingJob = JobFacts &
  (
    | { readonly operation: 'score'; readonly sequences: readonly JobSequence[] }
    | {
        readonly operation: 'train';
        readonly optimizer: Omit<OptimizerSettings, 'learningRate'>;
        readonly checkpointEverySteps: number;
        readonly steps: readonly { readonly learningRate: number; readonly sequences: readonly JobSequence[] }[];
      }
  );

/** What an engine made, as far as its files bear it out. */
export type JobOutput = { readonly engine: JobResult['engine'] } & (
  | { readonly operation: 'score'; readonly logProbabilities: readonly (readonly number[])[] }
  | { readonly operation: 'train'; readonly adapter: Adapter; readonly metrics: readonly JobMetrics[] }
);

export type JobMetrics = StepMetrics & { readonly step: number; readonly learningRate: number };

export const JOB_PATHS = {
  job: 'input/job.json',
  sequences: 'input/sequences.jsonl',
  masks: 'input/masks.jsonl',
  start: 'input/start.safetensors',
  metrics: 'output/metrics.jsonl',
  scores: 'output/scores.jsonl',
  artefact: 'output/adapter.safetensors',
  result: 'output/result.json',
  failure: 'output/failure.json',
} as const;

/** Of scores: nothing is taken. */
const NO_OPTIMIZER = { beta1: 0, beta2: 0, epsilon: 0, weightDecay: 0, clipNorm: 0 };

export function jsonFile(value: unknown): Uint8Array {
  return Buffer.from(`${canonicalJson(value)}\n`);
}

export function jsonLines(values: readonly unknown[]): Uint8Array {
  return Buffer.from(values.map((value) => `${canonicalJson(value)}\n`).join(''));
}

/** Puts a file below the folder. @returns what another file says of it */
export async function putFile(
  objects: JobFiles,
  folder: string,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
): Promise<FileRef> {
  await objects.put(`${folder}${path}`, bytes);
  return { path, sha256: sha256(bytes), sizeBytes: bytes.byteLength };
}

/** @throws OBJECT_CORRUPT where the file is not the one that is meant; OBJECT_NOT_FOUND */
export async function getFile(objects: JobFiles, folder: string, file: FileRef): Promise<Uint8Array> {
  const bytes = await objects.get(`${folder}${file.path}`);
  if (bytes.byteLength === file.sizeBytes && sha256(bytes) === file.sha256) return bytes;
  throw new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${folder}${file.path}: expected ${file.sizeBytes} bytes with SHA-256 ${file.sha256}, got ${bytes.byteLength} with ${sha256(bytes)}. Write the job again.`,
  );
}

/** @throws OBJECT_CORRUPT where the text is not what the schema says */
export function parsedAs<T>(schema: z.ZodType<T>, text: string, name: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new SeamError(
      'OBJECT_CORRUPT',
      `Cannot read ${name}: expected what training-files.schema.json says, got ${text.slice(0, 100)}. Write it again.`,
      { cause },
    );
  }
}

/** @throws OBJECT_CORRUPT naming the line */
export function linesAs<T>(schema: z.ZodType<T>, bytes: Uint8Array, name: string): readonly T[] {
  const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
  return lines.map((line, at) => parsedAs(schema, line, `line ${at} of ${name}`));
}

/**
 * Writes the job's input below the folder; equal jobs are equal bytes.
 * @param folder empty, or ends with a slash
 * @throws INVALID_INPUT for LoRA without a start: another engine would draw other first factors from the seed
 */
export async function writeJob(objects: JobFiles, folder: string, job: TrainingJob): Promise<void> {
  const { operation, runId, vocabularySize, trainable, objective, start } = job;
  if (trainable.kind === 'lora' && start === null)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot write the job of run ${runId}: expected the first factors of its LoRA, got none. Give it an adapter to start with.`,
    );
  const masks = new Masks(vocabularySize);
  const lineOf = ({ allowed, ...sequence }: JobSequence, step: number) => ({
    ...sequence,
    step,
    ...(allowed === undefined ? {} : { masks: allowed.map((ids) => masks.add(ids)) }),
  });
  const lines =
    operation === 'score'
      ? job.sequences.map((sequence) => lineOf(sequence, 0))
      : job.steps.flatMap(({ sequences }, step) => sequences.map((sequence) => lineOf(sequence, step)));
  const put = (path: string, bytes: Uint8Array): Promise<FileRef> => putFile(objects, folder, { path, bytes });
  const files = {
    start: start === null ? null : await put(JOB_PATHS.start, encodeAdapter(start)),
    sequences: await put(JOB_PATHS.sequences, jsonLines(lines)),
    masks: await put(JOB_PATHS.masks, jsonLines(masks.lines)),
  };
  const taken =
    operation === 'score'
      ? { optimizer: NO_OPTIMIZER, learningRates: [], checkpointEverySteps: 1 }
      : {
          optimizer: job.optimizer,
          learningRates: job.steps.map(({ learningRate }) => learningRate),
          checkpointEverySteps: job.checkpointEverySteps,
        };
  const model = baseModelOf(job);
  const facts = { format: JOB_FORMAT, operation, runId, ...model, vocabularySize, trainable, objective };
  await put(JOB_PATHS.job, jsonFile({ ...facts, ...taken, ...files }));
}

/** @throws OBJECT_CORRUPT, OBJECT_NOT_FOUND; ADAPTER_INVALID where training cannot begin with the start */
export async function readJob(objects: JobFiles, folder: string): Promise<TrainingJob> {
  const text = Buffer.from(await objects.get(`${folder}${JOB_PATHS.job}`)).toString();
  const job = parsedAs(jobSchema, text, `${folder}${JOB_PATHS.job}`);
  const { operation, learningRates, optimizer, checkpointEverySteps } = job;
  const masks = linesAs(maskSchema, await getFile(objects, folder, job.masks), job.masks.path).map((mask) =>
    legalTokens(mask, job.vocabularySize),
  );
  const lines = linesAs(jobSequenceSchema, await getFile(objects, folder, job.sequences), job.sequences.path);
  const sequences = lines.map(({ step, masks: named, ...sequence }) => ({
    step,
    sequence: {
      ...sequence,
      ...(named === undefined ? {} : { allowed: named.map((mask) => maskNamed(masks, mask)) }),
    } as JobSequence,
  }));
  const start =
    job.start === null
      ? null
      : decodeAdapter(await getFile(objects, folder, job.start), { baseModelDigest: job.baseModelDigest });
  const { runId, vocabularySize, trainable, objective } = job;
  const known = { runId, ...baseModelOf(job), vocabularySize, trainable, objective, start };
  if (operation === 'score') return { ...known, operation, sequences: sequences.map(({ sequence }) => sequence) };
  const ofStep = Map.groupBy(sequences, ({ step }) => step);
  const steps = learningRates.map((learningRate, step) => ({
    learningRate,
    sequences: (ofStep.get(step) ?? []).map(({ sequence }) => sequence),
  }));
  return { ...known, operation, optimizer, checkpointEverySteps, steps };
}

/**
 * What the engine made. An adapter is named by its content as it is measured here.
 * @returns undefined while there is no result
 * @throws OBJECT_CORRUPT where files are not what the result says; ADAPTER_INVALID
 */
export async function readOutput(objects: JobFiles, folder: string, job: TrainingJob): Promise<JobOutput | undefined> {
  const text = await textIfThere(objects, `${folder}${JOB_PATHS.result}`);
  if (text === undefined) return undefined;
  const result = parsedAs(resultSchema, text, `${folder}${JOB_PATHS.result}`);
  assertOf(job, result, folder);
  const { operation, engine } = result;
  if (operation === 'score') {
    const bytes = await getFile(objects, folder, result.scores);
    const logProbabilities = linesAs(scoresSchema, bytes, result.scores.path);
    assertSame(folder, 'ln π for each target of each sequence', {
      asked: job.operation === 'score' ? job.sequences.map(({ targets }) => targets.length) : [],
      made: logProbabilities.map(({ length }) => length),
    });
    return { operation, engine, logProbabilities };
  }
  const { kind, settings, baseModelDigest, file, tensors: stated } = result.artefact;
  const { tensors } = decodeSafetensors(await getFile(objects, folder, file), file.path);
  const adapter = createAdapter({ kind, settings, baseModelDigest, tensors });
  if (canonicalJson(stated) !== canonicalJson(tensorList(adapter)))
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot take ${folder}${file.path}: expected the tensors that the result names, got others.`,
    );
  const metrics = linesAs(metricsSchema, await getFile(objects, folder, result.metrics), result.metrics.path);
  assertSame(folder, 'lines of metrics', { asked: result.steps, made: metrics.length });
  return { operation, engine, adapter, metrics: metrics as readonly JobMetrics[] };
}

/** @throws OBJECT_CORRUPT for the result of another job */
function assertOf(job: TrainingJob, result: JobResult, folder: string): void {
  assertSame(folder, 'run', { asked: job.runId, made: result.runId });
  assertSame(folder, 'operation', { asked: job.operation, made: result.operation });
  if (job.operation !== 'train' || result.operation !== 'train') return;
  const { baseModelDigest, settings, kind } = result.artefact;
  assertSame(folder, 'base model', { asked: job.baseModelDigest, made: baseModelDigest });
  assertSame(folder, 'trained tensors', { asked: job.trainable, made: settings });
  assertSame(folder, 'kind of trained tensors', { asked: job.trainable.kind, made: kind });
  assertSame(folder, 'steps', { asked: job.steps.length, made: result.steps });
}

function assertSame(folder: string, what: string, facts: { readonly asked: unknown; readonly made: unknown }): void {
  const [asked, made] = [canonicalJson(facts.asked), canonicalJson(facts.made)];
  if (asked === made) return;
  throw new SeamError(
    'OBJECT_CORRUPT',
    `Cannot take the result below ${folder || 'the folder'}: expected as ${what} ${asked.slice(0, 300)}, got ${made.slice(0, 300)}. Give each job a folder, and look at the training program.`,
  );
}

/** Names and shapes, by name. */
export function tensorList({
  tensors,
}: Pick<Adapter, 'tensors'>): readonly { name: string; shape: readonly number[] }[] {
  const names = [...tensors.keys()].sort();
  return names.map((name) => ({ name, shape: tensors.get(name)!.shape }));
}

/** Without the files where none are named. */
function baseModelOf({
  baseModelDigest,
  baseModelFiles,
}: {
  readonly baseModelDigest: string;
  readonly baseModelFiles?: Readonly<Record<string, string>> | undefined;
}): Pick<JobFacts, 'baseModelDigest' | 'baseModelFiles'> {
  return { baseModelDigest, ...(baseModelFiles === undefined ? {} : { baseModelFiles }) };
}

async function textIfThere(objects: JobFiles, key: string): Promise<string | undefined> {
  try {
    return Buffer.from(await objects.get(key)).toString();
  } catch (error) {
    if (isSeamError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

type Mask = z.infer<typeof maskSchema>;

/** Each distinct mask once, in the order in which they are first asked for. */
class Masks {
  readonly lines: Mask[] = [];
  private readonly known = new Map<string, number>();

  constructor(private readonly vocabularySize: number) {}

  /** @param legal in any order @returns the mask's line */
  add(legal: readonly number[]): number {
    const ids = [...new Set(legal)].sort((a, b) => a - b);
    const name = ids.join();
    const found = this.known.get(name);
    if (found !== undefined) return found;
    const line = this.lines.length;
    this.known.set(name, line);
    this.lines.push(
      ids.length * 2 <= this.vocabularySize
        ? { tokens: 'legal', ids }
        : { tokens: 'banned', ids: others(ids, this.vocabularySize) },
    );
    return line;
  }
}

function others(ids: readonly number[], vocabularySize: number): number[] {
  const named = new Set(ids);
  return Array.from({ length: vocabularySize }, (_, id) => id).filter((id) => !named.has(id));
}

function legalTokens({ tokens, ids }: Mask, vocabularySize: number): readonly number[] {
  return tokens === 'legal' ? ids : others(ids, vocabularySize);
}

function maskNamed(masks: readonly (readonly number[])[], line: number): readonly number[] {
  const found = masks[line];
  if (found !== undefined) return found;
  throw new SeamError(
    'OBJECT_CORRUPT',
    `Cannot read ${JOB_PATHS.sequences}: expected one of ${masks.length} masks, got mask ${line}. Write the job again.`,
  );
}
