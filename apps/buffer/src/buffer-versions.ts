/**
 * A version of the buffer in the object store, and the way back from the log:
 *
 *   buffer/<sequence>-<digest>/domain=<domain>/difficulty=<difficulty>/part-00000.parquet
 *                                               the rows of one stratum (rows.jsonl on request: all of them)
 *                              manifest.json    names the files, their digests and the offsets they came from
 *                              snapshot.bin     the fold's state, so that a restart reads only the tail
 *
 * Of a buffer in several shards each has versions of its own below a folder of its own: buffer/1of3/<sequence>-<digest>/.
 *
 * Keys follow from content, files and manifest are created and never replaced: a version that is written again after a
 * crash is found as it is. The manifest is last, so whoever finds one finds a whole version; which version counts is said
 * by the log alone, in BufferCommitted.
 */
import { type ConsumedOffset, type EventLog, partitionForKey, type Watermarks } from '@seamstream/event-log';
import { type BufferCommitted, decodeEvent, type EventOf, type OffsetRange, TOPIC } from '@seamstream/events';
import { canonicalJson, isSeamError, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferCommit,
  type BufferConfig,
  type BufferManifest,
  type BufferSnapshot,
  commit,
  decodeManifest,
  decodeSnapshot,
  type EntryValidator,
  encodeManifest,
  encodeSnapshot,
  encodeVersion,
  initialState,
  manifestDigest,
  type RowFormat,
  type Shard,
  shardName,
  withRules,
} from '@seamstream/success-buffer';
import { type BufferFold, evolveFold, foldAt } from './buffer-fold.js';

/** The key of all BufferCommitted records (schemas/topics.json), so that they stand in one partition in their order. */
const COMMITS_KEY = 'commits';
const CHUNK_RECORDS = 500;
const OPAQUE = 'application/octet-stream';

export interface WrittenVersion {
  readonly manifest: BufferManifest;
  readonly manifestKey: string;
  readonly manifestDigest: string;
}

/**
 * Writes files, snapshot and, last, the manifest: whoever finds a manifest finds everything that it names.
 * @throws CONFLICT when another manifest is there under the same key
 */
export async function writeVersion(
  objects: ObjectStore,
  version: BufferCommit,
  options: {
    readonly inputs: readonly OffsetRange[];
    readonly config: BufferConfig;
    readonly formats: readonly RowFormat[];
    /** See {@link checkedVersions}. */
    readonly versionsCheckedTo: number;
  },
): Promise<WrittenVersion> {
  const { state, rows, bufferDigest, rowsPerStratum } = version;
  const { shard } = state;
  const ofShard = shard.of === 1 ? {} : { shard };
  const files = encodeVersion(rows, options.formats).map((file) => ({ ...file, sha256: sha256(file.body) }));
  // Of everything that the manifest states: another codec or another input is another folder.
  const identity = sha256(
    canonicalJson({
      ...ofShard,
      bufferDigest,
      inputs: options.inputs,
      config: options.config,
      files: files.map((file) => [file.path, file.sha256]),
    }),
  );
  const folder = `buffer/${shard.of === 1 ? '' : `${shardName(shard)}/`}${String(state.sequence).padStart(6, '0')}-${identity.slice(0, 16)}`;
  const manifest: BufferManifest = {
    formatVersion: 2,
    ...ofShard,
    sequence: state.sequence,
    bufferDigest,
    rows: rows.length,
    strata: { ...rowsPerStratum },
    files: files.map((file) => ({
      key: `${folder}/${file.path}`,
      sha256: file.sha256,
      rows: file.rows,
      sizeBytes: file.body.length,
      ...(file.stratum === undefined ? {} : { stratum: file.stratum }),
    })),
    inputs: options.inputs.map((range) => ({ ...range })),
    config: options.config,
  };
  for (const { path, body } of files) await createOnce(objects, `${folder}/${path}`, body, OPAQUE);
  const manifestKey = `${folder}/manifest.json`;
  await objects.put(snapshotKey(manifestKey), encodeSnapshot({ state, versionsCheckedTo: options.versionsCheckedTo }));
  await createOnce(objects, manifestKey, encodeManifest(manifest), 'application/json');
  return { manifest, manifestKey, manifestDigest: manifestDigest(manifest) };
}

/** Creates an object that is never replaced; the same content may be there already, from a try that was cut short. */
async function createOnce(objects: ObjectStore, key: string, body: Uint8Array, contentType: string): Promise<void> {
  try {
    await objects.put(key, body, { ifMatch: 'absent', contentType });
  } catch (error) {
    if (!isSeamError(error, 'PRECONDITION_FAILED')) throw error;
    const [expected, actual] = [sha256(body), sha256(await objects.get(key))];
    if (actual === expected) return;
    throw new SeamError(
      'CONFLICT',
      `Writing ${key}: expected nothing there or content with digest ${expected}, came ${actual}. Something else writes below buffer/; give it another place.`,
      { details: { key, expected, actual } },
    );
  }
}

