import {
  type AvroDefinition,
  type AvroSchema,
  canonicalForm,
  crc64Avro,
  fingerprintOf,
  inlineNames,
} from './avro-schema.js';

/** The cases of the Avro project's own test data (share/test/data/schema-tests.txt): schema, canonical form, fingerprint. */
const VECTORS: readonly [string, string, string?][] = [
  ['"null"', '"null"', '7195948357588979594'],
  ['{"type":"null"}', '"null"'],
  ['"boolean"', '"boolean"', '-6970731678124411036'],
  ['"int"', '"int"', '8247732601305521295'],
  ['{"type":"int"}', '"int"'],
  ['"long"', '"long"', '-3434872931120570953'],
  ['"float"', '"float"', '5583340709985441680'],
  ['"double"', '"double"', '-8181574048448539266'],
  ['"bytes"', '"bytes"', '5746618253357095269'],
  ['"string"', '"string"', '-8142146995180207161'],
  ['{"type":"string"}', '"string"'],
  ['[  ]', '[]', '-1241056759729112623'],
  ['[ "int"  ]', '["int"]', '-5232228896498058493'],
  ['[ "int" , {"type":"boolean"} ]', '["int","boolean"]', '5392556393470105090'],
  [
    '{"fields":[], "type":"record", "name":"foo"}',
    '{"name":"foo","type":"record","fields":[]}',
    '-4824392279771201922',
  ],
  [
    '{"fields":[], "type":"record", "name":"foo", "namespace":"x.y"}',
    '{"name":"x.y.foo","type":"record","fields":[]}',
    '5916914534497305771',
  ],
  [
    '{"fields":[], "type":"record", "name":"a.b.foo", "namespace":"x.y"}',
    '{"name":"a.b.foo","type":"record","fields":[]}',
    '-4616218487480524110',
  ],
  [
    '{"fields":[], "type":"record", "name":"foo", "doc":"foo", "aliases":["foo","bar"]}',
    '{"name":"foo","type":"record","fields":[]}',
    '-4824392279771201922',
  ],
  [
    '{"fields":[{"type":{"type":"boolean"}, "name":"f1"}], "type":"record", "name":"foo"}',
    '{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"}]}',
    '7843277075252814651',
  ],
  [
    '{ "fields":[{"type":"boolean", "aliases":[], "name":"f1", "default":"true"}, {"order":"descending","name":"f2","doc":"Hello","type":"int"}], "type":"record", "name":"foo" }',
    '{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"},{"name":"f2","type":"int"}]}',
    '-4860222112080293046',
  ],
  [
    '{"type":"enum", "name":"foo", "symbols":["A1"]}',
    '{"name":"foo","type":"enum","symbols":["A1"]}',
    '-6342190197741309591',
  ],
  [
    '{"namespace":"x.y.z", "type":"enum", "name":"foo", "doc":"foo bar", "symbols":["A1", "A2"]}',
    '{"name":"x.y.z.foo","type":"enum","symbols":["A1","A2"]}',
    '-4448647247586288245',
  ],
  ['{"name":"foo","type":"fixed","size":15}', '{"name":"foo","type":"fixed","size":15}', '1756455273707447556'],
  [
    '{"namespace":"x.y.z", "type":"fixed", "name":"foo", "doc":"foo bar", "size":32}',
    '{"name":"x.y.z.foo","type":"fixed","size":32}',
    '-3064184465700546786',
  ],
  ['{ "items":{"type":"null"}, "type":"array"}', '{"type":"array","items":"null"}', '-589620603366471059'],
  ['{ "values":"string", "type":"map"}', '{"type":"map","values":"string"}', '-8732877298790414990'],
  [
    '{"name":"PigValue","type":"record", "fields":[{"name":"value", "type":["null", "int", "long", "PigValue"]}]}',
    '{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}',
    '-1759257747318642341',
  ],
];

describe('the canonical form and fingerprint of a schema', () => {
  it.each(VECTORS.map(([source, form, fingerprint]) => ({ source, form, fingerprint })))(
    'of $source is the specification’s',
    ({ source, form, fingerprint }) => {
      const schema = JSON.parse(source) as AvroSchema;
      expect(canonicalForm(schema)).toBe(form);
      if (fingerprint !== undefined) expect(BigInt.asIntN(64, crc64Avro(Buffer.from(form)))).toBe(BigInt(fingerprint));
    },
  );

  it('names nested types by their full name, in the namespace of the type that encloses them', () => {
    const schema = {
      type: 'record',
      name: 'a.Outer',
      fields: [
        { name: 'f', type: { type: 'enum', name: 'Inner', symbols: ['x'] } },
        { name: 'g', type: ['null', 'Inner'] },
      ],
    };
    expect(canonicalForm(schema)).toBe(
      '{"name":"a.Outer","type":"record","fields":[{"name":"f","type":{"name":"a.Inner","type":"enum","symbols":["x"]}},{"name":"g","type":["null","a.Inner"]}]}',
    );
  });

  it('takes no notice of a logical type, a default or our own attributes, which change no byte', () => {
    const plain = {
      type: 'record',
      name: 'R',
      fields: [
        { name: 'at', type: 'long' },
        { name: 'm', type: { type: 'map', values: 'double' } },
      ],
    };
    const rich = {
      type: 'record',
      name: 'R',
      fields: [
        { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' }, default: 0 },
        { name: 'm', type: { type: 'map', values: 'double', nonFinite: true } },
      ],
    };
    expect(canonicalForm(rich)).toBe(canonicalForm(plain));
  });

  it('stands on the wire with its lowest byte first', () => {
    // 7195948357588979594 = 0x63dd24e7cc258f8a
    expect(fingerprintOf('null')).toBe('8a8f25cce724dd63');
  });
});

describe('making a schema self-contained', () => {
  const colour = { type: 'enum', name: 'Colour', namespace: 's', symbols: ['red'] };
  const pair = { type: 'record', name: 'Pair', namespace: 's', fields: [{ name: 'colour', type: 'Colour' }] };
  const shared = new Map<string, AvroDefinition>([
    ['s.Colour', colour],
    ['s.Pair', pair],
  ]);

  it('puts a shared type at its first use and leaves its name at later ones', () => {
    const schema = {
      type: 'record',
      name: 'E',
      namespace: 's',
      fields: [
        { name: 'a', type: ['null', 'Pair'] },
        { name: 'b', type: { type: 'array', items: 'Colour' } },
      ],
    };
    expect(inlineNames(schema, shared)).toEqual({
      ...schema,
      fields: [
        { name: 'a', type: ['null', { ...pair, fields: [{ name: 'colour', type: colour }] }] },
        { name: 'b', type: { type: 'array', items: 'Colour' } },
      ],
    });
  });

  it('refuses a name without a definition', () => {
    expect(() =>
      inlineNames({ type: 'record', name: 'E', namespace: 's', fields: [{ name: 'a', type: 'Shape' }] }, shared),
    ).toThrow('refers to s.Shape, which no file in schemas/common defines');
  });
});
