import { readFileSync } from 'node:fs';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import avro from 'avsc';
import { decodeEvent, EventCodec, encodeEvent } from './codec.js';
import { failureOf, recordOf } from './event-records.fake.js';
import { type SeamEvent, TOPIC_OF } from './generated/events.generated.js';
import { SCHEMAS } from './generated/schemas.generated.js';
import { type AvroDefinition, fingerprintOf } from './schema/avro-schema.js';

describe('a record of an older version', () => {
  const current = JSON.parse(SCHEMAS.ProblemPublished.schema) as AvroDefinition;
  const newer: AvroDefinition = {
    ...current,
    fields: [...(current.fields ?? []), { name: 'priority', type: 'int', default: 3 }],
  };
  const named = (schema: AvroDefinition) => ({ fingerprint: fingerprintOf(schema), schema: JSON.stringify(schema) });
  const tomorrow = new EventCodec({
    schemas: { ProblemPublished: { ...named(newer), released: [named(current)] } },
    topicOf: TOPIC_OF,
  });

  it('is read through resolution, its new fields at their defaults', () => {
    expect(tomorrow.decode(recordOf(EXAMPLE_EVENTS.ProblemPublished))).toEqual({
      ...EXAMPLE_EVENTS.ProblemPublished,
      priority: 3,
    });
  });

  it('is checked as strictly as a new one', () => {
    const { value } = encodeEvent(EXAMPLE_EVENTS.ProblemPublished);
    expect(
      failureOf(() => tomorrow.decode(recordOf(EXAMPLE_EVENTS.ProblemPublished, value.subarray(0, -3)))).code,
    ).toBe('MALFORMED_RECORD');
    const bytes = Buffer.from(value);
    bytes[bytes.indexOf('Zahl')] = 0xff;
    expect(failureOf(() => tomorrow.decode(recordOf(EXAMPLE_EVENTS.ProblemPublished, bytes))).message).toContain(
      'not valid UTF-8',
    );
  });

  it('of a version that was never released is unknown', () => {
    const event = { ...EXAMPLE_EVENTS.ProblemPublished, priority: 9 } as SeamEvent;
    expect(failureOf(() => decodeEvent(recordOf(event, tomorrow.encode(event).value))).code).toBe('UNKNOWN_SCHEMA');
  });
});

