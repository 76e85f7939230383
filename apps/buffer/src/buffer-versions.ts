/**
 * A version of the buffer in the object store:
 *
 *   buffer/<sequence>-<digest>/domain=<domain>/difficulty=<difficulty>/part-00000.parquet
 *                                               the rows of one stratum (rows.jsonl on request: all of them)
 *                              manifest.json    names the files, their digests and the offsets they came from
 *                              resume.json      not part of the version: where a restart continues (buffer-snapshots.ts)
 *
 * In a buffer of several shards, each shard has its versions below its own folder: buffer/1of3/<sequence>-<digest>/.
 *
 * Keys follow from content. Files and manifest are created and never replaced, so a version that is written again after a
 * crash is found as it is. The manifest is last, so a manifest means a whole version. Which version counts is said by the
 * log alone, in BufferCommitted.
 */
import type { OffsetRange } from '@seamstream/events';
import { canonicalJson, isSeamError, SeamError, sha256 } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import {
  type BufferCommit,
  type BufferConfig,
  type BufferManifest,
  encodeManifest,
  encodeVersion,
  manifestDigest,
  type RowFormat,
  shardName,
} from '@seamstream/success-buffer';

const OPAQUE = 'application/octet-stream';

export interface WrittenVersion {
  readonly manifest: BufferManifest;
  readonly manifestKey: string;
  readonly manifestDigest: string;
}

/**
 * Writes files and, last, the manifest: where a manifest exists, everything that it names exists.
 * @throws CONFLICT when another manifest is there under the same key
 */
export async function writeVersion(
  objects: ObjectStore,
  version: BufferCommit,
  options: {
    readonly inputs: readonly OffsetRange[];
    /** Since the version before. */
    readonly refused: readonly OffsetRange[];
    readonly config: BufferConfig;
    readonly formats: readonly RowFormat[];
  },
): Promise<WrittenVersion> {
  const { state, rows, bufferDigest, rowsPerStratum } = version;
  const { shard } = state;
  const ofShard = shard.of === 1 ? {} : { shard };
  const refused = options.refused.length === 0 ? {} : { refused: options.refused.map((range) => ({ ...range })) };
  const files = encodeVersion(rows, options.formats).map((file) => ({ ...file, sha256: sha256(file.body) }));
  // Of everything that the manifest states: another codec or another input is another folder.
  const identity = sha256(
    canonicalJson({
      ...ofShard,
      bufferDigest,
      inputs: options.inputs,
      config: options.config,
      ...refused,
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
    ...refused,
    config: options.config,
  };
  for (const { path, body } of files) await createOnce(objects, `${folder}/${path}`, body, OPAQUE);
  const manifestKey = `${folder}/manifest.json`;
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
      `Cannot write ${key}: expected no object there or one with digest ${expected}, got digest ${actual}. Another program writes below buffer/. Give it another place.`,
      { details: { key, expected, actual } },
    );
  }
}
