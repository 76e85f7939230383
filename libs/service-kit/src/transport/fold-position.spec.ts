import type { DeliveredBatch } from './delivery.js';
import { FoldPosition } from './fold-position.js';

const committed = (partition: number, nextOffset: number) => ({ topic: 't', partition, nextOffset });

function batch(partition: number, firstOffset: number, nextOffset: number, token: number): DeliveredBatch {
  const claim = { group: 'g', memberId: 'm', token: { partition, generation: token } };
  const { signal } = new AbortController();
  return { topic: 't', partition, firstOffset, nextOffset, claim, records: [], signal, report: () => undefined };
}

describe('the places that a state is folded to', () => {
  it('let a batch continue only where the one before ended, and under its claim', () => {
    const places = new FoldPosition([committed(0, 5)]);
    expect(places.continuesWith(batch(0, 5, 8, 1))).toBe(false); // what came before this claim is not known yet
    places.advance(batch(0, 5, 8, 1));
    expect(places.continuesWith(batch(0, 8, 9, 1))).toBe(true);
    expect(places.continuesWith(batch(0, 10, 11, 1))).toBe(true); // the record between is not an event
    expect(places.continuesWith(batch(0, 7, 9, 1))).toBe(false);
    expect(places.continuesWith(batch(0, 8, 9, 2))).toBe(false);
    expect(places.continuesWith(batch(1, 0, 3, 1))).toBe(false);
  });

  it('are where a group is when every partition is, and no other has been begun', () => {
    const places = new FoldPosition([committed(0, 5), committed(1, 2)]);
    expect(places.isAt([committed(1, 2), committed(0, 5)])).toBe(true);
    expect(places.isAt([committed(0, 5)])).toBe(false);
    expect(places.isAt([committed(0, 5), committed(1, 3)])).toBe(false);
    expect(places.isAt([committed(0, 5), committed(1, 2), committed(2, 1)])).toBe(false);
    places.advance(batch(1, 2, 4, 1));
    expect(places.isAt([committed(0, 5), committed(1, 4)])).toBe(true);
    places.advance(batch(1, 4, 9, 1), 6);
    expect(places.isAt([committed(0, 5), committed(1, 6)])).toBe(true);
  });
});
