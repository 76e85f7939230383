/**
 * TypeScript written from schemas: one readonly interface per record, one union of string literals per enum, and the
 * discriminated union of all events with its topics and keys. What comes out is checked in and read by people, so
 * documentation travels along.
 */
import { type AvroDefinition, type AvroSchema, fingerprintOf, inlineNames, isUnion } from './avro-schema.js';

/** schemas/topics.json */
export interface TopicsFile {
  /** Of a topic that does not say. */
  readonly partitions: number;
  readonly topics: Readonly<
    Record<string, { readonly partitions?: number; readonly events: Readonly<Record<string, KeyRule>> }>
  >;
}

/** Where an event's key comes from: a path of field names, or the same text for all. */
type KeyRule = { readonly key: string } | { readonly constantKey: string };

export interface SchemaSet {
  /** Types that several events share, by simple name. */
  readonly shared: readonly AvroDefinition[];
  /** Every event in the order of topics.json. */
  readonly events: readonly AvroDefinition[];
  readonly topics: TopicsFile;
  /** Released versions: self-contained schemas by the event name they were released under. */
  readonly history: Readonly<Record<string, readonly AvroDefinition[]>>;
}

const HEADER = '// Written by `npm run schemas` from schemas/. Do not edit: change the schema and run it again.\n';

const PRIMITIVE_TYPES: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  bytes: 'Uint8Array',
  string: 'string',
};

/** An event's schema with every shared type inside. Throws a RangeError for a reference without a definition. */
export function selfContained(set: Pick<SchemaSet, 'shared'>, event: AvroDefinition): AvroDefinition {
  return inlineNames(event, new Map(set.shared.map((type) => [`${type.namespace ?? ''}.${type.name ?? ''}`, type])));
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll('*/', '*\\/').split(/\s+/)) {
    if (line.length + word.length > 108) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  lines.push(line);
  return lines.length === 1
    ? `${indent}/** ${lines.join('')} */\n`
    : `${indent}/**\n${lines.map((each) => `${indent} * ${each}\n`).join('')}${indent} */\n`;
}

/** The TypeScript type of a schema; definitions met on the way (nested records and enums) are added to `nested`. */
function typeOf(schema: AvroSchema, nested: AvroDefinition[]): string {
  if (typeof schema === 'string') return PRIMITIVE_TYPES[schema] ?? schema.slice(schema.lastIndexOf('.') + 1);
  if (isUnion(schema)) {
    return schema
      .map((branch) => typeOf(branch, nested))
      .sort((a, b) => Number(a === 'null') - Number(b === 'null'))
      .join(' | ');
  }
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? 'null', nested);
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  if (schema.type === 'map') return `Readonly<Record<string, ${typeOf(schema.values ?? 'null', nested)}>>`;
  if (schema.type === 'record' || schema.type === 'enum') {
    nested.push(schema);
    return schema.name ?? '';
  }
  if (schema.type === 'fixed')
    throw new RangeError(`${schema.name ?? 'a schema'}: the type fixed is not used here; use bytes`);
  return typeOf(schema.type, nested);
}

function declaration(definition: AvroDefinition): string {
  const name = definition.name ?? '';
  const doc = comment(definition.doc, '');
  if (definition.type === 'enum') {
    return `${doc}export type ${name} = ${(definition.symbols ?? []).map((symbol) => `'${symbol}'`).join(' | ')};\n`;
  }
  const nested: AvroDefinition[] = [];
  const fields = (definition.fields ?? []).map(
    (field) =>
      `${comment(field.doc, '  ')}  readonly ${field.name}${field.optional === true ? '?' : ''}: ${typeOf(field.type, nested)}${field.optional === true ? ' | undefined' : ''};\n`,
  );
  return [...nested.map(declaration), `${doc}export interface ${name} {\n${fields.join('')}}\n`].join('\n');
}

