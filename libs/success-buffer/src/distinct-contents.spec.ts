import fc from 'fast-check';
import type { Candidate } from './candidate.js';
import { Changes } from './changes.js';
import { DistinctContents } from './distinct-contents.js';

const SETTINGS = { scope: 'domain', threshold: 0.6, shingleWords: 1 } as never;

describe('the best of contents that resemble each other', () => {
  it('is what the candidates that are there would give alone, regardless of those that were there before', () => {
    const drawn = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(2)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.boolean()), (facts, moves) => {
        const all = facts.map(([family, variant, help], id) => candidate(id, family, variant, help));
        const kept = new DistinctContents(SETTINGS);
        const best = new Set<Candidate>();
        let present: Candidate[] = [];
        for (let round = 0; round < 4; round++) {
          const next = all.filter(() => moves.next().value);
          const news = kept.update(
            changes(
              present.filter((each) => !next.includes(each)),
              next.filter((each) => !present.includes(each)),
            ),
          );
          for (const each of news.left) best.delete(each);
          for (const each of news.entered) best.add(each);
          present = next;
          const alone = new DistinctContents(SETTINGS);
          expect(best).toEqual(new Set(alone.update(changes([], present)).entered));
          for (const each of present) expect(kept.bestOf(each)).toEqual(alone.bestOf(each));
        }
      }),
      { numRuns: 200, seed: 18 },
    );
  });

  it('is found among what is left of a bucket after another cluster of it went', () => {
    const kept = new DistinctContents(SETTINGS);
    const [gone, stays, comes] = [candidate(0, 0, 0, 0), candidate(1, 1, 0, 1), candidate(2, 1, 1, 0)];
    kept.update(changes([], [gone, stays]));
    kept.update(changes([gone], []));
    expect([...kept.update(changes([], [comes])).entered]).toEqual([]);
    expect(kept.bestOf(comes).ofCluster).toBe(stays);
  });
});

/** One of few texts: those of a family share four of five words. @param help the higher, the better */
function candidate(id: number, family: number, variant: number, help: number): Candidate {
  const text = `${['w', 'x', 'y', 'z'].map((word) => `${word}${family}`).join(' ')} v${variant}`;
  return {
    group: { groupId: `g${id}` },
    pair: { outcomeId: `o${id}`, experienceId: `e${id}` },
    classOfHelp: help,
    traits: { contentDigest: text, text, bucket: 'arithmetic', priority: String(id).padStart(3, '0') },
  } as unknown as Candidate;
}

function changes(left: readonly Candidate[], entered: readonly Candidate[]): Changes<Candidate> {
  const all = new Changes<Candidate>();
  for (const each of left) all.leave(each);
  for (const each of entered) all.enter(each);
  return all;
}
