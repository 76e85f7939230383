import { checkEntry, entryText } from '@seamstream/experience';
import { canonicalJson, Random, sha256 } from '@seamstream/kernel';
import fc from 'fast-check';
import { ATTRIBUTES } from './attributes.js';
import { type Attempt, learnBaseline, similarCases } from './baselines.js';
import { followPlan, planSchemaFor, randomPlan, rightEntry, stepsOf } from './entries.js';
import { drawWorld, NAMES, type Preset, SINGLE_PRESETS, type World } from './lore.js';
import { KINDS } from './operators.js';
import { attributeProblems, DOMAINS, LATE_DOMAINS, readStatement, SPLITS } from './problems.js';
import { unknownWords } from './vocabulary.js';

const anySeed = fc.integer({ min: 0, max: 1_000_000 });
const anyPreset = fc.constantFrom(...SINGLE_PRESETS);
const FEW = { numRuns: 12 };
const shifting = (seed: number | string, preset: Preset = 'strange'): World =>
  drawWorld(seed, preset, { hasLateAttributes: true });
const LATE_SPLITS = SPLITS.filter((split) => split !== 'newWords');
type Asked = Parameters<typeof attributeProblems>[0];
const early = (world: World, split: Asked['split'], count: number) =>
  attributeProblems({ world, seed: 'spec', split, count });
const late = (world: World, split: Asked['split'], count: number, startIndex = 0) =>
  attributeProblems({ world, seed: 'spec', split, count, startIndex, isLate: true });
type Problems = ReturnType<typeof early>;
const quotedIn = (problem: Problems[number], world: World): readonly string[] =>
  stepsOf(rightEntry(problem, world)).map(({ value }) => value);
const entriesOf = (problems: Problems, world: World): ReadonlySet<string> =>
  new Set(problems.map((problem) => rightEntry(problem, world).concepts.join(', ')));

describe('a world without late attributes', () => {
  it.each([
    ['strange', 1, '695a3e97edfdbf19be95f8110bcc923349b70c1c0fbedc65d7a5e69f41a79113'],
    ['strange', 11, '09ef7f1b3f2f8d44e608c9f23bc9820102483bcdd322d6f87bef1f9e8c06395d'],
    ['strange', 12, '064fb35c1ed11725f7e9499325bcc3a55dd1fac9aaa1682e4d961649e5242ab1'],
    ['familiar', 11, '9662caf489d119277cc3b04f918b1f12347bed860e832e307482c32ab8bd5243'],
  ] as const)('%s, seed %s, has the problems that it had before there were such worlds', (preset, seed, digest) => {
    const world = drawWorld(seed, preset);
    const problems = SPLITS.flatMap((split) => attributeProblems({ world, seed: 'golden', split, count: 60 }));
    expect(sha256(canonicalJson(problems))).toBe(digest);
    expect([...world.late, ...world.lateValues]).toEqual([]);
  });

  it('makes no late problems, nor does one with them for new words', () => {
    expect(() => late(drawWorld(1, 'strange'), 'train', 1)).toThrow(
      /expected a world with late attributes and a split of known words, got one without/,
    );
    expect(() => late(shifting(1), 'newWords', 1)).toThrow(/got the split newWords.*ask for train, development/);
  });
});

