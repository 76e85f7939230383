import type { Headers } from '@seamstream/event-log';
import fc from 'fast-check';
import { readHeaders, writeHeaders as writeThrough } from './header-codec.js';

const writeHeaders = (headers: Headers | undefined, into: Buffer, at: number): number =>
  writeThrough(headers, into, new DataView(into.buffer, into.byteOffset, into.byteLength), at);

describe('headers in a record', () => {
  const roundTrip = (headers: Record<string, string>) => {
    const bytes = Buffer.alloc(10_000, 0xaa);
    const end = writeHeaders(headers, bytes, 3);
    return readHeaders(bytes, 3, end);
  };

  it('lie as drawn: sizes, lengths, names, values', () => {
    const bytes = Buffer.alloc(64);
    const end = writeHeaders({ a: 'xyz', bc: 'ü' }, bytes, 0);
    expect([...bytes.subarray(0, end)]).toEqual([
      5, 0, 2, 0, 3, 0, 0, 0, 2, 0, 0, 0, 97, 10, 98, 99, 10, 120, 121, 122, 0xc3, 0xbc,
    ]);
  });

  it('take no bytes when there are none', () => {
    expect([writeHeaders(undefined, Buffer.alloc(8), 2), writeHeaders({}, Buffer.alloc(8), 2)]).toEqual([2, 2]);
    expect(readHeaders(Buffer.alloc(8), 2, 2)).toEqual({});
  });

  it('come back in order, with any text', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => value.isWellFormed());
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, text, { maxKeys: 8 }), { minLength: 1, maxLength: 4 }), (several) => {
        for (const headers of several) {
          expect(Object.entries(roundTrip(headers))).toEqual(Object.entries(headers));
        }
      }),
      { numRuns: 300 },
    );
  });
});
