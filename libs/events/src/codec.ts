/**
 * Events to records and back. The value is Avro's single-object encoding:
 *
 *   C3 01 | fingerprint of the writer's schema, 8 bytes, little-endian | the event in Avro binary
 *
 * The fingerprint says which event it is and in which version it was written; an older released version is read through
 * Avro's schema resolution. The headers repeat identity and causality as a CloudEvent in binary mode
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md), for tools that know
 * no schema; the value alone is what counts.
 *
 * Records may have been written with a schema that is not of a release: one that a registry names. A reader that meets such a schema
 * teaches it to the codec first (`learn`); it is then a writer's version like any other.
 */
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { type EncodedRecord, invalidEvent, malformed, place, shown } from './codec-errors.js';
import { CopiedFields, type EventLayout, EventWindow } from './encoded-fields.js';
import { EventForm, HEADER_BYTES, WriterVersion } from './event-form.js';
import { keyOf, type SeamEvent, TOPIC_OF, TOPICS } from './generated/events.generated.js';
import { type NamedSchema, SCHEMAS } from './generated/schemas.generated.js';
import { type AvroDefinition, fingerprintOf, fullName } from './schema/avro-schema.js';
import { asBuffer } from './strict-types.js';

export type { EncodedRecord } from './codec-errors.js';

/** An event as a record to append; assignable to the event log's NewRecord. */
export interface EncodedEvent {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Marker and schema id of the framing that Confluent's clients write: 00 | id, 4 bytes, big-endian. */
const CONFLUENT_HEADER_BYTES = 5;
/** Of a learned schema; the events' own are some ten thousand. */
const MAX_SCHEMA_CHARACTERS = 1_000_000;
/** Of a learned schema: its reader calls itself once or more for each. The events' own have fewer than 20. */
const MAX_SCHEMA_NESTING = 200;
const MARKER = 0x01c3; // C3 01 as a little-endian 16-bit number

/** What a codec is made from: current and released schemas by event, as generated, and the topic of each. */
export interface CodecInput {
  readonly schemas: Readonly<Record<string, NamedSchema & { readonly released: readonly NamedSchema[] }>>;
  readonly topicOf: Readonly<Record<string, string>>;
}

/** Encodes and decodes the events of one set of schemas. */
export class EventCodec {
  private readonly forms = new Map<string, EventForm>();
  /** By the lower half of the fingerprint; a collision of halves among our own schemas is refused at start. */
  private readonly versions = new Map<number, WriterVersion>();
  /** Learned schemas that no event can be read from, by fingerprint, and why. */
  private readonly unreadable = new Map<string, string>();
  private scratch: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  private lastMs = 0;
  private lastTime = '1970-01-01T00:00:00.000Z';

  constructor({ schemas, topicOf }: CodecInput) {
    for (const [name, schema] of Object.entries(schemas)) {
      const form = new EventForm(name, topicOf[name] ?? '', schema);
      this.forms.set(name, form);
      this.add(new WriterVersion(form, schema.fingerprint, undefined));
      for (const old of schema.released) this.add(new WriterVersion(form, old.fingerprint, old.schema));
    }
  }

