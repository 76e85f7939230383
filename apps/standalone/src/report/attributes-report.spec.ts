import { BASELINES, type Baseline, type Preset, type Split } from '@seamstream/attribute-world';
import fc from 'fast-check';
import type { AttemptsPoint } from './attempts-part.js';
import {
  type AttributesReport,
  type AttributesRow,
  type AttributesSet,
  attributesSummary,
  holds,
  OTHER_EXECUTOR_ROWS,
  renderAttributesPage,
  shortcomings,
  trainedExecutorRow,
} from './attributes-report.js';
import type { RoundsReport } from './report.types.js';

describe('a report of a world of attributes', () => {
  it('shows what is claimed exactly where every figure is on the right side of its bar', () => {
    fc.assert(
      fc.property(fc.constantFrom('strange', 'familiar', 'pairs'), anyFigures, (preset: Preset, figures) => {
        const { heldOut, newWords, faithful, table, control, alone, lift, broken } = figures;
        const isShown =
          heldOut >= 0.9 &&
          newWords >= 0.85 &&
          faithful >= 0.98 &&
          (preset === 'familiar' ? lift >= 0.3 && broken <= 0.03 : table <= 0.5 && control <= alone + 0.1);
        const facts = { preset, sets: setsOf(figures, preset) };
        expect(holds(facts)).toBe(isShown);
        expect(shortcomings(facts).length === 0).toBe(isShown);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['strange', { heldOut: 0.89 }, 'held-out problems below 90.0 %'],
    ['strange', { newWords: 0.84 }, 'new words below 85.0 %'],
    ['strange', { faithful: 0.97 }, 'entries faithful on new words below 98.0 %'],
    ['strange', { table: 0.51 }, 'the word table solves more than 50.0 % of new words'],
    ['strange', { control: 0.13 }, 'fixedHint helps as well'],
    ...BASELINES.map((name) => ['pairs', { table: 0.51 }, `the ${name} solves more than 50.0 % of new words`] as const),
    ['pairs', { newWords: 0.84 }, 'new words below 85.0 %'],
    ['familiar', { lift: 0.29 }, 'lift on new words below 30.0 %'],
    ['familiar', { broken: 0.04 }, 'more than 3.0 % broken on held-out problems'],
  ] as const)('of a %s world names what is missed by %j', (preset, missed, words) => {
    expect(shortcomings({ preset, sets: setsOf({ ...GOOD, ...missed }, preset) })).toContain(words);
  });

  it('has words for its sets where it is read in a terminal', () => {
    const report = { ...REPORT, sets: setsOf({ ...GOOD, faithful: 0.9, lift: 0, broken: 1 }) };
    const summary = attributesSummary(report as unknown as AttributesReport);
    expect(summary).toMatch(/^held-out problems: rescued/m);
    expect(summary).toMatch(/^new words: rescued/m);
    expect(summary).not.toMatch(/heldOut|newWords/);
    expect(summary).toMatch(
      /^new words: .*the answer is in 11 of 290 entries \(5 where the problem states it too, another/m,
    );
  });

  it('shows nothing where nothing was measured', () => {
    for (const preset of ['strange', 'familiar', 'pairs'] as const) expect(holds({ preset, sets: [] })).toBe(false);
  });
});

it('a page has the learning curves of held-out problems and of new words, each with the baselines of the same problems', () => {
  const round = { phase: 'base', algorithm: 'grpo', explored: 0.3, status: 'promoted', parentValidation: null };
  const report = {
    ...{
      ...aRun(),
      ...REPORT,
      sets: [setsOf({ ...GOOD, table: 0.7 })[0], setsOf({ ...GOOD, table: 0.123 })[1]],
      executors: [],
      examples: NO_EXAMPLES,
    },
    rounds: [
      { ...round, round: 1, validation: 0.4, servedValidation: 0.4 },
      { ...round, round: 2, validation: 0.8, servedValidation: 0.8 },
    ],
    byAttempts: {
      problems: { heldOut: 128, newWords: 120 },
      points: [{ round: 2, attempts: 9, loop: onBoth(0.91, 0.92), table: onBoth(0.9, 0.9) }],
    },
  } as unknown as AttributesReport;
  const [heldOut, newWords] = renderAttributesPage(report).match(/<svg.*?<\/svg>/gsu)!;
  expect(heldOut).toContain('>word table 70.0 %</text>');
  expect(newWords).toContain('>word table 12.3 %</text>');
  for (const curve of [heldOut, newWords])
    for (const level of ['no entry 2.0 %', 'executor trained on answers 91.0 %'])
      expect(curve).toContain(`>${level}</text>`);
  expect(heldOut).toContain('round 2: grpo promoted, 80.0 % on validation');
  expect(heldOut).toContain('round 2: 91.0 %, served adapter on held-out problems');
  expect(newWords).toContain('round 2: 92.0 %, served adapter on new words');
  expect(newWords).not.toContain('validation');
  expect(newWords).not.toContain('fixedHint');
});

it('a report says of each baseline, executor and trier what it came to, for a terminal and on a page', () => {
  const estimate = { value: 1.25, interval95: [1, 1.5] };
  const report = {
    ...{ ...aRun(), preset: 'strange', sets: setsOf(GOOD), rounds: [], attempts: 900, served: null, converged: true },
    examples: NO_EXAMPLES,
    executors: [
      { name: 'frozen', training: null, obeys: 0.99 },
      {
        name: trainedExecutorRow('answers'),
        training: { examples: 41, epochs: 2, steps: 6, seconds: 7.6 },
        obeys: 0.07,
      },
      { name: 'other executor', training: null, obeys: 0.96 },
    ],
    byAttempts: {
      problems: { heldOut: 128, newWords: 120 },
      points: [
        { round: 3, attempts: 2100, loop: onBoth(0.21, 0.22), table: onBoth(0.61, 0.62) },
        { round: 6, attempts: 4200, loop: onBoth(0.91, 0.92), table: onBoth(0.97, 0.98) },
      ],
    },
    timeToCorrect: {
      ...{ problems: 96, candidates: 4, cases: 55 },
      rows: [
        {
          ...{ name: 'retrieved case', solved: 0.31, interval95: [0.2, 0.4], first: 0.18, entryMs: 0.44 },
          ...{ candidatesTried: estimate, tokens: estimate, seconds: estimate },
        },
      ],
    },
  } as unknown as AttributesReport;
  const summary = attributesSummary(report);
  expect(summary).toContain(
    'word table 10.0 %, retrieved case 10.0 %, cheatsheet 10.0 %, table of quoted attributes 99.0 %, table of pairs 10.0 %, sum over attributes 10.0 %, executor trained on answers 91.0 %',
  );
  expect(summary).toContain('41 examples, 6 steps, 8 s; it obeys 7.0 % of plans (frozen 99.0 %).');
  expect(summary).toContain("alone 4.0 %, with the trained generator's entries 88.0 %.");
  expect(summary).toContain('after 2100 attempts 22.0 % and 62.0 %; after 4200 attempts 92.0 % and 98.0 %.');
  expect(summary).toContain('word table 10.0 %, table of quoted attributes 99.0 %)');
  expect(summary).toContain('retrieved case 31.0 % after 1.25, 0.4 ms an entry');
  const page = renderAttributesPage(report);
  for (const text of [
    'executor trained on answers',
    '>41<',
    '>7.0 %<',
    '>1.25 (1.00 to 1.50)<',
    '>0.4<',
    '55 successes',
    '>entryAlone<',
    '>generatorAlone<',
    'the answer is in 11 of 290 entries',
    '<td class="number">2100</td><td>21.0 % (20.0 % to 30.0 %)</td><td>61.0 % (20.0 % to 30.0 %)</td><td>22.0 %',
  ])
    expect(page).toContain(text);
});

function onBoth(heldOut: number, newWords: number): AttemptsPoint['loop'] {
  const interval95 = [0.2, 0.3] as const;
  return { heldOut: { success: heldOut, interval95 }, newWords: { success: newWords, interval95 } };
}

/** What every report of rounds has. */
function aRun(): RoundsReport {
  const settings = { method: 'attributes', seed: 3, algorithm: 'curriculum', roundSize: 64, preset: null } as const;
  return {
    ...{ settings: { ...settings, problems: null, validation: null }, limits: [], seed: 3, version: '0', commands: [] },
    ...{ loopSeconds: 90, phases: { exploring: 40, training: 30, comparing: 15 }, madeAt: '2026-01-01T00:00:00.000Z' },
    ...{ measuredOn: { name: 'own', isHeldOut: true }, ended: 'Converged.', folderBytes: 1, peakMemoryBytes: 1 },
    ledger: { published: 1, solved: 1, failed: 0, deadLettered: 0, expired: 0, inFlight: 0, balanced: true },
    executor: { model: 'executor', digest: 'digest', unchanged: true },
  };
}

interface Figures {
  readonly heldOut: number;
  readonly newWords: number;
  readonly faithful: number;
  readonly table: number;
  readonly control: number;
  readonly alone: number;
  readonly lift: number;
  readonly broken: number;
}

const REPORT = {
  preset: 'familiar',
  converged: false,
  ended: 'It ended.',
  attempts: 9,
  loopSeconds: 1,
  rounds: [],
  rollouts: 1,
  phases: { exploring: 1, training: 1, comparing: 1 },
  executors: [],
  timeToCorrect: { problems: 1, candidates: 1, cases: 0, rows: [] },
  byAttempts: { problems: { heldOut: 1, newWords: 1 }, points: [] },
};

const GOOD: Figures = {
  heldOut: 0.95,
  newWords: 0.9,
  faithful: 1,
  table: 0.1,
  control: 0.1,
  alone: 0.02,
  lift: 0.4,
  broken: 0.01,
};

const NO_EXAMPLES = { problems: 300, learned: null, failed: null, failures: 0 };

const LEAKS = { entries: 290, withAnswer: 11, statedByProblem: 5, byChance: 9, solvedWith: 4, solvedWithout: null };

/** Mostly good, so that each bar decides alone now and then. */
const near = (good: number, bad: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: fc.constant(bad) });
const anyFigures: fc.Arbitrary<Figures> = fc.record({
  heldOut: near(0.9, 0.899),
  newWords: near(0.85, 0.849),
  faithful: near(0.98, 0.979),
  table: near(0.5, 0.501),
  control: near(0.1, 0.2),
  alone: near(0.02, 0.05),
  lift: near(0.3, 0.299),
  broken: near(0.03, 0.031),
});

/** All have one figure but that which solves the worlds in which one attribute decides: a bar on all of them names each. */
function baselineOf(name: Baseline, table: number, preset: Preset): number {
  return name === 'table of quoted attributes' && preset !== 'pairs' ? 0.99 : table;
}

function setsOf(
  { heldOut, newWords, faithful, table, control, alone, lift, broken }: Figures,
  preset: Preset = 'strange',
): readonly AttributesSet[] {
  const row = (name: string, success: number): AttributesRow => ({
    ...{ name, isBaseline: name === 'word table', success, interval95: [0, 1] as const, perDomain: {} },
    ...{ rescued: lift + broken, broken, lift: { value: lift, interval95: [0, 1] as const } },
  });
  return (['heldOut', 'newWords'] as const).map((split: Split) => ({
    ...{ split, problems: 300, problemSetDigest: 'digest', faithful, leaks: LEAKS },
    rows: [
      row('noExperience', alone),
      row('wrapperOnly', alone),
      row('fixedHint', control),
      row('otherProblemsEntry', alone),
      row('trained', split === 'heldOut' ? heldOut : newWords),
      row('entryAlone', 0.03),
      row('generatorAlone', 0.07),
      ...BASELINES.map((name) => row(name, baselineOf(name, table, preset))),
      row(trainedExecutorRow('answers'), 0.91),
      row(OTHER_EXECUTOR_ROWS[0], 0.04),
      row(OTHER_EXECUTOR_ROWS[1], 0.88),
    ],
  }));
}
