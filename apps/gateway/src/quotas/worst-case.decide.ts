/** What a request may use at most, before the executor is asked. Pure. */
import type { ChatRequest } from '@seamstream/gateway-contract';
import { worstCase } from '@seamstream/openai-endpoint';

export interface WorstCase {
  /** That the request publishes. */
  readonly problems: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
}

/**
 * For an image or a sound that is sent along: an estimate, no bound. An image in high detail takes some 800 to 1,600 tokens of most models
 * (https://platform.openai.com/docs/guides/images-vision#calculating-costs). What is used above it is charged when it is known.
 */
const MEDIA_TOKENS = 2_000;
/** Data in a URL, and base64 of sounds and files. */
const MEDIA = /^data:[a-z]+\/|^[A-Za-z0-9+/]{1000,}={0,2}$/;

/**
 * A token has at least one byte, so no prompt has more tokens than bytes. The experience, which is not written yet, is not among them.
 * @param unlimitedTokens reserved for the answer where the client sets no limit
 */
export function worstCaseOf(request: ChatRequest, unlimitedTokens: number): WorstCase {
  const { max_completion_tokens: most, max_tokens: mostBefore, seam: _, ...prompt } = request;
  const responseTokens = tokens(most) ?? tokens(mostBefore) ?? unlimitedTokens;
  return { problems: 1, promptTokens: bytesOf(prompt), responseTokens };
}

/** Of a request without an answer in words. */
export function worstCaseOfInput(body: unknown): WorstCase {
  return { problems: 0, promptTokens: bytesOf(body), responseTokens: 0 };
}

function bytesOf(value: unknown): number {
  let media = 0;
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'string' || !MEDIA.test(each)) return each;
    media++;
    return '';
  });
  return worstCase([text], 0).promptTokens + media * MEDIA_TOKENS;
}

function tokens(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31
    ? (value as number)
    : undefined;
}
