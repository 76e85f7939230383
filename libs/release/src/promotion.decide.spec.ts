import type { Evaluation } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { onlineLevel } from '@seamstream/statistics';
import { evaluationOf } from '@seamstream/testing/promotion-log';
import fc from 'fast-check';
import {
  decidePromotion,
  needsMoreProblems,
  type PromotionPolicy,
  UNNAMED_PROMOTION_POLICY,
} from './promotion.decide.js';

const evaluation = (success: number, parentSuccess: number | null, problems = 128): Evaluation => ({
  ...evaluationOf(success, parentSuccess),
  problemSet: 'validation',
  problems,
});
const decide = (
  measured: Evaluation,
  { policy = UNNAMED_PROMOTION_POLICY, ...options }: Partial<Parameters<typeof decidePromotion>[0]> = {},
) => decidePromotion({ candidate: 'new', parent: 'old', evaluation: measured, policy, ...options });

/** Both asked the same problems, of which both solved as many as `both`. */
function paired(rescued: number, broken: number, { both = 40, problems = 128 } = {}): Evaluation {
  return {
    ...evaluation((both + rescued) / problems, (both + broken) / problems, problems),
    rescued,
    broken,
  };
}
const beyondChance = (level: number): PromotionPolicy => ({ rule: 'better', level, minProblems: 1 });

describe('a candidate that must be better beyond chance', () => {
  const policy = beyondChance(0.03);

  it('is promoted when enough problems are solved by it alone', () => {
    expect(decide(paired(13, 2), { policy })).toEqual({
      promote: true,
      rule: 'better than its parent beyond chance, on the same problems',
      reason:
        'of 128 problems of validation 13 were solved by the candidate alone and 2 by its parent alone: evidence 39, needed 33',
    });
  });

  it('is not promoted on a tie, however many problems differ, nor on a few more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), (n) => {
        expect(decide(paired(n, n), { policy: beyondChance(0.999) }).promote).toBe(false);
      }),
    );
    expect(decide(paired(3, 0), { policy }).promote).toBe(false);
    expect(decide(paired(20, 14), { policy }).promote).toBe(false);
  });

  it('needs more evidence at a lower level', () => {
    expect(decide(paired(9, 0), { policy: beyondChance(1 / 100) }).promote).toBe(true);
    expect(decide(paired(9, 0), { policy: beyondChance(1 / 1000) }).promote).toBe(false);
  });

  it('is not promoted where its parent was not asked the same problems', () => {
    expect(decide(evaluation(0.9, 0.1), { policy })).toMatchObject({
      promote: false,
      reason: 'its parent was not asked the same problems of validation',
    });
  });

  it('is refused for counts that contradict the rates', () => {
    const forged = (changes: Partial<Evaluation>) => () => decide({ ...paired(9, 0), ...changes }, { policy });
    expect(forged({ rescued: 30 })).toThrow(/expected 49 and 40 solved problems to differ as they do/);
    expect(forged({ broken: -9, rescued: 0 })).toThrow(/differ as they do/);
    expect(forged({ parentSuccess: null })).toThrow(/differ as they do/);
    expect(forged({ rescued: 60, broken: 51 })).toThrow(/differ as they do/);
  });
});

