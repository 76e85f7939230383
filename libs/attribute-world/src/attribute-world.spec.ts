import { checkEntry, entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { Verifiers } from '@seamstream/verifiers';
import fc from 'fast-check';
import { ATTRIBUTES } from './attributes.js';
import { followCustom, followPlan, planEntry, planSchemaFor, randomPlan, rightEntry, stepsOf } from './entries.js';
import { CUSTOM, drawWorld, NAMES, PRESETS, SINGLE_PRESETS } from './lore.js';
import { DIAL, KINDS, moved, operatorsOf } from './operators.js';
import { attributeProblems, DOMAINS, readStatement, SPLITS, type Split } from './problems.js';

const anySeed = fc.integer({ min: 0, max: 1_000_000 });
const anyPreset = fc.constantFrom(...PRESETS);
const anySinglePreset = fc.constantFrom(...SINGLE_PRESETS);
const FEW = { numRuns: 25 };
const answerOf = (response: string): string => response.split('Answer: ')[1]!;
const problemsOf = (seed: number, preset: (typeof PRESETS)[number], split: Split, count = 60) => {
  const world = drawWorld(seed, preset);
  return { world, problems: attributeProblems({ world, seed: 'spec', split, count }) };
};
const solvedShare = (flags: readonly boolean[]): number => flags.filter(Boolean).length / flags.length;

describe('a world', () => {
  it('is a function of seed and preset, and another seed is another world', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, (seed, preset) => {
        expect(drawWorld(seed, preset)).toEqual(drawWorld(seed, preset));
        const other = drawWorld(seed + 1, preset);
        expect([...other.known]).not.toEqual([...drawWorld(seed, preset).known]);
      }),
      FEW,
    );
  });

  it('has new words whose every attribute is known and whose three attributes no known word has', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, (seed, preset) => {
        const { known, unseen } = drawWorld(seed, preset);
        const rows = (things: typeof known) =>
          [...things.values()].flat().map((thing) => KINDS.map((kind) => thing[kind]));
        const seen = new Set(rows(known).map((row) => row.join(' ')));
        const values = new Set(rows(known).flat());
        expect([...unseen.keys()].filter((name) => known.has(name))).toEqual([]);
        expect(rows(unseen).filter((row) => seen.has(row.join(' ')))).toEqual([]);
        expect(
          rows(unseen)
            .flat()
            .filter((value) => !values.has(value)),
        ).toEqual([]);
        // In a world of pairs a name says nothing: each may be like any of 200.
        expect(seen.size).toBe(preset === 'pairs' ? 200 : known.size);
      }),
      FEW,
    );
  });

  it('contradicts custom about every attribute when it is strange, and about four when it is familiar', () => {
    fc.assert(
      fc.property(anySeed, anySinglePreset, (seed, preset) => {
        const { lore } = drawWorld(seed, preset);
        const differing = [...lore].filter(([value, operator]) => CUSTOM.get(value) !== operator);
        expect(differing).toHaveLength(preset === 'strange' ? CUSTOM.size : 4);
        for (const kind of KINDS)
          for (const value of ATTRIBUTES[kind]) expect(operatorsOf(kind)).toContain(lore.get(value));
      }),
      FEW,
    );
  });

  it('has words that mean one thing each', () => {
    const operators = KINDS.flatMap(operatorsOf);
    const words = [...NAMES, ...Object.values(ATTRIBUTES).flat(), ...operators, ...DOMAINS];
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });
});

