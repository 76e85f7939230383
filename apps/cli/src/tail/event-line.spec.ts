import { type EventType, encodeEvent } from '@seamstream/events';
import { decodeRecord } from '@seamstream/log-reader';
import { eventSummary, hexExcerpt, recordAsJson } from '@seamstream/operations/tail';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { PLAIN_STYLE, styleFor } from '../terminal/style.js';
import { renderRecord } from './event-line.js';

const recordOf = (type: EventType) => {
  const { topic, key, value, headers } = encodeEvent(EXAMPLE_EVENTS[type]);
  return { topic, key, value, headers, partition: 2, offset: 41, timestampMs: Date.UTC(2030, 0, 31, 12, 0, 0, 5) };
};

describe('the line of an event', () => {
  it.each(Object.keys(EXAMPLE_EVENTS) as EventType[])('shows %s on one line without a gap', (type) => {
    const line = renderRecord(decodeRecord(recordOf(type)), PLAIN_STYLE);
    expect(line.startsWith(`12:00:00.005    2/41  ${type.padEnd(23)}  `)).toBe(true);
    expect(line.endsWith('\n')).toBe(true);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}]|undefined|=NaN|\[object/u);
    expect(line.length).toBeLessThan(220);
  });

  it('says who solved what, and how', () => {
    expect(eventSummary(EXAMPLE_EVENTS.OutcomeRecorded)).toMatch(/^p-1 \w+ 3\/8 (not )?solved: answered /);
    expect(eventSummary(EXAMPLE_EVENTS.ProblemPublished)).toBe('p-1 arithmetic explore "What is 17 ⊕ 25? — “Zahl”"');
  });

  it('colours what needs attention', () => {
    const style = styleFor(true, {});
    expect(renderRecord(decodeRecord(recordOf('DeadLettered')), style)).toContain('\u001b[31mDeadLettered');
  });

  it('gives the whole event as plain data', () => {
    const { type, event, topic, offset } = recordAsJson(decodeRecord(recordOf('ProblemPublished')));
    expect({ type, topic, offset }).toEqual({ type: 'ProblemPublished', topic: 'seam.problems', offset: 41 });
    const { meta, problem, mode } = EXAMPLE_EVENTS.ProblemPublished;
    expect(event).toMatchObject({ meta, problem, mode });
  });

  it('shows the first bytes of a value as hexadecimal', () => {
    expect(hexExcerpt(null)).toBe('no value');
    expect(
      hexExcerpt(
        Uint8Array.from({ length: 20 }, (_, index) => index),
        3,
      ),
    ).toBe('20 B: 00 01 02 …');
  });
});
