/**
 * The state as bytes, for a service that restarts: lines of JSON, a head and one line per group in the order of their ids, in
 * pieces of about a megabyte that are compressed each:
 *
 *   length of the piece, 4 bytes, big-endian | zstd of its lines | next piece …
 *
 * Equal states have equal bytes (within one version of zstd). One text of everything would be longer than texts can be from some
 * 500,000 results on. What a selection knows is computed again when it is needed.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { partitionName } from '@seamstream/event-log';
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, compareText, messageOf, SeamError } from '@seamstream/kernel';
import type { BufferConfig } from './buffer.config.js';
import { type BufferState, type GroupElsewhere, initialState, inputRanges } from './buffer-state.js';
import { type Group } from './group.js';
import type { Shard } from './shard.js';

const FORMAT = 'seamstream.success-buffer/3';
const PIECE_CHARACTERS = 1 << 20;
const LENGTH_BYTES = 4;

/** The state after a version, with all that is needed to continue from it. */
export interface BufferSnapshot {
  readonly state: BufferState;
  /** Records that had been read when the version was made, including those that are not results. */
  readonly inputs: readonly OffsetRange[];
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

interface Head {
  readonly format: string;
  readonly config: BufferConfig;
  /** Absent when one buffer keeps all domains. */
  readonly shard?: Shard;
  /** Numbers of the lines that follow: groups, then groups of other shards. */
  readonly groups: number;
  readonly elsewhere: number;
  readonly inputs: readonly OffsetRange[];
  readonly ranges: readonly OffsetRange[];
  readonly sequence: number;
  readonly writtenAt: number;
}

type Entries<Facts> = Facts extends ReadonlyMap<infer Id, infer Value> ? readonly (readonly [Id, Value])[] : Facts;

type GroupLine = Omit<Group, 'members' | 'announced'> & {
  readonly members: Entries<Group['members']>;
  readonly announced: Entries<Group['announced']>;
};

type ElsewhereLine = Omit<GroupElsewhere, 'results'> & { readonly results: Entries<GroupElsewhere['results']> };

export function encodeSnapshot(snapshot: BufferSnapshot): Uint8Array {
  const parts: Uint8Array[] = [];
  let lines: string[] = [];
  let characters = 0;
  const endPiece = (): void => {
    const piece = zstdCompressSync(lines.join(''));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(piece.length);
    parts.push(length, piece);
    lines = [];
    characters = 0;
  };
  for (const line of linesOf(snapshot)) {
    lines.push(line, '\n');
    characters += line.length + 1;
    if (characters >= PIECE_CHARACTERS) endPiece();
  }
  if (lines.length > 0) endPiece();
  return Buffer.concat(parts);
}

function* linesOf({ state, inputs, writtenAt }: BufferSnapshot): IterableIterator<string> {
  const { groups, elsewhere, shard, config, sequence } = state;
  const head: Head = {
    format: FORMAT,
    config,
    sequence,
    groups: groups.size,
    elsewhere: elsewhere.size,
    inputs,
    ranges: inputRanges(state),
    writtenAt,
    ...(shard.of === 1 ? {} : { shard }),
  };
  yield canonicalJson(head);
  for (const [, group] of [...groups].sort(byKey)) {
    // Keys in their order, as in all that a group holds: canonical JSON without looking for it.
    const line: GroupLine = {
      announced: [...group.announced].sort(byKey),
      arm: group.arm,
      domain: group.domain,
      groupId: group.groupId,
      groupSize: group.groupSize,
      members: [...group.members].sort(byKey),
      partition: group.partition,
    };
    yield JSON.stringify(line);
  }
  for (const [, { results, ...group }] of [...elsewhere].sort(byKey)) {
    const line: ElsewhereLine = { ...group, results: results && [...results].sort(byKey) };
    yield canonicalJson(line);
  }
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}

/** OBJECT_CORRUPT when the bytes are not a whole snapshot of this format. */
export function decodeSnapshot(bytes: Uint8Array): BufferSnapshot {
  try {
    return read(bytes);
  } catch (cause) {
    throw new SeamError(
      'OBJECT_CORRUPT',
      `Cannot read a buffer snapshot: expected ${FORMAT}, got ${bytes.length} bytes with ${messageOf(cause)}. Delete the snapshot, and let the buffer read the log from its start.`,
      { cause },
    );
  }
}

function read(bytes: Uint8Array): BufferSnapshot {
  const lines = linesIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const head = lines.next().value as Head | undefined;
  if (head?.format !== FORMAT) throw new RangeError(`format ${head?.format}`);
  const state: BufferState = {
    ...initialState(head.config, head.shard),
    sequence: head.sequence,
    ranges: new Map(head.ranges.map((range) => [partitionName(range.topic, range.partition), range])),
  };
  for (const line of lines) {
    if (state.groups.size < head.groups) {
      const group = line as GroupLine;
      const { members, announced } = group;
      state.groups.set(group.groupId, { ...group, members: new Map(members), announced: new Map(announced) });
    } else {
      const group = line as ElsewhereLine;
      state.elsewhere.set(group.groupId, { ...group, results: group.results && new Map(group.results) });
    }
  }
  const { groups, elsewhere } = state;
  if (groups.size !== head.groups || elsewhere.size !== head.elsewhere)
    throw new RangeError(`${groups.size + elsewhere.size} of ${head.groups + head.elsewhere} groups`);
  return { state, inputs: head.inputs, writtenAt: head.writtenAt };
}

function* linesIn(bytes: Buffer): IterableIterator<unknown> {
  for (let at = 0; at < bytes.length; ) {
    const begin = at + LENGTH_BYTES;
    at = begin + bytes.readUInt32BE(at);
    const piece = zstdDecompressSync(bytes.subarray(begin, at)).toString('utf8');
    for (const line of piece.split('\n')) if (line !== '') yield JSON.parse(line);
  }
}
