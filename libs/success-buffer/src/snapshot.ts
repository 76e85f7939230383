/**
 * The state as bytes, for a service that restarts: zstd of canonical JSON, everything in the order of its ids, so that
 * equal states have equal bytes (within one version of zstd). Indexes and traits are computed again when they are needed.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, compareText, messageOf, SeamError } from '@seamstream/kernel';
import type { BufferConfig } from './buffer.config.js';
import {
  type Announcement,
  type BufferState,
  type Group,
  type GroupElsewhere,
  initialState,
  inputRanges,
} from './buffer-state.js';
import type { Shard } from './shard.js';

const FORMAT = 'seamstream.success-buffer/2';

/** What a restart goes on from. */
export interface BufferSnapshot {
  readonly state: BufferState;
  /**
   * Offset in the partition of the versions' records before which all of them are known to be of a buffer that is divided in
   * the same way. Undefined in snapshots of earlier releases.
   */
  readonly versionsCheckedTo: number | undefined;
}

type Entries<Facts> = Facts extends ReadonlyMap<infer Id, infer Value> ? readonly (readonly [Id, Value])[] : Facts;

interface StoredSnapshot {
  readonly format: string;
  readonly config: BufferConfig;
  /** Absent when one buffer keeps all domains. */
  readonly shard?: Shard;
  readonly elsewhere?: readonly (readonly [
    string,
    Omit<GroupElsewhere, 'results'> & { readonly results: Entries<GroupElsewhere['results']> },
  ])[];
  readonly versionsCheckedTo?: number;
  readonly sequence: number;
  readonly groups: readonly (Omit<Group, 'members'> & { readonly members: Entries<Group['members']> })[];
  readonly announced: readonly (readonly [string, Announcement])[];
  readonly ranges: readonly OffsetRange[];
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}

export function encodeSnapshot({ state, versionsCheckedTo }: BufferSnapshot): Uint8Array {
  const snapshot: StoredSnapshot = {
    format: FORMAT,
    config: state.config,
    sequence: state.sequence,
    groups: [...state.groups].sort(byKey).map(([, group]) => ({ ...group, members: [...group.members].sort(byKey) })),
    announced: [...state.announced].sort(byKey),
    ranges: inputRanges(state),
    ...(versionsCheckedTo === undefined ? {} : { versionsCheckedTo }),
    ...(state.shard.of === 1 ? {} : { shard: state.shard, elsewhere: groupsElsewhere(state) }),
  };
  return new Uint8Array(zstdCompressSync(canonicalJson(snapshot)));
}

function groupsElsewhere({ elsewhere }: BufferState): NonNullable<StoredSnapshot['elsewhere']> {
  return [...elsewhere]
    .sort(byKey)
    .map(([groupId, group]) => [groupId, { ...group, results: group.results && [...group.results].sort(byKey) }]);
}

/** OBJECT_CORRUPT when the bytes are no snapshot of this format. */
export function decodeSnapshot(bytes: Uint8Array): BufferSnapshot {
  const snapshot = parse(bytes);
  const state: BufferState = {
    ...initialState(snapshot.config, snapshot.shard),
    sequence: snapshot.sequence,
    groups: new Map(snapshot.groups.map((group) => [group.groupId, { ...group, members: new Map(group.members) }])),
    elsewhere: new Map(
      snapshot.elsewhere?.map(([groupId, group]) => [
        groupId,
        { ...group, results: group.results && new Map(group.results) },
      ]),
    ),
    announced: new Map(snapshot.announced),
    ranges: new Map(snapshot.ranges.map((range) => [`${range.topic}/${range.partition}`, range])),
  };
  return { state, versionsCheckedTo: snapshot.versionsCheckedTo };
}

function parse(bytes: Uint8Array): StoredSnapshot {
  let came: string;
  try {
    const snapshot = JSON.parse(zstdDecompressSync(bytes).toString('utf8')) as StoredSnapshot;
    if (snapshot.format === FORMAT) return snapshot;
    came = `format ${snapshot.format}`;
  } catch (cause) {
    came = messageOf(cause);
  }
  throw new SeamError(
    'OBJECT_CORRUPT',
    `read buffer snapshot: expected ${FORMAT}, came ${bytes.length} bytes with ${came}; delete the snapshot and let the buffer read the log from its start`,
  );
}
