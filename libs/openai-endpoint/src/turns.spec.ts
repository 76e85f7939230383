import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Turns } from './turns.js';

const never = new AbortController().signal;

describe('turns', () => {
  it('are given in the order of asking, at most so many at a time', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    let [atOnce, most] = [0, 0];
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        turns.take(async () => {
          begun.push(i);
          most = Math.max(most, ++atOnce);
          await sleep(1);
          atOnce--;
        }, never),
      ),
    );
    expect([begun, most]).toEqual([Array.from({ length: 10 }, (_, i) => i), 2]);
  });

  it('are lost by nobody, whoever is told to stop and whoever fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.constantFrom('ends', 'fails', 'stops waiting', 'stopped before'), { minLength: 1, maxLength: 20 }),
        async (atATime, kinds) => {
          const turns = new Turns(atATime);
          const results = kinds.map((kind, i) => {
            const controller = new AbortController();
            if (kind === 'stopped before') controller.abort();
            if (kind === 'stops waiting') setTimeout(() => controller.abort(), i % 3);
            const work = async (): Promise<string> => {
              await sleep(1);
              if (kind === 'fails') throw new Error('no');
              return kind;
            };
            return turns.take(work, controller.signal).catch(() => 'rejected');
          });
          await Promise.all(results);
          // All turns are back.
          let atOnce = 0;
          await Promise.all(
            Array.from({ length: atATime }, () =>
              turns.take(async () => {
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
