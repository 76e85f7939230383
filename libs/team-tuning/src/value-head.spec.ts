import { readFileSync } from 'node:fs';
import { ValueHead } from './value-head.js';

/** By another implementation, test/golden/make-team-tuning.py. */
const { valueHeads } = JSON.parse(
  readFileSync(new URL('../../../test/golden/team-tuning.json', import.meta.url), 'utf8'),
) as {
  readonly valueHeads: readonly {
    readonly range: number;
    readonly rate: number;
    readonly fits: readonly {
      readonly states: readonly { readonly tokenIds: readonly number[]; readonly return: number }[];
      readonly values: readonly number[];
    }[];
  }[];
};

describe('values of what agents were asked', () => {
  it('are those of the golden values after every fit', () => {
    expect(valueHeads.length).toBeGreaterThan(1);
    for (const { range, rate, fits } of valueHeads) {
      const head = new ValueHead();
      for (const { states, values } of fits) {
        head.fit(states, { range, rate });
        states.forEach(({ tokenIds }, at) => expect(head.valueOf(tokenIds)).toBeCloseTo(values[at]!, 8));
      }
    }
  });

  it('come to the returns of a toy problem, and no fit moves one far past its range', () => {
    const head = new ValueHead();
    const states = [
      { tokenIds: [1, 2], return: 1 },
      { tokenIds: [1, 3], return: 0 },
      { tokenIds: [4], return: -0.5 },
    ];
    const values = (): number[] => states.map(({ tokenIds }) => head.valueOf(tokenIds));
    expect(values()).toEqual([0, 0, 0]);
    head.fit(states, { range: 0.2, rate: 0.5 });
    for (const value of values()) expect(Math.abs(value)).toBeLessThan(0.4);
    for (let fit = 0; fit < 60; fit++) head.fit(states, { range: 0.2, rate: 0.5 });
    states.forEach((state, at) => expect(values()[at]).toBeCloseTo(state.return, 3));
  });

  it('stay where they are once they have moved by the range', () => {
    const head = new ValueHead();
    head.fit([{ tokenIds: [5], return: 10 }], { range: 0.2, rate: 1e-3 });
    const slow = head.valueOf([5]);
    expect(slow).toBeLessThan(0.2);
    head.fit([{ tokenIds: [5], return: 10 }], { range: 0.2, rate: 1 });
    // One step of the rate, and no second one.
    expect(head.valueOf([5]) - slow).toBeCloseTo(2 * 0.1 * 2 * (10 - slow), 9);
  });
});
