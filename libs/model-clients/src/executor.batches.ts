/** How much an executor is given at a time, so that what it is given ends in good time. Pure. */
import type { ExecutorChoice } from './executor.config.js';

type BatchChoice = Pick<ExecutorChoice, 'driver' | 'maxTokens'> & {
  readonly tools: Pick<ExecutorChoice['tools'], 'timeMs'>;
  readonly endpoint: Pick<
    ExecutorChoice['endpoint'],
    'concurrency' | 'requestsPerMinute' | 'tokensPerMinute' | 'requestTimeoutMs' | 'patienceMs'
  >;
};

export interface ExecutorBatches {
  readonly maxBatchRecords: number;
  /** Batches that are answered side by side, one of each partition. Absent: of all partitions. */
  readonly maxConcurrentPartitions?: number;
}

/** Prompts are not known before they come: with an entry, most have fewer. */
const PROMPT_TOKENS = 1000;
/** A limit's bucket fills at 6/7 of it: so long a minute's worth takes at most. */
const MINUTE_OF_A_LIMIT_MS = 70_000;

/**
 * With an endpoint, what is asked at once is twice its concurrency, so that a slow answer keeps no one waiting, and no more than half a
 * minute's worth of its limits. Two partitions share that: one alone keeps the endpoint busy.
 * @param most records of a batch, for any executor
 * @param rollouts answers to each record
 * @param trainingsAtOnce attempts that are under way at a time, where each is a training: it is recorded when it is finished, so that a
 *   process that dies repeats no other. Absent: attempts are answers, which are quicker together
 */
export function executorBatches(
  choice: BatchChoice,
  most: number,
  rollouts: number,
  trainingsAtOnce?: number,
): ExecutorBatches {
  if (trainingsAtOnce !== undefined) return { maxBatchRecords: 1, maxConcurrentPartitions: trainingsAtOnce };
  if (choice.driver === 'checkpoint') return { maxBatchRecords: most };
  const { concurrency } = choice.endpoint;
  const { requests, tokens } = perMinute(choice);
  // An attempt by tools takes as long as it may: those that wait for others would make a batch twice as long.
  const mostAtOnce = choice.driver === 'tools' ? concurrency : 2 * concurrency;
  const answersAtOnce = Math.min(mostAtOnce, requests / 2, tokens / 2 / (choice.maxTokens + PROMPT_TOKENS));
  const recordsAtOnce = Math.max(1, Math.floor(answersAtOnce / rollouts));
  const maxConcurrentPartitions = Math.min(2, recordsAtOnce);
  const share = Math.floor(recordsAtOnce / maxConcurrentPartitions);
  return { maxBatchRecords: Math.min(most, share), maxConcurrentPartitions };
}

/**
 * The longest that an endpoint takes for what {@link executorBatches} lets through: its requests go in rounds, each with a request
 * and perhaps the question whether the server serves, after what its limits make them wait. Milliseconds.
 */
export function longestBatchMs(choice: BatchChoice, most: number, rollouts: number): number {
  const { concurrency, requestTimeoutMs, patienceMs } = choice.endpoint;
  const { maxBatchRecords, maxConcurrentPartitions = 1 } = executorBatches(choice, most, rollouts);
  const answers = maxBatchRecords * maxConcurrentPartitions * rollouts;
  // Its limits and its patience are within its time.
  if (choice.driver === 'tools') return Math.ceil(answers / concurrency) * choice.tools.timeMs;
  const rounds = Math.max(2, Math.ceil(answers / concurrency));
  const { requests, tokens } = perMinute(choice);
  const minutes = Math.max(answers / requests, (answers * (choice.maxTokens + PROMPT_TOKENS)) / tokens);
  return Math.ceil(2 * rounds * requestTimeoutMs + patienceMs + minutes * MINUTE_OF_A_LIMIT_MS);
}

function perMinute({ endpoint }: BatchChoice): { readonly requests: number; readonly tokens: number } {
  return { requests: endpoint.requestsPerMinute ?? Infinity, tokens: endpoint.tokensPerMinute ?? Infinity };
}
