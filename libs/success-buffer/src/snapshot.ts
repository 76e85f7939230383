/**
 * The state as bytes, for a service that restarts: zstd of canonical JSON, everything in the order of its ids, so that
 * equal states have equal bytes (within one version of zstd). Indexes and traits are computed again when they are needed.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, compareText, messageOf, SeamError } from '@seamstream/kernel';
import type { BufferConfig } from './buffer.config.js';
import { type BufferState, type Group, type GroupElsewhere, initialState, inputRanges } from './buffer-state.js';
import type { Shard } from './shard.js';

const FORMAT = 'seamstream.success-buffer/3';

/** The state after a version, with what is needed to go on from it. */
export interface BufferSnapshot {
  readonly state: BufferState;
  /** What was read when the version was cut, records that are no results included. */
  readonly inputs: readonly OffsetRange[];
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

type Entries<Facts> = Facts extends ReadonlyMap<infer Id, infer Value> ? readonly (readonly [Id, Value])[] : Facts;

interface StoredSnapshot {
  readonly format: string;
  readonly config: BufferConfig;
  /** Absent when one buffer keeps all domains. */
  readonly shard?: Shard;
  readonly elsewhere?: readonly (Omit<GroupElsewhere, 'results'> & {
    readonly results: Entries<GroupElsewhere['results']>;
  })[];
  readonly inputs: readonly OffsetRange[];
  readonly writtenAt: number;
  readonly sequence: number;
  readonly groups: readonly (Omit<Group, 'members' | 'announced'> & {
    readonly members: Entries<Group['members']>;
    readonly announced: Entries<Group['announced']>;
  })[];
  readonly ranges: readonly OffsetRange[];
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}

export function encodeSnapshot({ state, inputs, writtenAt }: BufferSnapshot): Uint8Array {
  const snapshot: StoredSnapshot = {
    format: FORMAT,
    config: state.config,
    sequence: state.sequence,
    groups: [...state.groups].sort(byKey).map(([, group]) => ({
      ...group,
      members: [...group.members].sort(byKey),
      announced: [...group.announced].sort(byKey),
    })),
    ranges: inputRanges(state),
    inputs,
    writtenAt,
    ...(state.shard.of === 1 ? {} : { shard: state.shard, elsewhere: groupsElsewhere(state) }),
  };
  return new Uint8Array(zstdCompressSync(canonicalJson(snapshot)));
}

function groupsElsewhere({ elsewhere }: BufferState): NonNullable<StoredSnapshot['elsewhere']> {
  return [...elsewhere]
    .sort(byKey)
    .map(([, group]) => ({ ...group, results: group.results && [...group.results].sort(byKey) }));
}

/** OBJECT_CORRUPT when the bytes are no snapshot of this format. */
export function decodeSnapshot(bytes: Uint8Array): BufferSnapshot {
  const snapshot = parse(bytes);
  const state: BufferState = {
    ...initialState(snapshot.config, snapshot.shard),
    sequence: snapshot.sequence,
    groups: new Map(
      snapshot.groups.map((group) => [
        group.groupId,
        { ...group, members: new Map(group.members), announced: new Map(group.announced) },
      ]),
    ),
    elsewhere: new Map(
      snapshot.elsewhere?.map((group) => [
        group.groupId,
        { ...group, results: group.results && new Map(group.results) },
      ]),
    ),
    ranges: new Map(snapshot.ranges.map((range) => [`${range.topic}/${range.partition}`, range])),
  };
  return { state, inputs: snapshot.inputs, writtenAt: snapshot.writtenAt };
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