describe("a record of a stranger's schema", () => {
  interface Field {
    name: string;
    type: unknown;
    default?: unknown;
  }
  interface RecordSchema {
    name: string;
    namespace: string;
    fields: Field[];
  }
  const published = EXAMPLE_EVENTS.ProblemPublished;
  const codec = () => new EventCodec({ schemas: SCHEMAS, topicOf: TOPIC_OF });
  const altered = (change: (schema: RecordSchema) => void): AvroDefinition => {
    const schema = JSON.parse(SCHEMAS.ProblemPublished.schema) as RecordSchema;
    change(schema);
    return schema as unknown as AvroDefinition;
  };
  const written = (schema: AvroDefinition, event: object): Buffer =>
    Buffer.concat([
      Buffer.from(`c301${fingerprintOf(schema)}`, 'hex'),
      avro.Type.forSchema(schema as avro.Schema).toBuffer(event),
    ]);
  const withTags = (items: unknown): AvroDefinition =>
    altered(({ fields }) => fields.unshift({ name: 'tags', type: { type: 'array', items } }));

  it('is read once its schema was learned: new fields are passed over, absent ones get their defaults', () => {
    const reader = codec();
    const schema = altered(({ fields }) => {
      fields.splice(0, fields.length, ...fields.filter(({ name }) => name !== 'expiresAt').reverse());
      for (const name of ['bytes', 'string', 'double', 'long', 'boolean'])
        fields.push({
          name: `of-${name}`.replace('-', '_'),
          type: { type: 'map', values: { type: 'array', items: name } },
        });
    });
    const value = written(schema, {
      ...published,
      of_bytes: { a: [Buffer.from('x')], b: [] },
      of_string: { a: ['one', 'two'] },
      of_double: {},
      of_long: { a: [1, 2, 3] },
      of_boolean: { a: [true] },
    });
    expect(failureOf(() => reader.decode(recordOf(published, value))).code).toBe('UNKNOWN_SCHEMA');
    expect(reader.learn(JSON.stringify(schema))).toBe(fingerprintOf(schema));
    expect(reader.decode(recordOf(published, value))).toEqual({ ...published, expiresAt: null });
  });

  it('is refused with the reason when no event can be read from it', () => {
    const cases: readonly [AvroDefinition, string][] = [
      [altered(({ fields }) => fields.shift()), 'no matching field'],
      [
        altered((schema) => {
          schema.name = 'ProblemPosed';
        }),
        'no event is called "seamstream.ProblemPosed"',
      ],
    ];
    for (const [schema, reason] of cases) {
      const reader = codec();
      reader.learn(JSON.stringify(schema));
      const error = failureOf(() => reader.decode(recordOf(published, written(schema, published))));
      expect(error.code).toBe('INCOMPATIBLE_SCHEMA');
      expect(error.message).toContain(reason);
    }
  });

  it('keeps what is known as it is when its schema is one of ours in other words', () => {
    const reader = codec();
    const schema = { ...altered(() => undefined), doc: 'the same', aliases: ['Other'] };
    expect(reader.learn(JSON.stringify(schema))).toBe(SCHEMAS.ProblemPublished.fingerprint);
    expect(reader.decode(recordOf(published))).toEqual(published);
  });

  it('is no schema when it is not self-contained Avro', () => {
    for (const text of ['{"type":"rec', 'null', '{"type":"record","name":"A","fields":[null]}', '7']) {
      expect(failureOf(() => codec().learn(text)).code).toBe('INVALID_INPUT');
    }
  });

  it('is refused by name when it is nested deeper, or longer, than any schema that a person wrote', () => {
    const nested = (levels: number): string => {
      let text = '"string"';
      for (let level = 0; level < levels; level++)
        text = `{"type":"record","name":"R${level}","fields":[{"name":"f","type":${text}}]}`;
      return text;
    };
    expect(codec().learn(nested(60))).toHaveLength(16);
    for (const levels of [70, 300, 2_000, 15_000]) {
      const refusal = failureOf(() => codec().learn(nested(levels)));
      expect([refusal.code, refusal.message]).toEqual(['INVALID_INPUT', expect.stringContaining('200 brackets')]);
    }
    const long = JSON.stringify({ type: 'record', name: 'A', doc: 'x'.repeat(1_000_000), fields: [] });
    expect(failureOf(() => codec().learn(long)).message).toContain('1000000 characters');
    expect(
      codec().learn(JSON.stringify({ type: 'record', name: 'A', doc: '[{'.repeat(500), fields: [] })),
    ).toHaveLength(16);
  });

  it('cannot keep the reader busy with what is passed over', () => {
    const cases: readonly [string, AvroDefinition, Buffer][] = [
      ['a list of 2^40 nothings', withTags('null'), avro.Type.forSchema('long').toBuffer(2 ** 40)],
      ['a text that leads back to its list', withTags('string'), Buffer.from([2, 3])],
      ['bytes that lead back to their list', withTags('bytes'), Buffer.from([2, 3])],
    ];
    for (const [, schema, tags] of cases) {
      const reader = codec();
      reader.learn(JSON.stringify(schema));
      const whole = written(schema, { ...published, tags: [] });
      const value = Buffer.concat([whole.subarray(0, 10), tags, whole.subarray(11)]);
      expect(failureOf(() => reader.decode(recordOf(published, value))).code).toBe('MALFORMED_RECORD');
    }
  });
});

describe('the golden records of every released version', () => {
  /** Written when the version was released, and never again: bytes as hexadecimal digits, the event as JSON. */
  interface GoldenRecord {
    readonly topic: string;
    readonly value: string;
    readonly event: SeamEvent;
  }
  const revived = (_: string, value: unknown): unknown => {
    const { $bytes, $number } = (value ?? {}) as { $bytes?: string; $number?: string };
    if ($bytes !== undefined) return Buffer.from($bytes, 'hex');
    return $number === undefined ? value : Number($number);
  };
  const text = readFileSync(new URL('./golden/version-1.json', import.meta.url), 'utf8');
  const golden = JSON.parse(text, revived) as readonly GoldenRecord[];

  it('hold a record of each of its events', () => {
    expect(golden).toHaveLength(18);
  });

  it.each(golden)('are still read: $event.type', ({ topic, value, event }) => {
    const record = { topic, partition: 0, offset: 0, value: Buffer.from(value, 'hex') };
    expect(decodeEvent(record)).toMatchObject(event);
  });
});

describe('records of a team that do not name the judge', () => {
  const released = (['TeamRolloutJudged', 'TeamBatchSampled'] as const).flatMap((type) =>
    SCHEMAS[type].released.map((version) => ({ type, ...version })),
  );

  it('are read, and say that no model is known to have judged', () => {
    const older = released.filter(({ schema }) => !schema.includes('"judge'));
    expect(older).toHaveLength(4);
    for (const { type, schema, fingerprint } of older) {
      const event = EXAMPLE_EVENTS[type];
      const bare = avro.Type.forSchema(JSON.parse(schema) as avro.Schema).toBuffer(event);
      const value = Buffer.concat([Buffer.from(`c301${fingerprint}`, 'hex'), bare]);
      const unnamed = type === 'TeamRolloutJudged' ? { judge: null } : { judges: [] };
      expect(decodeEvent(recordOf(event, value))).toEqual({ ...event, ...unnamed });
    }
  });
});
