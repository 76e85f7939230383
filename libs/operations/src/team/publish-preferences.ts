/** Records the preference pairs of a file, all or none, under the digest of their content. */
import { PREFERENCE_EXAMPLE, type PreferencePair, type RowFault, readPreferences } from '@seamstream/datasets';
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { encodeEvent, originMeta } from '@seamstream/events';
import { type Clock, count, derivedId, plural, SeamError } from '@seamstream/kernel';
import { findPreferences, preferenceSetDigest } from '@seamstream/training-runs';
import { type DatasetFile, type InputDoor, openDataset, renderFaults } from '../publish/dataset-file.js';

interface PreferenceWorld extends InputDoor {
  readonly clock: Clock;
  openLog(): Promise<EventLog>;
}

export interface PublishedPreferences {
  /** By which a warm-up names them. */
  readonly setDigest: string;
  readonly pairs: number;
  /** False where the log had all of them before. */
  readonly isNew: boolean;
}

/** @throws INVALID_INPUT naming the rows at fault; nothing is recorded then */
export async function publishPreferences(
  world: PreferenceWorld,
  path: string,
  by: string,
): Promise<PublishedPreferences> {
  // 1. Every row, before any is recorded.
  const read = await readAll(await openDataset(world, path));
  // 2. What the log does not have.
  const setDigest = preferenceSetDigest(read.map(({ pair }) => pair));
  const log = await world.openLog();
  const known = await findPreferences(log, setDigest);
  const published = { setDigest, pairs: read.length };
  if (known.pairs.length > 0 && preferenceSetDigest(known.pairs) === setDigest) return { ...published, isNew: false };
  // 3. All of it at once.
  const at = world.clock.now();
  const records = read.map(({ row, pair }, index): NewRecord => {
    const messageId = derivedId(setDigest, 'preference', index);
    const meta = originMeta({
      ...{ messageId, correlationId: setDigest, source: 'seam/cli', occurredAt: at, sourceClass: 'user' },
    });
    const place = { setDigest, index, pairs: read.length, row };
    return encodeEvent({ type: 'TeamPreferencePublished', meta, ...place, ...pair, publishedBy: by });
  });
  const claim = await log.claim(`preferences.${setDigest}`);
  await log.transact({ records, consumed: { claim, offsets: [] } });
  await log.release(claim);
  return { ...published, isNew: true };
}

/** As many as a report shows. */
const FAULTS_KEPT = 20;

async function readAll(file: DatasetFile): Promise<readonly { readonly row: number; readonly pair: PreferencePair }[]> {
  const pairs: { readonly row: number; readonly pair: PreferencePair }[] = [];
  const faults: RowFault[] = [];
  let badRows = 0;
  for await (const reading of readPreferences(file.bytes)) {
    if (reading.status === 'pair') pairs.push(reading);
    else {
      badRows++;
      faults.push(...reading.faults.slice(0, Math.max(0, FAULTS_KEPT - faults.length)));
    }
  }
  const rows = pairs.length + badRows;
  if (badRows === 0 && rows > 0) return pairs;
  const found = { rows, badRows, faults, otherSplit: 0, problems: 0 };
  throw new SeamError(
    'INVALID_INPUT',
    rows === 0
      ? `Cannot publish preferences of ${file.name}: expected at least one ${file.unit}, got none. A ${file.unit} looks like this: ${PREFERENCE_EXAMPLE}`
      : `Cannot publish preferences of ${file.name}: ${count(badRows)} of ${plural(rows, file.unit)} cannot be used; nothing was recorded.\n${renderFaults(file, found)}\nCorrect these ${file.unit}s. A ${file.unit} looks like this: ${PREFERENCE_EXAMPLE}`,
    { details: { file: file.name, rows, badRows, faults } },
  );
}
