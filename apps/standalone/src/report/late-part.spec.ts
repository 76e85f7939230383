import type { AttributesShift } from './late-part.js';
import { recoveredAfter, renderShift, shiftLines, shiftShortcomings } from './late-part.js';

const share = (success: number) => ({ success, interval95: [0, 1] as const });
const estimate = (value: number, low: number) => ({ value, interval95: [low, 0.02] as const });
/** @param late success on late problems: before the shift, and after each of its rounds */
function shiftOf({ late = [0.2, 0.6, 0.9, 0.95], table = 0.1, kept = -0.04 } = {}): AttributesShift {
  const curve = late.map((success, at) => ({
    ...{ round: 5 + at, adapter: `adapter${at}`, late: share(success), old: share(0.97) },
  }));
  return {
    ...{ problems: 300, oldProblems: 290, curve, recoveredAfter: recoveredAfter(curve) },
    baselines: [{ name: 'word table', before: share(table), after: share(0.41) }],
    ...{ gained: estimate(0.7, 0.6), kept: estimate(0, kept) },
  };
}

describe('the part of a report about late attributes', () => {
  it.each([
    [{}, true, []],
    [{ late: [0.36, 0.9] }, true, ['more than 35.0 % of late problems solved before they came']],
    [{ table: 0.21 }, true, ['the word table solves more than 20.0 % of late problems before they came']],
    [{ late: [0.5, 0.9], table: 0.5 }, false, []],
    [{ late: [0.2, 0.84] }, true, ['late problems below 85.0 %']],
    [{ late: [0.2, 0.9, 0.84] }, false, ['late problems below 85.0 %']],
    [{ kept: -0.051 }, false, ['more than 5.0 % of old problems may have been lost']],
  ] as const)('of %j, strange: %s, misses %j', (figures, isStrange, missed) => {
    const { late, ...rest } = { late: undefined, ...figures };
    const shift = shiftOf({ ...rest, ...(late === undefined ? {} : { late: [...late] }) });
    expect(shiftShortcomings(shift, isStrange)).toEqual(missed);
  });

  it('counts rounds of the shift until late problems are solved, and none where they are not', () => {
    const after = (...late: number[]) => recoveredAfter(late.map((success) => ({ late: share(success) })));
    expect([after(0.9, 0.86), after(0.2, 0.5, 0.85), after(0.9, 0.2), after(0.9)]).toEqual([1, 2, null, null]);
  });

  it('says for a terminal and on a page what was solved before, after, and of what is old', () => {
    const lines = shiftLines(shiftOf()).join('\n');
    expect(lines).toContain('20.0 % of late problems before they came, 95.0 % after 3 rounds with them');
    expect(lines).toContain('recovered after 2 rounds; word table 10.0 % to 41.0 %.');
    expect(lines).toContain('Old held-out problems meanwhile: 97.0 % to 97.0 %');
    expect(shiftLines(shiftOf({ late: [0.2, 0.3] })).join('\n')).toContain('after 1 round with them, not recovered');
    const page = renderShift(shiftOf());
    for (const text of ['5, before the shift', '60.0 % (0.0 % to 100.0 %)', '>adapter3<', 'word table', 'until 85.0 %'])
      expect(page).toContain(text);
  });
});
