/**
 * Events to records and back. The value is Avro's single-object encoding:
 *
 *   C3 01 | fingerprint of the writer's schema, 8 bytes, little-endian | the event in Avro binary
 *
 * The fingerprint says which event it is and in which version it was written; an older released version is read through
 * Avro's schema resolution. The headers repeat identity and causality as a CloudEvent in binary mode
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md), for tools that know
 * no schema; the value alone is what counts.
 */
import { messageOf, SeamError } from '@seamstream/kernel';
import type avro from 'avsc';
import { type EventType, keyOf, type SeamEvent, TOPIC_OF } from './generated/events.generated.js';
import { SCHEMAS } from './generated/schemas.generated.js';
import { type AvroDefinition, type AvroSchema, isUnion } from './schema/avro-schema.js';
import { asBuffer, strictType } from './strict-types.js';

/** An event as a record to append; assignable to the event log's NewRecord. */
export interface EncodedEvent {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** What decoding needs of a record; the event log's LogRecord is one. */
export interface EncodedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Uint8Array | null;
}

/** Marker and fingerprint. */
const HEADER_BYTES = 10;
const MARKER = 0x01c3; // C3 01 as a little-endian 16-bit number

/** One event type's reader and writer, made on first use: most processes see few of them. */
class EventCodec {
  readonly topic: string;
  readonly header: Buffer;
  /** Fields of bytes: avsc takes nothing but a Buffer there. */
  private readonly bytesFields: readonly string[];
  private made: avro.Type | undefined;

  constructor(readonly name: EventType) {
    this.topic = TOPIC_OF[name];
    this.header = Buffer.from(`c301${SCHEMAS[name].fingerprint}`, 'hex');
    const { fields = [] } = JSON.parse(SCHEMAS[name].schema) as AvroDefinition;
    this.bytesFields = fields
      .filter(({ type }) => type === 'bytes' || (isUnion(type) && type.includes('bytes')))
      .map((field) => field.name);
  }

  /** The event as avsc takes it. */
  prepared(event: SeamEvent): SeamEvent {
    if (this.bytesFields.length === 0) return event;
    const copy: Record<string, unknown> = { ...event };
    for (const field of this.bytesFields) {
      const bytes = copy[field];
      if (bytes instanceof Uint8Array) copy[field] = asBuffer(bytes);
    }
    return copy as unknown as SeamEvent;
  }

  get type(): avro.Type {
    this.made ??= strictType(JSON.parse(SCHEMAS[this.name].schema) as AvroSchema);
    return this.made;
  }
}

/** A version that records may have been written in. `resolver` leads from it to the current one. */
class WriterVersion {
  readonly high: number;
  readonly low: number;
  private resolver: ReturnType<avro.Type['createResolver']> | undefined;

  constructor(
    readonly codec: EventCodec,
    fingerprint: string,
    private readonly releasedSchema: string | undefined,
  ) {
    const bytes = Buffer.from(fingerprint, 'hex');
    this.low = bytes.readUInt32LE(0);
    this.high = bytes.readUInt32LE(4);
  }

  read(bytes: Buffer): { value: unknown; offset: number } {
    if (this.releasedSchema === undefined)
      return this.codec.type.decode(bytes, HEADER_BYTES) as { value: unknown; offset: number };
    this.resolver ??= this.codec.type.createResolver(strictType(JSON.parse(this.releasedSchema) as AvroSchema));
    return this.codec.type.decode(bytes, HEADER_BYTES, this.resolver) as { value: unknown; offset: number };
  }
}

const CODECS = new Map<string, EventCodec>();
/** By the lower half of the fingerprint; a collision of halves among our own schemas is refused at start. */
const VERSIONS = new Map<number, WriterVersion>();

for (const name of Object.keys(SCHEMAS) as EventType[]) {
  const codec = new EventCodec(name);
  CODECS.set(name, codec);
  const { fingerprint, released } = SCHEMAS[name];
  for (const version of [
    new WriterVersion(codec, fingerprint, undefined),
    ...released.map((old) => new WriterVersion(codec, old.fingerprint, old.schema)),
  ]) {
    if (VERSIONS.has(version.low))
      throw new SeamError(
        'INTERNAL',
        `two schemas share half a fingerprint: ${name} and ${VERSIONS.get(version.low)?.codec.name ?? ''}`,
      );
    VERSIONS.set(version.low, version);
  }
}

let scratch: Buffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The event as a record: topic, key, value and headers. Fields that the schema does not know are left out, an absent field
 * with a default gets it. Floats are rounded to 32 bits. Throws INVALID_INPUT naming every field that does not fit.
 */
