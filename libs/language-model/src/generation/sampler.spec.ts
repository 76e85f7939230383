import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { sampleToken } from './sampler.js';

const plain = { temperature: 1, topK: 0, topP: 1 };
const LOGITS = Float32Array.of(Math.log(1), Math.log(2), Math.log(3), Math.log(4)); // p = .1, .2, .3, .4

/** Frequencies of each id over n draws. */
function frequencies(
  n: number,
  settings: Partial<typeof plain>,
  legal: number[] | null = null,
  seed = 'sampler',
): number[] {
  const counts = new Array<number>(LOGITS.length).fill(0);
  const random = Random.of(seed);
  const mask = legal === null ? null : Int32Array.from(legal);
  for (let i = 0; i < n; i++) counts[sampleToken(LOGITS, mask, { ...plain, ...settings }, random).id]!++;
  return counts;
}

function chiSquare(counts: readonly number[], probabilities: readonly number[]): number {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count, i) => {
    const expected = n * probabilities[i]!;
    if (expected === 0) return count === 0 ? sum : Number.POSITIVE_INFINITY;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
}

// 99.9 % quantile of χ² with 3 degrees of freedom; with fewer degrees the test is only stricter on us.
const CHI_SQUARE_LIMIT = 16.27;

describe('sampling a token', () => {
  it('records ln p under softmax over all tokens', () => {
    const { id, logProb, legalMass } = sampleToken(LOGITS, null, { ...plain, temperature: 0 }, Random.of('x'));
    expect(id).toBe(3);
    expect(logProb).toBeCloseTo(Math.log(0.4), 6);
    expect(legalMass).toBe(1);
  });

  it('records ln p under softmax over the legal tokens, and their share of the whole', () => {
    const { id, logProb, legalMass } = sampleToken(
      LOGITS,
      Int32Array.of(0, 2),
      { ...plain, temperature: 0 },
      Random.of('x'),
    );
    expect(id).toBe(2);
    expect(logProb).toBeCloseTo(Math.log(0.75), 6);
    expect(legalMass).toBeCloseTo(0.4, 6);
  });

  it('records before temperature, top-k and top-p, regardless of their values', () => {
    for (const settings of [{ temperature: 0.3 }, { topK: 1 }, { topP: 0.1 }, { temperature: 5, topK: 2, topP: 0.9 }]) {
      const { id, logProb } = sampleToken(LOGITS, null, { ...plain, ...settings }, Random.of('y'));
      expect(logProb).toBeCloseTo(Math.log((id + 1) / 10), 6);
    }
  });

  it('agrees with exact enumeration: legal probabilities sum to one and factor the unmasked ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -80, max: 80, noNaN: true }), { minLength: 2, maxLength: 12 }),
        fc.nat(),
        (values, seed) => {
          const logits = Float32Array.from(values);
          const random = Random.of(seed);
          const legal = Int32Array.from([...logits.keys()].filter((id) => id === 0 || random.int(2) === 0));
          const whole = Array.from(logits, (logit) => Math.exp(logit - Math.max(...logits)));
          const sum = whole.reduce((a, b) => a + b, 0);
          let total = 0;
          for (const id of legal) {
            const { id: drawn, logProb, legalMass } = sampleToken(logits, legal, plain, Random.of(seed, id));
            expect(Math.exp(logProb) * legalMass).toBeCloseTo(whole[drawn]! / sum, 9);
            total += Math.exp(logits[id]! - Math.max(...Array.from(legal, (each) => logits[each]!)));
          }
          const { id, logProb } = sampleToken(logits, legal, { ...plain, temperature: 0 }, random);
          expect(Math.exp(logProb)).toBeCloseTo(1 / total, 9);
          expect(id).toBe(
            legal.find((each) => logits[each] === Math.max(...Array.from(legal, (other) => logits[other]!))),
          );
        },
      ),
    );
  });

  it('draws and records the same with the softmax at hand', () => {
    const probabilities = Float32Array.of(0.1, 0.2, 0.3, 0.4);
    for (const legal of [null, Int32Array.of(1, 3)]) {
      for (let draw = 0; draw < 50; draw++) {
        const without = sampleToken(LOGITS, legal, plain, Random.of('softmax', draw));
        const having = sampleToken(LOGITS, legal, plain, Random.of('softmax', draw), probabilities);
        expect(having.id).toBe(without.id);
        expect(having.logProb).toBeCloseTo(without.logProb, 6);
        expect(having.legalMass).toBeCloseTo(without.legalMass, 6);
      }
    }
    expect(() => sampleToken(Float32Array.of(NaN, 1), null, plain, Random.of('x'), Float32Array.of(NaN, NaN))).toThrow(
      expect.objectContaining({ code: 'NON_FINITE' }) as Error,
    );
  });

  it('records the share of the legal tokens by the softmax at hand, with its rounding', () => {
    // Not the softmax of the logits, so that it shows whose sum is recorded.
    const probabilities = Float32Array.of(0.5, 0.125, 0.25, 0.125);
    const massOf = (legal: number[], of: Float32Array) =>
      sampleToken(LOGITS, Int32Array.from(legal), plain, Random.of('x'), of).legalMass;
    expect(massOf([0, 2], probabilities)).toBe(0.75);
    expect(massOf([0, 1, 2, 3], Float32Array.of(0.5, 0.5, 0.5, 0.5))).toBe(1);
    // What float32 has lost is computed from the logits.
    expect(massOf([0, 2], new Float32Array(4))).toBeCloseTo(0.4, 6);
  });

  it('takes the lowest id among equals when greedy', () => {
    expect(sampleToken(Float32Array.of(1, 5, 5, 5), null, { ...plain, temperature: 0 }, Random.of('x')).id).toBe(1);
    expect(
      sampleToken(Float32Array.of(1, 5, 5, 5), Int32Array.of(0, 2, 3), { ...plain, temperature: 0 }, Random.of('x')).id,
    ).toBe(2);
  });

  it.each<[string, Partial<typeof plain>, number[] | null, number[]]>([
    ['the softmax itself', {}, null, [0.1, 0.2, 0.3, 0.4]],
    ['the softmax over the legal tokens', {}, [0, 1, 3], [1 / 7, 2 / 7, 0, 4 / 7]],
    ['p^(1/T) at temperature 1/2', { temperature: 0.5 }, null, [1 / 30, 4 / 30, 9 / 30, 16 / 30]],
    ['the two most probable at top-k 2', { topK: 2 }, null, [0, 0, 3 / 7, 4 / 7]],
    ['the smallest set that reaches p at top-p 0.65', { topP: 0.65 }, null, [0, 0, 3 / 7, 4 / 7]],
    ['three tokens where two do not reach p', { topP: 0.75 }, null, [0, 2 / 9, 3 / 9, 4 / 9]],
    ['top-p of what top-k left', { topK: 3, topP: 0.77 }, null, [0, 0, 3 / 7, 4 / 7]],
    ['top-k of the legal tokens', { topK: 2 }, [0, 1, 2], [0, 0.4, 0.6, 0]],
  ])('draws from %s', (_, settings, legal, expected) => {
    expect(chiSquare(frequencies(20_000, settings, legal), expected)).toBeLessThan(CHI_SQUARE_LIMIT);
  });

  it('is a function of the random stream, and leaves the stream alone where there is nothing to choose', () => {
    expect(frequencies(100, {}, null, 'a')).toEqual(frequencies(100, {}, null, 'a'));
    const random = Random.of('untouched');
    sampleToken(LOGITS, Int32Array.of(2), plain, random);
    sampleToken(LOGITS, null, { ...plain, temperature: 0 }, random);
    expect(random.float()).toBe(Random.of('untouched').float());
  });

  it('never draws a token of probability zero, and copes with extreme logits', () => {
    const logits = Float32Array.of(Number.NEGATIVE_INFINITY, -3e38, 3e38, 0);
    const random = Random.of('extreme');
    for (let i = 0; i < 100; i++)
      expect(sampleToken(logits, null, plain, random)).toEqual({ id: 2, logProb: 0, legalMass: 1 });
    const { legalMass, logProb } = sampleToken(logits, Int32Array.of(0, 3), plain, random);
    expect([legalMass, logProb]).toEqual([0, 0]);
  });

  it('refuses NaN, +Infinity and a row without any possible token, naming the token', () => {
    expect(() => sampleToken(Float32Array.of(0, Number.NaN), null, plain, Random.of('x'))).toThrow(/token 1 is NaN/);
    expect(() => sampleToken(Float32Array.of(0, Number.NaN), Int32Array.of(0), plain, Random.of('x'))).toThrow(
      /token 1 is NaN/,
    );
    expect(() => sampleToken(Float32Array.of(Number.POSITIVE_INFINITY, 0), null, plain, Random.of('x'))).toThrow(
      /token 0 is Infinity/,
    );
    expect(() =>
      sampleToken(Float32Array.of(0, Number.NEGATIVE_INFINITY), Int32Array.of(1), plain, Random.of('x')),
    ).toThrow(/−Infinity/);
    expect(() => sampleToken(LOGITS, new Int32Array(0), plain, Random.of('x'))).toThrow(/no token is legal/);
  });
});

