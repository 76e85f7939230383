/** A smaller form of test/acceptance/one-text.spec.ts: where time grows with the square of a text, 64 KiB show it. */
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
    const { faults } = await tooCostly(points, [...singles(LENGTH), ...markers(1 << 14), ...pairs], 500);
    expect(faults).toEqual([]);
  });

  it('is seen to cost too much where a reader takes the square of its length', async () => {
    const careless = [{ name: 'careless', read: (text: string) => /\banswer[ \t]*\**[ \t]*:/i.test(`answer${text}`) }];
    const { faults } = await tooCostly(careless, singles(1 << 13).slice(0, 3), 60);
    expect(faults).toEqual([
      expect.stringMatching(/^careless: " " took /),
      expect.stringMatching(/^careless: "\\t" took /),
    ]);
  });
});
