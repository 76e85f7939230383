/**
 * Whether what was once written can still be read: the newest schema must read the records of every released one
 * (BACKWARD_TRANSITIVE), by the rules of schema resolution (Avro specification, "Schema Resolution"). We walk the two
 * schemas ourselves to say where and what to do; avsc's resolver, which does the reading, has the last word.
 */
import { messageOf } from '@seamstream/kernel';
import { strictType } from '../strict-types.js';
import {
  type AvroDefinition,
  type AvroField,
  type AvroSchema,
  fingerprintOf,
  fullName,
  isPrimitive,
  isUnion,
} from './avro-schema.js';
import { type SchemaSet, selfContained, type TopicsFile } from './typescript-source.js';

/** What a value of the key's type may be read as besides itself. */
const PROMOTIONS: Readonly<Record<string, readonly string[]>> = {
  int: ['long', 'float', 'double'],
  long: ['float', 'double'],
  float: ['double'],
  string: ['bytes'],
  bytes: ['string'],
};

/** Every way in which the current schemas break a promise to released records, one sentence each with what to do. */
export function incompatibilities(set: SchemaSet & { readonly releasedTopics?: TopicsFile }): readonly string[] {
  const faults: string[] = [];
  const currentNames = new Map(
    set.events.flatMap((event) => [event.name ?? '', ...(event.aliases ?? [])].map((name) => [name, event])),
  );
  for (const [name, released] of Object.entries(set.history)) {
    const event = currentNames.get(name);
    if (event === undefined) {
      faults.push(
        `${name}: the event was released and has no schema any more, so its records cannot be read. Restore it, or name it among the aliases of its successor.`,
      );
      continue;
    }
    const reader = selfContained(set, event);
    for (const writer of released)
      faults.push(...readingFaults(reader, writer).map((fault) => `${fault} (released as ${fingerprintOf(writer)})`));
  }
  for (const event of set.events) {
    try {
      strictType(selfContained(set, event));
    } catch (error) {
      faults.push(`${event.name ?? ''}: the schema cannot be used: ${messageOf(error)}.`);
    }
  }
  return [
    ...faults,
    ...(set.releasedTopics === undefined ? [] : topicFaults(set.topics, set.releasedTopics, currentNames)),
  ];
}

function topicFaults(
  current: TopicsFile,
  released: TopicsFile,
  currentNames: ReadonlyMap<string, AvroDefinition>,
): string[] {
  const faults: string[] = [];
  for (const [topic, { partitions = released.partitions, events }] of Object.entries(released.topics)) {
    const now = current.topics[topic];
    if (now === undefined) {
      faults.push(`${topic}: the topic was released and is gone from schemas/topics.json. Restore it.`);
      continue;
    }
    if ((now.partitions ?? current.partitions) !== partitions) {
      faults.push(
        `${topic}: it was released with ${partitions} partitions and has ${now.partitions ?? current.partitions}, which would part records of one key. Restore the number.`,
      );
    }
    for (const [name, rule] of Object.entries(events)) {
      const today = now.events[currentNames.get(name)?.name ?? name];
      if (today === undefined)
        faults.push(
          `${name}: it was released in ${topic} and stands there no longer, so its records are refused. Put it back.`,
        );
      else if (JSON.stringify(today) !== JSON.stringify(rule))
        faults.push(
          `${name}: its key was released as ${JSON.stringify(rule)} and is ${JSON.stringify(today)}, which would part its records. Restore the key.`,
        );
    }
  }
  return faults;
}

/** Why records written with `writer` cannot be read with `reader`; empty when they can. Both are self-contained. */
export function readingFaults(reader: AvroDefinition, writer: AvroDefinition): readonly string[] {
  const faults = new Comparison(reader, writer).faults;
  if (faults.length > 0) return faults;
  try {
    strictType(reader).createResolver(strictType(writer));
    return [];
  } catch (error) {
    return [
      `${reader.name ?? ''}: ${messageOf(error)}. Restore the released form, or give the change a default or an alias.`,
    ];
  }
}

type Named = ReadonlyMap<string, AvroDefinition>;

function namedTypes(root: AvroDefinition): Named {
  const found = new Map<string, AvroDefinition>();
  const visit = (schema: AvroSchema, namespace: string | undefined): void => {
    if (typeof schema === 'string') return;
    if (isUnion(schema)) {
      for (const branch of schema) visit(branch, namespace);
      return;
    }
    const scope = schema.namespace ?? namespace;
    if (schema.name !== undefined)
      found.set(fullName(schema.name, scope), { ...schema, ...(scope === undefined ? {} : { namespace: scope }) });
    for (const inner of [schema.items, schema.values, ...(schema.fields ?? []).map((field) => field.type)]) {
      if (inner !== undefined) visit(inner, scope);
    }
  };
  visit(root, undefined);
  return found;
}

