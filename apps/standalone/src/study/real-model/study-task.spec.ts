import fc from 'fast-check';
import { embeddedTask } from './embedded-task.js';
import { priceTables } from './price-tables.js';
import { assertNoLeak, leaksBetween, SPLITS, type Split, type StudyTask, type TaskProblem } from './study-task.js';

const tables = priceTables('templates');
const COUNTS: Readonly<Record<Split, number>> = { development: 40, train: 120, validation: 60, heldOut: 60 };
const splitsOf = (task: StudyTask, seed: number): Readonly<Record<Split, readonly TaskProblem[]>> => ({
  development: task.problems('development', seed, COUNTS.development),
  train: task.problems('train', seed, COUNTS.train),
  validation: task.problems('validation', seed, COUNTS.validation),
  heldOut: task.problems('heldOut', seed, COUNTS.heldOut),
});
const anySeed = fc.nat({ max: 100_000 });

describe.each([tables, embeddedTask])('the problems of $name', (task) => {
  it('share no prompt, and what else they are divided by, between splits of any seed', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        expect(leaksBetween(splitsOf(task, seed), (problem) => task.traitsOf(problem))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('are the same for the same seed, and others for another', () => {
    expect(task.problems('heldOut', 7, 20)).toEqual(task.problems('heldOut', 7, 20));
    expect(task.problems('heldOut', 7, 20)).not.toEqual(task.problems('heldOut', 8, 20));
  });

  it('have different ids and prompts', () => {
    const problems = task.problems('train', 3, 100);
    expect(new Set(problems.map(({ problemId }) => problemId)).size).toBe(problems.length);
    expect(new Set(problems.map(({ prompt }) => prompt)).size).toBe(problems.length);
  });
});

describe('a price table', () => {
  it('has as many rows as wanted, of different goods and prices', () => {
    for (const rows of [4, 8])
      for (const split of SPLITS)
        for (const { prompt } of priceTables('templates', rows).problems(split, 5, 20)) {
          const drawn = [...prompt.matchAll(/([a-z]+) \$(\d+)/g)];
          expect(new Set(drawn.map(([, good]) => good)).size).toBe(rows);
          expect(new Set(drawn.map(([, , price]) => price)).size).toBe(rows);
        }
  });

  it('states the price that its reference names, once', () => {
    for (const { prompt, reference } of tables.problems('train', 1, 100)) {
      const [, good, price] = /^The price of ([a-z]+) is \$(\d+)$/.exec(reference)!;
      expect(prompt.split(`${good!} $${price!}`)).toHaveLength(2);
      expect(prompt.endsWith(`What is the price of ${good!}?`)).toBe(true);
    }
  });

  it('never has an entry that says the sentence which is asked for', () => {
    const { properties } = tables.entrySchemas!['price-tables'] as { properties: { fact: { pattern: string } } };
    const fact = new RegExp(properties.fact.pattern);
    for (const { prompt, reference } of tables.problems('train', 1, 100)) {
      expect(fact.test(reference)).toBe(false);
      const rows = [...prompt.matchAll(/([a-z]+) (\$\d+)/g)];
      expect(rows).toHaveLength(8);
      expect(rows.every(([, good, price]) => fact.test(`The price of ${good!}: ${price!}`))).toBe(true);
    }
  });

  it('names its goods as traits, so that a word of a held-out table is in no other split', () => {
    const [problem] = tables.problems('heldOut', 1, 1);
    expect(tables.traitsOf(problem!)).toHaveLength(9);
  });
});

describe('the leak test', () => {
  const problem = (prompt: string): TaskProblem => ({
    ...{ problemId: prompt, domain: 'd', prompt, reference: 'r' },
    verifier: { kind: 'exact', version: '1', options: {} },
  });
  const promptOf = ({ prompt }: TaskProblem): readonly string[] => [prompt];

  it('finds one problem that is planted in two splits, wherever', () => {
    const pairs = SPLITS.flatMap((one, at) => SPLITS.slice(at + 1).map((other) => [one, other] as const));
    for (const [one, other] of pairs) {
      const splits = Object.fromEntries(
        SPLITS.map((split) => [
          split,
          [problem(split), ...(split === one || split === other ? [problem('planted')] : [])],
        ]),
      ) as unknown as Readonly<Record<Split, readonly TaskProblem[]>>;
      expect(leaksBetween(splits, promptOf)).toEqual([{ trait: 'planted', splits: [one, other] }]);
      expect(() => assertNoLeak(splits, promptOf)).toThrow(/expected splits that share nothing, got "planted" in/);
    }
  });
});
