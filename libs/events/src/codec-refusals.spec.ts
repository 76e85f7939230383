import { isSeamError } from '@seamstream/kernel';
import avro from 'avsc';
import fc from 'fast-check';
import { decodeEvent, encodeEvent } from './codec.js';
import { failureOf, outcome } from './event-records.fake.js';
import { SCHEMAS } from './generated/schemas.generated.js';

describe('a record that cannot be used', () => {
  const position = { topic: 'seam.outcomes', partition: 2, offset: 77 };
  const good = Buffer.from(encodeEvent(outcome).value);
  const altered = (change: (bytes: Buffer) => Uint8Array): Uint8Array => change(Buffer.from(good));
  /** Bytes of an outcome that avsc writes without our checks, from a schema that a stranger altered. */
  const forged = (
    change: (
      event: Record<string, unknown>,
      schema: { fields: { name: string; type: unknown; default?: unknown }[] },
    ) => void,
  ): Uint8Array => {
    const event: Record<string, unknown> = { ...outcome };
    const schema = JSON.parse(SCHEMAS.OutcomeRecorded.schema) as {
      fields: { name: string; type: unknown; default?: unknown }[];
    };
    change(event, schema);
    return Buffer.concat([good.subarray(0, 10), avro.Type.forSchema(schema as unknown as avro.Schema).toBuffer(event)]);
  };
  const fieldAs = (name: string, type: unknown, value: unknown): Uint8Array =>
    forged((event, schema) => {
      event[name] = value;
      const field = schema.fields.find((each) => each.name === name);
      if (field === undefined) return;
      field.type = type;
      delete field.default;
    });

  const cases: readonly [string, Uint8Array | null, string][] = [
    ['no value', null, 'the record has no value'],
    ['nothing', new Uint8Array(0), '0 bytes are fewer than the 10'],
    ['a header cut short', good.subarray(0, 9), '9 bytes are fewer than the 10'],
    ['JSON', Buffer.from('{"problemId": 1}'), 'it begins with 7b22, expected c301'],
    ['another framing', altered((bytes) => bytes.fill(0xc3, 0, 2)), 'it begins with c3c3'],
    ['a byte too many', Buffer.concat([good, Buffer.from([0])]), '1 bytes follow its end'],
    ['an enum beyond its symbols', fieldAs('arm', 'int', 9), 'invalid seamstream.Arm enum index: 9'],
    ['a union beyond its branches', fieldAs('extractedAnswer', 'int', 7), 'invalid union index: 7'],
    ['a NaN', fieldAs('reward', 'double', Number.NaN), 'a double of NaN'],
    ['an infinity', fieldAs('latencyMs', 'double', Number.NEGATIVE_INFINITY), 'a double of -Infinity'],
    ['an int beyond 32 bits', fieldAs('groupSize', 'long', 2 ** 40), 'an int of 1099511627776'],
    [
      'a boolean of 7',
      fieldAs('success', { type: 'fixed', name: 'Byte', size: 1 }, Buffer.from([7])),
      'a boolean of 7',
    ],
    [
      'text that is not UTF-8',
      fieldAs('response', 'bytes', Buffer.from([0x61, 0xff, 0x62])),
      'a text that is not valid UTF-8',
    ],
    ['a text of negative length', fieldAs('response', 'long', -5), 'a text of length -5'],
    ['a list that claims 2^40 items', fieldAs('tokenIds', 'long', 2 ** 40), 'a list of 1099511627776 items'],
    [
      'a list whose block claims 2^33 items and a size',
      fieldAs(
        'tokenIds',
        {
          type: 'record',
          name: 'Head',
          fields: [
            { name: 'a', type: 'long' },
            { name: 'b', type: 'long' },
          ],
        },
        { a: -(2 ** 33), b: 4 },
      ),
      'a list of 8589934592 items',
    ],
    ['a text that claims to be longer than the record', fieldAs('response', 'long', 2 ** 45), 'end in the middle'],
  ];

  it.each(cases)('says where it stands and what is wrong: %s', (_, value, fault) => {
    const error = failureOf(() => decodeEvent({ ...position, value }));
    expect(error.code).toBe('MALFORMED_RECORD');
    expect(error.details).toMatchObject({ ...position, fault: expect.stringContaining(fault) });
    expect(error.message).toMatch(/^Cannot read seam\.outcomes\/2@77/);
  });

  it('is recognised at every length that it may have been cut to', () => {
    for (let length = 0; length < good.length; length++) {
      const error = failureOf(() => decodeEvent({ ...position, value: good.subarray(0, length) }));
      expect(error.code).toBe('MALFORMED_RECORD');
    }
  });

  it('is refused in a topic that its event does not belong to', () => {
    const error = failureOf(() => decodeEvent({ ...position, topic: 'seam.problems', value: good }));
    expect(error.code).toBe('MALFORMED_RECORD');
    expect(error.details).toMatchObject({
      eventType: 'OutcomeRecorded',
      fault: 'OutcomeRecorded belongs into seam.outcomes',
    });
  });

  it('is an unknown schema when its fingerprint is, in either half', () => {
    for (const byte of [2, 9]) {
      const error = failureOf(() =>
        decodeEvent({ ...position, value: altered((bytes) => bytes.fill((bytes[byte] ?? 0) ^ 1, byte, byte + 1)) }),
      );
      expect(error.code).toBe('UNKNOWN_SCHEMA');
      expect(error.details).toMatchObject({ ...position, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) });
    }
  });

  it('is an unknown schema in the framing of a registry that was not asked', () => {
    const value = Buffer.concat([Buffer.from([0, 0, 0, 1, 44]), good.subarray(10)]);
    const error = failureOf(() => decodeEvent({ ...position, value }));
    expect(error.code).toBe('UNKNOWN_SCHEMA');
    expect(error.details).toEqual({ ...position, schemaId: 300 });
  });

  it('never throws anything but these errors, regardless of the bytes', () => {
    const body = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([good.subarray(0, 10), bytes]));
    const mutated = fc
      .tuple(fc.nat(good.length - 1), fc.nat(255))
      .map(([at, byte]) => altered((bytes) => bytes.fill(byte, at, at + 1)));
    fc.assert(
      fc.property(fc.oneof(body, mutated), (value) => {
        try {
          decodeEvent({ ...position, value });
        } catch (error) {
          expect(isSeamError(error, 'MALFORMED_RECORD') || isSeamError(error, 'UNKNOWN_SCHEMA')).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
