import { Random } from './random.js';

describe('Random', () => {
  it('gives the same stream for the same seed parts and another for others', () => {
    const draw = (random: Random) => Array.from({ length: 8 }, () => random.uint32());
    expect(draw(Random.of('a', 1))).toEqual(draw(Random.of('a', 1)));
    expect(draw(Random.of('a', 1))).not.toEqual(draw(Random.of('a', 2)));
    expect(draw(Random.of('a', '1'))).toEqual(draw(Random.of('a', 1)));
    expect(draw(Random.of('ab', 'c'))).not.toEqual(draw(Random.of('a', 'bc')));
  });

  it('keeps its stream across releases: logged seeds must stay reproducible', () => {
    const random = Random.of('golden');
    expect([random.uint32(), random.uint32(), random.uint32()]).toEqual([2602186330, 445613205, 1190143359]);
  });

  it('spreads floats over [0, 1) with mean 1/2 and variance 1/12', () => {
    const random = Random.of('floats');
    const draws = Array.from({ length: 100_000 }, () => random.float());
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(Math.min(...draws.slice(0, 50_000))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws.slice(0, 50_000))).toBeLessThan(1);
    expect(mean).toBeCloseTo(1 / 2, 2); // standard error 0.001
    expect(variance).toBeCloseTo(1 / 12, 2);
  });

  it('draws every integer below the bound about equally often', () => {
    const random = Random.of('integers');
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) counts[random.int(10)]!++;
    const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    expect(chiSquare).toBeLessThan(27.9); // 0.999 quantile with 9 degrees of freedom
  });

  it('shuffles into every order and leaves the input alone', () => {
    const random = Random.of('shuffle');
    const input = ['a', 'b', 'c'];
    const orders = new Set(Array.from({ length: 200 }, () => random.shuffled(input).join('')));
    expect(orders.size).toBe(6);
    expect(input).toEqual(['a', 'b', 'c']);
  });

  it('draws standard normal numbers', () => {
    const random = Random.of('normal');
    const draws = Array.from({ length: 50_000 }, () => random.normal());
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(variance).toBeCloseTo(1, 1);
  });

  it('refuses to pick from nothing', () => {
    expect(() => Random.of('x').pick([])).toThrow('the list is empty');
  });
});
