import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { minHash, NearDuplicateClusters } from './clusters.js';
import { jaccard, shingleSet } from './shingles.js';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 })
  .map((words) => words.join(' '));

describe('shingles', () => {
  it('do not depend on case, punctuation or white space', () => {
    expect(shingleSet('Oak 3,  ash 7!', 2)).toEqual(shingleSet('oak 3 ASH\n7', 2));
    expect(shingleSet('oak 3 ash 7', 2)).not.toEqual(shingleSet('oak 3 ash 8', 2));
  });

  it('are a set: repeats count once, and a short text is one shingle', () => {
    expect(shingleSet('a b a b a b', 2)).toHaveLength(2); // "a b", "b a"
    expect(shingleSet('a b', 3)).toHaveLength(1);
    expect(shingleSet('…', 3)).toHaveLength(0);
  });

  it('take every character of a script without spaces as a word', () => {
    expect(shingleSet('橡木三块', 2)).toHaveLength(3);
  });

  it('have the Jaccard similarity of their sets', () => {
    // {ab, bc, cd} and {ab, bc, ce}: 2 shared of 4.
    expect(jaccard(shingleSet('a b c d', 2), shingleSet('a b c e', 2))).toBe(0.5);
    expect(jaccard(shingleSet('a b', 2), shingleSet('c d', 2))).toBe(0);
    expect(jaccard(shingleSet('', 2), shingleSet('', 2))).toBe(1);
  });
});

describe('MinHash', () => {
  it('estimates the Jaccard similarity by the share of equal minima', () => {
    const random = Random.of('minhash');
    const shared = Array.from({ length: 60 }, () => random.uint32() | 0);
    const own = (): number[] => Array.from({ length: 20 }, () => random.uint32() | 0);
    let agreement = 0;
    const trials = 50;
    for (let trial = 0; trial < trials; trial++) {
      const a = minHash(Int32Array.from([...shared, ...own()]));
      const b = minHash(Int32Array.from([...shared, ...own()]));
      agreement += a.filter((value, i) => value === b[i]).length / a.length / trials;
    }
    // 60 shared of 100; the signatures are correlated over trials by the shared part, hence three digits of slack.
    expect(Math.abs(agreement - 0.6)).toBeLessThan(0.05);
  });
});

describe('near-duplicate clusters', () => {
  const clustersOf = (texts: readonly string[]): number[][] => {
    const clusters = new NearDuplicateClusters({ threshold: 0.6, shingleWords: 2 });
    const numbers = texts.map((each) => clusters.add(each));
    const roots = numbers.map((id) => clusters.clusterOf(id));
    return roots.map((root) => roots.flatMap((other, index) => (other === root ? [index] : [])));
  };

  it('are the same for every order of arrival', () => {
    const shuffled = fc
      .uniqueArray(text, { minLength: 2, maxLength: 30 })
      .chain((texts) => fc.tuple(fc.constant(texts), fc.shuffledSubarray(texts, { minLength: texts.length })));
    fc.assert(
      fc.property(shuffled, ([texts, order]) => {
        const namesOf = (names: readonly string[]): Map<string, string> =>
          new Map(
            clustersOf(names).map((members, i) => [
              names[i]!,
              members
                .map((j) => names[j]!)
                .sort()
                .join('|'),
            ]),
          );
        const [a, b] = [namesOf(texts), namesOf(order)];
        for (const name of texts) expect(b.get(name)).toBe(a.get(name));
      }),
    );
  });

  it('are those of the texts that are left, regardless of what was added and removed before', () => {
    const steps = fc.array(fc.record({ text, isGone: fc.boolean() }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(steps, (history) => {
        const clusters = new NearDuplicateClusters({ threshold: 0.6, shingleWords: 2 });
        const left = new Map<number, string>();
        const add = (each: string): void => {
          const others: number[] = [];
          const before = new Map([...left.keys()].map((id) => [id, clusters.clusterOf(id)]));
          const id = clusters.add(each, (other) => others.push(other));
          expect(left.has(id)).toBe(false);
          // It got one text of each cluster that it joined.
          const joined = [...left.keys()].filter((other) => clusters.clusterOf(other) === clusters.clusterOf(id));
          expect(new Set(others.map((other) => before.get(other)))).toEqual(
            new Set(joined.map((of) => before.get(of))),
          );
          expect(others).toHaveLength(new Set(joined.map((of) => before.get(of))).size);
          left.set(id, each);
        };
        for (const { text: each, isGone } of history) {
          add(each);
          const [first] = left.keys();
          if (!isGone || first === undefined) continue;
          const cluster = [...left.keys()].filter((id) => clusters.clusterOf(id) === clusters.clusterOf(first));
          const staying = cluster.slice(1).map((id) => left.get(id)!);
          clusters.removeCluster(cluster);
          for (const id of cluster) left.delete(id);
          for (const stays of staying) add(stays);
        }
        expect(clusters.size).toBe(left.size);
        const ids = [...left.keys()];
        const roots = ids.map((id) => clusters.clusterOf(id));
        expect(roots.map((root) => roots.flatMap((other, index) => (other === root ? [index] : [])))).toEqual(
          clustersOf([...left.values()]),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('join what is similar directly or through others, and nothing else', () => {
    const chain = ['a b c d e f g h', 'a b c d e f g x', 'z b c d e f g x', 'p q r s t u v w'];
    expect(clustersOf(chain)).toEqual([[0, 1, 2], [0, 1, 2], [0, 1, 2], [3]]);
  });

  it('join at the threshold exactly', () => {
    const clusters = new NearDuplicateClusters({ threshold: 0.5, shingleWords: 2 });
    // {ab, bc, cd} and {ab, bc, ce}: 2 shared of 4. Found by the bands with probability 0.87; these two are.
    const [first, second] = [clusters.add('a b c d'), clusters.add('a b c e')];
    expect(clusters.clusterOf(first)).toBe(clusters.clusterOf(second));
  });

  it('find planted copies with 2 to 6 of 100 words changed, and join no others', () => {
    const random = Random.of('planted');
    const vocabulary = Array.from({ length: 3000 }, (_, i) => `w${i}`);
    const clusters = new NearDuplicateClusters({ threshold: 0.7, shingleWords: 3 });
    const expected: number[] = [];
    const actual: number[] = [];
    for (let original = 0; original < 300; original++) {
      const words = Array.from({ length: 100 }, () => random.pick(vocabulary));
      const copy = [...words];
      for (let change = 0; change < 2 + (original % 5); change++) copy[random.int(100)] = random.pick(vocabulary);
      const [first, second] = [clusters.add(words.join(' ')), clusters.add(copy.join(' '))];
      expected.push(jaccard(shingleSet(words.join(' '), 3), shingleSet(copy.join(' '), 3)) >= 0.7 ? 1 : 0);
      actual.push(clusters.clusterOf(first) === clusters.clusterOf(second) ? 1 : 0);
    }
    expect(actual).toEqual(expected);
    expect(new Set(Array.from({ length: 600 }, (_, id) => clusters.clusterOf(id))).size).toBe(
      600 - actual.reduce((a, b) => a + b, 0),
    );
  });
});
