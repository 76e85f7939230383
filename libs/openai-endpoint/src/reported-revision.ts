/** Which model answers, as far as a server reports it: in its answers, and in its list of models. */
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { z } from 'zod';
import type { ChatCompletion } from './chat-completion.js';

/** GET /v1/models. What is not about the weights (when it was listed, who may use it) is left out: it changes by itself. */
export const modelListSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** vLLM: where the weights come from. */
      root: z.string().nullish(),
      parent: z.string().nullish(),
      max_model_len: z.number().nullish(),
      /** llama.cpp: sizes of the model. */
      meta: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});

export type ModelList = z.infer<typeof modelListSchema>;

/** What a completion says about who wrote it. */
export type ToldByAnswer = Pick<ChatCompletion, 'model' | 'system_fingerprint'>;

/** Facts of the listed model; null where it is not listed, or nothing but its name is. */
export function listedFacts(list: ModelList, model: string): string | null {
  const entry = list.data.find(({ id }) => id === model);
  if (entry === undefined) return null;
  const { root, parent, max_model_len, meta } = entry;
  const facts = { root, parent, max_model_len, meta };
  const told = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return told.length === 0 ? null : sha256(canonicalJson(Object.fromEntries(told)));
}

/**
 * The revision that a server reports: `name/fingerprint/models@digest` with the parts that there are.
 * @returns null where it reports nothing but the name that it was asked by
 */
export function reportedRevision(asked: string, answer: ToldByAnswer, listed: string | null): string | null {
  const name = answer.model ?? '';
  const parts = [
    ...(name === '' || name === asked ? [] : [name]),
    ...(answer.system_fingerprint ? [answer.system_fingerprint] : []),
    ...(listed === null ? [] : [`models@${listed.slice(0, 16)}`]),
  ];
  return parts.length === 0 ? null : parts.join('/');
}