class Comparison {
  readonly faults: string[] = [];
  private readonly readerTypes: Named;
  private readonly writerTypes: Named;

  constructor(reader: AvroDefinition, writer: AvroDefinition) {
    this.readerTypes = namedTypes(reader);
    this.writerTypes = namedTypes(writer);
    this.compare(reader, writer, reader.name ?? '');
  }

  private compare(readerSchema: AvroSchema, writerSchema: AvroSchema, path: string): void {
    const reader = resolve(readerSchema, this.readerTypes);
    const writer = resolve(writerSchema, this.writerTypes);
    if (isUnion(writer)) {
      for (const branch of writer) this.compare(reader, branch, path);
      return;
    }
    if (isUnion(reader)) {
      if (!reader.some((branch) => this.reads(branch, writer))) {
        this.faults.push(
          `${path}: it was written as ${nameOf(writer)}, which none of ${reader.map(nameOf).join(', ')} can hold. Add it to the union again.`,
        );
      }
      return;
    }
    const [from, to] = [kindOf(writer), kindOf(reader)];
    if (from !== to) {
      if (!(PROMOTIONS[from] ?? []).includes(to)) {
        this.faults.push(
          `${path}: it was written as ${nameOf(writer)} and cannot be read as ${nameOf(reader)}. Restore the type and put the new one into a new field with a default.`,
        );
      }
      return;
    }
    if (typeof reader === 'string' || typeof writer === 'string') return;
    if (reader.items !== undefined && writer.items !== undefined) this.compare(reader.items, writer.items, `${path}[]`);
    if (reader.values !== undefined && writer.values !== undefined)
      this.compare(reader.values, writer.values, `${path}{}`);
    if (to === 'record' || to === 'enum') this.compareNames(reader, writer, path);
    if (to === 'record') this.compareFields(reader, writer, path);
    if (to === 'enum') this.compareSymbols(reader, writer, path);
  }

  private reads(reader: AvroSchema, writer: AvroSchema): boolean {
    const before = this.faults.length;
    this.compare(reader, writer, '');
    return this.faults.splice(before).length === 0;
  }

  private compareNames(reader: AvroDefinition, writer: AvroDefinition, path: string): void {
    const accepted = [reader.name ?? '', ...(reader.aliases ?? [])].map((name) => fullName(name, reader.namespace));
    const written = fullName(writer.name ?? '', writer.namespace);
    if (!accepted.includes(written)) {
      this.faults.push(
        `${path}: its type was released as ${written} and is called ${accepted[0] ?? ''}. Add "aliases": ["${writer.name ?? ''}"] to it.`,
      );
    }
  }

  private compareFields(reader: AvroDefinition, writer: AvroDefinition, path: string): void {
    const written = new Map((writer.fields ?? []).map((field) => [field.name, field]));
    for (const field of reader.fields ?? []) {
      const source = [field.name, ...(field.aliases ?? [])]
        .map((name) => written.get(name))
        .find((found): found is AvroField => found !== undefined);
      if (source !== undefined) this.compare(field.type, source.type, `${path}.${field.name}`);
      else if (field.default === undefined) {
        this.faults.push(
          `${path}.${field.name}: released records do not have this field. Give it a default, or name the field that it replaces among its aliases.`,
        );
      }
    }
  }

  private compareSymbols(reader: AvroDefinition, writer: AvroDefinition, path: string): void {
    const lost = (writer.symbols ?? []).filter((symbol) => !(reader.symbols ?? []).includes(symbol));
    if (lost.length > 0 && reader.default === undefined) {
      this.faults.push(
        `${path}: released records may hold ${lost.join(', ')}, which the enum ${reader.name ?? ''} does not know. Restore the symbols, or give the enum a default.`,
      );
    }
  }
}

/** References followed, and `{"type": "int", …}` made "int". */
function resolve(schema: AvroSchema, types: Named): AvroSchema {
  if (typeof schema === 'string')
    return isPrimitive(schema)
      ? schema
      : (types.get(schema) ?? [...types.values()].find(({ name }) => name === schema) ?? schema);
  if (isUnion(schema)) return schema;
  return typeof schema.type === 'string' && !isPrimitive(schema.type) ? schema : resolve(schema.type, types);
}

function kindOf(schema: AvroSchema): string {
  return typeof schema === 'string' ? schema : isUnion(schema) ? 'union' : (schema.type as string);
}

function nameOf(schema: AvroSchema): string {
  return typeof schema === 'string' || isUnion(schema) ? kindOf(schema) : (schema.name ?? kindOf(schema));
}
