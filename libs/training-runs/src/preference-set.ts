/** Preference pairs in the log. A set has the digest of its pairs as its name, so that no writer can change what a run learns from. */
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type OffsetRange, type SeamEvent, type TeamPreferencePublished, TOPIC } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import type { PreferencesInput } from '@seamstream/learning';
import { type EventSource, RecordedEvents, type Wanted } from './recorded-events.js';

type Pair = Pick<TeamPreferencePublished, 'domain' | 'prompt' | 'chosen' | 'rejected'>;

/** @param pairs in the order of their file */
export function preferenceSetDigest(pairs: readonly Pair[]): string {
  return sha256(
    ...pairs.map(({ domain, prompt, chosen, rejected }) => `${canonicalJson({ domain, prompt, chosen, rejected })}\n`),
  );
}

/** The set that settings of a recipe name. @throws INVALID_INPUT where they name none */
export function preferencesIn(settings: Readonly<Record<string, unknown>> | undefined): string {
  const named = settings?.preferences;
  if (typeof named === 'string') return named;
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot plan a warm-up: expected the digest of a set of preference pairs, got none. Name it (--set preferences=DIGEST): seam team prefer prints it.',
  );
}

interface FoundPreferences {
  /** From the first of its records to the last. */
  readonly inputs: readonly OffsetRange[];
  readonly pairs: readonly TeamPreferencePublished[];
}

/** The pairs of a set that the log has by now, each once; none where it has none. */
export async function findPreferences(log: EventLog, setDigest: string): Promise<FoundPreferences> {
  const watermarks = await log.watermarks(TOPIC.teams);
  const partition = partitionForKey(setDigest, watermarks.length);
  const { low, high } = watermarks.find((each) => each.partition === partition)!;
  const placed = await new RecordedEvents(log).sought(
    { topic: TOPIC.teams, partition, from: low, to: high },
    ofSet(setDigest),
  );
  if (placed.length === 0) return { inputs: [], pairs: [] };
  const offsets = placed.map(({ position }) => position.offset);
  return {
    inputs: [{ topic: TOPIC.teams, partition, from: offsets[0]!, to: offsets.at(-1)! + 1 }],
    pairs: pairsAmong(
      placed.map(({ event }) => event),
      setDigest,
    ),
  };
}

/** @throws DATA_REFUSED where the ranges do not hold the set as it was named */
export async function readPreferencesInput(
  source: EventSource,
  inputs: readonly OffsetRange[],
  setDigest: string,
): Promise<PreferencesInput> {
  const events: SeamEvent[] = [];
  for (const range of inputs) for (const { event } of await source.sought(range, ofSet(setDigest))) events.push(event);
  const pairs = pairsAmong(events, setDigest);
  assertWhole(pairs, setDigest);
  return { reads: 'preferences', pairs };
}

/** @throws DATA_REFUSED unless the pairs are those that the digest names, all of them */
export function assertWhole(pairs: readonly TeamPreferencePublished[], setDigest: string): void {
  if (pairs.length > 0 && preferenceSetDigest(pairs) === setDigest) return;
  throw new SeamError(
    'DATA_REFUSED',
    `Cannot read preference pairs: expected the set ${setDigest}, got ${pairs.length === 0 ? 'no record of it' : `${pairs.length} pairs with another digest`}. Publish its file again: seam team prefer.`,
  );
}

const ofSet =
  (setDigest: string): Wanted =>
  ({ key }) =>
    key === setDigest;

/** The last record of each place counts, and the last of all says how many there are: a file that is published again mends its set. */
function pairsAmong(events: readonly SeamEvent[], setDigest: string): TeamPreferencePublished[] {
  const pairs = new Map<number, TeamPreferencePublished>();
  let count = 0;
  for (const event of events)
    if (event.type === 'TeamPreferencePublished' && event.setDigest === setDigest) {
      pairs.set(event.index, event);
      count = event.pairs;
    }
  return [...pairs.values()].filter(({ index }) => index < count).sort((a, b) => a.index - b.index);
}
