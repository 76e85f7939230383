/** The way back from the log to the fold of a shard: from the snapshot that its last version names, or from the beginning. */

import type { ConsumedOffset, EventLog, LogRecord } from '@seamstream/event-log';
import { type BufferCommitted, type EventOf, type OffsetRange, type SeamEvent, TOPIC } from '@seamstream/events';
import {
  contentMissing,
  type Evidence,
  type PlacedEvent,
  type ProblemContents,
  placesIn,
  withPlace,
} from '@seamstream/evidence';
import { canonicalJson, isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import { readEvents } from '@seamstream/log-reader';
import type { ObjectStore } from '@seamstream/object-store';
import {
  afterVersion,
  type BufferConfig,
  commit,
  decodeManifest,
  type EntryValidator,
  initialState,
  readVersion,
  type Shard,
  shardName,
  withRules,
} from '@seamstream/success-buffer';
import { type BufferFold, evolveFold, foldAt, offsetsOf, passOver } from './buffer-fold.js';
import { type LastSnapshot, lastSnapshotOf, type Resumption, readResumption, usable } from './buffer-snapshots.js';
import { lastVersions, placeOfVersions, versionsIn } from './committed-versions.js';
import { foldBelieved, isFoldable } from './refused-results.js';

/** Log, objects or settings are not those that the buffer's versions were made with and from: no outcome is to blame. */
export class UnrestorableBuffer extends SeamError {}

/**
 * The fold after the given consumed offsets. It continues from the newest usable snapshot: the results since are folded, and
 * the last version's rows say which decisions on them were announced. Without a snapshot every version is made again from the
 * log's start, and must be as it was recorded.
 * @throws {@link UnrestorableBuffer} with the code of what is wrong, CONFLICT when a version comes out otherwise, its rows are of
 *   other results, or the log's versions are those of a buffer in another number of shards; what may pass, an outage, is thrown
 *   as it is
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
  /** Where results that come are looked up; undefined: they are believed. */
  readonly evidenceFrom: (places: ReadonlyMap<string, number>) => Evidence | undefined;
  /** Where large content is: one for all versions, for each looks through seam.problems when a content is not at its place. */
  readonly contents: ProblemContents;
}

/** What outcomes are folded from. */
interface Sources {
  readonly log: EventLog;
  readonly objects: ObjectStore;
  readonly contents: ProblemContents;
}

interface RestoredFold {
  readonly fold: BufferFold;
  /** See checkedVersions. */
  readonly versionsCheckedTo: number;
  /** Undefined when there is none of these rules. */
  readonly lastSnapshot: LastSnapshot | undefined;
  readonly evidence: Evidence | undefined;
  /** Of the results since the last version, those that do not count. */
  readonly refused: readonly OffsetRange[];
}

async function restore(log: EventLog, objects: ObjectStore, options: RestoreOptions): Promise<RestoredFold> {
  const { shard, config, validateEntry, contents } = options;
  const sources = { log, objects, contents };
  const place = await placeOfVersions(log);
  const isOwn = (version: EventOf<'BufferCommitted'>): boolean => version.shard === shard.index;
  const newest = await lastVersions(log, place, shard.of, isOwn);
  const own = newest.versions.filter(isOwn);
  let fold = foldAt(initialState(config, shard), new Map());
  let lastSnapshot: LastSnapshot | undefined;
  let places: ReadonlyMap<string, number> = new Map();
  const last = own.at(-1);
  if (last !== undefined) {
    const keys = own.map(({ manifestKey }) => manifestKey);
    const resumption = await readResumption(objects, keys, shard);
    const { partition, low } = place;
    places = resumption?.evidence ?? places;
    const checked = Math.max(low, resumption?.versionsCheckedTo ?? 0);
    const unchecked = await versionsIn(log, { partition, from: checked, to: newest.from }, shard.of);
    const resumed = resumption && (await foldFrom(sources, { resumption, version: last }));
    if (resumed === undefined) {
      const earlier = await versionsIn(log, { partition, from: low, to: checked }, shard.of);
      const versions = [...earlier, ...unchecked].filter(isOwn).concat(own);
      fold = await replayVersions(sources, { versions, start: fold, validateEntry });
    } else fold = resumed;
    const state = withRules(fold.state, config);
    // After a change of rules the next version writes a new snapshot: other results may have aged under the old rules.
    if (resumption !== undefined && resumed !== undefined && state === fold.state)
      lastSnapshot = lastSnapshotOf(resumption);
    fold = { ...fold, state };
  }
  const ends = options.consumed.filter(({ topic }) => topic === TOPIC.outcomes);
  const evidence = options.evidenceFrom(places);
  const sinceVersion = await foldSinceVersion(sources, { start: fold, ends, evidence });
  return { ...sinceVersion, versionsCheckedTo: place.high, lastSnapshot, evidence };
}