describe('a comparison', () => {
  const at = (rescued: number, broken: number, asked: number, left: number) =>
    needsMoreProblems({ rescued, broken }, { asked, left, level: 0.01 });

  it('continues while more problems may decide', () => {
    expect(at(0, 0, 0, 512)).toBe(true);
    expect(at(5, 2, 128, 384)).toBe(true);
  });

  it('ends when the evidence is there, cannot come any more, or all were asked', () => {
    expect(at(30, 0, 128, 384)).toBe(false);
    expect(at(0, 0, 508, 4)).toBe(false);
    expect(at(5, 2, 512, 0)).toBe(false);
  });

  it('ends early when the lead would not do though it grew by a standard deviation more than so far', () => {
    expect(at(0, 0, 128, 896)).toBe(false);
    expect(at(5, 5, 128, 896)).toBe(false);
    expect(at(5, 8, 128, 896)).toBe(false);
    expect(at(5, 2, 128, 896)).toBe(true);
    expect(at(40, 30, 512, 512)).toBe(false);
  });

  it('promotes in at most 5 % of 200 runs of candidates that are as good as their parents, and seldom one that is worse', () => {
    /** A run of 30 comparisons of at most 1,024 problems, in each portion of which so many differ. */
    const promotions = (random: Random, differing: number, better: number): number => {
      let promoted = 0;
      for (let look = 1; look <= 30; look++) {
        const level = onlineLevel(look, promoted, 0.05);
        const counts = { rescued: 0, broken: 0 };
        let asked = 0;
        while (needsMoreProblems(counts, { asked, left: 1024 - asked, level })) {
          for (let i = 0; i < differing; i++) {
            if (random.float() < better) counts.rescued++;
            else counts.broken++;
          }
          asked += 128;
        }
        const measured = paired(counts.rescued, counts.broken, { both: 0, problems: 1024 });
        if (decide(measured, { policy: beyondChance(level) }).promote) promoted++;
      }
      return promoted;
    };
    const runs = (differing: number, better: number): number =>
      Array.from({ length: 200 }, (_, run) => promotions(Random.of(`run ${run}`), differing, better)).filter(
        (promoted) => promoted > 0,
      ).length;
    expect(runs(4, 0.5)).toBeLessThanOrEqual(10);
    expect(runs(25, 0.5)).toBeLessThanOrEqual(10);
    expect(runs(25, 0.4)).toBe(0);
    // And it sees what is better: by four points of a hundred in every run.
    expect(runs(8, 0.8)).toBe(200);
  });

  it('promotes in at most 5 % of 200 runs of equals also where one short set is asked again and again', () => {
    /** Adapters that solve each problem with the same chance, each in its own way; a promoted one is the parent of the next. */
    const everPromotes = (random: Random): boolean => {
      const newAdapter = (): boolean[] => Array.from({ length: 128 }, () => random.float() < 0.8);
      let parent = newAdapter();
      let promoted = 0;
      for (let look = 1; look <= 30; look++) {
        const candidate = newAdapter();
        const rescued = candidate.filter((solved, i) => solved && !parent[i]).length;
        const broken = parent.filter((solved, i) => solved && !candidate[i]).length;
        const both = candidate.filter((solved, i) => solved && parent[i]).length;
        const policy = beyondChance(onlineLevel(look, promoted, 0.05));
        if (!decide(paired(rescued, broken, { both }), { policy }).promote) continue;
        promoted++;
        parent = candidate;
      }
      return promoted > 0;
    };
    const wrong = Array.from({ length: 200 }, (_, run) => everPromotes(Random.of(`short ${run}`))).filter(Boolean);
    expect(wrong.length).toBeLessThanOrEqual(10);
  });
});

describe('a candidate that must be better by the share that is right', () => {
  const policy: PromotionPolicy = { rule: 'better', measure: 'share', level: 0.03, minProblems: 1 };
  /** No problem is solved as a whole. */
  const shared = (
    differences: readonly (readonly [thousandths: number, problems: number])[],
    ahead: number,
  ): Evaluation => ({
    ...paired(0, 0, { both: 0, problems: 128 }),
    shares: {
      ...{ candidate: 0.25 + ahead, parent: 0.25 },
      differences: differences.map(([thousandths, problems]) => ({ thousandths, problems })),
    },
  });

  it('is promoted by parts of problems of which it solves none as a whole, and not by a tie', () => {
    expect(
      decide(
        shared(
          [
            [0, 64],
            [500, 64],
          ],
          0.25,
        ),
        { policy },
      ),
    ).toEqual({
      promote: true,
      rule: 'better than its parent beyond chance, by the share that is right of the same problems',
      reason: expect.stringMatching(
        /^of 128 problems of validation the candidate has 50\.0 % right and its parent 25\.0 %: evidence .*, needed 33$/,
      ),
    });
    expect(
      decide(
        shared(
          [
            [-500, 64],
            [500, 64],
          ],
          0,
        ),
        { policy },
      ).promote,
    ).toBe(false);
  });

  it('is not promoted by whole problems where shares decide, nor by shares where whole problems do', () => {
    expect(decide(paired(60, 0), { policy })).toMatchObject({
      promote: false,
      reason: expect.stringContaining('no shares'),
    });
    const measured = shared(
      [
        [0, 64],
        [500, 64],
      ],
      0.25,
    );
    expect(decide(measured, { policy: beyondChance(0.03) }).promote).toBe(false);
  });

  it.each<[string, readonly (readonly [number, number])[], number]>([
    [
      'a lead that its differences do not have',
      [
        [0, 64],
        [500, 64],
      ],
      0.3,
    ],
    [
      'more problems than were asked',
      [
        [0, 64],
        [500, 65],
      ],
      0.25,
    ],
    [
      'a difference twice',
      [
        [500, 32],
        [500, 32],
        [0, 64],
      ],
      0.25,
    ],
    [
      'differences above 1',
      [
        [1100, 64],
        [-600, 64],
      ],
      0.25,
    ],
  ])('is refused with figures that cannot have been measured: %s', (_, differences, ahead) => {
    expect(() => decide(shared(differences, ahead), { policy })).toThrow(/shares and differences of one measurement/);
  });
});

