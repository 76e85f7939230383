import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import {
  AUGMENTATION_FAMILIES,
  type AugmentationFamily,
  augmentationsOf,
  randomRecolour,
  recolour,
  shift,
} from './augmentations.js';
import { printGrid } from './grid.js';
import { anyGrid } from './testing.js';

const GRID = [
  [1, 2, 3],
  [4, 5, 6],
];

const named = (family: AugmentationFamily, name: string) =>
  augmentationsOf(family, Random.of('example')).find((augmentation) => augmentation.name === name)!;

describe('an augmentation', () => {
  it.each([
    ['basic', 'rotate-90', '41\n52\n63'],
    ['basic', 'rotate-180', '654\n321'],
    ['basic', 'rotate-270', '36\n25\n14'],
    ['basic', 'flip-vertical', '456\n123'],
    ['basic', 'flip-horizontal', '321\n654'],
    ['basic', 'transpose', '14\n25\n36'],
    ['basic', 'mirror-above', '456\n123\n123\n456'],
    ['basic', 'mirror-below', '123\n456\n456\n123'],
    ['basic', 'mirror-left', '321123\n654456'],
    ['basic', 'mirror-right', '123321\n456654'],
    ['size', 'double-resolution', '112233\n112233\n445566\n445566'],
    ['size', 'double-height', '123\n123\n456\n456'],
    ['size', 'double-width', '112233\n445566'],
    ['chain', 'rotate-90-then-double-resolution', '4411\n4411\n5522\n5522\n6633\n6633'],
    ['chain', 'flip-vertical-then-double-resolution', '445566\n445566\n112233\n112233'],
    ['repeat', 'repeat-down', '123\n456\n123\n456'],
    ['repeat', 'repeat-right', '123123\n456456'],
    ['repeat', 'repeat-both', '123123\n456456\n123123\n456456'],
  ] as const)('of the family %s, %s, gives %j', (family, name, text) => {
    expect(printGrid(named(family, name).apply(GRID)!)).toBe(text);
  });

  it('moves cells around the edges, the same distance for every shape', () => {
    expect(printGrid(shift(1, 2).apply(GRID))).toBe('564\n231');
    expect(printGrid(shift(3, 3).apply([[1, 2]]))).toBe('21');
  });

  it('replaces colours and keeps the background', () => {
    expect(printGrid(recolour([0, 2, 1, 3, 4, 5, 6, 7, 9, 8]).apply([[0, 1, 2, 8]]))).toBe('0219');
    for (let seed = 0; seed < 50; seed++) {
      const { apply } = randomRecolour(Random.of(seed));
      const [colours] = apply([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
      expect(colours![0]).toBe(0);
      expect([...colours!].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  });
});

describe('the families', () => {
  it('have 11, 3, 6 and 3 augmentations, all of them with different names', () => {
    const families = AUGMENTATION_FAMILIES.map((family) => augmentationsOf(family, Random.of(0)));
    expect(families.map(({ length }) => length)).toEqual([11, 3, 6, 3]);
    expect(new Set(families.flat().map(({ name }) => name)).size).toBe(23);
  });

  it('draw the shift alone from the seed, and never one by nothing', () => {
    const namesOf = (seed: number) => augmentationsOf('basic', Random.of(seed)).map(({ name }) => name);
    const shifts = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const names = namesOf(seed);
      expect(namesOf(seed)).toEqual(names);
      expect(names.slice(0, -1)).toEqual(namesOf(0).slice(0, -1));
      shifts.add(names.at(-1)!);
    }
    expect(shifts.size).toBe(15);
    expect(shifts).not.toContain('shift-0-0');
  });
});

describe('an inverse', () => {
  const all = fc.nat().chain((seed) => {
    const random = Random.of(seed);
    return fc.constantFrom(
      ...AUGMENTATION_FAMILIES.flatMap((family) => augmentationsOf(family, random)),
      randomRecolour(random),
    );
  });

  it('gives back what was augmented', () => {
    fc.assert(
      fc.property(all, anyGrid(15), (augmentation, grid) => {
        expect(augmentation.inverse(augmentation.apply(grid)!)).toEqual(grid);
      }),
      { numRuns: 1000 },
    );
  });

  it('of a bijection is defined for every grid, and of an enlargement only for its results', () => {
    fc.assert(
      fc.property(all, anyGrid(8), (augmentation, grid) => {
        const before = augmentation.inverse(grid);
        if (augmentation.kind === 'bijection') expect(before).toBeDefined();
        if (before !== undefined) expect(augmentation.apply(before)).toEqual(grid);
      }),
      { numRuns: 1000 },
    );
    const doubled = named('size', 'double-width');
    expect([doubled.inverse([[1, 1, 2]]), doubled.inverse([[1, 2]]), doubled.inverse([[1, 1]])]).toEqual([
      undefined,
      undefined,
      [[1]],
    ]);
  });

  it('is not needed for what would become larger than 30 cells', () => {
    const wide = [Array.from({ length: 16 }, () => 1)];
    expect(named('size', 'double-width').apply(wide)).toBeUndefined();
    expect(named('size', 'double-height').apply(wide)).toHaveLength(2);
    expect(named('size', 'double-width').apply([wide[0]!.slice(1)])![0]).toHaveLength(30);
  });
});
