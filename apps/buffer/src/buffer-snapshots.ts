/**
 * The snapshots from which a restarted buffer continues. A snapshot holds all that is remembered, so one with every version would
 * cost more the longer the log. One is written once as many records were read since the last one as that holds. So a result is
 * written about once, and a restart reads at most about as much from the log as from the snapshot. One is also written when the
 * last is old: a restart needs the log after the snapshot, and retention deletes old records.
 *
 *   buffer/<sequence>-<digest>/resume.json         of every version: names the snapshot, made with it or with one before
 *          snapshots/<sequence>-<digest>.bin       apart from the versions, which may be deleted once others have followed
 */
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, isSeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferSnapshot,
  type BufferState,
  decodeSnapshot,
  encodeSnapshot,
  rememberedCount,
  type Shard,
  shardName,
} from '@seamstream/success-buffer';
import { z } from 'zod';

/** The snapshot that versions name until the next one is written. */
export interface LastSnapshot {
  readonly key: string;
  readonly remembered: number;
  /** What had been read of the outcomes. */
  readonly records: number;
  readonly writtenAt: number;
  /** Of the results since, those that did not count. */
  readonly refused: readonly OffsetRange[];
}

/** What a restart from a version needs to continue. */
export interface Resumption {
  readonly snapshotKey: string;
  readonly snapshot: BufferSnapshot;
  /** Offset in the partition of the versions' records before which all of them are known to be of a buffer divided as this one. */
  readonly versionsCheckedTo: number;
  /** Of the results since the snapshot, up to the version, those that did not count. */
  readonly refused: readonly OffsetRange[];
  /** By topic/partition: where evidence for later results is looked for first. */
  readonly evidence: ReadonlyMap<string, number>;
}

const resumeSchema = z.strictObject({
  format: z.literal('seamstream.buffer-resume/1'),
  snapshotKey: z.string(),
  versionsCheckedTo: z.int().nonnegative(),
  /** Absent in versions of earlier releases, which believed all results, and where there are none. */
  refused: z.array(z.strictObject({ topic: z.string(), partition: z.int(), from: z.int(), to: z.int() })).optional(),
  evidence: z.record(z.string(), z.int()).optional(),
});

/**
 * Writes the snapshot, where one is due, and the file that names it, for a restart after this version.
 * @param last undefined: there is none, or one of other rules
 * @returns the snapshot that the version names
 */
export async function writeResumption(
  objects: ObjectStore,
  manifestKey: string,
  {
    last,
    state,
    inputs,
    now,
    maxAgeMs,
    versionsCheckedTo,
    refused,
    evidence,
  }: {
    readonly last: LastSnapshot | undefined;
    readonly state: BufferState;
    readonly inputs: readonly OffsetRange[];
    /** Milliseconds since 1970. */
    readonly now: number;
    readonly maxAgeMs: number;
    readonly versionsCheckedTo: number;
    /** Since the version before. */
    readonly refused: readonly OffsetRange[];
    readonly evidence: ReadonlyMap<string, number>;
  },
): Promise<LastSnapshot> {
  let named: LastSnapshot | undefined = last && { ...last, refused: [...last.refused, ...refused] };
  if (named === undefined || isSnapshotDue(named, { records: recordsOf(inputs), now, maxAgeMs })) {
    const snapshot = { state, inputs, writtenAt: now };
    named = lastSnapshotOf({ snapshotKey: snapshotKey(manifestKey), snapshot, refused: [] });
    await objects.put(named.key, encodeSnapshot(snapshot));
  }
  const resume: z.infer<typeof resumeSchema> = {
    format: 'seamstream.buffer-resume/1',
    snapshotKey: named.key,
    versionsCheckedTo,
    ...(named.refused.length === 0 ? {} : { refused: named.refused.map((range) => ({ ...range })) }),
    ...(evidence.size === 0 ? {} : { evidence: Object.fromEntries(evidence) }),
  };
  await objects.put(resumeKey(manifestKey), new TextEncoder().encode(canonicalJson(resume)), {
    contentType: 'application/json',
  });
  return named;
}

function isSnapshotDue(
  last: LastSnapshot,
  { records, now, maxAgeMs }: { readonly records: number; readonly now: number; readonly maxAgeMs: number },
): boolean {
  return records - last.records >= last.remembered || now - last.writtenAt >= maxAgeMs;
}

/**
 * The newest snapshot that can be read, of those that some versions name.
 * @param manifestKeys of the versions, oldest first
 */
export async function readResumption(
  objects: ObjectStore,
  manifestKeys: readonly string[],
  shard: Shard,
): Promise<Resumption | undefined> {
  const unusable = new Set<string>();
  for (const manifestKey of manifestKeys.toReversed()) {
    const resume = await usable(async () => resumeSchema.safeParse(parsed(await objects.get(resumeKey(manifestKey)))));
    if (resume?.success !== true || unusable.has(resume.data.snapshotKey)) continue;
    const { snapshotKey: key, versionsCheckedTo, refused = [], evidence = {} } = resume.data;
    const snapshot = await usable(async () => decodeSnapshot(await objects.get(key)));
    if (snapshot !== undefined && shardName(snapshot.state.shard) === shardName(shard))
      return { snapshotKey: key, snapshot, versionsCheckedTo, refused, evidence: new Map(Object.entries(evidence)) };
    unusable.add(key);
  }
  return undefined;
}

/** What is read, or undefined when it is not there or not whole. */
export async function usable<Content>(read: () => Promise<Content>): Promise<Content | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isSeamError(error, 'OBJECT_NOT_FOUND') || isSeamError(error, 'OBJECT_CORRUPT')) return undefined;
    throw error;
  }
}

export function lastSnapshotOf({
  snapshotKey: key,
  snapshot: { state, inputs, writtenAt },
  refused,
}: Pick<Resumption, 'snapshotKey' | 'snapshot' | 'refused'>): LastSnapshot {
  return { key, remembered: rememberedCount(state), records: recordsOf(inputs), writtenAt, refused };
}

function recordsOf(inputs: readonly OffsetRange[]): number {
  return inputs.reduce((sum, { from, to }) => sum + to - from, 0);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function resumeKey(manifestKey: string): string {
  return manifestKey.replace(/manifest\.json$/, 'resume.json');
}

function snapshotKey(manifestKey: string): string {
  return manifestKey.replace(/(?<=^|\/)([^/]+)\/manifest\.json$/, 'snapshots/$1.bin');
}