describe('a world with late attributes', () => {
  it('keeps two values of each kind, and names, that no problem has before they come', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, (seed, preset) => {
        const world = shifting(seed, preset);
        for (const kind of KINDS)
          expect(ATTRIBUTES[kind].filter((value) => world.lateValues.has(value))).toHaveLength(2);
        const asked = SPLITS.flatMap((split) => early(world, split, 90)).map(({ prompt }) => prompt.match(/\w+/g)!);
        const words = new Set(asked.flat());
        expect([...world.lateValues, ...world.late.keys()].filter((word) => words.has(word))).toEqual([]);
        const names = [...world.known.keys(), ...world.unseen.keys(), ...world.late.keys()];
        expect(names.toSorted()).toEqual([...NAMES].toSorted());
      }),
      FEW,
    );
  });

  it('has late problems each of which calls for a late attribute, of every domain and every late value', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, (seed, preset) => {
        const world = shifting(seed, preset);
        const values = new Set<string>();
        for (const split of LATE_SPLITS) {
          const problems = late(world, split, 90);
          expect([...new Set(problems.map(({ domain }) => domain))]).toEqual(LATE_DOMAINS);
          for (const problem of problems) {
            const own = quotedIn(problem, world).filter((value) => world.lateValues.has(value));
            expect(own).not.toEqual([]);
            if (split === 'train') for (const value of own) values.add(value);
            for (const [name, attributes] of readStatement(problem).described)
              expect(world.late.get(name)).toEqual([attributes]);
          }
        }
        expect(values).toEqual(world.lateValues);
        const things = [...world.late.values()].flat();
        for (const value of world.lateValues)
          expect(things.filter((thing) => KINDS.some((kind) => thing[kind] === value)).length).toBeGreaterThan(5);
      }),
      FEW,
    );
  });

  it('calls in no split for an entry of another one, late or not', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const world = shifting(seed);
        const learned = entriesOf([...early(world, 'train', 450), ...late(world, 'train', 450)], world);
        const others = LATE_SPLITS.slice(1).map((split) =>
          entriesOf([...early(world, split, 120), ...late(world, split, 120)], world),
        );
        const all = [learned, ...others];
        for (const [at, one] of all.entries())
          for (const other of all.slice(at + 1)) expect([...one.intersection(other)]).toEqual([]);
      }),
      FEW,
    );
  });

  it('is a function of its seed, and its problems of their place', () => {
    expect(shifting(3)).toEqual(shifting(3));
    expect([...shifting(3).lateValues]).not.toEqual([...shifting(4).lateValues]);
    const world = shifting(3);
    expect(late(shifting(3), 'train', 5, 7)).toEqual(late(world, 'train', 12).slice(7));
    const ids = [
      ...late(world, 'train', 30),
      ...early(world, 'train', 30),
      ...early(drawWorld(3, 'strange'), 'train', 30),
    ];
    expect(new Set(ids.map(({ problemId }) => problemId)).size).toBe(90);
  });

  it('has statements in the words of the shipped models, and the schemas of the same work', () => {
    const world = shifting(5);
    for (const problem of late(world, 'heldOut', 90)) {
      expect(unknownWords(problem.prompt)).toEqual([]);
      const schema = planSchemaFor(problem.domain)!;
      const entry = rightEntry(problem, world);
      expect(() => checkEntry(entryText(entry, schema), schema)).not.toThrow();
      expect(followPlan(problem, entry)).toMatch(new RegExp(`Answer: ${problem.reference}$`));
    }
    for (const [at, name] of LATE_DOMAINS.entries()) expect(planSchemaFor(name)).toEqual(planSchemaFor(DOMAINS[at]!));
  });
});

describe('a baseline where late attributes come', () => {
  const world = shifting('baselines');
  const random = Random.of('late attempts');
  const attemptsAt = (problems: Problems, blind: number): readonly Attempt[] =>
    problems.map((problem, at) => {
      const entry = at < blind ? randomPlan(problem, random) : rightEntry(problem, world);
      const success = followPlan(problem, entry).endsWith(`Answer: ${problem.reference}`);
      return { problem, entry: entryText(entry, planSchemaFor(problem.domain)!), success };
    });
  const before = attemptsAt(early(world, 'train', 3000), 2000);
  const after = [...before, ...attemptsAt(late(world, 'train', 3000), 2000)];
  const asked = late(world, 'heldOut', 200);
  const solved = (name: Parameters<typeof learnBaseline>[0], attempts: readonly Attempt[]): number => {
    const advise = learnBaseline(name, attempts);
    const right = asked.filter((problem) => {
      const advice = advise(problem);
      const entry = advice === null ? null : (JSON.parse(advice) as Parameters<typeof followPlan>[1]);
      return entry !== null && followPlan(problem, entry).endsWith(`Answer: ${problem.reference}`);
    });
    return right.length / asked.length;
  };

  it.each(['word table', 'table of quoted attributes'] as const)(
    'the %s knows nothing of them when they appear, and learns them from attempts at late problems',
    (name) => {
      expect(solved(name, before)).toBeLessThan(0.3);
      expect(solved(name, after)).toBeGreaterThan(0.75);
    },
  );

  it('finds a case of the same work, though no late problem was ever tried', () => {
    const similar = similarCases(before);
    for (const problem of asked.slice(0, 9)) {
      const found = similar(problem)[0];
      expect(stepsOf(JSON.parse(found!) as Parameters<typeof stepsOf>[0])).toHaveLength(
        quotedIn(problem, world).length,
      );
    }
  });
});
