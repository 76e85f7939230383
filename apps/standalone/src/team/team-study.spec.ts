import { TEAM_STUDY_ARMS } from './team-arms.js';
import { type TeamArmRun, teamDifferences, teamShortcomings, teamStudyTable } from './team-study.js';

const SEEDS = [1, 2];
const whole = (): TeamArmRun[] =>
  SEEDS.flatMap((seed) => [
    runOf('team', seed, { solved: 96, falls: [0.01, 0.02] }),
    runOf('team-simultaneous', seed, { solved: 95, falls: [0.05] }),
    runOf('team-ungated', seed, { solved: 90, falls: [0.08] }),
  ]);

describe('a study of a team', () => {
  it('compares the shown way with each other one on the same problems, by seed and on all of them', () => {
    const [simultaneous, ungated] = teamDifferences(whole());
    expect(simultaneous).toMatchObject({ less: 'team-simultaneous', bySeed: [{ seed: 1 }, { seed: 2 }] });
    expect(simultaneous!.all.value).toBeCloseTo(0.01);
    expect(ungated!.all.value).toBeCloseTo(0.06);
    // Twice as many problems say the same thing more surely.
    const width = ([low, high]: readonly [number, number]): number => high - low;
    expect(width(ungated!.all.interval95)).toBeLessThan(width(ungated!.bySeed[0]!.interval95));
  });

  it('says how far apart the ways may be on other seeds', () => {
    const runs = whole().map((each) =>
      each.arm === 'team' && each.seed === 2 ? runOf('team', 2, { solved: 99 }) : each,
    );
    const [simultaneous] = teamDifferences(runs);
    // 1 and 4 points apart: their mean less and more 12.706 times the standard error of two values, 1.5 points.
    expect(simultaneous!.overSeeds![0]).toBeCloseTo(0.025 - 12.706 * 0.015);
    expect(simultaneous!.overSeeds![1]).toBeCloseTo(0.025 + 12.706 * 0.015);
    expect(teamStudyTable(runs, SEEDS)).toContain('over seeds −16.6 to +21.6;');
    const alone = whole().filter(({ seed }) => seed === 1);
    expect(teamDifferences(alone)[0]!.overSeeds).toBeNull();
    expect(teamStudyTable(alone, [1])).not.toContain('over seeds');
  });

  it('shows a row for each way with its worst fall, and that all bars hold', () => {
    const lines = teamStudyTable(whole(), SEEDS).split('\n');
    expect(lines[2]).toBe(
      '| one after the other, gated | 1, 2 | 2, 2 | 1,152, 1,152 | 96.0, 96.0 | 96.0 | 2.0, 2.0 | 24, 4, 2 | 20, 20 |',
    );
    expect(lines.at(-1)).toBe('All bars hold on seeds 1, 2.');
  });

  it.each([
    ['a seed below the bar', [runOf('team', 2, { solved: 89 })], 'seed 2: 89.0 % of held-out problems, below 90.0 %'],
    [
      'an end that is lower than all at once',
      SEEDS.map((seed) => runOf('team', seed, { solved: 90 })),
      'one after the other ends lower than all at once',
    ],
    [
      'a stage that falls no less with the gate',
      [runOf('team', 1, { solved: 96, falls: [0.08] })],
      'the worst stage falls no less with the gate (8.0 points) than without (8.0)',
    ],
    [
      'unequal rollouts',
      [runOf('team-ungated', 2, { solved: 90, falls: [0.08], rollouts: 64 })],
      'seed 2: the ways had different numbers of rollouts',
    ],
  ])('says %s', (_, others, expected) => {
    const runs = whole().map((each) => others.find(({ arm, seed }) => each.arm === arm && each.seed === seed) ?? each);
    expect(teamShortcomings(runs, SEEDS)).toEqual([expect.stringContaining(expected)]);
  });

  it('says what was not run, and holds nothing for shown by it', () => {
    const runs = whole().filter(({ arm, seed }) => arm !== 'team-ungated' || seed !== 2);
    expect(teamShortcomings(runs, SEEDS)).toEqual(['team-ungated was not run on seeds 2']);
    expect(teamShortcomings([], SEEDS)).toEqual([
      'team was not run on seeds 1, 2',
      'team-simultaneous was not run on seeds 1, 2',
      'team-ungated was not run on seeds 1, 2',
    ]);
  });
});

interface Facts {
  /** Of 100 held-out problems. */
  readonly solved?: number;
  /** Of the validation success, stage by stage. */
  readonly falls?: readonly number[];
  readonly rollouts?: number;
}

function runOf(arm: string, seed: number, facts: Facts): TeamArmRun {
  const { solved = 96, falls = [0], rollouts = 1152 } = facts;
  const stages = falls.map((fall, at) => ({
    ...{ stage: at + 1, rollouts: rollouts / falls.length, successes: 0, before: 0.5, validation: 0.5 - fall },
    ...{ accepted: 6, takenBack: 1, givenUp: 1, status: 'promoted' as const, reason: '', seconds: 10 },
  }));
  return {
    ...{
      arm,
      title: TEAM_STUDY_ARMS.find(({ name }) => name === arm)!.title,
      seed,
      roundSize: 144,
      madeAt: '',
      stages,
    },
    ...{ rollouts, turns: 3 * rollouts, judged: rollouts, accepted: 12, takenBack: 2, givenUp: 1 },
    untuned: Array.from({ length: 100 }, () => false),
    heldOut: Array.from({ length: 100 }, (_, at) => at < solved),
  };
}
