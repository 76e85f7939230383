/** How alike the meanings of two texts are, by the embeddings of an endpoint. */
import { SeamError, systemClock } from '@seamstream/kernel';
import { cosine, DEFAULT_LIMITS, EndpointClient, embeddingsTask } from '@seamstream/openai-endpoint';
import type { TextSimilarity } from '@seamstream/self-edits';
import { keyOf } from './open-executor.js';

export interface SimilaritySettings {
  /** Base address: `https://host/v1`. */
  readonly url: string;
  /** As the server calls it. */
  readonly model: string;
  /** Name of the environment variable that holds the key; without it no authorization is sent. */
  readonly keyVariable?: string | undefined;
}

/** Characters of a text that are compared: models of embeddings read some 8,000 tokens, of which the smallest has one character. */
const MOST_CHARACTERS = 8000;

/**
 * @param environment of the process: the key is in it
 * @throws INVALID_CONFIGURATION for a variable that is not set
 */
export function openSimilarity(
  { url, model, keyVariable }: SimilaritySettings,
  environment: Readonly<Record<string, string | undefined>>,
): TextSimilarity {
  const client = new EndpointClient(
    {
      url,
      ...keyOf(keyVariable, '--similarity-key-variable', environment),
      limits: DEFAULT_LIMITS,
      budget: { tokens: null, money: null, promptPrice: 0, responsePrice: 0 },
    },
    { clock: systemClock, chance: Math.random },
  );
  const { origin, pathname } = new URL(url);
  return {
    identity: `${origin}${pathname.replace(/(?<!\/)\/+$/, '')} ${model}`,
    similarities: (pairs, signal) =>
      Promise.all(
        pairs.map(async (pair) => {
          const texts = pair.map((text) => text.slice(0, MOST_CHARACTERS));
          const answer = await client.ask(embeddingsTask(model, texts), signal);
          if (answer.kind === 'failed') throw new SeamError(answer.code, answer.reason);
          const [first, second] = answer.value.vectors;
          return cosine(first!, second!);
        }),
      ),
    close: () => client.close(),
  };
}