  /**
   * From now on records that were written with this schema are read, if they can be: it is the text of a record schema with
   * an event's full name, and schema resolution leads from it to the event. Records of any other schema are refused as
   * INCOMPATIBLE_SCHEMA with the reasons. Returns the fingerprint: 16 hexadecimal digits in the order of the wire. Throws
   * INVALID_INPUT for a text that is no self-contained Avro schema.
   */
  learn(text: string): string {
    let schema: AvroDefinition;
    let fingerprint: string;
    if (text.length > MAX_SCHEMA_CHARACTERS || nestingOf(text) > MAX_SCHEMA_NESTING) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot learn a schema: expected at most ${MAX_SCHEMA_CHARACTERS} characters and ${MAX_SCHEMA_NESTING} brackets in each other, got ${text.length} characters that begin with ${shown(text)}. Its records cannot be read.`,
      );
    }
    try {
      schema = JSON.parse(text) as AvroDefinition;
      fingerprint = fingerprintOf(schema);
    } catch (cause) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot learn a schema: expected the JSON text of a self-contained Avro schema, got ${shown(text)}. Its records cannot be read.`,
        { cause },
      );
    }
    if (this.versionOf(Buffer.from(fingerprint, 'hex'), 0) !== undefined || this.unreadable.has(fingerprint))
      return fingerprint;
    const written = fullName(schema.name ?? '', schema.namespace);
    const form = [...this.forms.values()].find((each) => each.fullName === written);
    try {
      if (form === undefined) throw new RangeError(`no event is called ${shown(written)}`);
      const version = new WriterVersion(form, fingerprint, text);
      version.prepare();
      this.add(version);
    } catch (error) {
      this.unreadable.set(fingerprint, messageOf(error));
    }
    return fingerprint;
  }

  /** Why no event can be read from records of a learned schema; undefined where they can be read. */
  faultOf(fingerprint: string): string | undefined {
    return this.unreadable.get(fingerprint);
  }

  /** The version whose fingerprint stands at this place. */
  private versionOf(bytes: Buffer, at: number): WriterVersion | undefined {
    const version = this.versions.get(bytes.readUInt32LE(at));
    return version?.high === bytes.readUInt32LE(at + 4) ? version : undefined;
  }

  private add(version: WriterVersion): void {
    const other = this.versions.get(version.low);
    if (other !== undefined) {
      throw new SeamError(
        'INTERNAL',
        `Cannot tell schemas apart: expected different halves of fingerprints, got the same of ${version.form.name} and ${other.form.name}. Add a field to one of them.`,
      );
    }
    this.versions.set(version.low, version);
  }

  /**
   * The event as a record: topic, key, value and headers. Fields that the schema does not know are left out, an absent
   * field with a default gets it. Floats are rounded to 32 bits. Throws INVALID_INPUT naming every field that does not fit.
   */
  encode(event: SeamEvent): EncodedEvent {
    const form = this.forms.get(event.type);
    if (form === undefined) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot encode an event: expected one of ${[...this.forms.keys()].join(', ')}, got ${shown(event.type)}. Set its type.`,
      );
    }
    const { meta } = event;
    const prepared = form.prepared(event);
    let end: number;
    let time: string;
    try {
      end = form.type.encode(prepared, this.scratch, HEADER_BYTES);
      while (end < 0) {
        // The negative number is how many bytes were missing.
        this.scratch = Buffer.allocUnsafeSlow(2 * (this.scratch.length - end));
        end = form.type.encode(prepared, this.scratch, HEADER_BYTES);
      }
      time = this.rfc3339(meta.occurredAt);
    } catch (cause) {
      throw invalidEvent(prepared, form.type, cause);
    }
    const value = Buffer.allocUnsafe(end);
    this.scratch.copy(value, HEADER_BYTES, HEADER_BYTES, end);
    form.header.copy(value);
    const headers: Record<string, string> = {
      'content-type': 'application/avro',
      ce_specversion: '1.0',
      ce_id: meta.messageId,
      ce_type: `seamstream.${event.type}`,
      ce_source: meta.source,
      ce_time: time,
    };
    // Absent in an event that was made without it, null in one that was decoded.
    if (typeof meta.traceparent === 'string') headers.traceparent = meta.traceparent;
    return { topic: form.topic, key: keyOf(event), value, headers };
  }

  /** RFC 3339 in UTC with milliseconds. Events of one moment are many and formatting is slow: the last one is kept. */
  private rfc3339(ms: number): string {
    if (ms !== this.lastMs) {
      this.lastTime = new Date(ms).toISOString(); // throws a RangeError beyond ±8.64e15 ms
      this.lastMs = ms;
    }
    return this.lastTime;
  }

  /**
   * The event in a record. Throws UNKNOWN_SCHEMA when no known schema has the record's fingerprint, INCOMPATIBLE_SCHEMA when
   * a learned one has it that no event can be read from, UNREADABLE_BATCH where the log has no bytes to show, MALFORMED_RECORD
   * for everything else that makes the bytes no event of this topic; all carry topic, partition, offset and the cause.
   */
  decode(record: EncodedRecord): SeamEvent {
    if (record.unreadable !== undefined) {
      const { topic, partition, offset, unreadable } = record;
      throw new SeamError('UNREADABLE_BATCH', `Cannot read ${place(record)}: ${unreadable}`, {
        details: { topic, partition, offset },
      });
    }
    if (record.value === null) throw malformed(record, undefined, 'the record has no value');
    const bytes = asBuffer(record.value);
    if (bytes[0] === 0 && bytes.length >= CONFLUENT_HEADER_BYTES) {
      const schemaId = bytes.readUInt32BE(1);
      throw new SeamError(
        'UNKNOWN_SCHEMA',
        `Cannot read ${place(record)}: it is in Confluent's framing with schema id ${schemaId}, for which no registry gave a self-contained Avro schema. Configure the registry that its writer used, then redrive the record.`,
        { details: { topic: record.topic, partition: record.partition, offset: record.offset, schemaId } },
      );
    }
    if (bytes.length < HEADER_BYTES) {
      throw malformed(
        record,
        undefined,
        `${bytes.length} bytes are fewer than the ${HEADER_BYTES} of marker and fingerprint`,
      );
    }
    if (bytes.readUInt16LE(0) !== MARKER) {
      throw malformed(
        record,
        undefined,
        `it begins with ${bytes.toString('hex', 0, 2)}, expected c301 (Avro single-object encoding)`,
      );
    }
    const version = this.versionOf(bytes, 2);
    if (version === undefined) {
      const fingerprint = bytes.toString('hex', 2, HEADER_BYTES);
      const why = this.unreadable.get(fingerprint);
      const details = { topic: record.topic, partition: record.partition, offset: record.offset, fingerprint };
      if (why !== undefined) {
        throw new SeamError(
          'INCOMPATIBLE_SCHEMA',
          `Cannot read ${place(record)}: no event can be read from what its schema (fingerprint ${fingerprint}) writes: ${why}`,
          { details },
        );
      }
      throw new SeamError(
        'UNKNOWN_SCHEMA',
        `Cannot read ${place(record)}: no known schema has the fingerprint ${fingerprint}. It was written by a newer version or by another program: upgrade this service, then redrive the record.`,
        { details },
      );
    }
    const { name, topic } = version.form;
    if (topic !== record.topic) throw malformed(record, name, `${name} belongs into ${topic}`);
    let decoded: { value: unknown; offset: number };
    try {
      decoded = version.read(bytes);
    } catch (cause) {
      throw malformed(record, name, messageOf(cause), cause);
    }
    if (decoded.offset < 0) throw malformed(record, name, `its ${bytes.length} bytes end in the middle`);
    if (decoded.offset !== bytes.length)
      throw malformed(record, name, `${bytes.length - decoded.offset} bytes follow its end`);
    const event = decoded.value as { type?: string };
    event.type = name;
    return event as SeamEvent;
  }

  /** How the current schema of an event lies in bytes. */
  layout(type: SeamEvent['type']): EventLayout {
    return this.forms.get(type)!.layout;
  }
}