describe('sampling among very many tokens', () => {
  const V = 20_000;
  const random = Random.of('many');
  const logits = Float32Array.from({ length: V }, () => 3 * random.normal());
  const largest = logits.reduce((a, b) => Math.max(a, b));
  const exponentials = Array.from(logits, (logit) => Math.exp(logit - largest));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  const probabilities = Float32Array.from(exponentials, (value) => value / sum);
  const legal = Int32Array.from([...logits.keys()].filter((id) => id % 20 !== 7));

  /** Sorts everything, in 64 bits. */
  function reference(settings: typeof plain, ids: readonly number[], stream: Random): { id: number; logProb: number } {
    const mass = ids.reduce((total, id) => total + exponentials[id]!, 0);
    const weights = ids.map((id) => ({ id, weight: exponentials[id]! ** (1 / settings.temperature) }));
    let kept = weights;
    if (settings.topK > 0 || settings.topP < 1) {
      kept = [...weights].sort((a, b) => b.weight - a.weight || a.id - b.id);
      if (settings.topK > 0) kept = kept.slice(0, settings.topK);
      const total = kept.reduce((all, { weight }) => all + weight, 0);
      let reached = 0;
      const last = kept.findIndex(({ weight }) => (reached += weight) >= settings.topP * total);
      kept = kept.slice(0, last + 1);
    }
    let point = stream.float() * kept.reduce((all, { weight }) => all + weight, 0);
    const drawn = kept.find(({ weight }) => (point -= weight) < 0)!;
    return { id: drawn.id, logProb: Math.log(exponentials[drawn.id]! / mass) };
  }

  it.each([
    { temperature: 1, topK: 0, topP: 1 },
    { temperature: 0.6, topK: 0, topP: 1 },
    { temperature: 1.3, topK: 20, topP: 1 },
    { temperature: 0.7, topK: 500, topP: 0.9 },
    { temperature: 1, topK: 0, topP: 0.95 },
  ])('draws and records as by sorting them all: %j', (settings) => {
    for (const ids of [null, legal]) {
      for (let draw = 0; draw < 12; draw++) {
        const got = sampleToken(logits, ids, settings, Random.of('draw', draw), probabilities);
        const expected = reference(settings, ids ? [...ids] : [...logits.keys()], Random.of('draw', draw));
        expect(got.id).toBe(expected.id);
        expect(Math.abs(got.logProb - expected.logProb)).toBeLessThan(1e-5);
        expect(got.legalMass).toBeCloseTo(ids ? ids.reduce((all, id) => all + exponentials[id]! / sum, 0) : 1, 5);
      }
    }
  });

  it('refuses what is not a number there too', () => {
    const broken = logits.slice();
    broken[19_999] = Number.NaN;
    const softmax = new Float32Array(V).fill(Number.NaN);
    expect(() => sampleToken(broken, legal, plain, Random.of('x'), softmax)).toThrow(
      expect.objectContaining({ code: 'NON_FINITE' }) as Error,
    );
  });
});
