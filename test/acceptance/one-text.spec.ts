/**
 * 4 MiB of any repeated piece, and of pairs of them, at every place where a stranger's text enters: less than a second of the event loop's
 * processor time, and an answer, or a refusal by a typed error. Nothing of what is left to other threads counts here: those have limits of
 * their own (libs/bounded-work).
 *
 * More pairs: npm run conformance:texts
 */
import { Random } from '@seamstream/kernel';
import { type EntryPoint, entryPoints, markers, pairOf, singles, tooCostly } from '../support/one-text.js';

const LENGTH = 1 << 22;
/** A second, and half of one for what other processes do to the caches. */
const LIMIT_MS = 1500;
const PAIRS = Number(process.env.SEAM_TEST_PAIRS ?? 12);

describe('one text of 4 MiB', () => {
  let points: readonly EntryPoint[];
  let close: () => Promise<void>;
  beforeAll(async () => ({ points, close } = await entryPoints(true)));
  afterAll(() => close());

  it.each(['one piece', 'two pieces'])(
    'of %s takes the event loop less than a second at every place where it enters',
    async (form) => {
      const random = Random.of('one text', process.env.SEAM_TEST_NEIGHBOURS_SEED ?? '1');
      const texts =
        form === 'one piece'
          ? [...singles(LENGTH), ...markers(LENGTH)]
          : Array.from({ length: PAIRS }, () => pairOf(random, LENGTH));
      const { slowestMs, slowest, faults } = await tooCostly(points, texts, LIMIT_MS);
      process.stdout.write(
        `${form}: ${points.length * texts.length} readings, the slowest ${Math.round(slowestMs)} ms (${slowest})\n`,
      );
      expect(faults).toEqual([]);
    },
    1_800_000,
  );
});
