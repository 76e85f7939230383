/**
 * A catalogue of experts: a folder or a bucket. Each archive is there once under its expert's digest, with an entry that describes it,
 * signed where a key is configured:
 *
 *   experts/archives/<digest>.tar      experts/index/<name>/<digest>.json
 */
import {
  canonicalJson,
  compareText,
  isMeant,
  isSeamError,
  messageOf,
  onOneLine,
  SeamError,
  sha256,
  shortId,
} from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { assertWouldBeBelieved, attestExpert, checkExpert, type SigningKey, type Trust } from '@seamstream/signatures';
import { z } from 'zod';
import { EXPERT_NAME, expertIn } from './expert.js';
import { MOST_ARCHIVE_BYTES, unpackExpert } from './expert-archive.js';

const INDEX = 'experts/index/';
const MOST_ENTRY_BYTES = 65_536;
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const entrySchema = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(EXPERT_NAME),
  /** SHA-256 of the archive. */
  archive: digest,
  facts: z.strictObject({
    /** Of the manifest in the archive. */
    digest,
    sizeBytes: z.int().positive().max(MOST_ARCHIVE_BYTES),
    adapterDigest: digest,
    baseModelDigest: digest,
    /** Milliseconds since the Unix epoch. */
    publishedAt: z.int().nonnegative(),
  }),
  /** A DSSE envelope; null where it is unsigned. */
  attestation: z.string().nullable(),
});
type CatalogueEntry = z.infer<typeof entrySchema>;

/** An expert as a catalogue offers it. */
export interface OfferedExpert {
  readonly name: string;
  readonly archive: string;
  readonly facts: CatalogueEntry['facts'];
  /** The keys that vouch for it; none where it is unsigned and that is allowed. */
  readonly by: readonly string[];
}

export interface Catalogue {
  /** By name, the newest first. */
  readonly experts: readonly OfferedExpert[];
  /** Entries that are not believed, with the reason. */
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
}

const archiveKey = (expert: string): string => `experts/archives/${expert}.tar`;

/**
 * Puts an archive into a catalogue, with an entry by the configured key.
 * @throws ADAPTER_INVALID for a malformed expert; INVALID_CONFIGURATION for a key that no reader would believe
 */
export async function publishExpert(
  store: ObjectStore,
  bytes: Uint8Array,
  { signing, publishedAt }: { readonly signing: Signing; readonly publishedAt: number },
): Promise<{ readonly entry: CatalogueEntry; readonly isNew: boolean }> {
  assertWouldBeBelieved('Expert', signing);
  const { digest: expertDigest, files } = await unpackExpert(bytes);
  const { name, adapterDigest, baseModelDigest } = expertIn(files).description;
  const said = {
    name,
    archive: sha256(bytes),
    facts: { digest: expertDigest, sizeBytes: bytes.length, adapterDigest, baseModelDigest, publishedAt },
  };
  const entry: CatalogueEntry = { version: 1, ...said, attestation: attestExpert(said, signing.key) };
  // The entry comes last: what is listed is there.
  await putOnce(store, archiveKey(expertDigest), bytes);
  const isNew = await putOnce(store, `${INDEX}${name}/${expertDigest}.json`, Buffer.from(canonicalJson(entry)));
  return { entry, isNew };
}

interface Signing {
  readonly key: SigningKey | null;
  readonly trust: Trust;
}

/** What a catalogue offers to who trusts these keys. */
export async function listExperts(store: ObjectStore, trust: Trust): Promise<Catalogue> {
  const experts: OfferedExpert[] = [];
  const refused: Catalogue['refused'][number][] = [];
  for await (const { key, sizeBytes } of store.list(INDEX)) {
    try {
      experts.push(await offeredAt(store, { key, sizeBytes }, trust));
    } catch (error) {
      if (!isSeamError(error, 'SIGNATURE_INVALID') && !isSeamError(error, 'ADAPTER_INVALID')) throw error;
      refused.push({ key: onOneLine(key), reason: onOneLine(messageOf(error)) });
    }
  }
  experts.sort((a, b) => compareText(a.name, b.name) || b.facts.publishedAt - a.facts.publishedAt);
  return { experts, refused };
}

/**
 * The archive of an expert of a catalogue, as its entry says it is.
 * @param meant a name, which is the newest of that name, or the first digits of a digest
 * @throws NOT_FOUND for none that is believed; OBJECT_CORRUPT where the catalogue holds another archive
 */
export async function fetchExpert(
  store: ObjectStore,
  meant: string,
  trust: Trust,
): Promise<{ readonly offered: OfferedExpert; readonly bytes: Uint8Array }> {
  const { experts, refused } = await listExperts(store, trust);
  const offered =
    experts.find(({ name }) => name === meant) ?? experts.find(({ facts }) => isMeant(meant, facts.digest));
  if (offered === undefined) {
    const known = experts.map(({ name, facts }) => `${name} ${shortId(facts.digest)}`).join(', ') || 'none';
    const doubts = refused.map(({ reason }) => ` ${reason}`).join('');
    throw new SeamError(
      'NOT_FOUND',
      `Cannot install ${onOneLine(meant)}: expected an expert of the catalogue that is believed (${known}), got none of that name or digest.${doubts}`,
    );
  }
  const bytes = await store.get(archiveKey(offered.facts.digest));
  if (sha256(bytes) !== offered.archive)
    throw new SeamError(
      'OBJECT_CORRUPT',
      `Cannot install ${offered.name}: expected the archive ${shortId(offered.archive)} of its entry, got ${shortId(sha256(bytes))}. Have it published again.`,
    );
  return { offered, bytes };
}

/** @throws ADAPTER_INVALID for a malformed entry, SIGNATURE_INVALID for one that is not believed */
async function offeredAt(
  store: ObjectStore,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
  trust: Trust,
): Promise<OfferedExpert> {
  if (sizeBytes > MOST_ENTRY_BYTES) throw noEntry(key, `${sizeBytes} bytes`);
  const entry = entryOf(key, Buffer.from(await store.get(key)).toString());
  const { name, archive, facts, attestation } = entry;
  // An entry at another place would be another expert under the name that people ask for.
  if (key !== `${INDEX}${name}/${facts.digest}.json`) throw noEntry(key, 'one of another place');
  return { name, archive, facts, by: checkExpert({ name, archive, facts }, attestation, trust) };
}

function entryOf(key: string, text: string): CatalogueEntry {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch (cause) {
    throw noEntry(key, 'another text', cause);
  }
}

function noEntry(key: string, got: string, cause?: unknown): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot read ${onOneLine(key)}: expected the entry of an expert, got ${got}. Have it published again.`,
    { cause },
  );
}

/** Whether it was not there. */
async function putOnce(store: ObjectStore, key: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await store.put(key, bytes, { ifMatch: 'absent' });
    return true;
  } catch (error) {
    if (!isSeamError(error, 'PRECONDITION_FAILED')) throw error;
    return false;
  }
}
