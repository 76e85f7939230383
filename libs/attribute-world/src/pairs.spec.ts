import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { ATTRIBUTES, type Attributes } from './attributes.js';
import { drawWorld, type World } from './lore.js';
import { KINDS, operatorsOf } from './operators.js';
import { drawCombinations, PARTNER, pairOf } from './pairs.js';
import { attributeProblems, readStatement, SPLITS, type Split } from './problems.js';

const anySeed = fc.integer({ min: 0, max: 1_000_000 });
const FEW = { numRuns: 20 };
const pairsOf = (thing: Attributes): readonly string[] => KINDS.map((kind) => pairOf(thing[kind], kind, thing));
const pairsIn = ({ seed, ...world }: World, split: Split, count: number): ReadonlySet<string> =>
  new Set(
    attributeProblems({ world: { seed, ...world }, seed: 'spec', split, count }).flatMap((problem) =>
      [...readStatement(problem).described.values()].flatMap(pairsOf),
    ),
  );

describe('a world of pairs', () => {
  it('has an operator for every attribute with every partner, two of them for each attribute and all three for no partner', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { lore } = drawWorld(seed, 'pairs');
        expect(lore.size).toBe(192);
        for (const kind of KINDS)
          for (const value of ATTRIBUTES[kind]) {
            const own = ATTRIBUTES[PARTNER[kind]].map((partner) => lore.get(`${value} ${partner}`)!);
            const counts = [...Map.groupBy(own, (operator) => operator).values()].map(({ length }) => length);
            expect(counts.toSorted()).toEqual([3, 5]);
            for (const operator of own) expect(operatorsOf(kind)).toContain(operator);
          }
      }),
      FEW,
    );
  });

  it('has partners that turn every attribute of a kind to its next operator, or none', () => {
    fc.assert(
      fc.property(anySeed, fc.constantFrom(...KINDS), (seed, kind) => {
        const { lore } = drawWorld(seed, 'pairs');
        const place = (value: string, partner: string): number =>
          operatorsOf(kind).indexOf(lore.get(`${value} ${partner}`)!);
        const [first, ...others] = ATTRIBUTES[PARTNER[kind]];
        for (const partner of others) {
          const turns = ATTRIBUTES[kind].map((value) => (place(value, partner) - place(value, first!) + 3) % 3);
          expect(new Set(turns).size).toBe(1);
        }
      }),
      FEW,
    );
  });

  it('holds a quarter of all pairs out of training, and has problems of such pairs alone to choose on and to report', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const world = drawWorld(seed, 'pairs');
        const asked = Object.fromEntries(SPLITS.map((split) => [split, pairsIn(world, split, 600)])) as Record<
          Split,
          ReadonlySet<string>
        >;
        const isHeldOut = (pair: string): boolean => !asked.train.has(pair);
        expect([asked.train.size, asked.newWords.size]).toEqual([144, 40]);
        for (const split of ['validation', 'heldOut'] as const) expect([...asked[split]].filter(isHeldOut)).toEqual([]);
        for (const split of ['development', 'newWords'] as const)
          expect([...asked[split]].filter((pair) => !isHeldOut(pair))).toEqual([]);
        // Of weight and matter none is in both; of the other kinds 16 are.
        const inBoth = [...asked.newWords].filter((pair) => asked.development.has(pair));
        expect(inBoth).toHaveLength(16);
        expect(inBoth.filter((pair) => ATTRIBUTES.weight.some((weight) => pair.startsWith(`${weight} `)))).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  it('trains on every attribute with six partners, and on none with the other two', () => {
    fc.assert(
      fc.property(anySeed, (seed) => {
        const { known, development, unseen } = drawCombinations(Random.of(seed));
        expect([known, development, unseen].map(({ length }) => length)).toEqual([200, 8, 16]);
        const partners = Map.groupBy([...new Set(known.flatMap(pairsOf))], (pair) => pair.split(' ')[0]!);
        expect([...partners.values()].map(({ length }) => length)).toEqual(Array.from({ length: 24 }, () => 6));
      }),
      FEW,
    );
  });

  it('says nothing by names: one name is described in many ways', () => {
    const problems = attributeProblems({ world: drawWorld(1, 'pairs'), seed: 'spec', split: 'train', count: 900 });
    const described = problems.flatMap((problem) => [...readStatement(problem).described]);
    for (const own of Map.groupBy(described, ([name]) => name).values())
      expect(new Set(own.map(([, thing]) => Object.values(thing).join(' '))).size).toBeGreaterThan(4);
  });

  it('has no late attributes', () => {
    expect(() => drawWorld(1, 'pairs', { hasLateAttributes: true })).toThrow(
      /expected strange or familiar with late attributes, got pairs/,
    );
  });
});
