import { readFileSync } from 'node:fs';
import type { AvroDefinition } from './avro-schema.js';
import { eventTypesSource, type SchemaSet, schemaConstantsSource } from './typescript-source.js';

const shared: AvroDefinition = {
  type: 'enum',
  name: 'Colour',
  namespace: 'seamstream',
  doc: 'What it looks like.',
  symbols: ['red', 'green'],
};
const event: AvroDefinition = {
  type: 'record',
  name: 'ThingPainted',
  namespace: 'seamstream',
  doc: 'A person painted a thing.',
  fields: [
    { name: 'thingId', type: 'string' },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' }, doc: 'Milliseconds since the Unix epoch.' },
    { name: 'colour', type: 'Colour' },
    { name: 'before', type: ['null', 'Colour'], default: null },
    { name: 'layers', type: { type: 'array', items: ['null', 'double'] } },
    {
      name: 'tools',
      type: { type: 'map', values: { type: 'record', name: 'Tool', fields: [{ name: 'raw', type: 'bytes' }] } },
    },
    { name: 'finish', type: { type: 'enum', name: 'Finish', symbols: ['matt', 'gloss'] } },
  ],
};
const set: SchemaSet = {
  shared: [shared],
  events: [event],
  topics: {
    partitions: 4,
    topics: { 'seam.painted-things': { partitions: 2, events: { ThingPainted: { key: 'thingId' } } } },
  },
  history: {},
};

describe('the TypeScript of a schema', () => {
  const source = eventTypesSource(set);

  it('has a documented interface whose nullable fields end in null, with its nested types before it', () => {
    expect(source).toContain(`/** What it looks like. */
export type Colour = 'red' | 'green';

export interface Tool {
  readonly raw: Uint8Array;
}

export type Finish = 'matt' | 'gloss';

/** A person painted a thing. */
export interface ThingPainted {
  readonly thingId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly colour: Colour;
  readonly before: Colour | null;
  readonly layers: readonly (number | null)[];
  readonly tools: Readonly<Record<string, Tool>>;
  readonly finish: Finish;
}
`);
  });

  it('names topics in code, with partitions and keys', () => {
    expect(source).toContain("export const TOPIC = {\n  paintedThings: 'seam.painted-things',\n} as const;");
    expect(source).toContain("{ name: 'seam.painted-things', partitions: 2, events: ['ThingPainted'] }");
    expect(source).toContain("    case 'ThingPainted':\n      return event.thingId;\n");
  });

  it('refuses an event without a topic', () => {
    expect(() => eventTypesSource({ ...set, topics: { partitions: 4, topics: {} } })).toThrow(
      'the event ThingPainted is in no topic of schemas/topics.json',
    );
  });

  it('does not end a comment early', () => {
    expect(eventTypesSource({ ...set, events: [{ ...event, doc: 'ends */ here' }] })).toContain(
      '/** ends *\\/ here */',
    );
  });
});

describe('the constants of a schema', () => {
  const older: AvroDefinition = { ...event, fields: [{ name: 'thingId', type: 'string' }] };

  it('hold the current schema without its documentation, shared types inside, and the released ones that differ', () => {
    const source = schemaConstantsSource({ ...set, history: { ThingPainted: [older] } });
    expect(source).toContain(
      '{"name":"colour","type":{"type":"enum","name":"Colour","namespace":"seamstream","symbols":["red","green"]}}',
    );
    expect(source).not.toContain('What it looks like');
    expect(source.match(/fingerprint: '[0-9a-f]{16}'/g)).toHaveLength(2);
  });

  it('hold what an event was called before', () => {
    const renamed = { ...event, name: 'ThingColoured', aliases: ['ThingPainted'] };
    expect(
      schemaConstantsSource({ ...set, events: [renamed], history: { ThingPainted: [older] } }).match(/fingerprint: '/g),
    ).toHaveLength(2);
  });
});

it('the checked-in types say that they are generated', () => {
  expect(readFileSync(new URL('../generated/events.generated.ts', import.meta.url), 'utf8')).toMatch(
    /^\/\/ Written by `npm run schemas`/,
  );
});
