/** How long the edits of one passage may take, as far as it is known when the service starts. */
import { candidatesAtATime, type ModelConfig } from '@seamstream/language-model';
import type { GeneratorConfig } from './config.js';

/** What the edits of one passage take where all of their tries end late: tries · time of a try · turns. */
interface LongestWriting {
  readonly turns: number;
  readonly ms: number;
}

/**
 * Edits take turns where they are more than are written at a time, and where two writers follow each other.
 * @param model null where its caches have no size
 */
export function longestWriting(
  generator: Pick<
    GeneratorConfig['generator'],
    'driver' | 'vllm' | 'cacheMib' | 'groupSize' | 'scouts' | 'sampling' | 'edits'
  >,
  model: ModelConfig | null,
): LongestWriting {
  const { edits, groupSize, scouts } = generator;
  const most = editsAtATime(generator, model);
  const turnsOf = (candidates: number): number => Math.ceil(candidates / most);
  const numScouts = Math.min(scouts, groupSize - 2);
  const exploring = turnsOf(groupSize - numScouts) + turnsOf(numScouts);
  // An answer may be written by the candidate of a release and then by its parent. Scouts write only once an adapter serves.
  const turns = Math.max(2, exploring, turnsOf(groupSize));
  return { turns, ms: edits.tries * edits.timeoutMs * turns };
}

function editsAtATime(
  { driver, vllm, cacheMib, sampling }: Parameters<typeof longestWriting>[0],
  model: ModelConfig | null,
): number {
  if (driver === 'vllm') return vllm.concurrency;
  return model === null ? Infinity : candidatesAtATime(model, cacheMib * 2 ** 20, sampling.maxTokens);
}