/** Log, objects or settings are not those that the buffer's versions were made with and from: no outcome is to blame. */
export class UnrestorableBuffer extends SeamError {}

/**
 * The fold as it stands after the given consumed offsets: the snapshot of the last version and the tail of the log; without
 * a usable snapshot every version is made again from the log's start, and must come out as it was recorded.
 * @throws {@link UnrestorableBuffer} with the code of what is wrong, CONFLICT when a version comes out otherwise or the log's
 *   versions are those of a buffer in another number of shards; what may pass, an outage, is thrown as it is
 */
export async function restoreFold(log: EventLog, objects: ObjectStore, options: RestoreOptions): Promise<RestoredFold> {
  try {
    return await restore(log, objects, options);
  } catch (error) {
    if (isSeamError(error) && error.retryable) throw error;
    const [code, details] = isSeamError(error) ? [error.code, error.details] : (['INTERNAL', {}] as const);
    const advice =
      code === 'OBJECT_NOT_FOUND' ? " Give the object store and prefix that the log's versions were written to." : '';
    throw new UnrestorableBuffer(
      code,
      `Restoring shard ${shardName(options.shard)} of the success buffer: ${messageOf(error)}${advice}`,
      { details, cause: error },
    );
  }
}

interface RestoreOptions {
  readonly consumed: readonly ConsumedOffset[];
  readonly config: BufferConfig;
  readonly shard: Shard;
  readonly validateEntry: EntryValidator;
}

interface RestoredFold {
  readonly fold: BufferFold;
  /** See {@link checkedVersions}. */
  readonly versionsCheckedTo: number;
}

async function restore(log: EventLog, objects: ObjectStore, options: RestoreOptions): Promise<RestoredFold> {
  const { shard, config, validateEntry } = options;
  const place = await placeOfVersions(log);
  const isOwn = (version: EventOf<'BufferCommitted'>): boolean => version.shard === shard.index;
  const newest = await lastVersions(log, place, shard.of, isOwn);
  let versions = newest.versions.filter(isOwn);
  let fold = foldAt(initialState(config, shard), new Map());
  const last = versions.at(-1);
  if (last !== undefined) {
    const snapshot = await readSnapshot(objects, last.manifestKey, shard);
    // Without a snapshot all versions are needed, and an earlier release's does not say what was checked.
    const checked = Math.max(place.low, snapshot?.versionsCheckedTo ?? 0);
    const { partition } = place;
    const earlier = await versionsIn(log, { partition, from: checked, to: newest.from }, shard.of);
    versions = [...earlier.filter(isOwn), ...versions];
    fold =
      snapshot === undefined
        ? await replayVersions(log, objects, { versions, start: fold, validateEntry })
        : foldAt(snapshot.state, new Map(last.inputs.map(({ partition: of, to }) => [of, to])));
    fold = { ...fold, state: withRules(fold.state, config) };
  }
  const ends = options.consumed.filter(({ topic }) => topic === TOPIC.outcomes);
  return {
    fold: await foldRanges(log, fold, new Map(ends.map(({ partition, nextOffset }) => [partition, nextOffset]))),
    versionsCheckedTo: place.high,
  };
}

/**
 * Looks at every version that was committed from an offset on, whoever committed it.
 * @param from what {@link restoreFold} or the last look answered
 * @returns the end of what was looked at: before it, no version is of a buffer that was divided otherwise
 * @throws CONFLICT when one is
 */
export async function checkedVersions(log: EventLog, from: number, shards: number): Promise<number> {
  const { partition, high } = await placeOfVersions(log);
  await versionsIn(log, { partition, from, to: high }, shards);
  return high;
}

/**
 * Looks at the newest version, so that also who only stands by refuses the wrong number of shards. All others are looked at
 * by who takes the buffer over.
 * @throws CONFLICT when it is of a buffer that was divided otherwise
 */
export async function checkDivision(log: EventLog, shards: number): Promise<void> {
  await lastVersions(log, await placeOfVersions(log), shards, () => true);
}

