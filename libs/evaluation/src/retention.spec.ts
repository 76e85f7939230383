import { type RetentionArm, type RetentionStep, retentionResults } from './retention.js';

/** Steps of one sequence, a row of scores by passage each. */
function stepsOf(arm: RetentionArm, seed: string, rows: readonly RetentionStep['scores'][]): RetentionStep[] {
  return rows.map((scores, at) => ({ arm, seed, step: at + 1, scores, merged: true }));
}

describe('what is kept of passages', () => {
  // Seed a learns passages 0, 1, 2; seed b learns 2, 1, 0. Each is learned to 1 and half of it is lost with each later edit.
  const studied = {
    before: [0.2, 0.2, 0],
    orders: new Map([
      ['a', [0, 1, 2]],
      ['b', [2, 1, 0]],
    ]),
    steps: [
      ...stepsOf('plain', 'a', [
        [1, null, null],
        [0.5, 1, null],
        [0.25, 0.5, 1],
      ]),
      ...stepsOf('plain', 'b', [
        [null, null, 1],
        [null, 1, 0.5],
        [1, 0.5, 0.25],
      ]),
      { arm: 'together', seed: 'a', step: 3, scores: [1, 1, 0.5], merged: true } as const,
    ],
  };
  const [plain, together] = retentionResults(studied);

  it('is reported by place in the sequence, whichever passage has it', () => {
    expect(plain!.places).toEqual([
      { before: 0.1, learned: 1, final: 0.25 },
      { before: 0.2, learned: 1, final: 0.5 },
      { before: 0.1, learned: 1, final: 1 },
    ]);
    expect(plain!.matrix).toEqual([
      [1, null, null],
      [0.5, 1, null],
      [0.25, 0.5, 1],
    ]);
  });

  it('gives gain, forgetting and net as means over passages, of which each is the mean of its seeds', () => {
    expect(plain!.gain!.value).toBeCloseTo((0.8 + 0.8 + 1) / 3);
    // Passage 0 is last with seed b, passage 2 with seed a: there nothing comes after.
    expect(plain!.forgetting!.value).toBeCloseTo((0.75 + 0.5 + 0.75) / 3);
    expect(plain!.net.value).toBeCloseTo((0.425 + 0.3 + 0.625) / 3);
  });

  it('compares arms on the same passages, and one training has no own edit', () => {
    expect(together!.ahead!.value).toBeCloseTo((1 - 0.625 + (1 - 0.5) + (0.5 - 0.625)) / 3);
    expect(together).toMatchObject({ gain: null, forgetting: null, matrix: [[1, 1, 0.5]] });
    expect(plain!.ahead).toBeNull();
  });

  it('has no interval that leaves chance out with so few passages', () => {
    for (const { net } of [plain!, together!]) {
      expect(net.interval95[0]).toBeLessThan(0);
      expect(net.interval95[1]).toBeGreaterThan(net.value);
    }
  });
});
