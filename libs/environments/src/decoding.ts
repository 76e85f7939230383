import { canonicalJson } from '@seamstream/kernel';
import type { ExecutorModel, SamplingParams } from './executor-model.port.js';

/** How an executor's answers are decoded, as outcomes record it. @param drawing null: greedily, as the executor itself says */
export function decodingOf({ identity }: Pick<ExecutorModel, 'identity'>, drawing: SamplingParams | null): string {
  return drawing === null ? identity.decoding : canonicalJson({ answer: identity.decoding, ...drawing });
}
