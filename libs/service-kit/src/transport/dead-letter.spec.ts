import { type LogRecord, MAX_RECORD_BYTES } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { deadLetterOf } from './dead-letter.js';

const CONTEXT = { group: 'seam.buffer', source: 'seam/buffer', nowMs: 5 };
const FAULT = { code: 'RECORD_TOO_LARGE', reason: 'r'.repeat(10_000), attempts: 2 };
const SIZES = [300_000, 600_000, 990_000];
const FIELDS = ['messageId', 'correlationId', 'causationId', 'subject', 'tenant', 'traceparent'] as const;

function recordOf(event: SeamEvent, changes: Partial<LogRecord> = {}): LogRecord {
  const { topic, key, value, headers } = encodeEvent(event);
  return { topic, partition: 0, offset: 7, timestamp: 1, key, value, headers, ...changes } as LogRecord;
}

function sizeOf(letter: SeamEvent): number {
  const { key, value, headers } = encodeEvent(letter);
  return (
    Buffer.byteLength(key ?? '') +
    value.length +
    Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + Buffer.byteLength(text) + 8, 0)
  );
}

describe('a dead letter fits into a record', () => {
  it.each(SIZES.flatMap((size) => FIELDS.map((field) => [field, size] as const)))(
    'when %s has %d characters',
    (field, size) => {
      const { meta } = EXAMPLE_EVENTS.OutcomeRecorded;
      const event: SeamEvent = { ...EXAMPLE_EVENTS.OutcomeRecorded, meta: { ...meta, [field]: 'x'.repeat(size) } };
      const record = recordOf(event);
      const letter = deadLetterOf(record, event, FAULT, CONTEXT);
      expect(sizeOf(letter)).toBeLessThanOrEqual(MAX_RECORD_BYTES);
      expect(Buffer.from(record.value!.subarray(0, letter.value!.length)).equals(letter.value!)).toBe(true);
    },
  );

  it.each(SIZES)('when the key has %d characters', (size) => {
    const letter = deadLetterOf(
      recordOf(EXAMPLE_EVENTS.OutcomeRecorded, { key: '€'.repeat(size / 3) }),
      undefined,
      FAULT,
      CONTEXT,
    );
    expect(sizeOf(letter)).toBeLessThanOrEqual(MAX_RECORD_BYTES);
    expect(letter).toMatchObject({ key: null, reason: expect.stringContaining('its key of') as string });
  });

  it.each(SIZES)('when a header has %d characters', (size) => {
    const record = recordOf(EXAMPLE_EVENTS.OutcomeRecorded, { headers: { tracestate: 'x'.repeat(size) } });
    expect(sizeOf(deadLetterOf(record, undefined, FAULT, CONTEXT))).toBeLessThanOrEqual(MAX_RECORD_BYTES);
  });
});

it('keeps ids and keys of usual length as they are', () => {
  const event = EXAMPLE_EVENTS.OutcomeRecorded;
  const letter = deadLetterOf(recordOf(event), event, FAULT, CONTEXT);
  expect(letter.meta).toMatchObject({ causationId: event.meta.messageId, correlationId: event.meta.correlationId });
  expect(letter.key).toBe(recordOf(event).key);
});
