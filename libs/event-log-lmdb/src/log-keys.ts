/**
 * The keys of the two LMDB databases of a log.
 *
 * `records`  topicId u32 | partition u32 | baseOffset u64, big-endian, so that keys sort by place  → block (record-block.ts)
 * `state`    text:
 *   format                              → {"format", "version"}: refuses files of other programs and other versions
 *   identity                            → a UUID made up with the log
 *   next-id                             → the last topic id, or generation, given out
 *   commits                             → f64, little-endian: how often records or offsets were committed
 *   t/<topic>                           → {"id", "partitions"}
 *   p/<topicId>/<partition>             → nextOffset f64 | maxTimestampMs f64, little-endian
 *   c/<group>/<topic>/<partition>       → committed offset, as decimal text
 *   m/<group>/<memberId>                → the member (see group-membership.ts)
 *   o/<group>/<topic>/<partition>       → {"memberId", "generation"}: the owner and its fencing number
 *   o/<name>/<name>/0                   → the same of a claimed name
 * Names of topics and groups contain no slash.
 */

/** Version 2 has blocks with one checksum; those of version 1 that a log holds stay as they are (record-block.ts). */
export const FORMAT = { format: 'seamstream-event-log', version: 2 } as const;
/** Versions that can be read, and written on. */
export const READABLE_VERSIONS: readonly unknown[] = [1, FORMAT.version];

export interface TopicRow {
  readonly id: number;
  readonly partitions: number;
}

export interface OwnerRow {
  readonly memberId: string;
  readonly generation: number;
}

export function blockKey(topicId: number, partition: number, baseOffset: number): Buffer {
  const key = Buffer.allocUnsafe(16);
  key.writeUInt32BE(topicId, 0);
  key.writeUInt32BE(partition, 4);
  key.writeUInt32BE(Math.floor(baseOffset / 0x1_0000_0000), 8);
  key.writeUInt32BE(baseOffset % 0x1_0000_0000, 12);
  return key;
}

/** The place that a key of `records` stands for; undefined when it is not one. */
export function placeOf(key: Uint8Array): { topicId: number; partition: number; baseOffset: number } | undefined {
  if (key.length !== 16) return undefined;
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  return {
    topicId: view.getUint32(0),
    partition: view.getUint32(4),
    baseOffset: view.getUint32(8) * 0x1_0000_0000 + view.getUint32(12),
  };
}

const text = (key: string): Buffer => Buffer.from(key, 'latin1');

export const stateKey = {
  format: text('format'),
  identity: text('identity'),
  nextId: text('next-id'),
  commits: text('commits'),
  topic: (topic: string): Buffer => text(`t/${topic}`),
  partition: (topicId: number, partition: number): Buffer => text(`p/${topicId}/${partition}`),
  committed: (group: string, topic: string, partition: number): Buffer => text(`c/${group}/${topic}/${partition}`),
  member: (group: string, memberId: string): Buffer => text(`m/${group}/${memberId}`),
  owner: (group: string, topic: string, partition: number): Buffer => text(`o/${group}/${topic}/${partition}`),
} as const;

/** Keys from the prefix on, before the next one: a range of text keys. */
export function prefixRange(prefix: string): { readonly start: Buffer; readonly end: Buffer } {
  return { start: text(prefix), end: Buffer.concat([text(prefix), Buffer.from([0xff])]) };
}
