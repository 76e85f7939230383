import avro from 'avsc';
import { strictType } from '../strict-types.js';
import type { AvroDefinition, AvroField, AvroSchema } from './avro-schema.js';
import { incompatibilities, readingFaults } from './compatibility.js';
import type { SchemaSet } from './typescript-source.js';

const ARM: AvroDefinition = { type: 'enum', name: 'Arm', symbols: ['explore', 'deploy', 'control'] };
const FIELDS: readonly AvroField[] = [
  { name: 'id', type: 'string' },
  { name: 'attempts', type: 'int' },
  { name: 'arm', type: ARM },
  { name: 'note', type: ['null', 'string'], default: null },
  { name: 'metrics', type: { type: 'map', values: 'double' } },
  { name: 'tokens', type: { type: 'array', items: 'int' } },
];
const RELEASED: AvroDefinition = { type: 'record', name: 'Tried', namespace: 'seamstream', fields: FIELDS };
const RECORD = { id: 'a', attempts: 3, arm: 'control', note: 'n', metrics: { loss: 0.5 }, tokens: [1, 2] };

/** The released schema with one field replaced (or taken away), and further fields. */
const changed = (
  change: Readonly<Record<string, Partial<AvroField> | undefined>>,
  added: readonly AvroField[] = [],
): AvroDefinition => ({
  ...RELEASED,
  fields: [
    ...FIELDS.flatMap((field) => {
      if (!(field.name in change)) return [field];
      const replacement = change[field.name];
      return replacement === undefined ? [] : [{ ...field, ...replacement }];
    }),
    ...added,
  ],
});
const ofType = (type: AvroSchema): { readonly type: AvroSchema } => ({ type });

describe('R13: a compatible change', () => {
  const changes: readonly [string, AvroDefinition, object][] = [
    [
      'adds a field with a default',
      changed({}, [{ name: 'priority', type: 'int', default: 5 }]),
      { ...RECORD, priority: 5 },
    ],
    [
      'removes a field',
      changed({ note: undefined }),
      { id: 'a', attempts: 3, arm: 'control', metrics: { loss: 0.5 }, tokens: [1, 2] },
    ],
    [
      'renames a field and keeps the old name as alias',
      changed({ note: undefined }, [{ name: 'remark', aliases: ['note'], type: ['null', 'string'], default: null }]),
      { id: 'a', attempts: 3, arm: 'control', metrics: { loss: 0.5 }, tokens: [1, 2], remark: 'n' },
    ],
    ['widens an int to a long', changed({ attempts: ofType('long') }), RECORD],
    [
      'takes a symbol from an enum that has a default',
      changed({ arm: ofType({ ...ARM, symbols: ['explore', 'deploy'], default: 'deploy' }) }),
      { ...RECORD, arm: 'deploy' },
    ],
    [
      'adds a symbol to an enum',
      changed({ arm: ofType({ ...ARM, symbols: [...(ARM.symbols ?? []), 'shadow'] }) }),
      RECORD,
    ],
    ['lets a field be null', changed({ attempts: ofType(['null', 'int']) }), RECORD],
    [
      'renames the event and keeps the old name as alias',
      { ...RELEASED, name: 'Attempted', aliases: ['Tried'] },
      RECORD,
    ],
  ];

  it.each(changes)('%s: released records are read', (_, reader, expected) => {
    expect(readingFaults(reader, RELEASED)).toEqual([]);
    const type = strictType(reader);
    const writer = strictType(RELEASED);
    expect({ ...(type.fromBuffer(writer.toBuffer(RECORD), type.createResolver(writer)) as object) }).toEqual(expected);
  });
});

