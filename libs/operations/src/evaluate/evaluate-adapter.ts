/** An adapter's success on problems, compared with its controls; recorded on request. */
import { basename } from 'node:path';
import {
  EVALUATION_ARMS,
  type EvaluationArm,
  type EvaluationResult,
  type EvaluationSettings,
  evaluate,
  evaluateSamples,
  type SampledEvaluation,
} from '@seamstream/evaluation';
import type { ExecutorIdentity } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { loadAdapter } from '../adapters/find-adapter.js';
import { recordable, recordEvaluation } from '../adapters/record-evaluation.js';
import type { AskingObserver, AskingWorld } from './asking-world.js';
import { chosenProblems, DEFAULT_SET, type ProblemOptions } from './evaluation-problems.js';
import { verifiersFor } from './judging.js';
import { checkPredictions, type PredictionsOptions, predictionsFile } from './predictions-file.js';

export interface EvaluationRequest extends ProblemOptions, PredictionsOptions {
  /** `base`, `served`, or the first digits of a digest. */
  readonly adapter: string;
  readonly arms: readonly EvaluationArm[];
  /** Answers per problem; 1 is greedy. */
  readonly samples: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed: string;
  /** Puts what was measured on record, in the name of `by`. */
  readonly record?: true;
  readonly by?: string;
}

/** Which models were measured. */
export interface MeasuredModels {
  /** Null: the bare base model. */
  readonly adapterDigest: string | null;
  readonly baseModelDigest: string;
  readonly executor: ExecutorIdentity;
}

export interface Evaluated {
  /** Greedy, or of several answers per problem. */
  readonly result: EvaluationResult | SampledEvaluation;
  readonly measured: MeasuredModels;
  /** Whether any answer of any arm could be judged. */
  readonly isJudged: boolean;
}

/** Problems that are asked together. */
const BATCH = 64;

/**
 * Measures the arms on the problems of a file, or without one on a set of the demonstration.
 * @param path JSON Lines or Parquet
 * @throws INVALID_INPUT before models are loaded for a request that contradicts itself; as `evaluate`; the signal's reason when it aborts
 */
export async function evaluateAdapter(
  world: AskingWorld,
  path: string | undefined,
  request: EvaluationRequest,
  observer: AskingObserver<Evaluated>,
): Promise<Evaluated> {
  refuseDrawingOfOne(request);
  checkRecording(request);
  const { arms, samples, seed, temperature = 1, topP = 1 } = request;
  const problems = await chosenProblems(world, path, request);
  await checkPredictions(world, request);
  const verifiers = await verifiersFor(world, problems);
  const models = await world.openModels();
  const { generator, environment, prompts, maxEntryTokens } = models;
  observer.opened(models, problems);
  const schemaFor = await world.entrySchemas();
  const adapter = await loadAdapter(world, request.adapter, generator.digest, observer.reading);
  const adapterDigest = adapter?.digest ?? null;
  const measured = { adapterDigest, baseModelDigest: generator.digest, executor: environment.identity };
  const digest = request.record === undefined ? undefined : await recordable(world, adapter);
  const facts = { adapterDigest, seed, arms: EVALUATION_ARMS };
  const predictions = await predictionsFile(world, observer.tell, request, problems, facts);
  const settings: EvaluationSettings = {
    ...{ arms, environment, generator, adapter, prompts, schemaFor, verifiers, maxEntryTokens, seed, batchSize: BATCH },
    ...(predictions.onPrediction === undefined ? {} : { onPrediction: predictions.onPrediction }),
    onProgress(arm, done, total) {
      observer.progress(arm, done, total);
      world.signal.throwIfAborted();
    },
  };
  try {
    const drawn = { samples, drawing: { temperature, topP } };
    const greedy = samples === 1 ? await evaluate(problems, settings) : null;
    const result = greedy ?? (await evaluateSamples(problems, { ...settings, ...drawn }));
    const evaluated = { result, measured, isJudged: isJudged(Object.values(result.arms)) };
    observer.measured(evaluated);
    await predictions.write();
    if (digest !== undefined && greedy !== null) {
      const problemSet = path === undefined ? (request.set ?? DEFAULT_SET) : basename(path);
      const facts = { ...measured, adapterDigest: digest, problemSet, result: greedy };
      const { meta } = await recordEvaluation(world, request.by!, facts, observer.reading);
      observer.tell(`recorded as ${meta.messageId}`);
    }
    return evaluated;
  } catch (error) {
    await predictions.tellStopped();
    throw error;
  }
}

/** Whether any arm has a result. */
export function isJudged(arms: readonly { readonly problems: number }[]): boolean {
  return arms.some(({ problems }) => problems > 0);
}

/** A single answer is greedy: it would not be what was asked for. @throws INVALID_INPUT naming the option */
function refuseDrawingOfOne({ samples, temperature, topP }: EvaluationRequest): void {
  const given =
    temperature !== undefined ? `--temperature ${temperature}` : topP !== undefined ? `--top-p ${topP}` : '';
  if (samples > 1 || given === '') return;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot evaluate: expected --samples of 2 or more with ${given}, got 1 answer per problem, which is decoded greedily. Say how many to draw (--samples 16), or leave ${given} out.`,
  );
}

/**
 * What can be known before hours of measuring.
 * @throws INVALID_INPUT where only one of --record and --by is given, answers are drawn, or the adapter is not among the arms
 */
function checkRecording({ record, by, samples, arms }: EvaluationRequest): void {
  const refuse = (expected: string, got: string, remedy: string): never => {
    throw new SeamError('INVALID_INPUT', `Cannot evaluate: expected ${expected}, got ${got}. ${remedy}.`);
  };
  if (record === undefined) {
    if (by !== undefined) refuse('--record with --by', 'none', 'Add --record, or leave --by out');
    return;
  }
  if (by === undefined) refuse('--by NAME with --record', 'none', 'Say who measures');
  if (!arms.includes('trained')) refuse('the arm trained with --record', arms.join(', '), 'Add it to --arms');
  if (samples > 1) refuse('greedy answers with --record', `--samples ${samples}`, 'Leave one of the two out');
}
