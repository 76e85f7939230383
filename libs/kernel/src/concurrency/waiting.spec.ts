import { setTimeout as after } from 'node:timers/promises';
import { backoffMs, jitteredBackoffMs } from './backoff.js';
import { raceAbort, sleep, whenAborted, withDeadline } from './waiting.js';

describe('exponential back-off', () => {
  const limits = { firstRetryMs: 100, maxRetryMs: 1_500 };

  it('doubles from the first wait to the largest', () => {
    expect([1, 2, 3, 4, 5, 6, 400].map((failures) => backoffMs(failures, limits))).toEqual([
      100, 200, 400, 800, 1_500, 1_500, 1_500,
    ]);
  });

  it('spreads waits evenly below the bound', () => {
    expect([0, 0.25, 0.5].map((chance) => jitteredBackoffMs(3, chance, limits))).toEqual([0, 100, 200]);
  });
});

describe('waiting', () => {
  it('sleeps until the signal aborts, and leaves no listener behind', async () => {
    const controller = new AbortController();
    const asleep = sleep(1_000_000, controller.signal);
    controller.abort();
    await expect(asleep).resolves.toBeUndefined();
    await expect(sleep(1_000_000, controller.signal)).resolves.toBeUndefined();
    await expect(whenAborted(controller.signal)).resolves.toBeUndefined();
    await expect(sleep(1)).resolves.toBeUndefined();
  });

  it('rejects work that misses its deadline, and returns work that meets it', async () => {
    await expect(withDeadline(1, after(1_000, 'late', { ref: false }))).rejects.toThrow('no answer within 1 ms');
    await expect(withDeadline(60_000, Promise.resolve('in time'))).resolves.toBe('in time');
    await expect(withDeadline(60_000, Promise.reject(new Error('planted')))).rejects.toThrow('planted');
  });

  it('stops waiting when the signal aborts before the work is done, which continues for others', async () => {
    const { promise: work, resolve } = Promise.withResolvers<string>();
    const controller = new AbortController();
    const first = raceAbort(controller.signal, work, 'the model');
    const second = raceAbort(undefined, work, 'the model');
    controller.abort();
    await expect(first).rejects.toMatchObject({
      code: 'ABORTED',
      message: 'Cannot continue: aborted while waiting for the model.',
    });
    resolve('done');
    await expect(second).resolves.toBe('done');
    await expect(raceAbort(controller.signal, work, 'the model')).resolves.toBe('done');
  });
});