export function encodeEvent(event: SeamEvent): EncodedEvent {
  const codec = CODECS.get(event.type);
  if (codec === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      `Encoding an event: expected one of ${[...CODECS.keys()].join(', ')}, came ${JSON.stringify(event.type)}. Set its type.`,
    );
  }
  const { meta } = event;
  const prepared = codec.prepared(event);
  let end: number;
  let time: string;
  try {
    end = codec.type.encode(prepared, scratch, HEADER_BYTES);
    while (end < 0) {
      // The negative number is how many bytes were missing.
      scratch = Buffer.allocUnsafeSlow(2 * (scratch.length - end));
      end = codec.type.encode(prepared, scratch, HEADER_BYTES);
    }
    time = rfc3339(meta.occurredAt);
  } catch (cause) {
    throw invalidEvent(prepared, codec, cause);
  }
  const value = Buffer.allocUnsafe(end);
  scratch.copy(value, 0, 0, end);
  codec.header.copy(value);
  return {
    topic: codec.topic,
    key: keyOf(event),
    value,
    headers: {
      'content-type': 'application/avro',
      ce_specversion: '1.0',
      ce_id: meta.messageId,
      ce_type: `seamstream.${event.type}`,
      ce_source: meta.source,
      ce_time: time,
      ...(meta.traceparent == null ? undefined : { traceparent: meta.traceparent }),
    },
  };
}

let lastMs = 0;
let lastTime = new Date(0).toISOString();

/** RFC 3339 in UTC with milliseconds. Events of one moment are many and formatting is slow: the last one is kept. */
function rfc3339(ms: number): string {
  if (ms !== lastMs) {
    lastTime = new Date(ms).toISOString(); // throws a RangeError beyond ±8.64e15 ms
    lastMs = ms;
  }
  return lastTime;
}

function invalidEvent(event: SeamEvent, codec: EventCodec, cause: unknown): SeamError {
  const faults: string[] = [];
  codec.type.isValid(event, {
    errorHook: (path, value: unknown, type) => {
      faults.push(`${path.join('.')}: expected ${describe(type)}, came ${shown(value)}`);
    },
  });
  return new SeamError(
    'INVALID_INPUT',
    `Encoding ${event.type}: ${faults.length === 0 ? messageOf(cause) : faults.join('; ')}. Correct the event; nothing was recorded.`,
    // avsc's own error repeats the whole value: it is of use only when no field was found at fault.
    { details: { eventType: event.type, faults }, ...(faults.length === 0 ? { cause } : {}) },
  );
}

/** A value in a message: short, and telling NaN from null. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  return String(value);
}

function describe(type: avro.Type): string {
  const { typeName } = type;
  if (typeName === 'double' || typeName === 'float') return `a finite ${typeName}`;
  if (typeName === 'enum') return `one of ${(type as avro.types.EnumType).symbols.join(', ')}`;
  if (typeName === 'union:unwrapped') return (type as avro.types.UnwrappedUnionType).types.map(describe).join(' or ');
  return type.name ?? typeName;
}

/**
 * The event in a record. Throws UNKNOWN_SCHEMA when no known schema has the record's fingerprint, MALFORMED_RECORD for
 * everything else that makes the bytes no event of this topic; both carry topic, partition, offset and the cause.
 */
export function decodeEvent(record: EncodedRecord): SeamEvent {
  if (record.value === null) throw malformed(record, undefined, 'the record has no value');
  const bytes = asBuffer(record.value);
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
  const version = VERSIONS.get(bytes.readUInt32LE(2));
  if (version === undefined || version.high !== bytes.readUInt32LE(6)) {
    const fingerprint = bytes.toString('hex', 2, HEADER_BYTES);
    throw new SeamError(
      'UNKNOWN_SCHEMA',
      `Reading ${place(record)}: no known schema has the fingerprint ${fingerprint}. It was written by a newer version or by somebody else: upgrade this service, then redrive the record.`,
      { details: { topic: record.topic, partition: record.partition, offset: record.offset, fingerprint } },
    );
  }
  const { name, topic } = version.codec;
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

function place({ topic, partition, offset }: EncodedRecord): string {
  return `${topic}/${partition}@${offset}`;
}

function malformed(record: EncodedRecord, eventType: EventType | undefined, fault: string, cause?: unknown): SeamError {
  return new SeamError(
    'MALFORMED_RECORD',
    `Reading ${place(record)}${eventType === undefined ? '' : ` as ${eventType}`}: ${fault}. The record cannot be used; its bytes belong into the dead letters.`,
    {
      details: {
        topic: record.topic,
        partition: record.partition,
        offset: record.offset,
        ...(eventType === undefined ? {} : { eventType }),
        fault,
      },
      cause,
    },
  );
}
