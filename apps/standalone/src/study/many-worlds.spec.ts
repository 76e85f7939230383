import { type WorldRun, worldsShortcomings, worldsTable } from './many-worlds.js';

describe('runs in many worlds', () => {
  it('show their mean with an interval over worlds, in the order of seeds, and that all bars hold', () => {
    const table = worldsTable([runOf(12, { heldOut: 0.99 }), runOf(11, { heldOut: 0.97 })]);
    expect(table.split('\n')).toEqual([
      expect.stringContaining('| seed | alone, % | held out, % | new words, % |'),
      expect.stringMatching(/^\|(---\|)+$/),
      expect.stringContaining('| 11 | 2.0 | 97.0 | 96.0 | 5.0 | 7.0 | +4.0 | +95.0 |'),
      expect.stringContaining('| 12 | 2.0 | 99.0 | 96.0 | 5.0 | 7.0 | +4.0 | +97.0 |'),
      // Mean 0.98, standard deviation 0.01414, t of 1 degree 12.706.
      expect.stringContaining('| mean | 2.0 (2.0 to 2.0) | 98.0 (85.3 to 110.7) |'),
      '',
      'All bars hold in 2 worlds.',
    ]);
  });

  it.each([
    [
      'a mean below its bar, where each world is above its own',
      { heldOut: 0.94 },
      ['all: 94.0 % of held-out problems'],
    ],
    ['a world below its bar', { newWords: 0.8 }, ['seed 11: new words below 85.0 %']],
    ['a control that helps as well', { control: 0.3 }, ['seed 11: otherProblemsEntry helps as well']],
    [
      'entries that misquote',
      { faithful: 0.97 },
      ['seed 11: entries faithful on held-out problems', 'seed 11: entries faithful on new words'],
    ],
    ['a loop that is too slow', { loopSeconds: 181 }, ['seed 11: the loop took 181 s, above 180 s']],
  ])('say %s', (_, facts, expected) => {
    expect(worldsShortcomings([runOf(11, facts)])).toEqual(
      expected.map((each) => expect.stringContaining(each) as string),
    );
  });

  it('are compared within one preset, ten at most', () => {
    const ten = Array.from({ length: 11 }, (_, at) => runOf(at, {}));
    expect(() => worldsTable(ten)).toThrow('expected 1 to 10 runs of one preset, got 11 of strange');
    expect(() => worldsTable([runOf(1, {}), { ...runOf(2, {}), preset: 'familiar' }])).toThrow(
      '2 of strange, familiar',
    );
    expect(() => worldsTable([])).toThrow('got 0 of none');
  });
});

interface RunFacts {
  readonly heldOut?: number;
  readonly newWords?: number;
  readonly control?: number;
  readonly faithful?: number;
  readonly loopSeconds?: number;
}

function runOf(seed: number, facts: RunFacts): WorldRun {
  const { heldOut = 0.97, newWords = 0.96, control = 0.06, faithful = 0.99, loopSeconds = 150 } = facts;
  const row = (name: string, success: number) => ({
    ...{ name, isBaseline: name.includes(' '), success, interval95: [success, success] as const, perDomain: {} },
    ...{ rescued: success, broken: 0, lift: { value: success - 0.02, interval95: [0, 1] as const } },
  });
  const setOf = (split: 'heldOut' | 'newWords', trained: number) => ({
    ...{ split, problems: 300, problemSetDigest: 'd'.repeat(64), faithful, leaks: null },
    rows: [
      row('noExperience', 0.02),
      row('wrapperOnly', 0.02),
      row('fixedHint', 0.03),
      row('otherProblemsEntry', control),
      row('trained', trained),
      row('word table', 0.05),
      row('table of pairs', split === 'newWords' ? 0.07 : 0.9),
    ],
  });
  const sets = [setOf('heldOut', heldOut), setOf('newWords', newWords)];
  return { seed, preset: 'strange', sets, attempts: 9000, loopSeconds };
}
