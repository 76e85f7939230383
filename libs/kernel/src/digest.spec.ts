import { canonicalJson, sha256 } from './digest.js';

describe('digests', () => {
  it('hashes the concatenation of its parts (FIPS 180-4 example "abc")', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256('abc')).toBe(abc);
    expect(sha256('a', new Uint8Array([98]), 'c')).toBe(abc);
  });

  it('writes equal values as equal text, whatever the order of their keys', () => {
    expect(canonicalJson({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}');
    expect(canonicalJson([3, 1])).toBe('[3,1]');
  });
});
