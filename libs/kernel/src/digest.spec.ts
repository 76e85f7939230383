import fc from 'fast-check';
import { canonicalJson, sha256 } from './digest.js';

describe('digests', () => {
  it('hashes the concatenation of its parts (FIPS 180-4 example "abc")', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256('abc')).toBe(abc);
    expect(sha256('a', new Uint8Array([98]), 'c')).toBe(abc);
  });

  it('writes equal values as equal text, in any order of their keys', () => {
    expect(canonicalJson({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}');
    expect(canonicalJson([3, 1])).toBe('[3,1]');
  });

  it('writes what JSON.stringify writes of the same value with its entries sorted', () => {
    const sorting = (_key: string, inner: unknown): unknown =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : inner;
    const anything = fc.anything({ withDate: true, withTypedArray: true, withMap: true });
    fc.assert(
      fc.property(anything, (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(value, sorting));
      }),
      { numRuns: 500 },
    );
    const odd = {
      when: new Date(0),
      bytes: Buffer.from('ab'),
      ['__proto__']: { b: 1, a: 2 },
      10: 'x',
      9: 'y',
      not: undefined,
    };
    expect(canonicalJson([odd, undefined])).toBe(JSON.stringify([odd, undefined], sorting));
  });
});