describe('R13: an incompatible change', () => {
  const changes: readonly [string, AvroDefinition, string][] = [
    [
      'adds a field without a default',
      changed({}, [{ name: 'priority', type: 'int' }]),
      'Tried.priority: released records do not have this field. Give it a default, or name the field that it replaces among its aliases.',
    ],
    [
      'renames a field without an alias',
      changed({ id: { name: 'key' } }),
      'Tried.key: released records do not have this field. Give it a default',
    ],
    [
      'changes a type',
      changed({ attempts: ofType('string') }),
      'Tried.attempts: it was written as int and cannot be read as string. Restore the type and put the new one into a new field with a default.',
    ],
    [
      'narrows a number',
      changed({ metrics: ofType({ type: 'map', values: 'float' }) }),
      'Tried.metrics{}: it was written as double and cannot be read as float.',
    ],
    [
      'takes a symbol from an enum without a default',
      changed({ arm: ofType({ ...ARM, symbols: ['explore', 'deploy'] }) }),
      'Tried.arm: released records may hold control, which the enum Arm does not know. Restore the symbols, or give the enum a default.',
    ],
    [
      'forbids null',
      changed({ note: ofType('string') }),
      'Tried.note: it was written as null and cannot be read as string.',
    ],
    [
      'takes a branch from a union',
      changed({ note: ofType(['null', 'int']) }),
      'Tried.note: it was written as string, which none of null, int can hold. Add it to the union again.',
    ],
    [
      'renames the event without an alias',
      { ...RELEASED, name: 'Attempted' },
      'Attempted: its type was released as seamstream.Tried and is called seamstream.Attempted. Add "aliases": ["Tried"] to it.',
    ],
    [
      'makes a list of a value',
      changed({ tokens: ofType('int') }),
      'Tried.tokens: it was written as array and cannot be read as int.',
    ],
  ];

  it.each(changes)('%s: the check says where, what and what to do', (_, reader, fault) => {
    expect(readingFaults(reader, RELEASED)).toEqual([expect.stringContaining(fault)]);
    expect(() => strictType(reader).createResolver(strictType(RELEASED))).toThrow(Error);
  });

  it('is seen inside a record that stands further up by name', () => {
    const inner = (type: AvroSchema): AvroDefinition => ({
      type: 'record',
      name: 'Inner',
      namespace: 'seamstream',
      fields: [{ name: 'x', type }],
    });
    const outer = (type: AvroSchema): AvroDefinition => ({
      type: 'record',
      name: 'Outer',
      namespace: 'seamstream',
      fields: [
        { name: 'a', type: inner(type) },
        { name: 'b', type: ['null', { type: 'array', items: 'Inner' }] },
      ],
    });
    expect(readingFaults(outer('int'), outer('long'))).toEqual([
      expect.stringContaining('Outer.a.x: it was written as long and cannot be read as int'),
      expect.stringContaining('Outer.b: it was written as array'),
    ]);
  });
});

describe('the check of a whole set', () => {
  const topics = (partitions: number, key: string, event = 'Tried') => ({
    partitions,
    topics: { 'seam.tries': { events: { [event]: { key } } } },
  });
  const set: SchemaSet & { readonly releasedTopics: ReturnType<typeof topics> } = {
    shared: [],
    events: [RELEASED],
    topics: topics(4, 'id'),
    history: { Tried: [RELEASED, changed({ note: undefined })] },
    releasedTopics: topics(4, 'id'),
  };

  it('is content when every released version is read', () => {
    expect(incompatibilities(set)).toEqual([]);
  });

  it('looks at every released version, not only the last', () => {
    const first = changed({ attempts: ofType('string') });
    const faults = incompatibilities({ ...set, history: { Tried: [first, RELEASED] } });
    expect(faults).toEqual([
      expect.stringMatching(/^Tried\.attempts: it was written as string .* \(released as [0-9a-f]{16}\)$/),
    ]);
  });

  it('misses an event that was released', () => {
    expect(
      incompatibilities({ ...set, events: [], topics: { partitions: 4, topics: { 'seam.tries': { events: {} } } } }),
    ).toEqual([
      'Tried: the event was released and has no schema any more, so its records cannot be read. Restore it, or name it among the aliases of its successor.',
      'Tried: it was released in seam.tries and stands there no longer, so its records are refused. Put it back.',
    ]);
  });

  it('follows an event to its new name', () => {
    expect(
      incompatibilities({
        ...set,
        events: [{ ...RELEASED, name: 'Attempted', aliases: ['Tried'] }],
        topics: topics(4, 'id', 'Attempted'),
      }),
    ).toEqual([]);
  });

  it('holds on to partitions and keys, on which the order of records rests', () => {
    expect(incompatibilities({ ...set, topics: topics(8, 'arm') })).toEqual([
      'seam.tries: it was released with 4 partitions and has 8, which would part records of one key. Restore the number.',
      'Tried: its key was released as {"key":"id"} and is {"key":"arm"}, which would part its records. Restore the key.',
    ]);
  });

  it('refuses a union that values cannot be told apart in', () => {
    expect(
      incompatibilities({
        ...set,
        history: {},
        events: [changed({}, [{ name: 'size', type: ['null', 'int', 'double'], default: null }])],
      }),
    ).toEqual([expect.stringContaining('Tried: the schema cannot be used: ambiguous unwrapped union')]);
  });
});

it('the strict types agree with avsc on what they write', () => {
  expect(strictType(RELEASED).toBuffer(RECORD)).toEqual(avro.Type.forSchema(RELEASED as avro.Schema).toBuffer(RECORD));
});
