import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Semaphore } from './semaphore.js';

const never = new AbortController().signal;

describe('a semaphore', () => {
  it('runs actions in the order of asking, at most so many at once', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    let [atOnce, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        semaphore.run(async () => {
          begun.push(i);
          most = Math.max(most, ++atOnce);
          await sleep(1);
          atOnce--;
        }, never),
      ),
    );
    expect([begun, most]).toEqual([Array.from({ length: 10 }, (_, i) => i), 2]);
  });

  it('gets every permit back from actions that fail and from waiting that is aborted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.constantFrom('ends', 'fails', 'stops waiting', 'stopped before'), { minLength: 1, maxLength: 20 }),
        async (atATime, kinds) => {
          const semaphore = new Semaphore(atATime);
          const results = kinds.map((kind, i) => {
            const controller = new AbortController();
            if (kind === 'stopped before') controller.abort();
            if (kind === 'stops waiting') setTimeout(() => controller.abort(), i % 3);
            const work = async (): Promise<string> => {
              await sleep(1);
              if (kind === 'fails') throw new Error('no');
              return kind;
            };
            return semaphore.run(work, controller.signal).catch(() => 'rejected');
          });
          await Promise.all(results);
          // All permits are back.
          let atOnce = 0;
          await Promise.all(
            Array.from({ length: atATime }, () =>
              semaphore.run(async () => {
                atOnce++;
                await sleep(1);
              }, never),
            ),
          );
          expect(atOnce).toBe(atATime);
        },
      ),
      { numRuns: 50 },
    );
  });
});
