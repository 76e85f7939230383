import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { type Attempt, BASELINES, type Baseline, learnBaseline, similarCases } from './baselines.js';
import { followPlan, type PlanEntry, planSchemaFor, randomPlan, rightEntry } from './entries.js';
import { drawWorld } from './lore.js';
import { attributeProblems, type Split } from './problems.js';

/** Attempts that most tests learn from. */
let recorded: readonly Attempt[];
beforeAll(() => {
  recorded = attemptsOf(6000, 3000);
});

describe('a baseline', () => {
  it('that counts by word solves held-out problems, and next to none of new words', () => {
    expect(solved('word table', 'heldOut')).toBeGreaterThan(0.8);
    expect(solved('word table', 'newWords')).toBeLessThan(0.2);
  });

  it('that counts by the three attributes together is no better at new words, whose three were never tried', () => {
    expect(solved('table of triples', 'heldOut')).toBeGreaterThan(0.8);
    expect(solved('table of triples', 'newWords')).toBeLessThan(0.2);
  });

  it('that counts by the words which entries quote solves new words as well, and knows nothing of the world', () => {
    for (const split of ['heldOut', 'newWords'] as const)
      expect(solved('table of quoted attributes', split)).toBeGreaterThan(0.9);
  });

  it('that counts by quoted words reads the words at the places that were quoted, in any statement of that work', () => {
    const [problem] = problemsOf('heldOut', 1);
    const entry = rightEntry(problem!, WORLD);
    const text = entryText(entry, planSchemaFor(problem!.domain)!);
    const advise = learnBaseline('table of quoted attributes', [{ problem: problem!, entry: text, success: true }]);
    expect(advise(problem!)).toBe(text);
    const other = problemsOf('newWords', 30).find(({ domain }) => domain !== problem!.domain)!;
    expect(advise(other)).toBeNull();
  });

  it('that repeats a similar case or one sheet for all solves few', () => {
    for (const name of ['retrieved case', 'cheatsheet'] as const)
      for (const split of ['heldOut', 'newWords'] as const) expect(solved(name, split)).toBeLessThan(0.5);
    expect(solved('cheatsheet', 'newWords')).toBeLessThan(0.2);
  });

  it('that repeats similar cases has them by what their statements have in common, each entry once', () => {
    const words = ({ prompt }: Pick<Attempt['problem'], 'prompt'>) => new Set(prompt.match(/\w+/g));
    const successes = recorded.filter(({ success }) => success);
    const similar = similarCases(recorded);
    for (const problem of problemsOf('heldOut', 12)) {
      const alike = (entry: string): number =>
        Math.max(
          ...successes
            .filter((attempt) => attempt.entry === entry && attempt.problem.domain === problem.domain)
            .map((attempt) => {
              const [own, other] = [words(problem), words(attempt.problem)];
              return own.intersection(other).size / own.union(other).size;
            }),
        );
      const found = similar(problem);
      expect(found[0]).toBe(learnBaseline('retrieved case', recorded)(problem));
      expect(new Set(found).size).toBe(found.length);
      const likeness = found.slice(0, 8).map(alike);
      expect(likeness).toEqual(likeness.toSorted((a, b) => b - a));
    }
    expect(similar({ domain: 'lathe', prompt: 'Turn' }).length).toBeGreaterThan(10);
    expect(similarCases([])({ domain: 'lathe', prompt: 'Turn' })).toEqual([]);
  });

  it('knows nothing where nothing succeeded, and has nothing to say where nothing was tried', () => {
    const failed = attemptsOf(60, 0).map((attempt) => ({ ...attempt, success: false }));
    const [problem] = problemsOf('heldOut', 1);
    expect(learnBaseline('retrieved case', failed)(problem!)).toBeNull();
    for (const name of ['cheatsheet', 'table of quoted attributes'] as const)
      expect(learnBaseline(name, [])(problem!)).toBeNull();
    for (const name of BASELINES) expect(solved(name, 'newWords', failed)).toBeLessThan(0.2);
  });

  it('that counts by pairs goes by the quoted attribute where it never met a pair', () => {
    expect(solved('table of pairs', 'newWords')).toBeGreaterThan(0.8);
  });

  it('that sums what each attribute speaks for solves new words where one attribute decides', () => {
    for (const split of ['heldOut', 'newWords'] as const)
      expect(solved('sum over attributes', split)).toBeGreaterThan(0.9);
  });

  it('of any kind solves few new words of a world of pairs, from attempts that mostly succeed', () => {
    for (const seed of ['a', 'b']) {
      const world = drawWorld(seed, 'pairs');
      const attempts = attemptsOf(500, 1500, world);
      for (const name of BASELINES) expect(solved(name, 'newWords', attempts, world)).toBeLessThan(0.35);
      expect(solved('table of pairs', 'heldOut', attempts, world)).toBeGreaterThan(0.9);
    }
  });

  it('is a function of its attempts', () => {
    const problems = problemsOf('newWords', 12);
    const some = recorded.slice(-300);
    for (const name of BASELINES)
      expect(problems.map(learnBaseline(name, some))).toEqual(problems.map(learnBaseline(name, [...some])));
  });
});

const WORLD = drawWorld('baselines', 'strange');
const problemsOf = (split: Split, count: number, world = WORLD) =>
  attributeProblems({ world, seed: 'spec', split, count });
const answers = (problem: ReturnType<typeof problemsOf>[number], entry: PlanEntry): boolean =>
  followPlan(problem, entry).endsWith(`Answer: ${problem.reference}`);

/** Blind attempts of an obedient executor, and further ones by the lore. */
function attemptsOf(blind: number, knowing: number, world = WORLD): readonly Attempt[] {
  const random = Random.of('attempts');
  return problemsOf('train', blind + knowing, world).map((problem, at) => {
    const entry = at < blind ? randomPlan(problem, random) : rightEntry(problem, world);
    return { problem, entry: entryText(entry, planSchemaFor(problem.domain)!), success: answers(problem, entry) };
  });
}

function solved(name: Baseline, split: Split, attempts = recorded, world = WORLD): number {
  const advise = learnBaseline(name, attempts);
  const problems = problemsOf(split, 300, world);
  const right = problems.filter((problem) => {
    const text = advise(problem);
    return text !== null && answers(problem, JSON.parse(text) as PlanEntry);
  });
  return right.length / problems.length;
}
