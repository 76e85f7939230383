import { InMemoryEventLog, type LogRecord, partitionForKey, type ReadOptions } from '@seamstream/event-log';
import { type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { RecordedEvents } from './recorded-events.js';
import { findFeedback, readFeedback } from './recorded-feedback.js';
import type { RunFeedback } from './run-plan.js';

const PROBLEMS = new Set(['p-1']);
const USER = `user-${'a'.repeat(22)}`;

describe('a plan of what people said', () => {
  it('names the keys of the log that spoke, and is no longer for forged records under as many names as one likes', async () => {
    const log = await logWith(['k-1', 'k-2', 'k-3']);
    await log.append([said('k-1'), said(USER), ...Array.from({ length: 2500 }, (_, i) => said(`forged-${i}`))]);
    const plain = await findFeedback(log, PROBLEMS);
    expect(plain).toEqual({ ranges: [{ ...placeOf('p-1'), from: 0, to: 2 }], keys: ['default/k-1'] });
    // Between forged ones, too.
    await log.append([said('k-2'), said(null), said('default/k-3'), said('k-3', 'p-2')]);
    const { ranges, keys } = await findFeedback(log, PROBLEMS);
    expect([ranges, keys]).toEqual([[{ ...placeOf('p-1'), from: 0, to: 2503 }], ['default/k-1', 'default/k-2']]);
    expect(await subjectsOf(log, { ranges, keys })).toEqual(['k-1', USER, 'k-2']);
  });

  it('hears a key for its own tenant alone, also where a name is spelled like a key of another', async () => {
    const log = await logWith(['k-1'], 'acme');
    await log.append([said('k-1'), said('acme/k-1'), said('k-1', 'p-1', 'acme')]);
    expect(await findFeedback(log, PROBLEMS)).toMatchObject({ ranges: [{ from: 2, to: 3 }], keys: ['acme/k-1'] });
  });

  it('is carried out without what stands under another key: the planner did not see it', async () => {
    const log = await logWith(['k-1']);
    const hidden = { ...said('k-1'), key: keyNextTo('p-1') };
    await log.append([said('k-1'), hidden, { ...hidden, key: null, partition: placeOf('p-1').partition }, said(USER)]);
    const plan = await findFeedback(log, PROBLEMS);
    expect(plan.ranges).toMatchObject([{ from: 0, to: 4 }]);
    expect(await subjectsOf(log, plan)).toEqual(['k-1', USER]);
  });

  it('is made and carried out in steps, so that no topic is held in memory as a whole', async () => {
    const log = await logWith(Array.from({ length: 3000 }, (_, i) => `k-${i}`));
    await log.append(Array.from({ length: 5000 }, (_, i) => said(`k-${i % 3000}`)));
    const plan = await findFeedback(log, PROBLEMS);
    expect(plan.keys).toHaveLength(3000);
    expect(await subjectsOf(log, plan)).toHaveLength(5000);
    expect([...log.longest.keys()].sort()).toEqual([TOPIC.access, TOPIC.feedback]);
    expect(Math.max(...log.longest.values())).toBeLessThanOrEqual(1000);
  });
});

/** Knows of each topic the longest range that was read at once. */
class MeasuringLog extends InMemoryEventLog {
  readonly longest = new Map<string, number>();

  override read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    const length = (options.to ?? Infinity) - options.from;
    this.longest.set(options.topic, Math.max(length, this.longest.get(options.topic) ?? 0));
    return super.read(options);
  }
}

/** A log that knows these keys. */
async function logWith(keys: readonly string[], tenant: string | null = null): Promise<MeasuringLog> {
  const log = new MeasuringLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  const example = EXAMPLE_EVENTS.ApiKeyIssued;
  const issued = keys.map((keyId) =>
    encodeEvent({ ...example, keyId, meta: { ...example.meta, messageId: `issued ${keyId}`, tenant } }),
  );
  await log.append(issued);
  return log;
}

let words = 0;
function said(subject: string | null, problemId = 'p-1', tenant: string | null = null) {
  const { meta, ...example } = EXAMPLE_EVENTS.FeedbackGiven;
  const messageId = `word ${++words}`;
  return encodeEvent({ ...example, problemId, meta: { ...meta, messageId, subject, tenant } });
}

const partitionsOf = (): number => TOPICS.find(({ name }) => name === TOPIC.feedback)!.partitions;

function placeOf(problemId: string) {
  return { topic: TOPIC.feedback, partition: partitionForKey(problemId, partitionsOf()) };
}

/** Another key of the same partition. */
function keyNextTo(problemId: string): string {
  for (let other = 0; ; other++) {
    const key = `other-${other}`;
    if (partitionForKey(key, partitionsOf()) === placeOf(problemId).partition) return key;
  }
}

async function subjectsOf(log: MeasuringLog, plan: RunFeedback): Promise<(string | null)[]> {
  const given: readonly EventOf<'FeedbackGiven'>[] = await readFeedback(new RecordedEvents(log), plan, PROBLEMS);
  return given.map(({ meta }) => meta.subject);
}