const CODEC = new EventCodec({ schemas: SCHEMAS, topicOf: TOPIC_OF });

/**
 * The event as a record: topic, key, value and headers. Fields that the schema does not know are left out, an absent field
 * with a default gets it. Floats (log-probabilities) are rounded to 32 bits. Throws INVALID_INPUT naming every field that
 * does not fit.
 */
export function encodeEvent(event: SeamEvent): EncodedEvent {
  return CODEC.encode(event);
}

/**
 * The event in a record. Throws UNKNOWN_SCHEMA when no known schema has the record's fingerprint, INCOMPATIBLE_SCHEMA when a
 * learned one has it that no event can be read from, UNREADABLE_BATCH where the log has no bytes to show, MALFORMED_RECORD for
 * everything else that makes the bytes no event of this topic; all carry topic, partition, offset and the cause.
 */
export function decodeEvent(record: EncodedRecord): SeamEvent {
  return CODEC.decode(record);
}

/** A window onto encoded events of this type, which shows one at a time without decoding it. */
export function eventWindow(type: SeamEvent['type']): EventWindow {
  return new EventWindow(CODEC.layout(type));
}

/** What events of one type copy of the one that they are made from. */
export function copiedFields(from: SeamEvent['type'], into: SeamEvent['type']): CopiedFields {
  return new CopiedFields(CODEC.layout(from), CODEC.layout(into));
}

/**
 * Makes {@link decodeEvent} read records that were written with this schema, given as JSON text, where an event can be read
 * from them; others are refused as INCOMPATIBLE_SCHEMA. Returns its CRC-64-AVRO fingerprint: 16 hexadecimal digits in the
 * order of the bytes on the wire. Throws INVALID_INPUT for a text that is no self-contained Avro schema.
 */
export function learnSchema(text: string): string {
  return CODEC.learn(text);
}

/**
 * Why no event can be read from records that were written with this schema, given as JSON text; undefined where they can be
 * read. Learns it as {@link learnSchema} does.
 */
export function schemaFault(text: string): string | undefined {
  try {
    return CODEC.faultOf(CODEC.learn(text));
  } catch (error) {
    if (isSeamError(error, 'INVALID_INPUT')) return error.message;
    throw error;
  }
}

/** An event's current schema, as a registry receives it. */
export interface EventSchema {
  readonly topic: string;
  /** With namespace, e.g. seamstream.ProblemPublished. */
  readonly fullName: string;
  /** 16 hexadecimal digits in the order of the bytes on the wire. */
  readonly fingerprint: string;
  /** Self-contained, as JSON text. */
  readonly schema: string;
}

/** The schemas that events are written with today. */
export function eventSchemas(): readonly EventSchema[] {
  return TOPICS.flatMap(({ name: topic, events }) =>
    events.map((event) => {
      const { fingerprint, schema } = SCHEMAS[event];
      const { name = event, namespace } = JSON.parse(schema) as AvroDefinition;
      return { topic, fullName: fullName(name, namespace), fingerprint, schema };
    }),
  );
}

/** How many brackets of a JSON text are nested at most; those in strings do not count. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isString && character === '\\') at++;
    else if (character === '"') isString = !isString;
    else if (!isString && (character === '{' || character === '[')) deepest = Math.max(deepest, ++depth);
    else if (!isString && (character === '}' || character === ']')) depth--;
  }
  return deepest;
}
