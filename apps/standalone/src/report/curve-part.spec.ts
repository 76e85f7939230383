import { type LearningCurve, learningCurve } from './curve-part.js';

describe('a learning curve', () => {
  it('names every level that does not learn in rounds, next to the line at its height', () => {
    const drawn = learningCurve({ ...CURVE, levels: [{ name: 'word <table>', rate: 0.25 }] });
    expect(drawn).toContain('>word &#60;table&#62; 25.0 %</text>');
    const quarter = /y1="([\d.]+)" y2="\1" class="grid"\/><text[^>]*>25 %/.exec(drawn)![1];
    expect(drawn).toContain(`y1="${quarter}" y2="${quarter}" class="level"`);
  });

  it('keeps the names of levels apart and within the drawing, however close the levels are, from the best to the worst', () => {
    for (const rate of [0, 0.5, 1]) {
      const levels = Array.from({ length: 12 }, (_, at) => ({
        name: `level ${at}`,
        rate: Math.max(0, rate - at / 1e3),
      }));
      const drawn = learningCurve({ ...CURVE, levels });
      const places = [...drawn.matchAll(/y="([\d.]+)">level (\d+) /g)].map(([, y, at]) => [Number(y), Number(at)]);
      expect(places.map(([, at]) => at)).toEqual(levels.map((_, at) => at));
      for (const [index, [y]] of places.entries()) {
        expect(y).toBeLessThanOrEqual(HEIGHT);
        if (index > 0) expect(y! - places[index - 1]![0]!).toBeGreaterThanOrEqual(12.9);
      }
    }
  });

  it('shows served adapters and candidates only where rounds have them', () => {
    expect(learningCurve(CURVE)).toContain('served adapter (validation, greedy)');
    expect(learningCurve(CURVE)).toContain('round 2: grpo rejected, 50.0 % on validation');
    const rounds = CURVE.rounds.map((row) => ({ ...row, validation: null, servedValidation: null }));
    expect(learningCurve({ ...CURVE, rounds })).not.toMatch(/served adapter|candidate/);
  });

  it('marks the values of a line that few rounds have one of, and leaves out the other rounds', () => {
    const lines = [{ name: 'on new words', color: '--good', values: [null, 0.5], hasDots: true }];
    const drawn = learningCurve({ ...CURVE, lines });
    expect(drawn).toContain('<title>round 2: 50.0 %, on new words</title>');
    expect(drawn).not.toContain('round 1: 0.0 %');
  });
});

/** Of the drawing. */
const HEIGHT = 300;
const round = { phase: 'base', algorithm: 'grpo', servedValidation: 0.9 } as const;
const CURVE: LearningCurve = {
  label: 'Success rate per round',
  rounds: [
    { ...round, round: 1, validation: 0.9, promoted: true },
    { ...round, round: 2, validation: 0.5, promoted: false },
  ],
  lines: [],
};
