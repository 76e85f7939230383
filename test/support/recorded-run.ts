/** What a log says that was done, in a form in which two runs can be compared. */
import type { EventLog, LogRecord } from '@seamstream/event-log';
import { decodeEvent, type EventOf, type SeamEvent, TOPICS } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { type Ledger, ledgerProjection } from '@seamstream/read-models';

export interface RecordedRun {
  /** Per version of the buffer: digest of its rows, digest of its manifest. */
  readonly buffers: readonly string[];
  /** Per version of the buffer the digest of its rows: content alone, while a manifest names offsets as well. */
  readonly bufferDigests: readonly string[];
  /** Per published adapter: its digest and run, in the order of the log. */
  readonly adapters: readonly string[];
  /** Per published adapter its digest: content alone, while a run's id follows from offsets as well. */
  readonly adapterDigests: readonly string[];
  /** How each run ended, sorted. */
  readonly ends: readonly string[];
  /** Per event its id and a digest of what it states, in the order of the log. */
  readonly experiences: readonly string[];
  readonly outcomes: readonly string[];
  readonly admissions: readonly string[];
  readonly rejections: readonly string[];
  readonly deadLetters: number;
  readonly ledger: Ledger;
}

export function ofType<T extends SeamEvent['type']>(
  events: readonly SeamEvent[],
  ...types: readonly T[]
): EventOf<T>[] {
  return events.filter((event): event is SeamEvent & EventOf<T> => (types as readonly string[]).includes(event.type));
}

/** The record's event; undefined for what is no event, whose consumer sends it to the dead letters. */
export function readable(record: LogRecord): SeamEvent | undefined {
  try {
    return decodeEvent(record);
  } catch {
    return undefined;
  }
}

/** What can be read of some topics, partition by partition, each event with its record. */
async function* readableOf(log: EventLog, topics: readonly string[]): AsyncIterable<[SeamEvent, LogRecord]> {
  for (const topic of topics) {
    for (const { partition, low, high } of await log.watermarks(topic)) {
      for await (const chunk of log.read({ topic, partition, from: low, to: high })) {
        for (const record of chunk) {
          const event = readable(record);
          if (event !== undefined) yield [event, record];
        }
      }
    }
  }
}

const ALL_TOPICS: readonly string[] = TOPICS.map(({ name }) => name);

/** All events of some topics, partition by partition. */
export async function allEventsOf(log: EventLog, topics: readonly string[] = ALL_TOPICS): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for await (const [event] of readableOf(log, topics)) events.push(event);
  return events;
}

/** The event's id with a digest of all that it states but when it happened, how long it took and where in the log a content lies. */
function fact(event: SeamEvent): string {
  const timeless = { ...event, latencyMs: 0, meta: { ...event.meta, occurredAt: 0 }, ...namedProblem(event) };
  return `${event.meta.messageId} ${sha256(canonicalJson(timeless))}`;
}

/** The problem of an event that names its content, by the name alone; nothing for other events. */
function namedProblem(event: SeamEvent): { readonly problem?: unknown } {
  if (!('problem' in event) || typeof event.problem.prompt === 'string') return {};
  return { problem: { ...event.problem, prompt: { digest: event.problem.prompt.digest } } };
}

/** Ids that more than one of the facts has. */
export function repeatedIds(facts: readonly string[]): readonly string[] {
  const byId = Map.groupBy(facts, (each) => each.slice(0, each.indexOf(' ')));
  return [...byId].filter(([, same]) => same.length > 1).map(([id]) => id);
}

export async function ledgerOf(log: EventLog): Promise<Ledger> {
  const state = ledgerProjection.initialState();
  for await (const [event, record] of readableOf(log, ALL_TOPICS)) ledgerProjection.evolve(state, event, record);
  return ledgerProjection.read(state);
}

export async function recordedRun(log: EventLog): Promise<RecordedRun> {
  const events = await allEventsOf(log);
  const versions = ofType(events, 'BufferCommitted').sort((a, b) => a.sequence - b.sequence || a.shard - b.shard);
  const published = ofType(events, 'AdapterPublished');
  return {
    buffers: versions.map(({ bufferDigest, manifestDigest }) => `${bufferDigest} ${manifestDigest}`),
    bufferDigests: versions.map(({ bufferDigest }) => bufferDigest),
    adapters: published.map(({ adapterDigest, runId }) => `${adapterDigest} ${runId}`),
    adapterDigests: published.map(({ adapterDigest }) => adapterDigest),
    ends: ofType(events, 'AdapterPromoted', 'TrainingRunRejected', 'TrainingRunFailed')
      .map(
        (event) =>
          `${event.type} ${event.runId} ${event.type === 'TrainingRunFailed' ? event.reason : event.adapterDigest}`,
      )
      .sort(),
    experiences: ofType(events, 'ExperienceGenerated', 'ExperienceWithheld').map(fact),
    outcomes: ofType(events, 'OutcomeRecorded', 'ExecutionFailed').map(fact),
    admissions: ofType(events, 'SuccessAdmitted').map(fact),
    rejections: ofType(events, 'SuccessRejected').map(fact),
    deadLetters: ofType(events, 'DeadLettered').length,
    ledger: await ledgerOf(log),
  };
}