interface Stretch {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** The partition that tells all versions, in their order, among decisions whose keys fall into it too. */
async function placeOfVersions(log: EventLog): Promise<Watermarks> {
  const watermarks = await log.watermarks(TOPIC.buffer);
  const partition = partitionForKey(COMMITS_KEY, watermarks.length);
  return watermarks.find((each) => each.partition === partition)!;
}

/**
 * The end of the log, read backwards in stretches that double, as far as there is a version that is looked for.
 * @returns the versions that stand there in their order, and where it begins
 */
async function lastVersions(
  log: EventLog,
  { partition, low, high }: Watermarks,
  shards: number,
  isSought: (version: EventOf<'BufferCommitted'>) => boolean,
): Promise<{ readonly versions: readonly EventOf<'BufferCommitted'>[]; readonly from: number }> {
  let versions: readonly EventOf<'BufferCommitted'>[] = [];
  let from = high;
  for (let length = CHUNK_RECORDS; from > low && !versions.some(isSought); length *= 2) {
    const to = from;
    from = Math.max(low, to - length);
    versions = [...(await versionsIn(log, { partition, from, to }, shards)), ...versions];
  }
  return { versions, from };
}

/**
 * The versions of all shards in a stretch of the log, in their order.
 * @throws CONFLICT when the buffer was divided otherwise: what the log says was kept would be kept, and said, a second time
 */
async function versionsIn(
  log: EventLog,
  { partition, from, to }: Stretch,
  shards: number,
): Promise<readonly EventOf<'BufferCommitted'>[]> {
  const versions: EventOf<'BufferCommitted'>[] = [];
  if (from >= to) return versions;
  for await (const records of log.read({ topic: TOPIC.buffer, partition, from, to, chunkRecords: CHUNK_RECORDS })) {
    for (const record of records) {
      if (record.key !== COMMITS_KEY) continue;
      const event = decodeEvent(record);
      if (event.type === 'BufferCommitted') versions.push(event);
    }
  }
  const other = versions.find((version) => version.shards !== shards);
  if (other === undefined) return versions;
  throw new SeamError(
    'CONFLICT',
    `Dividing the buffer into ${shards}: expected versions of that many shards in ${TOPIC.buffer}, came one of ${other.shards} (${other.manifestKey}). Set SEAM_BUFFER_SHARDS to ${other.shards}, or copy the log with "seam replay copy --done" and divide the buffer there, where it is made anew from the outcomes.`,
    { details: { shards, found: other.shards, manifestKey: other.manifestKey } },
  );
}

/**
 * Makes every version again from the log and compares its digest with the recorded one.
 * @throws CONFLICT at the first version that differs: the log, the code or the configuration is not what it was
 */
async function replayVersions(
  log: EventLog,
  objects: ObjectStore,
  {
    versions,
    start,
    validateEntry,
  }: {
    readonly versions: readonly BufferCommitted[];
    readonly start: BufferFold;
    readonly validateEntry: EntryValidator;
  },
): Promise<BufferFold> {
  let fold = start;
  for (const version of versions) {
    const { config } = decodeManifest(await objects.get(version.manifestKey));
    fold = { ...fold, state: withRules(fold.state, config) };
    fold = await foldRanges(log, fold, new Map(version.inputs.map(({ partition, to }) => [partition, to])));
    const { state, bufferDigest } = commit(fold.state, { validateEntry });
    if (bufferDigest !== version.bufferDigest) {
      throw new SeamError(
        'CONFLICT',
        `Replaying buffer version ${version.sequence}: expected the recorded digest ${version.bufferDigest}, came ${bufferDigest}. Records are missing or the rules changed; compare the code versions.`,
        { details: { sequence: version.sequence, expected: version.bufferDigest, actual: bufferDigest } },
      );
    }
    fold = foldAt(state, fold.nextOffsets);
  }
  return fold;
}

async function foldRanges(log: EventLog, start: BufferFold, ends: ReadonlyMap<number, number>): Promise<BufferFold> {
  let fold = start;
  for (const [partition, to] of [...ends].sort(([a], [b]) => a - b)) {
    const from = fold.nextOffsets.get(partition) ?? 0;
    if (from >= to) continue; // a version may have read further than what was committed as consumed
    for await (const records of log.read({ topic: TOPIC.outcomes, partition, from, to, chunkRecords: CHUNK_RECORDS })) {
      for (const record of records) {
        let event: ReturnType<typeof decodeEvent>;
        try {
          event = decodeEvent(record);
        } catch {
          continue; // its consumer sent it to the dead letters
        }
        fold = evolveFold(fold, event, record);
      }
    }
  }
  return fold;
}

/** Undefined when there is none, or one that cannot be read: then the log is replayed. */
async function readSnapshot(
  objects: ObjectStore,
  manifestKey: string,
  shard: Shard,
): Promise<BufferSnapshot | undefined> {
  try {
    const snapshot = decodeSnapshot(await objects.get(snapshotKey(manifestKey)));
    return shardName(snapshot.state.shard) === shardName(shard) ? snapshot : undefined;
  } catch (error) {
    if (isSeamError(error, 'OBJECT_NOT_FOUND') || isSeamError(error, 'OBJECT_CORRUPT')) return undefined;
    throw error;
  }
}

function snapshotKey(manifestKey: string): string {
  return manifestKey.replace(/manifest\.json$/, 'snapshot.bin');
}
