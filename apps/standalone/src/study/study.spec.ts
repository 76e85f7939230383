import { algorithms, curriculumConfigSchema, mergeSettings, presets } from '@seamstream/learning';
import fc from 'fast-check';
import { demonstrationEnvironment } from '../demonstrations.js';
import { ARMS, armEnvironment } from './arms.js';
import { type ArmRun, chooseArm, compareArms, type STUDY_SETS, studyTable } from './comparison.js';

const PROBLEMS = 40;
const verdicts = (solved: number): readonly boolean[] => Array.from({ length: PROBLEMS }, (_, at) => at < solved);
const runOf = (arm: string, seed: number, solved: Partial<Record<(typeof STUDY_SETS)[number], number>>): ArmRun => ({
  ...{ arm, seed, attempts: 7000, promoted: 3 },
  verdicts: {
    development: verdicts(solved.development ?? 0),
    heldOut: verdicts(solved.heldOut ?? 0),
    newWords: verdicts(solved.newWords ?? 0),
  },
});
const anySolved = fc.nat({ max: PROBLEMS });
const anyRuns = fc
  .array(
    fc.array(fc.record({ development: anySolved, heldOut: anySolved, newWords: anySolved }), {
      minLength: 2,
      maxLength: 2,
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((arms) => arms.flatMap((seeds, arm) => seeds.map((solved, seed) => runOf(`arm ${arm}`, seed, solved))));

describe('the choice of an arm', () => {
  it('follows from the development problems alone, regardless of those that are reported', () => {
    fc.assert(
      fc.property(anyRuns, fc.infiniteStream(anySolved), (runs, others) => {
        const next = (): number => others.next().value as number;
        const changed = runs.map((run) => ({
          ...run,
          verdicts: { ...run.verdicts, heldOut: verdicts(next()), newWords: verdicts(next()) },
        }));
        expect(chooseArm(changed)).toBe(chooseArm(runs));
        const bare = runs.map(({ arm, seed, verdicts: { development } }) => ({ arm, seed, verdicts: { development } }));
        expect(chooseArm(bare)).toBe(chooseArm(runs));
      }),
    );
  });

  it('takes the arm that solves most of them, of those that ran on every seed', () => {
    const runs = [
      runOf('one', 1, { development: 10, heldOut: 40 }),
      runOf('one', 2, { development: 12, heldOut: 40 }),
      runOf('two', 1, { development: 11 }),
      runOf('two', 2, { development: 12 }),
      runOf('cut short', 1, { development: 40 }),
    ];
    expect(chooseArm(runs)).toBe('two');
    expect(chooseArm([])).toBeNull();
  });
});

describe('a comparison of arms', () => {
  it('pairs runs of one seed problem by problem, and has an interval over problems and one over seeds', () => {
    const runs = [1, 2, 3].flatMap((seed) => [
      runOf('sft', seed, { heldOut: 20 }),
      runOf('mixture', seed, { heldOut: 20 + 2 * seed }),
    ]);
    const [, mixture] = compareArms(runs, 'sft');
    const { ahead, bySeed, success } = mixture!.sets.heldOut;
    expect(bySeed).toEqual([0.55, 0.6, 0.65]);
    expect(success).toBeCloseTo(0.6, 12);
    expect(ahead!.value).toBeCloseTo(0.1, 12);
    // Mean 0.1, standard deviation 0.05, t of 2 degrees 4.303.
    const margin = (4.303 * 0.05) / Math.sqrt(3);
    expect(ahead!.overSeeds![0]).toBeCloseTo(0.1 - margin, 12);
    expect(ahead!.overSeeds![1]).toBeCloseTo(0.1 + margin, 12);
    expect(ahead!.overProblems[0]).toBeGreaterThan(0);
    expect(compareArms(runs, 'sft')[0]!.sets.heldOut.ahead).toBeNull();
    expect(studyTable(runs, 'sft')).toContain('| mixture | 3 | 7000 | 3.0 | 60.0 | 55.0, 60.0, 65.0 | +10.0 |');
  });

  it('leaves out seeds that the other arm has not, and says of one seed that it is one', () => {
    const runs = [runOf('sft', 1, { heldOut: 20 }), runOf('mixture', 1, { heldOut: 30 }), runOf('mixture', 2, {})];
    const { ahead } = compareArms(runs, 'sft')[1]!.sets.heldOut;
    expect(ahead).toMatchObject({ value: 0.25, overSeeds: null });
  });
});

describe('the arms of the study', () => {
  it('are settings that the trainer takes, and differ', () => {
    const { grpo = {} } = presets.get('embedded')!.algorithms;
    for (const { settings = {}, curriculum = {} } of ARMS) {
      expect(() => algorithms.get('grpo')!.resolveConfiguration(mergeSettings(grpo, settings))).not.toThrow();
      expect(() =>
        curriculumConfigSchema.parse({ ...presets.get('embedded')!.curriculum, ...curriculum }),
      ).not.toThrow();
    }
    const told = ARMS.map((arm) => JSON.stringify([arm.algorithm, armEnvironment(arm)]));
    expect(new Set(told).size).toBe(ARMS.length);
    expect(armEnvironment(ARMS.find(({ name }) => name === 'rested')!)).toEqual({
      SEAM_TRAINER_ALGORITHMS: '{"grpo":{}}',
      SEAM_TRAINER_CURRICULUM_IMITATE_BELOW: '0.9',
      SEAM_TRAINER_CURRICULUM_REST_AFTER: '2',
    });
  });

  it('leave the demonstration what it ships in one arm, and its steps in no other', () => {
    const steps = ARMS.map(({ name, ...arm }) => {
      const own = { ...demonstrationEnvironment('attributes'), ...armEnvironment({ name, ...arm }) };
      const settings = mergeSettings(
        presets.get('embedded')!.algorithms.grpo ?? {},
        (JSON.parse(own.SEAM_TRAINER_ALGORITHMS!) as { grpo: Readonly<Record<string, unknown>> }).grpo,
      );
      return [name, settings.duration, own.SEAM_TRAINER_CURRICULUM_IMITATE_BELOW];
    });
    expect(steps.filter(([name]) => name === 'shipped')).toEqual([['shipped', { unit: 'steps', steps: 24 }, '0.06']]);
    for (const [name, duration] of steps.filter(([arm]) => arm !== 'shipped'))
      expect([name, duration]).toEqual([name, { unit: 'steps', steps: 12 }]);
  });
});
