/** Everything that a client knows about an endpoint. */
export interface EndpointSettings {
  /** Base address: `https://host/v1`. */
  readonly url: string;
  /** What authorises; null sends no authorization. Part of no error and no event. */
  readonly key: string | null;
  /** How errors say where the key comes from: the name of an environment variable. */
  readonly keyName: string;
  readonly limits: EndpointLimits;
  readonly budget: BudgetSettings;
}

export interface EndpointLimits {
  /** Most requests under way at a time. */
  readonly concurrency: number;
  /** Null: none. */
  readonly requestsPerMinute: number | null;
  /** Of prompts and answers together. Null: none. */
  readonly tokensPerMinute: number | null;
  /** Longest time for one request, from its first byte to the last of its answer. */
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Tries of a request that fails. */
  readonly attempts: number;
  /** Upper bound of the first random wait; doubles with each further one. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  /** How long after its beginning a request is tried again, or waits for the end of an outage, before it is handed back. */
  readonly patienceMs: number;
  /** Larger answers are cut off and count as failed. */
  readonly maxAnswerBytes: number;
}

export interface BudgetSettings {
  /** Most tokens, of prompts and answers. Null: no limit. */
  readonly tokens: number | null;
  /** Most money, in the currency of the prices. Null: no limit. */
  readonly money: number | null;
  /** Price of a million tokens of prompts. */
  readonly promptPrice: number;
  /** Price of a million tokens of answers. */
  readonly responsePrice: number;
}

/** What is set where nothing else is said. */
export const DEFAULT_LIMITS: EndpointLimits = {
  concurrency: 8,
  requestsPerMinute: null,
  tokensPerMinute: null,
  requestTimeoutMs: 120_000,
  connectTimeoutMs: 10_000,
  attempts: 4,
  firstRetryMs: 500,
  maxRetryMs: 30_000,
  patienceMs: 60_000,
  maxAnswerBytes: 4 * 1024 ** 2,
};

export interface TokenCount {
  readonly promptTokens: number;
  readonly responseTokens: number;
}
