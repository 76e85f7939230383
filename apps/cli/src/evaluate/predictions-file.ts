/** What was said about every problem of an evaluation or a study, as JSON Lines: by arm, by problem, by sample. */

import type { Prediction, PredictionSink } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { Option } from 'commander';
import type { CommandRuntime } from '../command-runtime.js';
import { jsonLine } from '../terminal/terminal.js';

export interface PredictionsOptions {
  readonly predictions?: string;
  /** Replace files that are there. */
  readonly force?: true;
}

export function predictionsOption(): Option {
  return new Option(
    '--predictions <file>',
    'write every answer as JSON Lines: problem, arm, entry, response, answer, verdict',
  );
}

/** Of every command that writes what it found into files. */
export function forceOption(): Option {
  return new Option('--force', 'replace a file that is there');
}

/** An entry as its JSON value; a text that is none (a hint, an empty slot) as it is. */
export function entryValue(entry: string | null): unknown {
  if (entry === null) return null;
  try {
    return JSON.parse(entry) as unknown;
  } catch {
    return entry;
  }
}

/** Which arms of which models were asked; the same on every line. */
export interface PredictionFacts {
  /** Null: the bare base model. */
  readonly adapterDigest: string | null;
  readonly seed: string;
  /** Order in which arms are written. */
  readonly arms: readonly string[];
}

/**
 * Collects predictions for a file; does nothing where none is asked for.
 * @returns what takes them, and what writes them when all is done
 * @throws CONFLICT where a file is there that shall not be replaced, before any model is asked
 */
export async function predictionsFile(
  runtime: CommandRuntime,
  { predictions: path, force: replace }: PredictionsOptions,
  problems: readonly Problem[],
  { adapterDigest, seed, arms }: PredictionFacts,
): Promise<{ readonly onPrediction?: PredictionSink; readonly write: () => Promise<void> }> {
  if (path === undefined) return { write: () => Promise.resolve() };
  await runtime.checkOutput(path, { replace });
  const taken: Prediction[] = [];
  return {
    onPrediction: (prediction) => void taken.push(prediction),
    async write() {
      const place = new Map(arms.map((arm, at) => [arm, at]));
      const lines = taken
        .sort(
          (a, b) => (place.get(a.arm) ?? 0) - (place.get(b.arm) ?? 0) || a.problem - b.problem || a.sample - b.sample,
        )
        .map(({ arm, problem: index, sample, entry, response, answer, success, detail, unjudged }) => {
          const { problemId, domain, prompt, reference } = problems[index]!;
          return jsonLine({
            ...{ problemId, domain, arm, adapterDigest: OF_ADAPTER.has(arm) ? adapterDigest : null, seed, sample },
            ...{ prompt, reference, entry: entryValue(entry), response, answer, success, detail },
            ...(unjudged === null ? {} : { unjudged: { code: unjudged.code, reason: unjudged.reason } }),
          });
        });
      await runtime.writeOutput(path, Buffer.from(lines.join('')), { replace });
      runtime.terminal.remark(`wrote ${lines.length} predictions to ${path}`);
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
