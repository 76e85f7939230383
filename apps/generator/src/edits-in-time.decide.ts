/** How long the edits of one passage may take, as far as it is known when the service starts. */
import { candidatesAtATime, type ModelConfig } from '@seamstream/language-model';
import type { GeneratorConfig } from './config.js';

/**
 * tries · time of a try · turns. Edits take turns where they are more than are written at a time, and where two writers follow each other.
 * @param model null where its caches have no size
 */
export function longestWritingMs(
  generator: Pick<
    GeneratorConfig['generator'],
    'driver' | 'vllm' | 'cacheMib' | 'groupSize' | 'scouts' | 'sampling' | 'edits'
  >,
  model: ModelConfig | null,
): number {
  const { edits, groupSize, scouts } = generator;
  const most = editsAtATime(generator, model);
  const turns = (candidates: number): number => Math.ceil(candidates / most);
  const numScouts = Math.min(scouts, groupSize - 2);
  const exploring = turns(groupSize - numScouts) + turns(numScouts);
  // An answer may be written by the candidate of a release and then by its parent. Scouts write only once an adapter serves.
  return edits.tries * edits.timeoutMs * Math.max(2, exploring, turns(groupSize));
}

function editsAtATime(
  { driver, vllm, cacheMib, sampling }: Parameters<typeof longestWritingMs>[0],
  model: ModelConfig | null,
): number {
  if (driver === 'vllm') return vllm.concurrency;
  return model === null ? Infinity : candidatesAtATime(model, cacheMib * 2 ** 20, sampling.maxTokens);
}
