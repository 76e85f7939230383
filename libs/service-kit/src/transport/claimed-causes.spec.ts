import fc from 'fast-check';
import { ClaimedCauses } from './claimed-causes.js';

describe('places of records that name a cause', () => {
  it('are all those that were added, of any topic and number, for the causes that are asked for', () => {
    const name = fc.nat(40).map((index) => `cause-${index}`);
    const record = fc.record({ causeId: name, topic: fc.constantFrom('seam.outcomes', 'seam.answers') });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 3_000, size: 'max' }), fc.array(name), (records, asked) => {
        const sorted = records.toSorted((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0));
        const claimed = new ClaimedCauses();
        for (const [offset, { causeId, topic }] of sorted.entries()) {
          if (topic !== sorted[offset - 1]?.topic) claimed.begin({ topic, partition: 3 });
          claimed.add(causeId, offset);
        }
        const expected = sorted.flatMap(({ causeId, topic }, offset) =>
          asked.includes(causeId) ? [{ topic, partition: 3, offset }] : [],
        );
        const places = claimed.placesOf(asked).toSorted((a, b) => a.offset - b.offset);
        expect(places).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('take 48 bytes a record at most, and a million of one cause are added as fast as those of many', () => {
    const timeOf = (causeOf: (offset: number) => string): number => {
      const claimed = new ClaimedCauses();
      claimed.begin({ topic: 'seam.outcomes', partition: 0 });
      const startedMs = performance.now();
      for (let offset = 0; offset < 1_000_000; offset++) claimed.add(causeOf(offset), offset);
      const tables = Object.values(claimed).filter((each) => ArrayBuffer.isView(each));
      expect(tables.length).toBeGreaterThan(3);
      expect(tables.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(48_000_000);
      expect(claimed.placesOf([causeOf(999_999)]).length).toBeGreaterThan(0);
      return performance.now() - startedMs;
    };
    const many = timeOf((offset) => `cause-${offset}`);
    expect(timeOf(() => 'cause-0')).toBeLessThan(10 * many + 500);
  });
});