/**
 * The fold after a version, from a snapshot made with it or with one before.
 * @returns undefined when the version's own files are not whole, or the snapshot is of other rules
 */
async function foldFrom(
  sources: Sources,
  { resumption, version }: { readonly resumption: Resumption; readonly version: BufferCommitted },
): Promise<BufferFold | undefined> {
  const { objects } = sources;
  const { state, inputs } = resumption.snapshot;
  const start = foldAt(state, offsetsOf(inputs));
  if (state.sequence === version.sequence) return start;
  const manifest = await usable(async () => decodeManifest(await objects.get(version.manifestKey)));
  if (manifest === undefined || canonicalJson(manifest.config) !== canonicalJson(state.config)) return undefined;
  const rows = await usable(() => readVersion(manifest, (key) => objects.get(key)));
  if (rows === undefined) return undefined;
  const fold = await foldOutcomes(sources, start, { ends: offsetsOf(version.inputs), refused: resumption.refused });
  return foldAt(afterVersion(fold.state, { sequence: version.sequence, rows }), fold.nextOffsets);
}

/**
 * Makes every version again from the log and compares its digest with the recorded one.
 * @throws CONFLICT at the first version that differs: the log, the code or the configuration is not what it was
 */
async function replayVersions(
  sources: Sources,
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
    const { config, refused = [] } = decodeManifest(await sources.objects.get(version.manifestKey));
    fold = { ...fold, state: withRules(fold.state, config) };
    fold = await foldOutcomes(sources, fold, { ends: offsetsOf(version.inputs), refused });
    const { state, bufferDigest } = commit(fold.state, { validateEntry });
    if (bufferDigest !== version.bufferDigest) {
      throw new SeamError(
        'CONFLICT',
        `Cannot replay buffer version ${version.sequence}: expected the recorded digest ${version.bufferDigest}, got ${bufferDigest}. Records are missing, or the entry schemas or the release are not those that made it. Compare them.`,
        { details: { sequence: version.sequence, expected: version.bufferDigest, actual: bufferDigest } },
      );
    }
    fold = foldAt(state, fold.nextOffsets);
  }
  return fold;
}

/** Goes by what the versions say of results that did not count. */
async function foldOutcomes(
  { log, contents }: Sources,
  start: BufferFold,
  { ends, refused }: { readonly ends: ReadonlyMap<number, number>; readonly refused: readonly OffsetRange[] },
): Promise<BufferFold> {
  const isRefused = placesIn(refused);
  let fold = start;
  for await (const { events } of readEvents(log, rangesSince(start, ends), { undecodable: 'skip' })) {
    const counts = events.map(({ record }) => !isRefused(record));
    const filled = await contents.fill(
      events.map(({ event }) => event),
      ({ type }, at) => type === 'OutcomeRecorded' && counts[at]!,
    );
    for (const [at, { record }] of events.entries()) {
      const event = filled[at]!;
      if (!counts[at]) fold = passOver(fold, record);
      else if (isFoldable(event)) fold = evolveFold(fold, event, record);
      else if ('problem' in event) throw contentMissing(event.problem);
    }
  }
  return fold;
}

/** Checks the results after the last version again: no version contains them yet. */
async function foldSinceVersion(
  { log, contents }: Sources,
  {
    start,
    ends,
    evidence,
  }: {
    readonly start: BufferFold;
    readonly ends: readonly ConsumedOffset[];
    readonly evidence: Evidence | undefined;
  },
): Promise<Pick<RestoredFold, 'fold' | 'refused'>> {
  let fold = start;
  let refused: readonly OffsetRange[] = [];
  const ranges = rangesSince(start, new Map(ends.map(({ partition, nextOffset }) => [partition, nextOffset])));
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip' })) {
    fold = await foldBelieved(fold, events.map(placed), {
      evidence,
      contents,
      onRefused: ({ place }) => (refused = withPlace(refused, place)),
      onFolded: async (next) => next,
    });
  }
  return { fold, refused };
}

/** The outcomes that a fold lacks, partition after partition. @param ends by partition the offset to stop before */
function rangesSince({ nextOffsets }: BufferFold, ends: ReadonlyMap<number, number>): readonly OffsetRange[] {
  return [...ends]
    .sort(([a], [b]) => a - b)
    .map(([partition, to]) => ({ topic: TOPIC.outcomes, partition, from: nextOffsets.get(partition) ?? 0, to }));
}

function placed({ event, record }: { readonly event: SeamEvent; readonly record: LogRecord }): PlacedEvent {
  return { event, position: record, value: record.value };
}
