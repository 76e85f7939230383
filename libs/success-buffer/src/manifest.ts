import { canonicalJson, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import { z } from 'zod';
import { bufferConfigSchema } from './buffer.config.js';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();

const manifestSchema = z.strictObject({
  /** Absent in manifests of the first format, whose files hold all rows each. */
  formatVersion: z.literal(2).optional(),
  /** Which part of the buffer this is: the domains of `index` of `of` shards. Absent when it is all of it. */
  shard: z.strictObject({ index: count, of: z.int().min(2) }).optional(),
  /** Number of the commit, from 1; of each shard its own. */
  sequence: z.int().positive(),
  bufferDigest: digest,
  rows: count,
  /** Rows per stratum (domain/difficulty). */
  strata: z.record(z.string(), count),
  /**
   * Objects with rows. Those with a stratum hold the rows of that stratum, and together all rows; any other holds all rows
   * by itself, the same rows in another format.
   */
  files: z.array(
    z.strictObject({
      key: z.string(),
      sha256: digest,
      rows: count,
      sizeBytes: count,
      stratum: z.string().optional(),
    }),
  ),
  /** What the buffer was computed from: records from (inclusive) … to (exclusive) of each partition. */
  inputs: z.array(z.strictObject({ topic: z.string(), partition: count, from: count, to: count })),
  /** Results since the version before that did not count, since nothing else in the log bore them out. Absent when there are none. */
  refused: z.array(z.strictObject({ topic: z.string(), partition: count, from: count, to: count })).optional(),
  config: bufferConfigSchema,
});

/** What one committed version of the buffer consists of, and what it was made from. */
export type BufferManifest = z.infer<typeof manifestSchema>;

/** SHA-256 of the manifest's canonical JSON, which is also what {@link encodeManifest} writes. */
export function manifestDigest(manifest: BufferManifest): string {
  return sha256(canonicalJson(manifest));
}

/** The manifest as canonical JSON bytes. */
export function encodeManifest(manifest: BufferManifest): Uint8Array {
  return new TextEncoder().encode(canonicalJson(manifest));
}

/** OBJECT_CORRUPT when the bytes are not a manifest. */
export function decodeManifest(bytes: Uint8Array): BufferManifest {
  try {
    return manifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw new SeamError(
      'OBJECT_CORRUPT',
      `Cannot read a buffer manifest: expected the canonical JSON of a manifest, got ${bytes.length} bytes that are not (${messageOf(cause)}). Restore the object, or rebuild the buffer from the log.`,
      { cause },
    );
  }
}
