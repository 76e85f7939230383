/** Embeddings as OpenAI documents them (https://platform.openai.com/docs/api-reference/embeddings), of which the part that is used. */
import { z } from 'zod';
import type { EndpointTask } from './endpoint-client.js';

/** One vector for each text, all of one length. */
function embeddingsSchema(texts: number) {
  return z
    .object({
      data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })).length(texts),
      usage: z.object({ prompt_tokens: z.int().nonnegative() }),
    })
    .refine(({ data }) => new Set(data.map(({ index }) => index)).size === texts, {
      path: ['data'],
      error: 'expected one vector for each text',
    })
    .refine(({ data }) => data.every(({ index }) => index < texts), {
      path: ['data'],
      error: 'expected one vector for each text',
    })
    .refine(({ data }) => new Set(data.map(({ embedding }) => embedding.length)).size === 1, {
      path: ['data'],
      error: 'expected vectors of one length',
    })
    .transform(({ data, usage }) => ({
      vectors: data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
      promptTokens: usage.prompt_tokens,
    }));
}

export interface Embeddings {
  /** In the order of the texts. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

/** Asks for the vectors of texts. */
export function embeddingsTask(model: string, texts: readonly string[]): EndpointTask<Embeddings> {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return {
    method: 'POST',
    path: 'embeddings',
    body: { model, input: texts, encoding_format: 'float' },
    schema: embeddingsSchema(texts.length),
    // A tokenizer splits a text into nothing smaller than bytes.
    worst: { promptTokens: bytes, responseTokens: 0 },
    usage: ({ promptTokens }) => ({ promptTokens, responseTokens: 0 }),
  };
}

/** Cosine of the angle between two vectors of one length, −1 … 1; 0 where one of them has no direction. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (const [at, left] of a.entries()) {
    const right = b[at]!;
    dot += left * right;
    ofA += left * left;
    ofB += right * right;
  }
  const length = Math.sqrt(ofA) * Math.sqrt(ofB);
  return length === 0 ? 0 : dot / length;
}