describe('a candidate that must not be worse than is tolerated', () => {
  it('is promoted when it solves more than its parent', () => {
    expect(decide(evaluation(0.75, 0.5))).toEqual({
      promote: true,
      rule: 'not worse than its parent',
      reason: '75.0 % of 128 problems of validation solved, 50.0 % by its parent',
    });
  });

  it('is promoted when it solves as many', () => {
    expect(decide(evaluation(0.5, 0.5)).promote).toBe(true);
  });

  it('is rejected when it solves one problem fewer', () => {
    expect(decide(evaluation(63 / 128, 64 / 128)).promote).toBe(false);
  });

  it('may be worse by as many problems as the tolerance says, and not by one more', () => {
    const policy = { ...UNNAMED_PROMOTION_POLICY, tolerance: 0.01 };
    // 0.01 of 300 problems are 3; 0.57 − 0.56 is 0.00999…: fractions alone would round either way.
    expect(decide(evaluation(168 / 300, 171 / 300, 300), { policy })).toMatchObject({
      promote: true,
      rule: 'at most 1.0 % worse than its parent',
    });
    expect(decide(evaluation(167 / 300, 171 / 300, 300), { policy }).promote).toBe(false);
  });

  it('that is its parent is nothing new', () => {
    expect(decide(evaluation(1, 1), { candidate: 'old' })).toMatchObject({
      promote: false,
      rule: 'a candidate differs from its parent',
    });
  });

  it('is not promoted over a parent without a measurement', () => {
    expect(decide(evaluation(1, null))).toMatchObject({
      promote: false,
      rule: 'the parent was measured on the same set',
    });
  });

  it('is not promoted on too few problems', () => {
    expect(decide(evaluation(1, 0, 4), { policy: { ...UNNAMED_PROMOTION_POLICY, minProblems: 5 } })).toMatchObject({
      promote: false,
      reason: '4 problems of validation are too few',
    });
    expect(decide(evaluation(0, 0, 0)).promote).toBe(false);
  });

  it('says why so few problems counted', () => {
    const none = { ...paired(0, 0), problems: 0, success: 0, parentSuccess: 0, judgedApart: 0, asked: {} };
    const reasonOf = (told: object, available?: number, policy: PromotionPolicy = beyondChance(0.01)) =>
      decide({ ...none, ...told }, { policy, ...(available === undefined ? {} : { available }) }).reason;
    expect(reasonOf({}, 0)).toBe("0 problems of validation are too few: the set has none of the run's domains");
    expect(reasonOf({}, 4)).toMatch(/: none was asked, since all 4 of the set could not show evidence 100$/);
    expect(reasonOf({ asked: { sums: 5, words: 7 }, judgedApart: 2 }, 90)).toBe(
      '0 problems of validation are too few: 10 of 12 could not be judged with both; 2 problems were judged apart',
    );
    expect(reasonOf({ asked: { sums: 2 }, judgedApart: 2 }, 9)).toBe(
      '0 problems of validation are too few; 2 problems were judged apart',
    );
    expect(reasonOf({}, 64, UNNAMED_PROMOTION_POLICY)).toMatch(/: 64 of 64 could not be judged$/);
    expect(reasonOf({})).toBe('0 problems of validation are too few');
  });
});

describe('a candidate of whose problems some were judged apart', () => {
  it.each([
    [beyondChance(0.03), 1, '; 1 problem was judged apart'],
    [UNNAMED_PROMOTION_POLICY, 3, '; 3 problems were judged apart'],
    [{ ...UNNAMED_PROMOTION_POLICY, minProblems: 500 }, 3, 'are too few; 3 problems were judged apart'],
  ])('is decided on the others, and the reason says how many those are (case %#)', (policy, judgedApart, said) => {
    const { reason, ...verdict } = decide({ ...paired(13, 2), judgedApart }, { policy });
    const without = decide({ ...paired(13, 2), judgedApart: 0 }, { policy });
    expect(reason.endsWith(said)).toBe(true);
    expect({ ...verdict, reason: reason.slice(0, reason.indexOf('; ')) }).toEqual(without);
  });
});

describe('a first candidate', () => {
  it('is measured against the base model where that was measured', () => {
    expect(decide(evaluation(0.25, 0.5), { parent: null })).toMatchObject({
      promote: false,
      reason: '25.0 % of 128 problems of validation solved, 50.0 % by the base model',
    });
  });

  it('must solve something where nothing is known of the base model', () => {
    expect(decide(evaluation(1 / 128, null), { parent: null }).promote).toBe(true);
    expect(decide(evaluation(0, null), { parent: null })).toMatchObject({
      promote: false,
      rule: 'without a parent: success above 0.0 %',
    });
  });
});

describe('an impossible measurement', () => {
  it.each([
    [Number.NaN, 0.5],
    [1.2, 0.5],
    [-0.1, 0.5],
    [0.5, Number.NaN],
    [0.5, 2],
  ])('of %d against %d is refused', (success, parentSuccess) => {
    expect(() => decide(evaluation(success, parentSuccess))).toThrow(
      /expected (success|parentSuccess) between 0 and 1/,
    );
  });

  it('over no number of problems is refused', () => {
    expect(() => decide(evaluation(0.5, 0.5, 1.5))).toThrow('expected a number of problems, got 1.5');
  });
});