/** 'seam.dead-letters' → 'deadLetters': the name under which code refers to a topic. */
function topicName(topic: string): string {
  return topic.slice(topic.indexOf('.') + 1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The text of events.generated.ts: interfaces, the union of events, topics, keys. */
export function eventTypesSource({ shared, events, topics }: SchemaSet): string {
  const topicEntries = Object.entries(topics.topics);
  const keyOf = Object.fromEntries(topicEntries.flatMap(([, { events: rules }]) => Object.entries(rules)));
  const names = events.map(({ name }) => name ?? '');
  const keyCases = names.map((name) => {
    const rule = keyOf[name];
    if (rule === undefined) throw new RangeError(`the event ${name} is in no topic of schemas/topics.json`);
    return 'key' in rule
      ? `    case '${name}':\n      return event.${rule.key};\n`
      : `    case '${name}':\n      return '${rule.constantKey}';\n`;
  });
  return [
    HEADER,
    ...[...shared, ...events].map(declaration),
    `/** Every event by its type. The type is not a field on the wire: the schema's fingerprint identifies it. */\nexport interface EventsByType {\n${names.map((name) => `  readonly ${name}: ${name};\n`).join('')}}\n`,
    'export type EventType = keyof EventsByType;\n',
    '/** An event with its type, as code passes it around. */\nexport type EventOf<T extends EventType> = { [K in T]: { readonly type: K } & EventsByType[K] }[T];\n',
    '/** Everything that can happen. */\nexport type SeamEvent = EventOf<EventType>;\n',
    `/** Names of the topics. */\nexport const TOPIC = {\n${topicEntries.map(([topic]) => `  ${topicName(topic)}: '${topic}',\n`).join('')}} as const;\n`,
    'export type TopicName = (typeof TOPIC)[keyof typeof TOPIC];\n',
    `/** Every topic with its number of partitions and the events that it may hold. */\nexport const TOPICS: readonly { readonly name: TopicName; readonly partitions: number; readonly events: readonly EventType[] }[] = [\n${topicEntries
      .map(
        ([topic, { partitions, events: rules }]) =>
          `  { name: '${topic}', partitions: ${partitions ?? topics.partitions}, events: [${Object.keys(rules)
            .map((name) => `'${name}'`)
            .join(', ')}] },\n`,
      )
      .join('')}];\n`,
    `/** The topic of every event. */\nexport const TOPIC_OF = {\n${topicEntries
      .flatMap(([topic, { events: rules }]) => Object.keys(rules).map((name) => `  ${name}: '${topic}',\n`))
      .join('')}} as const satisfies Record<EventType, TopicName>;\n`,
    `/** The record's key, which decides the partition; null is spread over all. */\nexport function keyOf(event: SeamEvent): string | null {\n  switch (event.type) {\n${keyCases.join('')}  }\n}\n`,
  ].join('\n');
}

/** The text of schemas.generated.ts: what the codec needs of current and released schemas, by event. */
export function schemaConstantsSource(set: SchemaSet): string {
  const withoutDocs = (schema: AvroDefinition): string =>
    JSON.stringify(schema, (key, value: unknown) => (key === 'doc' ? undefined : value))
      .replaceAll('\\', '\\\\')
      .replaceAll("'", "\\'");
  const entries = set.events.map((event) => {
    const name = event.name ?? '';
    const current = selfContained(set, event);
    const fingerprint = fingerprintOf(current);
    const released = [name, ...(event.aliases ?? [])]
      .flatMap((each) => set.history[each] ?? [])
      .filter((schema) => fingerprintOf(schema) !== fingerprint);
    return [
      `  ${name}: {\n    fingerprint: '${fingerprint}',\n    schema: '${withoutDocs(current)}',\n    released: [\n`,
      ...released.map(
        (schema) => `      { fingerprint: '${fingerprintOf(schema)}', schema: '${withoutDocs(schema)}' },\n`,
      ),
      '    ],\n  },\n',
    ].join('');
  });
  return [
    HEADER,
    "import type { EventType } from './events.generated.js';\n",
    '/** A schema as JSON text and its CRC-64-AVRO fingerprint: the 8 bytes on the wire as hexadecimal digits. */\nexport interface NamedSchema {\n  readonly fingerprint: string;\n  readonly schema: string;\n}\n',
    '/** Schemas by event: the current one, which is written, and released older ones, which are still read. */\n' +
      `export const SCHEMAS: Readonly<Record<EventType, NamedSchema & { readonly released: readonly NamedSchema[] }>> = {\n${entries.join('')}};\n`,
  ].join('\n');
}
