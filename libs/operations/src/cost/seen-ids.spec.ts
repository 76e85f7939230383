/** Ids that were met, against a Set of the same. */
import { SeenIds } from './seen-ids.js';

describe('Ids that a reader has met', () => {
  it('are the ones that a Set has', () => {
    const seen = new SeenIds();
    const ids = Array.from({ length: 40_000 }, (_, at) => `acme/attempt-${at % 30_000}`);
    const known = new Set<string>();
    const wrong = ids.filter((id) => {
      const isNew = !known.has(id);
      known.add(id);
      return seen.has(id) === isNew || seen.add(id) !== isNew;
    });
    expect(wrong).toEqual([]);
    expect(ids.filter((id) => !seen.has(id) || seen.has(`${id}.`))).toEqual([]);
  });

  it('take at most 22 bytes each', () => {
    const seen = new SeenIds();
    for (let at = 0; at < 200_000; at++) seen.add(`acme/attempt-${at}`);
    const tables = (seen as unknown as { tables: { slots: Uint32Array }[] }).tables;
    expect(tables.reduce((sum, { slots }) => sum + slots.byteLength, 0)).toBeLessThan(22 * 200_000);
  });
});
