import { Random } from '@seamstream/kernel';
import { differenceOf, isWithin } from './agreement.js';

type Tensors = Parameters<typeof differenceOf>[0];

const SHAPES = { 'layers.0.weight': 6400, 'layers.0.bias': 4, norm: 8 };

const TOLERANCE = { weights: 0.05, change: 0.1 };

describe('the difference of two runs', () => {
  it('is 0 of equal weights, and grows with rounding errors in proportion', () => {
    for (let seed = 0; seed < 5; seed++) {
      const { start, along } = trained(Random.of('rounding', seed));
      const whole = along(1);
      expect(differenceOf(whole, along(1), start)).toEqual({ weights: 0, tensor: null, change: 0 });
      for (const noise of [1e-5, 1e-4, 1e-3]) {
        const { change } = differenceOf(whole, along(1, noise), start);
        expect(change).toBeGreaterThan((noise / 0.1) * 0.5);
        expect(change).toBeLessThan((noise / 0.1) * 2);
      }
    }
  });

  it('finds weights that were not trained, or a fifth too little, under the widest tolerance there is', () => {
    for (let seed = 0; seed < 5; seed++) {
      const { start, along } = trained(Random.of('untrained', seed));
      expect(differenceOf(along(1), start, start).change).toBeCloseTo(1, 5);
      expect(isWithin(differenceOf(along(1), start, start), TOLERANCE)).toBe(false);
      expect(isWithin(differenceOf(along(1), along(0.8), start), TOLERANCE)).toBe(false);
      expect(isWithin(differenceOf(along(1), along(0.99), start), TOLERANCE)).toBe(true);
    }
  });

  it('names a small tensor that is another one, however many weights agree', () => {
    for (let seed = 0; seed < 5; seed++) {
      const { start, along } = trained(Random.of('tampered', seed));
      const other = along(1);
      const bias = other.tensors.get('layers.0.bias')!.data;
      for (const [at, value] of bias.entries()) bias[at] = 1.1 * value;
      const difference = differenceOf(along(1), other, start);
      expect(difference.tensor).toBe('layers.0.bias');
      expect(difference.change).toBeLessThan(TOLERANCE.change);
      expect(isWithin(difference, TOLERANCE)).toBe(false);
    }
  });

  it('is infinite where tensors are missing, of another size, or no numbers', () => {
    const { start, along } = trained(Random.of('shapes'));
    const broken = along(1);
    broken.tensors.get('norm')!.data[3] = Number.NaN;
    const shorter: Tensors = {
      tensors: new Map([...along(1).tensors].map(([name, { data }]) => [name, { shape: [1], data: data.slice(0, 1) }])),
    };
    for (const other of [{ tensors: new Map() }, shorter, broken])
      expect(differenceOf(along(1), other, start).weights).toBe(Number.POSITIVE_INFINITY);
  });

  it('is infinite where weights that training did not move differ', () => {
    const { start } = trained(Random.of('unmoved'));
    const other = tensorsOf((name, at) => start.tensors.get(name)!.data[at]! + 1e-6);
    expect(differenceOf(start, other, start).change).toBe(Number.POSITIVE_INFINITY);
  });
});

/** Tensors whose every weight is made of the one at its place. */
function tensorsOf(weight: (name: string, at: number) => number): Tensors {
  return {
    tensors: new Map(
      Object.entries(SHAPES).map(([name, size]) => [
        name,
        { shape: [size], data: Float32Array.from({ length: size }, (_, at) => weight(name, at)) },
      ]),
    ),
  };
}

/** What training began with, what it made, and functions of both. */
function trained(random: Random) {
  const start = tensorsOf(() => random.normal());
  const moved = tensorsOf(() => 0.1 * random.normal());
  const valueOf = ({ tensors }: Tensors, name: string, at: number): number => tensors.get(name)!.data[at]!;
  const along = (share: number, noise = 0): Tensors =>
    tensorsOf((name, at) => valueOf(start, name, at) + share * valueOf(moved, name, at) + noise * random.normal());
  return { start, along };
}
