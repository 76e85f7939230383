import { readFileSync } from 'node:fs';
import { isSeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import avro from 'avsc';
import fc from 'fast-check';
import { decodeEvent, EventCodec, encodeEvent } from './codec.js';
import { keyOf, type SeamEvent, TOPIC_OF, TOPICS } from './generated/events.generated.js';
import { SCHEMAS } from './generated/schemas.generated.js';
import { type AvroDefinition, fingerprintOf } from './schema/avro-schema.js';

const EXAMPLES: readonly SeamEvent[] = Object.values(EXAMPLE_EVENTS);
const outcome = EXAMPLE_EVENTS.OutcomeRecorded;

/** The record of an event as a log would hand it out, with other bytes if wanted. */
const recordOf = (event: SeamEvent, value: Uint8Array | null = encodeEvent(event).value) => ({
  topic: TOPIC_OF[event.type] as string,
  partition: 2,
  offset: 77,
  value,
});

const failureOf = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    if (isSeamError(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
};

describe('an event on the wire', () => {
  it.each(EXAMPLES)('comes back as it was: $type', (event) => {
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('is marker, fingerprint and the Avro binary of the event as avsc writes it', () => {
    const { value } = encodeEvent(outcome);
    const bare = avro.Type.forSchema(JSON.parse(SCHEMAS.OutcomeRecorded.schema) as avro.Schema).toBuffer(outcome);
    expect(Buffer.from(value).toString('hex')).toBe(
      `c301${SCHEMAS.OutcomeRecorded.fingerprint}${bare.toString('hex')}`,
    );
  });

  it('is in its topic under its key', () => {
    expect(EXAMPLES.map((event) => [event.type, encodeEvent(event).topic, encodeEvent(event).key])).toEqual([
      ['ProblemPublished', 'seam.problems', 'p-1'],
      ['ExperienceGenerated', 'seam.experiences', 'p-1'],
      ['ExperienceWithheld', 'seam.experiences', 'p-1'],
      ['OutcomeRecorded', 'seam.outcomes', 'p-1'],
      ['ExecutionFailed', 'seam.outcomes', 'p-1'],
      ['AttemptUngraded', 'seam.outcomes', 'p-1'],
      ['AnswerRecorded', 'seam.answers', 'p-1'],
      ['AnswerSettled', 'seam.answers', 'p-1'],
      ['FeedbackGiven', 'seam.feedback', 'p-1'],
      ['FeedbackRefused', 'seam.answers', 'p-1'],
      ['ProblemExpired', 'seam.outcomes', 'p-1'],
      ['SuccessAdmitted', 'seam.buffer', 'arithmetic/2'],
      ['ResultRefused', 'seam.buffer', 'p-1'],
      ['SuccessRejected', 'seam.buffer', 'arithmetic/2'],
      ['BufferCommitted', 'seam.buffer', 'commits'],
      ['TrainingRunPlanned', 'seam.training', 'r-1'],
      ['TrainingRunStarted', 'seam.training', 'r-1'],
      ['TrainingRunCheckpointed', 'seam.training', 'r-1'],
      ['TrainingRunCompleted', 'seam.training', 'r-1'],
      ['TrainingRunFailed', 'seam.training', 'r-1'],
      ['TrainingRunRejected', 'seam.training', 'r-1'],
      ['TrainingRunCancelled', 'seam.training', 'r-1'],
      ['SelfTrainingStarted', 'seam.training', 't-1'],
      ['SelfTrainingStopped', 'seam.training', 't-1'],
      ['SelfTrainingResumed', 'seam.training', 't-1'],
      ['SelfTrainingPaused', 'seam.training', 't-1'],
      ['TeamTurnTaken', 'seam.teams', 'run-1'],
      ['TeamRolloutJudged', 'seam.teams', 'run-1'],
      ['TeamBatchSampled', 'seam.teams', 'run-1'],
      ['AgentUpdateTried', 'seam.teams', 'run-1'],
      ['AgentUpdated', 'seam.teams', 'run-1'],
      ['AgentSwapped', 'seam.teams', 'run-1'],
      ['AgentWarmedUp', 'seam.teams', 'run-1'],
      ['TeamEvaluated', 'seam.teams', 'team'],
      ['TeamPreferencePublished', 'seam.teams', '5c'.repeat(32)],
      ['LibraryReplyRecorded', 'seam.training', 'r-1'],
      ['AdapterPublished', 'seam.adapters', '45'.repeat(32)],
      ['AdapterPromoted', 'seam.adapters', '45'.repeat(32)],
      ['AdapterRolledBack', 'seam.adapters', '45'.repeat(32)],
      ['AdapterEvaluated', 'seam.adapters', '45'.repeat(32)],
      ['AdapterPinned', 'seam.adapters', 'pins'],
      ['AdapterUnpinned', 'seam.adapters', 'pins'],
      ['ReleasePlanned', 'seam.adapters', 'release-1'],
      ['ReleaseDecided', 'seam.adapters', 'release-1'],
      ['GuardPlanned', 'seam.adapters', 'guard-1'],
      ['DomainMuted', 'seam.adapters', 'guard-1'],
      ['DomainUnmuted', 'seam.adapters', 'guard-1'],
      ['ApiKeyIssued', 'seam.access', 'aB3dE6gH9jK2'],
      ['ApiKeyRevoked', 'seam.access', 'aB3dE6gH9jK2'],
      ['QuotaDeclared', 'seam.access', 'aB3dE6gH9jK2'],
      ['PriceDeclared', 'seam.access', 'tiny'],
      ['DeadLettersRedriven', 'seam.access', 'd-1'],
      ['UsageReserved', 'seam.usage', 'aB3dE6gH9jK2'],
      ['UsageSettled', 'seam.usage', 'aB3dE6gH9jK2'],
      ['AccessRefused', 'seam.usage', 'forbidden'],
      ['SessionStarted', 'seam.usage', 'user-Yk3dE6gH9jK2mN5pQ8sT1v'],
      ['SessionEnded', 'seam.usage', 'user-Yk3dE6gH9jK2mN5pQ8sT1v'],
      ['DeadLettered', 'seam.dead-letters', 'p-9'],
    ]);
    expect(keyOf({ ...EXAMPLE_EVENTS.DeadLettered, key: null })).toBeNull();
  });

  it('keeps every event of a topic where the topics say', () => {
    expect(TOPICS.flatMap(({ name, events }) => events.map((event) => [event, name]))).toEqual(
      Object.entries(TOPIC_OF),
    );
  });

  it('is a CloudEvent in binary mode with its trace', () => {
    expect(encodeEvent(outcome).headers).toEqual({
      'content-type': 'application/avro',
      ce_specversion: '1.0',
      ce_id: 'm-4',
      ce_type: 'seamstream.OutcomeRecorded',
      ce_source: 'seam/test',
      ce_time: '2026-01-01T00:00:00.123Z',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(encodeEvent({ ...outcome, meta: { ...outcome.meta, traceparent: null } }).headers).not.toHaveProperty(
      'traceparent',
    );
  });

  it('takes defaults for absent fields and leaves out unknown ones', () => {
    const published = { ...EXAMPLE_EVENTS.ProblemPublished, expiresAt: undefined };
    const event = { ...published, surprise: true } as unknown as SeamEvent;
    expect(decodeEvent(recordOf(event))).toEqual({ ...published, expiresAt: null });
  });

  it('carries values larger than any buffer so far', () => {
    const value = new Uint8Array(300_000).fill(7);
    const event = { ...EXAMPLE_EVENTS.DeadLettered, value };
    expect(decodeEvent(recordOf(event))).toEqual({ ...event, value: Buffer.from(value) });
  });

  it('may hold U+FFFD in a text that is valid', () => {
    const event = { ...outcome, response: 'a \ufffd stays' };
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('carries text of every length and alphabet', () => {
    for (const letter of ['a', 'é', '€', '😀']) {
      for (const length of [0, 1, 20, 21, 22, 31, 32, 63, 64, 65, 127, 128, 2730, 2731, 4096, 8191, 8192, 70_000]) {
        const event = { ...outcome, response: letter.repeat(length) };
        expect(decodeEvent(recordOf(event))).toEqual(event);
      }
    }
  });

  it('holds U+FFFD in place of half a surrogate pair, which is no text', () => {
    const event = { ...outcome, response: 'half \ud83d of it' };
    expect(decodeEvent(recordOf(event))).toEqual({ ...outcome, response: 'half \ufffd of it' });
  });

  it('carries every int', () => {
    const ints = [0, -1, 1, -64, 63, 64, -65, 8191, -8192, 8192, -8193, 2 ** 31 - 1, -(2 ** 31)];
    const event = { ...outcome, tokenIds: ints };
    expect(decodeEvent(recordOf(event))).toEqual(event);
  });

  it('does not change when the next event is encoded', () => {
    const first = encodeEvent(outcome);
    const before = Buffer.from(first.value).toString('hex');
    encodeEvent({ ...outcome, response: 'something else' });
    expect(Buffer.from(first.value).toString('hex')).toBe(before);
  });
});

describe('an event that does not fit its schema', () => {
  const cases: readonly [string, SeamEvent, string][] = [
    ['a NaN reward', { ...outcome, reward: Number.NaN }, 'reward: expected a finite double, got NaN'],
    [
      'an infinite latency',
      { ...outcome, latencyMs: Number.POSITIVE_INFINITY },
      'latencyMs: expected a finite double, got Infinity',
    ],
    [
      'a log-probability beyond 32 bits',
      { ...EXAMPLE_EVENTS.ExperienceGenerated, logProbs: [0, -1e300] },
      'logProbs.1: expected a finite float, got -1e+300',
    ],
    [
      'a metric that is NaN',
      { ...EXAMPLE_EVENTS.TrainingRunCompleted, metrics: { loss: Number.NaN } },
      'metrics.loss: expected a finite double, got NaN',
    ],
    [
      'an unknown symbol',
      { ...outcome, arm: 'best' as 'explore' },
      'arm: expected one of explore, deploy, control, got "best"',
    ],
    [
      'a missing field',
      { ...outcome, response: undefined as unknown as string },
      'response: expected string, got undefined',
    ],
    ['a fraction for an int', { ...outcome, promptTokens: 1.5 }, 'promptTokens: expected int, got 1.5'],
    [
      'an offset beyond 2^53',
      { ...EXAMPLE_EVENTS.DeadLettered, offset: 2 ** 60 },
      `offset: expected long, got ${2 ** 60}`,
    ],
    [
      'a text for a list',
      { ...outcome, tokenIds: 'abc' as unknown as number[] },
      'tokenIds: expected array, got "abc"',
    ],
    [
      'a list for bytes',
      { ...EXAMPLE_EVENTS.DeadLettered, value: [1] as unknown as Uint8Array },
      'value: expected null or bytes, got a list of 1',
    ],
  ];
  it.each(cases)('is refused: %s', (_, event, fault) => {
    const error = failureOf(() => encodeEvent(event));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toBe(`Cannot encode ${event.type}: ${fault}. Correct the event; nothing was recorded.`);
    expect(error.details).toEqual({ eventType: event.type, faults: [fault] });
  });

  it('is refused when its time is no date', () => {
    const error = failureOf(() => encodeEvent({ ...outcome, meta: { ...outcome.meta, occurredAt: 9e15 } }));
    expect(error.message).toContain('Invalid time value');
  });

  it('names every fault at once', () => {
    const error = failureOf(() =>
      encodeEvent({ ...outcome, reward: Number.NaN, meta: { ...outcome.meta, messageId: 4 as unknown as string } }),
    );
    expect(error.details).toMatchObject({
      faults: ['meta.messageId: expected string, got 4', 'reward: expected a finite double, got NaN'],
    });
  });

  it('is refused when its type does not exist', () => {
    const error = failureOf(() => encodeEvent({ ...outcome, type: 'Guess' } as unknown as SeamEvent));
    expect(error.message).toContain('got "Guess"');
  });
});

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
