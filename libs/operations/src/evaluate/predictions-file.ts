/** What was said about every problem of an evaluation or a study, as JSON Lines: by arm, by problem, by sample. */

import type { Prediction, PredictionSink } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { plural } from '@seamstream/kernel';
import { entryValue } from '../solve/answer-lines.js';
import type { AskingObserver, AskingWorld } from './asking-world.js';

export interface PredictionsOptions {
  readonly predictions?: string;
  /** Replace files that are there. */
  readonly force?: true;
}

/** Which arms of which models were asked; the same on every line. */
export interface PredictionFacts {
  /** Null: the bare base model. */
  readonly adapterDigest: string | null;
  readonly seed: string;
  /** Order in which arms are written. */
  readonly arms: readonly string[];
}

/** @throws as {@link predictionsFile}, before models are loaded */
export async function checkPredictions(
  world: AskingWorld,
  { predictions, force: replace }: PredictionsOptions,
): Promise<void> {
  if (predictions !== undefined) await world.checkOutput(predictions, { replace });
}

/** What takes predictions as they come. */
export interface PredictionsFile {
  /** Undefined where no file is asked for. */
  readonly onPrediction?: PredictionSink;
  /** Gives the file its name and its order when all is done. */
  write(): Promise<void>;
  /** Reports where the predictions are that were known when it stopped, for a caller that passes the error on. */
  tellStopped(): Promise<void>;
}

/**
 * A file that predictions go into as they are known; does nothing where none is asked for.
 * @throws CONFLICT or INVALID_INPUT where nothing can be written there, before any model is asked
 */
export async function predictionsFile(
  world: AskingWorld,
  tell: AskingObserver<never>['tell'],
  { predictions: path, force: replace }: PredictionsOptions,
  problems: readonly Problem[],
  { adapterDigest, seed, arms }: PredictionFacts,
): Promise<PredictionsFile> {
  if (path === undefined) return { write: () => Promise.resolve(), tellStopped: () => Promise.resolve() };
  const output = await world.growOutput(path, { replace });
  const taken: Prediction[] = [];
  const lineOf = ({ arm, problem, sample, entry, judgedBy, unjudged, ...said }: Prediction): string => {
    const { problemId, domain, prompt, reference } = problems[problem]!;
    return `${JSON.stringify({
      ...{ problemId, domain, arm, adapterDigest: OF_ADAPTER.has(arm) ? adapterDigest : null, seed, sample },
      ...{ prompt, reference, entry: entryValue(entry), response: said.response, answer: said.answer },
      ...{ success: said.success, detail: said.detail },
      ...(judgedBy === null ? {} : { judge: judgedBy }),
      ...(unjudged === null ? {} : { unjudged: { code: unjudged.code, reason: unjudged.reason } }),
    })}\n`;
  };
  // The sink cannot wait: texts that arrive during a write go together. A failure waits for the end, where the result is on the screen.
  let waiting = '';
  let under: Promise<void> | undefined;
  let failed: { readonly error: unknown } | undefined;
  const flush = async (): Promise<void> => {
    while (waiting !== '' && failed === undefined) {
      const lines = waiting;
      waiting = '';
      await output.append(lines).catch((error: unknown) => (failed = { error }));
    }
    under = undefined;
  };
  return {
    onPrediction(prediction) {
      taken.push(prediction);
      waiting += lineOf(prediction);
      under ??= flush();
    },
    async write() {
      await under;
      if (failed !== undefined) throw failed.error;
      const place = new Map(arms.map((arm, at) => [arm, at]));
      const lines = taken
        .sort(
          (a, b) => (place.get(a.arm) ?? 0) - (place.get(b.arm) ?? 0) || a.problem - b.problem || a.sample - b.sample,
        )
        .map(lineOf);
      await output.finish(Buffer.from(lines.join('')));
      tell(`wrote ${lines.length} predictions to ${path}`);
    },
    async tellStopped() {
      await under;
      if (output.partPath !== null && taken.length > 0)
        tell(`${plural(taken.length, 'prediction')} up to here are in ${output.partPath}.`);
    },
  };
}

/** Arms that the adapter has a part in. */
const OF_ADAPTER: ReadonlySet<string> = new Set([
  'trained',
  'otherProblemsEntry',
  'answerRemoved',
  'entryAlone',
  'generatorAlone',
]);
