import { type CostPlan, estimateCost, type MeasuredPassage } from './cost-estimate.decide.js';

const UNWRITTEN = { writing: 0, learning: 0 };

/** Trains 100 tokens a second, and takes half a second for a question. */
const passage = (tokens: number, questions: number, factor = 1): MeasuredPassage => ({
  units: { training: tokens, answering: questions, ...UNWRITTEN },
  seconds: { training: (tokens / 100) * factor, answering: questions * 0.5 * factor, ...UNWRITTEN },
});
const PLAN: CostPlan = {
  units: { training: 10_000, answering: 40, ...UNWRITTEN },
  ...{ passages: 40, iterations: 2, editsPerPassage: 3, trainingsPerEdit: 1 },
  ...{ keptPerPassage: 1, writerEpochs: 2, validationPassages: 0 },
  speed: 1,
  pricePerHour: null,
};

describe('the cost of a run', () => {
  it('is the work times the measured speed, with each edit of each iteration', () => {
    const { seconds, phases, speed, error } = estimateCost([passage(200, 1), passage(400, 3)], PLAN);
    expect(phases.training).toEqual({ units: 60_000, seconds: expect.closeTo(600) });
    expect(phases.answering).toEqual({ units: 240, seconds: expect.closeTo(120) });
    expect(seconds).toBeCloseTo(720);
    expect(speed).toEqual({
      training: expect.closeTo(100),
      answering: expect.closeTo(2),
      writing: null,
      learning: null,
    });
    expect(error).toBeCloseTo(0);
  });

  it('has an edit written once and trained on with each seed, and the writer trained on what it keeps', () => {
    const each = { training: 1, answering: 1, writing: 1, learning: 1 };
    const measured = [1, 2].map((times): MeasuredPassage => {
      const units = { training: times, answering: times, writing: times, learning: times };
      return { units, seconds: units };
    });
    const unitsOf = (changes: Partial<CostPlan>) => {
      const { phases } = estimateCost(measured, { ...PLAN, units: each, ...changes });
      return [phases.writing, phases.training, phases.answering, phases.learning].map(({ units }) => units);
    };
    expect(unitsOf({})).toEqual([6, 6, 6, 4]);
    expect(unitsOf({ trainingsPerEdit: 4 })).toEqual([6, 24, 24, 4]);
    expect(unitsOf({ keptPerPassage: 3, writerEpochs: 5 })).toEqual([6, 6, 6, 30]);
    expect(unitsOf({ writerEpochs: 0 })).toEqual([6, 6, 6, 0]);
  });

  it('has promotions, which try one edit of each validation passage with both writers in each iteration', () => {
    const measured = [passage(200, 1), passage(400, 3)];
    const without = estimateCost(measured, PLAN);
    const { seconds, promotionSeconds, phases } = estimateCost(measured, { ...PLAN, validationPassages: 20 });
    // Twice 20 of 40 passages in 2 iterations: twice the work of one edit of each.
    expect(phases.training.units).toBeCloseTo(without.phases.training.units + 2 * 10_000);
    expect(promotionSeconds).toBeCloseTo(2 * (100 + 20));
    expect(seconds).toBeCloseTo(without.seconds + promotionSeconds);
    expect(without.promotionSeconds).toBe(0);
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

  it('has the error of what is done most: of phases that are repeated more', () => {
    const spread = (phase: 'training' | 'learning') =>
      [0.9, 1.1].map((factor): MeasuredPassage => {
        const units = { training: 1, answering: 0, writing: 0, learning: 1 };
        return { units, seconds: { ...units, [phase]: factor } };
      });
    const errorOf = (phase: 'training' | 'learning') =>
      estimateCost(spread(phase), { ...PLAN, editsPerPassage: 9, writerEpochs: 1 }).error;
    expect(errorOf('training')).toBeCloseTo(9 * errorOf('learning'));
  });

  it('cannot be had from one passage', () => {
    expect(() => estimateCost([passage(200, 1)], PLAN)).toThrow('expected at least two measured passages, got 1');
  });
});