describe('the problems of a world', () => {
  it('are a function of world, seed, split and place', () => {
    const { world, problems } = problemsOf(1, 'strange', 'train', 12);
    const again = attributeProblems({
      world: drawWorld(1, 'strange'),
      seed: 'spec',
      split: 'train',
      count: 5,
      startIndex: 7,
    });
    expect(again).toEqual(problems.slice(7));
    expect(attributeProblems({ world, seed: 'other', split: 'train', count: 12 })).not.toEqual(problems);
    expect(() => attributeProblems({ world, seed: 1, split: 'train', count: -1 })).toThrow(
      /expected count to be a whole/,
    );
  });

  it('call in no split for an entry that another split calls for, with any words and any dial', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, (seed, preset) => {
        const entries = SPLITS.map((split) => {
          const { world, problems } = problemsOf(seed, preset, split, split === 'train' ? 900 : 150);
          return new Set(problems.map((problem) => rightEntry(problem, world).concepts.join(', ')));
        });
        const [train, ...others] = entries;
        for (const other of others) expect([...train!.intersection(other)]).toEqual([]);
        const [, development, validation, heldOut, newWords] = entries;
        for (const chosen of [development!, validation!])
          for (const reported of [heldOut!, newWords!]) expect([...chosen.intersection(reported)]).toEqual([]);
        expect([...development!.intersection(validation!)]).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('ask of every domain in every split, and call for several entries there', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, fc.constantFrom(...SPLITS), (seed, preset, split) => {
        const { world, problems } = problemsOf(seed, preset, split, 120);
        const byDomain = Map.groupBy(problems, ({ domain }) => domain);
        expect([...byDomain.keys()]).toEqual(DOMAINS);
        for (const own of byDomain.values())
          expect(new Set(own.map((problem) => rightEntry(problem, world).concepts.join())).size).toBeGreaterThan(4);
      }),
      FEW,
    );
  });

  it('describe known words as they are, and new words in the split for them alone', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, fc.constantFrom(...SPLITS), (seed, preset, split) => {
        const { world, problems } = problemsOf(seed, preset, split, 90);
        const known = split === 'development' ? world.development : world.known;
        const things = split === 'newWords' ? world.unseen : known;
        const described = problems.flatMap((problem) => [...readStatement(problem).described]);
        for (const [name, attributes] of described) expect(things.get(name)).toContainEqual(attributes);
      }),
      FEW,
    );
  });

  it('are solved by the entry of the lore, judged by the exact verifier, and by no other answer', async () => {
    const verifiers = new Verifiers();
    for (const preset of PRESETS) {
      const { world, problems } = problemsOf(7, preset, 'newWords', 30);
      for (const problem of problems) {
        const text = followPlan(problem, rightEntry(problem, world));
        const judge = async (response: string) =>
          (await verifiers.verify(problem.verifier, { text: response, finished: true }, problem.reference)).success;
        expect(await judge(text)).toBe(true);
        expect(await judge(`Answer: ${(Number(problem.reference) + 1) % DIAL}`)).toBe(false);
        expect(await judge(`Answer: ${problem.reference} and 3`)).toBe(false);
      }
    }
  });

  it('have one answer between 0 and 40, which the entry of the lore always reaches', () => {
    fc.assert(
      fc.property(anySeed, anyPreset, fc.constantFrom(...SPLITS), (seed, preset, split) => {
        const { world, problems } = problemsOf(seed, preset, split, 9);
        for (const problem of problems) {
          expect(answerOf(followPlan(problem, rightEntry(problem, world)))).toBe(problem.reference);
          expect(Number(problem.reference)).toBeGreaterThanOrEqual(0);
          expect(Number(problem.reference)).toBeLessThan(DIAL);
        }
      }),
      FEW,
    );
  });

  it('are hardly ever solved by custom in a strange world, and half of the time in a familiar one', () => {
    fc.assert(
      fc.property(anySeed, fc.constantFrom('heldOut' as const, 'newWords' as const), (seed, split) => {
        const share = (preset: (typeof PRESETS)[number]): number => {
          const { problems } = problemsOf(seed, preset, split, 600);
          return solvedShare(problems.map((problem) => answerOf(followCustom(problem)) === problem.reference));
        };
        expect(share('strange')).toBeLessThan(0.08);
        const familiar = share('familiar');
        expect(familiar).toBeGreaterThan(0.36);
        expect(familiar).toBeLessThan(0.64);
      }),
      { numRuns: 10 },
    );
  });

  it('are rarely solved by one who reads well and knows nothing, and by chance mostly where plans are short', () => {
    const { problems } = problemsOf(3, 'strange', 'heldOut', 600);
    const random = Random.of('chance');
    const solved = problems.map(
      (problem) => answerOf(followPlan(problem, randomPlan(problem, random))) === problem.reference,
    );
    expect(solvedShare(solved)).toBeLessThan(0.08);
  });
});

describe('an entry', () => {
  it('is valid under the schema of its domain, and is read back as it was written', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { world, problems } = problemsOf(seed, 'familiar', 'train', 6);
        for (const problem of problems) {
          const schema = planSchemaFor(problem.domain)!;
          const entry = rightEntry(problem, world);
          const text = entryText(entry, schema);
          expect(() => checkEntry(text, schema)).not.toThrow();
          expect(planEntry(stepsOf(JSON.parse(text) as typeof entry))).toEqual(entry);
          expect([3, 4, 6]).toContain(entry.concepts.length);
        }
      }),
      FEW,
    );
    expect(planSchemaFor('timber')).toBeUndefined();
    expect(() => stepsOf({ concepts: ['heavy double'] })).toThrow(/expected steps such as/);
  });

  it('quotes attributes of the things that are asked about, in their order', () => {
    const { problems, world } = problemsOf(5, 'strange', 'heldOut', 30);
    for (const problem of problems) {
      const { asked, described } = readStatement(problem);
      const quoted = stepsOf(rightEntry(problem, world)).map(({ value }) => value);
      const attributes = asked.flatMap((thing) => Object.values(described.get(thing)!));
      expect(attributes.filter((value) => quoted.includes(value))).toEqual(
        problem.domain === 'kiln' ? expect.arrayContaining(quoted) : quoted,
      );
    }
  });
});

describe('the dial', () => {
  it('moves by any operator to one of its numbers, and two operators of a kind differ', () => {
    for (const kind of KINDS) {
      const ways = operatorsOf(kind).map((operator) => Array.from({ length: DIAL }, (_, at) => moved(at, operator)));
      for (const way of ways) expect(way.every((at) => at >= 0 && at < DIAL)).toBe(true);
      expect(new Set(ways.map((way) => way.join(' '))).size).toBe(ways.length);
    }
    expect(() => moved(3, 'jump')).toThrow(/expected one of double/);
  });
});
