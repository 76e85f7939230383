/**
 * What people said of the answers that a run learns from: the planner names where it stands up to now, and what of it does not count. What
 * is said later is in no range of the plan, so the same run, carried out again, hears the same.
 */
import { type EventLog, type LogRecord, partitionForKey } from '@seamstream/event-log';
import { type EventOf, isUserId, type OffsetRange, type SeamEvent, TOPIC, tenantOf } from '@seamstream/events';
import { type PlacedEvent, placesIn, withPlace } from '@seamstream/evidence';
import { type EventSource, RecordedEvents } from './recorded-events.js';
import type { RunFeedback } from './run-plan.js';

/** Records that are looked through at once. */
const LOOK_AHEAD = 1_000;

/** A key by its public part. */
type Keys = ReadonlyMap<string, { readonly tenant: string; readonly mayJudge: boolean }>;

/**
 * @param problems ids of the problems that answers were given to: what is said of others is passed over unopened
 */
export async function findFeedback(
  log: EventLog,
  problems: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<RunFeedback> {
  const source = new RecordedEvents(log);
  const placed: PlacedEvent[] = [];
  const ranges: OffsetRange[] = [];
  const watermarks = await log.watermarks(TOPIC.feedback);
  const partitions = new Set([...problems].map((problemId) => partitionForKey(problemId, watermarks.length)));
  const isOfThem = ({ key }: LogRecord): boolean => key !== null && problems.has(key);
  for (const { partition, low, high } of watermarks.filter((each) => partitions.has(each.partition))) {
    const begin = placed.length;
    for (let at = low; at < high; at += LOOK_AHEAD) {
      const range = { topic: TOPIC.feedback, partition, from: at, to: Math.min(high, at + LOOK_AHEAD) };
      for (const each of await source.sought(range, isOfThem, signal)) placed.push(each);
    }
    const [first, last] = [placed[begin], placed.at(-1)];
    if (first !== undefined)
      ranges.push({ topic: TOPIC.feedback, partition, from: first.position.offset, to: last!.position.offset + 1 });
  }
  if (placed.length === 0) return { ranges };
  const keys = await keysIn(log, source, signal);
  let refused: readonly OffsetRange[] = [];
  for (const { event, position } of placed)
    if (event.type !== 'FeedbackGiven' || !isOfJudge(event, keys)) refused = withPlace(refused, position);
  return { ranges, ...(refused.length === 0 ? {} : { refused: [...refused] }) };
}

/** What a plan names of it, without what does not count. */
export async function readFeedback(
  source: EventSource,
  { ranges, refused = [] }: RunFeedback,
): Promise<readonly EventOf<'FeedbackGiven'>[]> {
  const isRefused = placesIn(refused);
  const given: EventOf<'FeedbackGiven'>[] = [];
  for (const range of ranges)
    for (const { event, position } of await source.placed(range))
      if (event.type === 'FeedbackGiven' && !isRefused(position)) given.push(event);
  return given;
}

/** Whether a client said it that may judge: a key of its tenant, or a user, whose role the gateway has from their token. */
function isOfJudge({ meta }: EventOf<'FeedbackGiven'>, keys: Keys): boolean {
  const { subject } = meta;
  if (subject === null) return false;
  const key = keys.get(subject);
  return key === undefined ? isUserId(subject) : key.mayJudge && key.tenant === tenantOf(meta);
}

/** The keys of the gateway as of now. What a key said counts no longer once it is revoked: it is not known who held it. */
async function keysIn(log: EventLog, source: EventSource, signal?: AbortSignal): Promise<Keys> {
  const events: SeamEvent[] = [];
  for (const { partition, low: from, high: to } of await log.watermarks(TOPIC.access))
    for (const { event } of await source.placed({ topic: TOPIC.access, partition, from, to }, signal))
      events.push(event);
  const revoked = new Set(events.flatMap((event) => (event.type === 'ApiKeyRevoked' ? [event.keyId] : [])));
  // The first event about a key counts: none takes the place of another.
  const issued = events.filter((event): event is EventOf<'ApiKeyIssued'> & SeamEvent => event.type === 'ApiKeyIssued');
  return new Map(
    issued
      .reverse()
      .map(({ keyId, role, meta }) => [
        keyId,
        { tenant: tenantOf(meta), mayJudge: role !== 'viewer' && !revoked.has(keyId) },
      ]),
  );
}
