import { z } from 'zod';
import { executorBatches, longestBatchMs } from './executor.batches.js';
import { executorChoiceShape } from './executor.config.js';

const chosen = (endpoint: Readonly<Record<string, number>>, maxTokens = 1000) =>
  z.object(executorChoiceShape).parse({ driver: 'endpoint', maxTokens, endpoint });
/** Answers that are asked for at once. */
const atOnce = (endpoint: Readonly<Record<string, number>>, rollouts: number): number => {
  const { maxBatchRecords, maxConcurrentPartitions } = executorBatches(chosen(endpoint), 256, rollouts);
  return maxBatchRecords * maxConcurrentPartitions! * rollouts;
};

describe('batches of an executor behind an endpoint', () => {
  it.each([1, 2, 4, 8, 16])('are two rounds of requests, with %i answers to each entry and any partitions', (m) => {
    expect(atOnce({ concurrency: 8 }, m)).toBe(16);
  });

  it('are one entry at a time where its answers alone are more', () => {
    const choice = chosen({ concurrency: 4, requestTimeoutMs: 1000, patienceMs: 500 });
    expect(executorBatches(choice, 256, 20)).toEqual({ maxBatchRecords: 1, maxConcurrentPartitions: 1 });
    // Five rounds of a request and a question.
    expect(longestBatchMs(choice, 256, 20)).toBe(10_500);
  });

  it('are half a minute of its limits at most; of tokens, prompts count too', () => {
    expect(atOnce({ concurrency: 100, requestsPerMinute: 120 }, 1)).toBe(60);
    expect(atOnce({ concurrency: 100, requestsPerMinute: 120 }, 4)).toBeLessThanOrEqual(60);
    expect(atOnce({ concurrency: 100, tokensPerMinute: 40_000 }, 1)).toBe(10);
    expect(atOnce({ concurrency: 100, tokensPerMinute: 40_000 }, 2)).toBeLessThanOrEqual(10);
  });

  it('end within the deadline that is there without settings, under any limits', () => {
    for (const limits of [{}, { requestsPerMinute: 60 }, { tokensPerMinute: 100_000 }])
      expect(longestBatchMs(chosen(limits), 256, 4)).toBeLessThanOrEqual(600_000);
    expect(longestBatchMs(chosen({ requestsPerMinute: 1 }), 256, 4)).toBeGreaterThan(4 * 60_000);
  });

  it('are as large as wished where the model is computed here', () => {
    const choice = z.object(executorChoiceShape).parse({});
    expect(executorBatches(choice, 256, 4)).toEqual({ maxBatchRecords: 256 });
  });

  it('are single records where an attempt is a training, of as many partitions as may train at once', () => {
    const choice = z.object(executorChoiceShape).parse({});
    expect(executorBatches(choice, 256, 4, 1)).toEqual({ maxBatchRecords: 1, maxConcurrentPartitions: 1 });
    expect(executorBatches(choice, 256, 4, 3)).toEqual({ maxBatchRecords: 1, maxConcurrentPartitions: 3 });
  });
});
