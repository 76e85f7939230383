/** How much an adapter's entries help, compared with every control. */
import {
  CONTROL_ROWS,
  type ControlRow,
  type ControlsStudy,
  chooseFixedHints,
  studyControls,
} from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { loadAdapter } from '../adapters/find-adapter.js';
import { openDataset } from '../publish/index.js';
import type { AskingObserver, AskingWorld } from './asking-world.js';
import type { MeasuredModels } from './evaluate-adapter.js';
import { chosenProblems, evaluationProblems, type ProblemOptions } from './evaluation-problems.js';
import { verifiersFor } from './judging.js';
import { checkPredictions, type PredictionsOptions, predictionsFile } from './predictions-file.js';

export interface StudyRequest extends ProblemOptions, PredictionsOptions {
  /** `base`, `served`, or the first digits of a digest. */
  readonly adapter: string;
  readonly rows: readonly ControlRow[];
  /** Tried in turn until one is right; 0: time to correct is not measured. */
  readonly candidates: number;
  readonly hintsFrom?: string;
  readonly seed: string;
  /** A file that is written afterwards; checked before models are loaded. */
  readonly report?: string;
}

export interface Studied extends MeasuredModels {
  readonly result: ControlsStudy;
  /** By domain. */
  readonly fixedHints: ReadonlyMap<string, string>;
}

/** Problems that are asked together. */
const BATCH = 64;

/**
 * Measures every row on the problems of a file, or without one on a set of the demonstration.
 * @throws as `evaluateAdapter`
 */
export async function studyAdapter(
  world: AskingWorld,
  path: string | undefined,
  request: StudyRequest,
  observer: AskingObserver<Studied>,
): Promise<Studied> {
  const { rows, seed, report, force: replace, candidates } = request;
  const problems = await chosenProblems(world, path, request);
  const hintsFrom = rows.includes('fixedHint') ? await hintProblems(world, path, request, problems) : null;
  // All files that are read are known now, and none of them is written.
  if (report !== undefined) await world.checkOutput(report, { replace });
  await checkPredictions(world, request);
  const verifiers = await verifiersFor(world, [...problems, ...(hintsFrom ?? [])]);
  const models = await world.openModels();
  const { generator, environment, prompts, maxEntryTokens, maxResponseTokens } = models;
  observer.opened(models, problems);
  const schemaFor = await world.entrySchemas();
  const adapter = await loadAdapter(world, request.adapter, generator.digest, observer.reading);
  const adapterDigest = adapter?.digest ?? null;
  const facts = { adapterDigest, seed, arms: CONTROL_ROWS };
  const predictions = await predictionsFile(world, observer.tell, request, problems, facts);
  const onProgress = (what: string, done: number, total: number): void => {
    observer.progress(what, done, total);
    world.signal.throwIfAborted();
  };
  const common = {
    environment,
    generator,
    adapter,
    prompts,
    schemaFor,
    verifiers,
    maxEntryTokens,
    batchSize: BATCH,
    onProgress,
  };
  try {
    const ofHints = (domain: string, done: number, total: number): void =>
      onProgress(`fixed hints of ${domain}`, done, total);
    const fixedHints =
      hintsFrom === null
        ? new Map<string, string>()
        : await chooseFixedHints(hintsFrom, { ...common, onProgress: ofHints });
    const result = await studyControls(problems, {
      ...{ ...common, rows, seed, maxAloneTokens: maxEntryTokens + maxResponseTokens },
      fixedHint: (domain) => fixedHints.get(domain) ?? prompts.fixedHint,
      ...(candidates === 0 ? {} : { candidates }),
      nowMs: () => performance.now(),
      ...(predictions.onPrediction === undefined ? {} : { onPrediction: predictions.onPrediction }),
    });
    const executor = environment.identity;
    const studied = { result, adapterDigest, baseModelDigest: generator.digest, executor, fixedHints };
    observer.measured(studied);
    await predictions.write();
    return studied;
  } catch (error) {
    await predictions.tellStopped();
    throw error;
  }
}

/** Problems that the fixed hint is chosen on: those of a file, or the demonstration's validation set. None of the measured ones is among them. */
async function hintProblems(
  world: AskingWorld,
  path: string | undefined,
  request: StudyRequest,
  measured: readonly Problem[],
): Promise<readonly Problem[]> {
  const { hintsFrom } = request;
  const given =
    hintsFrom !== undefined
      ? await evaluationProblems(await openDataset(world, hintsFrom), request, undefined)
      : path === undefined
        ? await world.worldProblems('validation')
        : [];
  const prompts = new Set(measured.map(({ prompt }) => prompt));
  const domains = new Set(measured.map(({ domain }) => domain));
  return given.filter(({ prompt, domain }) => !prompts.has(prompt) && domains.has(domain));
}
