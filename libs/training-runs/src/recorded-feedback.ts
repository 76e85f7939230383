/**
 * What people said of the answers that a run learns from: the planner names where it stands up to now, and the keys that may judge. What is
 * said later is in no range of the plan, so the same run, carried out again, hears the same.
 */
import { type EventLog, type LogRecord, partitionForKey } from '@seamstream/event-log';
import { type EventOf, isUserId, type OffsetRange, TOPIC, tenantOf } from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/evidence';
import { compareText } from '@seamstream/kernel';
import { type EventSource, RecordedEvents, type Wanted } from './recorded-events.js';
import type { RunFeedback } from './run-plan.js';

/** Records that are looked through at once. */
const LOOK_AHEAD = 1_000;

/**
 * The ranges begin and end with what counts, one a partition. The keys are those that the log knows and that spoke: records that are forged
 * by the thousand, under as many names, make a plan no longer.
 * @param problems ids of the problems that answers were given to: what is said of others is passed over unopened
 */
export async function findFeedback(
  log: EventLog,
  problems: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<RunFeedback> {
  const source = new RecordedEvents(log);
  const ranges: OffsetRange[] = [];
  const heard = new Set<string>();
  let judges: ReadonlySet<string> | undefined;
  const watermarks = await log.watermarks(TOPIC.feedback);
  const partitions = new Set([...problems].map((problemId) => partitionForKey(problemId, watermarks.length)));
  for (const { partition, low, high } of watermarks.filter((each) => partitions.has(each.partition))) {
    const whole = { topic: TOPIC.feedback, partition, from: low, to: high };
    let own: OffsetRange | undefined;
    for await (const { event, position } of inSteps(source, whole, isAbout(problems), signal)) {
      judges ??= await judgesIn(log, source, signal);
      if (event.type !== 'FeedbackGiven' || !counts(event, judges)) continue;
      own = { ...whole, from: own?.from ?? position.offset, to: position.offset + 1 };
      if (!isUserId(event.meta.subject!)) heard.add(clientOf(event));
    }
    if (own !== undefined) ranges.push(own);
  }
  return { ranges, keys: [...heard].sort(compareText) };
}

/**
 * What a plan names of it: of the keys that it names, and of users.
 * @param problems ids of the run's problems: the planner saw no record about them that has another key
 */
export async function readFeedback(
  source: EventSource,
  { ranges, keys }: RunFeedback,
  problems: ReadonlySet<string>,
): Promise<readonly EventOf<'FeedbackGiven'>[]> {
  const judges = new Set(keys);
  const given: EventOf<'FeedbackGiven'>[] = [];
  for (const range of ranges)
    for await (const { event } of inSteps(source, range, isAbout(problems)))
      if (event.type === 'FeedbackGiven' && counts(event, judges)) given.push(event);
  return given;
}

/** What is wanted of a range, of which only so much is held at once. */
async function* inSteps(
  source: EventSource,
  range: OffsetRange,
  wants: Wanted,
  signal?: AbortSignal,
): AsyncGenerator<PlacedEvent> {
  for (let from = range.from; from < range.to; from += LOOK_AHEAD)
    yield* await source.sought({ ...range, from, to: Math.min(range.to, from + LOOK_AHEAD) }, wants, signal);
}

const isAbout =
  (problems: ReadonlySet<string>): Wanted =>
  ({ key }: LogRecord) =>
    key !== null && problems.has(key);

/** Whether a client said it that may judge: a key of its tenant, or a user, whose role the gateway has from their token. */
function counts(event: EventOf<'FeedbackGiven'>, judges: ReadonlySet<string>): boolean {
  const { subject } = event.meta;
  return subject !== null && (isUserId(subject) || judges.has(clientOf(event)));
}

/** `tenant/key`: of the default tenant too, so that no name with a slash stands for a key of another tenant. */
function clientOf({ meta }: EventOf<'FeedbackGiven'>): string {
  return `${tenantOf(meta)}/${meta.subject}`;
}

/** The keys that may judge as of now. What a key said counts no longer once it is revoked: it is not known who held it. */
async function judgesIn(log: EventLog, source: EventSource, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const issued = new Map<string, { readonly client: string; readonly isViewer: boolean }>();
  const revoked = new Set<string>();
  for (const { partition, low: from, high: to } of await log.watermarks(TOPIC.access))
    for await (const { event } of inSteps(source, { topic: TOPIC.access, partition, from, to }, () => true, signal)) {
      if (event.type === 'ApiKeyRevoked') revoked.add(event.keyId);
      // The first event about a key counts: none takes the place of another.
      if (event.type === 'ApiKeyIssued' && !issued.has(event.keyId))
        issued.set(event.keyId, {
          client: `${tenantOf(event.meta)}/${event.keyId}`,
          isViewer: event.role === 'viewer',
        });
    }
  const judging = [...issued].filter(([keyId, { isViewer }]) => !isViewer && !revoked.has(keyId));
  return new Set(judging.map(([, { client }]) => client));
}
