import { adamwUpdate, clipScale } from './adamw.js';
import { warmUpCosineRate } from './learning-rate.js';

describe('AdamW', () => {
  it('moves a weight by the learning rate against the sign of its first gradient, after decay', () => {
    const state = {
      weights: Float32Array.of(1, 1),
      gradients: Float32Array.of(0.5, -2),
      firstMoments: new Float32Array(2),
      secondMoments: new Float32Array(2),
    };
    const settings = { learningRate: 0.1, beta1: 0.9, beta2: 0.99, epsilon: 0, weightDecay: 0.5, clipNorm: 0 };
    adamwUpdate(state, 0, 1, true, 1, 1, settings);
    adamwUpdate(state, 1, 2, false, 1, 1, settings);
    // 1 − 0.1·0.5 − 0.1 and, without decay, 1 + 0.1
    expect(state.weights[0]).toBeCloseTo(0.85, 6);
    expect(state.weights[1]).toBeCloseTo(1.1, 6);
    expect(state.firstMoments[0]).toBeCloseTo(0.05, 6);
    expect(state.secondMoments[1]).toBeCloseTo(0.04, 6);
  });

  it('scales gradients down to the norm asked for, and never up', () => {
    expect(clipScale(10, 1)).toBeCloseTo(0.1, 6);
    expect(clipScale(0.5, 1)).toBe(1);
    expect(clipScale(10, 0)).toBe(1);
  });
});

describe('a learning rate', () => {
  it('rises linearly, peaks after the warm-up and ends on its floor', () => {
    const rate = warmUpCosineRate({ peak: 1, floor: 0.1, warmUpSteps: 4, totalSteps: 14 });
    expect([0, 1, 3, 4].map(rate)).toEqual([0.25, 0.5, 1, 1]);
    expect(rate(9)).toBeCloseTo(0.55, 12);
    expect([rate(14), rate(99)]).toEqual([0.1, 0.1]);
  });
});
