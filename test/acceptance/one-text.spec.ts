/**
 * 4 MiB of any repeated piece, and of pairs of them, at every place where a stranger's text enters: less than a second of the event loop,
 * less than five seconds in all, and an answer, or a refusal by a typed error. Both are processor time, of the event loop's thread and of all
 * threads of the process, so that a busy machine hardly changes either: what other processes do to the caches is left out by the median of
 * three readings where one took too long.
 *
 * More pairs: npm run conformance:texts
 */
import { Random } from '@seamstream/kernel';
import { type EntryPoint, entryPoints, markers, pairOf, singles, tooCostly } from '../support/one-text.js';

const LENGTH = 1 << 22;
const LIMITS = { loopMs: 1000, inAllMs: 5000 };
const PAIRS = Number(process.env.SEAM_TEST_PAIRS ?? 12);

describe('one text of 4 MiB', () => {
  let points: readonly EntryPoint[];
  let close: () => Promise<void>;
  beforeAll(async () => ({ points, close } = await entryPoints(true)));
  afterAll(() => close());

  it.each(['one piece', 'two pieces'])(
    'of %s takes the event loop less than a second, and all threads less than five, at every place where it enters',
    async (form) => {
      const random = Random.of('one text', process.env.SEAM_TEST_NEIGHBOURS_SEED ?? '1');
      const texts =
        form === 'one piece'
          ? [...singles(LENGTH), ...markers(LENGTH)]
          : Array.from({ length: PAIRS }, () => pairOf(random, LENGTH));
      const { loop, inAll, faults } = await tooCostly(points, texts, LIMITS);
      process.stdout.write(
        `${form}: ${points.length * texts.length} readings; most of the event loop ${Math.round(loop.ms)} ms (${loop.of}), in all ${Math.round(inAll.ms)} ms (${inAll.of})\n`,
      );
      expect(faults).toEqual([]);
    },
    1_800_000,
  );
});
