import type { ChatRequest } from '@seamstream/gateway-contract';

/** Most tokens of the answer as the client set it, by the newer of both names where it says both; undefined where it sets none. */
export function mostTokensOf({ max_completion_tokens: most, max_tokens: before }: ChatRequest): number | undefined {
  return most ?? before ?? undefined;
}
