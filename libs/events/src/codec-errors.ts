/** What is wrong with an event that cannot be encoded, and with a record that cannot be decoded. */
import { messageOf, SeamError } from '@seamstream/kernel';
import type avro from 'avsc';
import type { SeamEvent } from './generated/events.generated.js';

/** What decoding needs of a record; the event log's LogRecord is one. */
export interface EncodedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Uint8Array | null;
  /** Why the log has no bytes to show, see the event log's LogRecord. */
  readonly unreadable?: string;
}

/** Names every field that does not fit. */
export function invalidEvent(event: SeamEvent, schema: avro.Type, cause: unknown): SeamError {
  const faults: string[] = [];
  schema.isValid(event, {
    errorHook: (path, value: unknown, type) => {
      faults.push(`${path.join('.')}: expected ${describe(type)}, got ${shown(value)}`);
    },
  });
  return new SeamError(
    'INVALID_INPUT',
    `Cannot encode ${event.type}: ${faults.length === 0 ? messageOf(cause) : faults.join('; ')}. Correct the event; nothing was recorded.`,
    // avsc's own error repeats the whole value: it is of use only when no field was found at fault.
    { details: { eventType: event.type, faults }, ...(faults.length === 0 ? { cause } : {}) },
  );
}

/** A value in a message: short, and telling NaN from null. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  return String(value);
}

function describe(type: avro.Type): string {
  const { typeName } = type;
  if (typeName === 'double' || typeName === 'float') return `a finite ${typeName}`;
  if (typeName === 'enum') return `one of ${(type as unknown as { symbols: readonly string[] }).symbols.join(', ')}`;
  if (typeName === 'union:unwrapped')
    return (type as unknown as { types: readonly avro.Type[] }).types.map(describe).join(' or ');
  return type.name ?? typeName;
}

export function place({ topic, partition, offset }: EncodedRecord): string {
  return `${topic}/${partition}@${offset}`;
}

export function malformed(
  record: EncodedRecord,
  eventType: string | undefined,
  fault: string,
  cause?: unknown,
): SeamError {
  return new SeamError(
    'MALFORMED_RECORD',
    `Cannot read ${place(record)}${eventType === undefined ? '' : ` as ${eventType}`}: ${fault}. The record cannot be used; its bytes belong into the dead letters.`,
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
