import fc from 'fast-check';
import { original, type RawHeader, readable } from './lossless-headers.js';

const bytes = fc.uint8Array({ maxLength: 6 }).map((value) => Buffer.from(value));
const names = fc.constantFrom(
  'ce_id',
  'constructor',
  'Content-Type',
  '__proto__',
  'ü',
  '',
  'seam-kafka-key',
  'seam-kafka-headers',
);
const values = fc.oneof(
  fc.string().map((text) => Buffer.from(text.toWellFormed())),
  bytes,
  fc.constant(null),
);

/** By name, in the order of each name's values; what has no value is empty, see lossless-headers.ts. */
const byName = (headers: readonly RawHeader[]): Record<string, string[]> =>
  Object.fromEntries(
    [...Map.groupBy(headers, ([name]) => name)]
      .map(([name, of]) => [`_${name}`, of.map(([, value]) => (value ?? Buffer.alloc(0)).toString('hex'))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

describe('keys and headers of other programs', () => {
  it('of any kind come back from the port as they were', () => {
    fc.assert(
      fc.property(fc.option(bytes), fc.array(fc.tuple(names, values), { maxLength: 8 }), (key, headers) => {
        const back = original(readable(key, headers));
        expect(back.key === null ? null : Buffer.from(back.key)).toEqual(key);
        const written = Object.entries(back.headers).flatMap(([name, value]) =>
          typeof value === 'string'
            ? [[name, Buffer.from(value)] as const]
            : value.map((each) => [name, each] as const),
        );
        expect(byName(written)).toEqual(byName(headers));
      }),
    );
  });

  it('are text for the reader, without a trace of this where they are text', () => {
    expect(readable(Buffer.from('k'), [['ce_id', Buffer.from('\ufffd')]])).toEqual({
      key: 'k',
      headers: { ce_id: '\ufffd' },
    });
    const twice: RawHeader[] = [
      ['ce_id', Buffer.from('a')],
      ['trace', Buffer.from('t')],
      ['ce_id', Buffer.from('b')],
    ];
    expect(readable(null, twice)).toEqual({
      key: null,
      headers: { ce_id: 'b', trace: 't', 'seam-kafka-headers': '[["ce_id","YQ=="],["ce_id","Yg=="]]' },
    });
  });

  it('that only look like ours are written as they are', () => {
    const headers = { 'seam-kafka-headers': 'not ours', a: 'b' };
    expect(original({ key: 'k', headers })).toEqual({ key: 'k', headers });
  });
});
