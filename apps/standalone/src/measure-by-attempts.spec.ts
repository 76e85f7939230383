import type { Problem } from '@seamstream/events';
import { attemptsPoints, someOf } from './measure-by-attempts.js';
import type { Stored } from './measure-shift.js';
import type { RecordedAttempt } from './recorded-attempts.js';
import type { Share } from './report/late-part.js';

describe('the loop next to a table, attempt by attempt', () => {
  const attempt = (round: number, entry: string | null): RecordedAttempt => ({
    ...{ problem: {} as Problem, entry, response: '', success: true, round, phase: 'base' },
  });
  const recorded = [1, 1, 2, 3, 3, 3].map((round) => attempt(round, `of round ${round}`));
  const served = (adapterDigest: string): Stored => ({ adapterDigest, key: adapterDigest });
  const share = (success: number): Share => ({ success, interval95: [0, 1] });

  it('gives the table the attempts up to a round, and asks each adapter once', async () => {
    const asked: string[] = [];
    const rounds = [served('a'), served('a'), served('b')].map((each, at) => ({ round: at + 1, served: each }));
    const points = await attemptsPoints(rounds, [...recorded, attempt(1, null)], {
      loopOn: (own, set) => {
        asked.push(`${own!.adapterDigest} ${set}`);
        return Promise.resolve(share(own!.adapterDigest === 'a' ? 0.25 : 0.75));
      },
      tableOn: (attempts, set) => Promise.resolve(share(attempts.length / (set === 'heldOut' ? 10 : 20))),
    });
    expect(asked).toEqual(['a heldOut', 'a newWords', 'b heldOut', 'b newWords']);
    expect(points.map(({ round, attempts, loop }) => [round, attempts, loop.newWords.success])).toEqual([
      [1, 2, 0.25],
      [2, 3, 0.25],
      [3, 6, 0.75],
    ]);
    expect(points.map(({ table }) => [table.heldOut.success, table.newWords.success])).toEqual([
      [0.2, 0.1],
      [0.3, 0.15],
      [0.6, 0.3],
    ]);
  });

  it('is shown of four rounds at equal distances, the last one among them, or of all where there are fewer', () => {
    expect(someOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).toEqual([3, 6, 9, 11]);
    expect(someOf([1, 2, 3])).toEqual([1, 2, 3]);
    expect(someOf([])).toEqual([]);
  });
});
