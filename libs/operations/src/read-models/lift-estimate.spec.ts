import type { SeamEvent } from '@seamstream/events';
import { liftProjection } from '@seamstream/read-models';
import { answerOf, generated, placed, published, recorded, withheld } from '@seamstream/testing/log-of';
import { type LiftAnswer, liftAnswers } from './lift-estimate.js';

describe('the estimate of a lift', () => {
  it('weighs problems by the share that they were drawn with: two shares do not mislead where difficulty changed with them', () => {
    // Easy problems with few controls, then hard ones with many: pooled, experiences would seem to help by half.
    const easy = drawn({ treated: [810, 90], control: [90, 10], controlShare: 0.1 });
    const hard = drawn({ treated: [10, 90], control: [90, 810], controlShare: 0.9 });
    const { lift, treatedShare, isCausal } = answer(...easy, ...hard);
    expect(treatedShare).toBeNull();
    expect(lift!.value).toBeCloseTo(0, 9);
    expect(lift!.interval95[0]).toBeLessThan(0);
    expect(lift!.interval95[1]).toBeGreaterThan(0);
    expect(isCausal).toBe(true);
  });

  it('says that it is not causal where an arm lost problems, or verdicts', () => {
    const { isCausal, experiments } = answer(...drawn({ treated: [150, 50], control: [10, 10] }));
    expect(isCausal).toBe(false);
    expect(experiments).toMatchObject([{ isUneven: true, isMissingUnevenly: false, treated: 200, control: 20 }]);
  });

  it('names the domains in which experiences do harm, and no others', () => {
    const harmful = drawn({ treated: [20, 180], control: [180, 20], domain: 'harmful' });
    const helpful = drawn({ treated: [180, 20], control: [20, 180], domain: 'helpful' });
    expect(answer(...harmful, ...helpful).harmed).toEqual(['harmful']);
  });
});

let next = 0;

describe('the estimate of a lift', () => {
  it('weighs problems by the share that they were drawn with: two shares do not mislead where difficulty changed with them', () => {
    // Easy problems with few controls, then hard ones with many: pooled, experiences would seem to help by half.
    const easy = drawn({ treated: [810, 90], control: [90, 10], controlShare: 0.1 });
    const hard = drawn({ treated: [10, 90], control: [90, 810], controlShare: 0.9 });
    const { lift, treatedShare, isCausal } = answer(...easy, ...hard);
    expect(treatedShare).toBeNull();
    expect(lift!.value).toBeCloseTo(0, 9);
    expect(lift!.interval95[0]).toBeLessThan(0);
    expect(lift!.interval95[1]).toBeGreaterThan(0);
    expect(isCausal).toBe(true);
  });

  it('says that it is not causal where an arm lost problems, or verdicts', () => {
    const { isCausal, experiments } = answer(...drawn({ treated: [150, 50], control: [10, 10] }));
    expect(isCausal).toBe(false);
    expect(experiments).toMatchObject([{ isUneven: true, isMissingUnevenly: false, treated: 200, control: 20 }]);
  });

  it('names the domains in which experiences do harm, and no others', () => {
    const harmful = drawn({ treated: [20, 180], control: [180, 20], domain: 'harmful' });
    const helpful = drawn({ treated: [180, 20], control: [20, 180], domain: 'helpful' });
    expect(answer(...harmful, ...helpful).harmed).toEqual(['harmful']);
  });
});

interface Counts {
  readonly treated: readonly [solved: number, failed: number];
  readonly control: readonly [solved: number, failed: number];
  readonly controlShare?: number;
  readonly domain?: string;
}

/** Problems of an experiment, by arm and result. */
function drawn({ treated, control, controlShare = 0.5, domain = 'sums' }: Counts): SeamEvent[] {
  return (
    [
      [true, ...treated],
      [false, ...control],
    ] as const
  ).flatMap(([isTreated, solved, failed]) =>
    Array.from({ length: solved + failed }, (_, i) => {
      const id = `p${next++}`;
      const assignment = { experiment: 'e', unit: id, controlShare };
      const problem = published(id) as Extract<SeamEvent, { type: 'ProblemPublished' }>;
      return [
        { ...problem, problem: { ...problem.problem, domain }, assignment },
        isTreated ? generated(id) : withheld(id),
        recorded(id, i < solved, { arm: isTreated ? 'explore' : 'control' }),
      ];
    }).flat(),
  );
}

function answer(...events: readonly SeamEvent[]): LiftAnswer {
  return liftAnswers(answerOf(liftProjection, placed(events))).modes[0]!;
}
