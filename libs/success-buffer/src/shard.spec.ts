import fc from 'fast-check';
import { newestVersions, shardName, shardNameOf, shardOf, shardsOf, wholeBuffer } from './index.js';

describe('the shard of a domain', () => {
  it('is pinned: another hash would give domains to shards that know nothing of them', () => {
    const domains = ['sums', 'words', 'fractions', 'timber', 'Grüße', ''];
    expect(domains.map((domain) => shardOf(domain, 3))).toEqual([1, 0, 2, 1, 2, 2]);
    expect(domains.map((domain) => shardOf(domain, 7))).toEqual([6, 3, 0, 3, 3, 1]);
  });

  it('is one of the shards, all of which get domains', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (domain, shards) => {
        expect(shardsOf(shards).map(({ index }) => index)).toContain(shardOf(domain, shards));
      }),
    );
    const hit = new Set(Array.from({ length: 200 }, (_, index) => shardOf(`domain ${index}`, 12)));
    expect(hit.size).toBe(12);
    expect(shardOf('anything', 1)).toBe(0);
  });

  it('has a name with the number of shards in it', () => {
    expect(shardsOf(3).map(shardName)).toEqual(['0of3', '1of3', '2of3']);
    expect(() => shardsOf(0)).toThrow('expected 1, 2, 3, … shards, got 0');
  });
});

describe('the versions that are the buffer', () => {
  const version = (shard: number, shards: number, sequence: number) => ({ shard, shards, sequence });

  it('are the newest of each shard, in any order of commits', () => {
    const versions = [version(1, 2, 2), version(0, 2, 1), version(1, 2, 1), version(0, 2, 3), version(0, 2, 2)];
    expect(newestVersions(versions)).toEqual([version(0, 2, 3), version(1, 2, 2)]);
    expect(wholeBuffer(newestVersions(versions))).toHaveLength(2);
  });

  it('are incomplete as long as one shard lacks a version, and never of two divisions', () => {
    expect(wholeBuffer([version(0, 2, 4)])).toEqual([]);
    expect(wholeBuffer([version(0, 2, 4), version(1, 3, 4)])).toEqual([]);
    expect(wholeBuffer([])).toEqual([]);
    const mixed = newestVersions([version(0, 1, 9), version(0, 2, 1)]);
    expect(mixed).toHaveLength(2);
    expect(wholeBuffer(mixed).map(shardNameOf)).toEqual(['0of1']);
  });
});
