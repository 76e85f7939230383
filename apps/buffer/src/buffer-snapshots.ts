/**
 * What a restart of a buffer goes on from. A snapshot holds all that is remembered, so writing one with every version would cost
 * more the longer the log: one is written when as many records were read since the last one as that has results. So a
 * result is written about once, and a restart reads at most about as much from the log as from the snapshot. It is also written
 * when it is older than a while, since the log behind it has to be there still: retention may delete what is older.
 *
 * Every version names its snapshot in `resume.json`, which is the version's own or that of one before.
 */
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, isSeamError } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferSnapshot,
  type BufferState,
  decodeSnapshot,
  encodeSnapshot,
  resultCount,
  type Shard,
  shardName,
} from '@seamstream/success-buffer';
import { z } from 'zod';

/** The snapshot that versions name until the next one is written. */
export interface LastSnapshot {
  readonly key: string;
  readonly results: number;
  /** What had been read of the outcomes. */
  readonly records: number;
  readonly writtenAt: number;
}

/** What a version says about how to go on from it. */
interface Resumption {
  readonly snapshotKey: string;
  readonly snapshot: BufferSnapshot;
  /** Offset in the partition of the versions' records before which all of them are known to be of a buffer divided as this one. */
  readonly versionsCheckedTo: number;
}

const RESUME = 'resume.json';

const resumeSchema = z.strictObject({
  format: z.literal('seamstream.buffer-resume/1'),
  snapshotKey: z.string(),
  versionsCheckedTo: z.int().nonnegative(),
});

/**
 * Writes what a restart after this version goes on from.
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
  }: {
    readonly last: LastSnapshot | undefined;
    readonly state: BufferState;
    readonly inputs: readonly OffsetRange[];
    /** Milliseconds since 1970. */
    readonly now: number;
    readonly maxAgeMs: number;
    readonly versionsCheckedTo: number;
  },
): Promise<LastSnapshot> {
  let snapshot = last;
  if (snapshot === undefined || isSnapshotDue(snapshot, { records: recordsOf(inputs), now, maxAgeMs })) {
    const key = besides(manifestKey, 'snapshot.bin');
    await objects.put(key, encodeSnapshot({ state, inputs, writtenAt: now }));
    snapshot = { key, results: resultCount(state), records: recordsOf(inputs), writtenAt: now };
  }
  const resume: z.infer<typeof resumeSchema> = {
    format: 'seamstream.buffer-resume/1',
    snapshotKey: snapshot.key,
    versionsCheckedTo,
  };
  await objects.put(besides(manifestKey, RESUME), new TextEncoder().encode(canonicalJson(resume)), {
    contentType: 'application/json',
  });
  return snapshot;
}

function isSnapshotDue(
  last: LastSnapshot,
  { records, now, maxAgeMs }: { readonly records: number; readonly now: number; readonly maxAgeMs: number },
): boolean {
  return records - last.records >= last.results || now - last.writtenAt >= maxAgeMs;
}

/** Undefined when there is none, or one that cannot be read: then the log is replayed. */
export async function readResumption(
  objects: ObjectStore,
  manifestKey: string,
  shard: Shard,
): Promise<Resumption | undefined> {
  try {
    const resume = resumeSchema.safeParse(parsed(await objects.get(besides(manifestKey, RESUME))));
    if (!resume.success) return undefined;
    const { snapshotKey, versionsCheckedTo } = resume.data;
    const snapshot = decodeSnapshot(await objects.get(snapshotKey));
    if (shardName(snapshot.state.shard) !== shardName(shard)) return undefined;
    return { snapshotKey, snapshot, versionsCheckedTo };
  } catch (error) {
    if (isSeamError(error, 'OBJECT_NOT_FOUND') || isSeamError(error, 'OBJECT_CORRUPT')) return undefined;
    throw error;
  }
}

export function lastSnapshotOf({ snapshotKey, snapshot }: Resumption): LastSnapshot {
  const { state, inputs, writtenAt } = snapshot;
  return { key: snapshotKey, results: resultCount(state), records: recordsOf(inputs), writtenAt };
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

function besides(manifestKey: string, name: string): string {
  return `${manifestKey.slice(0, manifestKey.lastIndexOf('/'))}/${name}`;
}
