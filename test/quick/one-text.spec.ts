/** A smaller form of test/acceptance/one-text.spec.ts: where time grows with the square of a text, 64 KiB show it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Random } from '@seamstream/kernel';
import { type EntryPoint, entryPoints, markers, pairOf, singles, tooCostly } from '../support/one-text.js';

const LENGTH = 1 << 16;

describe('one text of 64 KiB', () => {
  let points: readonly EntryPoint[];
  let close: () => Promise<void>;
  beforeAll(async () => ({ points, close } = await entryPoints(false)));
  afterAll(() => close());

  it('of one piece, or two, takes the event loop less than half a second at every place where it enters', async () => {
    const random = Random.of('one text', 1);
    const pairs = Array.from({ length: 16 }, () => pairOf(random, LENGTH));
    const { faults } = await tooCostly(points, [...singles(LENGTH), ...markers(1 << 14), ...pairs], {
      loopMs: 500,
      inAllMs: 5000,
    });
    expect(faults).toEqual([]);
  });

  it('is seen to cost too much where a reader takes the square of its length', async () => {
    const careless = [{ name: 'careless', read: (text: string) => /\banswer[ \t]*\**[ \t]*:/i.test(`answer${text}`) }];
    const { faults } = await tooCostly(careless, singles(1 << 14).slice(0, 3), {
      loopMs: 60,
      inAllMs: 5000,
    });
    expect(faults).toEqual([
      expect.stringMatching(/^careless: " " took the event loop /),
      expect.stringMatching(/^careless: "\\t" took the event loop /),
    ]);
  });

  it('is seen to cost too much in all where the square is left to another thread', async () => {
    const source =
      "require('worker_threads').parentPort.once('message', (text) => /\\banswer[ \\t]*\\**[ \\t]*:/i.test('answer' + text))";
    const careless = [
      {
        name: 'careless elsewhere',
        read: async (text: string) => {
          const worker = new Worker(source, { eval: true });
          worker.postMessage(text);
          await once(worker, 'exit');
        },
      },
    ];
    const { faults } = await tooCostly(careless, singles(1 << 14).slice(0, 1), { loopMs: 500, inAllMs: 100 });
    expect(faults).toEqual([expect.stringMatching(/^careless elsewhere: " " took \d+ ms in all$/)]);
  });
});
