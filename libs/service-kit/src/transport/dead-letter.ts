/** A record that a consumer group gives up, as an event with everything needed to send it again. */
import { type LogRecord, MAX_RECORD_BYTES } from '@seamstream/event-log';
import {
  type DeadLettered,
  deriveMeta,
  type EventMeta,
  type EventOf,
  originMeta,
  type SeamEvent,
} from '@seamstream/events';
import { clipped, derivedId } from '@seamstream/kernel';

/** Room for everything of a dead letter but the original's key, value and headers: each of its texts is bounded below. */
const OVERHEAD_BYTES = 16_000;
const MAX_REASON_CHARACTERS = 2_000;
/** Of an id, a subject or a trace: ours have 36 characters, and a stranger's may have a million. */
const MAX_META_CHARACTERS = 256;
/** No writer of ours uses a longer key. A letter that repeats one would have no room for the value. */
const MAX_KEY_BYTES = 65_536;

export interface Fault {
  readonly code: string;
  readonly reason: string;
  readonly attempts: number;
}

/**
 * The dead letter of a record; its id follows from group and position, so that giving up twice states one fact.
 * @param event the record's event, where it could be decoded
 * @param source the service, e.g. seam/generator
 */
export function deadLetterOf(
  record: LogRecord,
  event: SeamEvent | undefined,
  fault: Fault,
  context: { readonly group: string; readonly source: string; readonly nowMs: number },
): EventOf<'DeadLettered'> {
  const { group, source, nowMs } = context;
  const { topic, partition, offset, key, headers } = record;
  const role = `dead-letter:${group}:${topic}/${partition}@${offset}`;
  const meta =
    event === undefined
      ? originMeta({
          messageId: derivedId(`${topic}/${partition}@${offset}`, role),
          correlationId: key ?? `${topic}/${partition}@${offset}`,
          source,
          occurredAt: nowMs,
          sourceClass: 'web',
        })
      : deriveMeta(event.meta, { role, source, occurredAt: nowMs });
  const kept = fitted(record);
  const letter: DeadLettered = {
    meta: bounded(meta),
    topic,
    partition,
    offset,
    group,
    key: kept.keyFits ? key : null,
    value: kept.value,
    headers: kept.headersFit ? headers : {},
    code: fault.code,
    reason: `${fault.reason.slice(0, MAX_REASON_CHARACTERS)}${kept.remark}`,
    attempts: fault.attempts,
  };
  return { type: 'DeadLettered', ...letter };
}

/** The meta data with texts of bounded length: they are copied from what a stranger wrote. */
function bounded(meta: EventMeta): EventMeta {
  const clip = (text: string): string => clipped(text, MAX_META_CHARACTERS);
  const { correlationId, causationId, subject, tenant, traceparent } = meta;
  return {
    ...meta,
    correlationId: clip(correlationId),
    causationId: causationId === null ? null : clip(causationId),
    subject: subject === null ? null : clip(subject),
    tenant: tenant === null ? null : clip(tenant),
    traceparent: traceparent === null ? null : clip(traceparent),
  };
}

/** A record of the largest size has no room for its own dead letter: then its bytes are cut, and the reason says so. */
function fitted(record: LogRecord): {
  readonly value: Buffer | null;
  readonly headersFit: boolean;
  readonly keyFits: boolean;
  readonly remark: string;
} {
  const { key, value, headers } = record;
  const keyBytes = Buffer.byteLength(key ?? '');
  const keyFits = keyBytes <= MAX_KEY_BYTES;
  const budget = MAX_RECORD_BYTES - OVERHEAD_BYTES - (keyFits ? 2 * keyBytes : 0);
  const headerBytes = Object.entries(headers).reduce(
    (sum, [name, text]) => sum + name.length + Buffer.byteLength(text) + 8,
    0,
  );
  const headersFit = headerBytes <= budget / 2;
  const room = Math.max(0, budget - (headersFit ? headerBytes : 0));
  const whole = value === null ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const isCut = whole !== null && whole.length > room;
  const remarks = [
    ...(isCut ? [`only the first ${room} of ${whole.length} bytes are kept here`] : []),
    ...(headersFit ? [] : ['its headers are not kept here']),
    ...(keyFits ? [] : [`its key of ${keyBytes} bytes is not kept here`]),
  ];
  return {
    value: isCut ? whole.subarray(0, room) : whole,
    headersFit,
    keyFits,
    remark: remarks.length === 0 ? '' : ` (${remarks.join(', ')}; the whole record stands at its place in the log)`,
  };
}
