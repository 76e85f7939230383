import { type CostPlan, estimateCost, type MeasuredPassage } from './cost-estimate.decide.js';

/** Trains 100 tokens a second, and takes half a second for a question. */
const passage = (tokens: number, questions: number, factor = 1): MeasuredPassage => ({
  units: { training: tokens, answering: questions, writing: 0 },
  seconds: { training: (tokens / 100) * factor, answering: questions * 0.5 * factor, writing: 0 },
});
const PLAN: CostPlan = {
  units: { training: 10_000, answering: 40, writing: 0 },
  iterations: 2,
  editsPerPassage: 3,
  speed: 1,
  pricePerHour: null,
};

describe('the cost of a run', () => {
  it('is the work times the measured speed, with each edit of each iteration', () => {
    const { seconds, phases, speed, error } = estimateCost([passage(200, 1), passage(400, 3)], PLAN);
    expect(phases.training).toEqual({ units: 60_000, seconds: expect.closeTo(600) });
    expect(phases.answering).toEqual({ units: 240, seconds: expect.closeTo(120) });
    expect(seconds).toBeCloseTo(720);
    expect(speed).toEqual({ training: expect.closeTo(100), answering: expect.closeTo(2), writing: null });
    expect(error).toBeCloseTo(0);
  });

  it('is divided by the speed of the hardware, and has a price by the hour', () => {
    const { seconds, money } = estimateCost([passage(200, 1), passage(400, 3)], { ...PLAN, speed: 2, pricePerHour: 5 });
    expect(seconds).toBeCloseTo(360);
    expect(money).toBeCloseTo(0.5);
  });

  it('has an error that grows with how much the measured passages differ, and shrinks with their number', () => {
    const errorOf = (...factors: number[]): number =>
      estimateCost(
        factors.map((factor) => passage(200, 1, factor)),
        PLAN,
      ).error;
    // Residuals ± 0.25 s of 2.5 s: 12.706 · √(2 · 0.0625 / 1 / 2) / 2.5.
    expect(errorOf(0.9, 1.1)).toBeCloseTo((12.706 * 0.25) / 2.5);
    expect(errorOf(0.8, 1.2)).toBeCloseTo(2 * errorOf(0.9, 1.1));
    expect(errorOf(0.9, 1.1, 0.9, 1.1)).toBeLessThan(errorOf(0.9, 1.1) / 5);
  });

  it('cannot be had from one passage', () => {
    expect(() => estimateCost([passage(200, 1)], PLAN)).toThrow('expected at least two measured passages, got 1');
  });
});
