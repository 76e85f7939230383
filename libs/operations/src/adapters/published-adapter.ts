/** Adapters in log and object store: found there, and put there. */
import { type EventOf, encodeEvent, GENERATOR_SLOT, originMeta, SEAM_METHOD } from '@seamstream/events';
import { canonicalJson, count, derivedId, excerpt, onOneLine, SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, encodeAdapter } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import type { AdapterVersion } from '@seamstream/read-models';
import { decodeServed, type Served, weightsOf } from '@seamstream/rollout';
import type { AdapterWorld, BaseModel } from './adapter-world.js';

/** Where an imported adapter comes from. */
export interface Origin {
  readonly format: 'peft';
  readonly folder: string;
  /** SHA-256 of the file with the tensors. */
  readonly sha256: string;
  /** adapter_config.json as it was. */
  readonly config: unknown;
  /** The archive that it was in, by its digest, and the versions that led to it where it was trained. */
  readonly expert?: { readonly digest: string; readonly history: unknown };
}

/**
 * The adapter's tensors, measured, and the base model that they are for.
 * @throws as {@link openServed}; INVALID_INPUT for a library, which has no tensors
 */
export async function openAdapter(
  world: AdapterWorld,
  version: AdapterVersion,
): Promise<{ readonly adapter: Adapter; readonly base: BaseModel }> {
  const { served, base } = await openServed(world, version);
  const adapter = weightsOf(served);
  if (adapter !== null) return { adapter, base };
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot open adapter ${served.digest}: expected weights, got a library of texts. Take it out with "seam library export".`,
  );
}

/**
 * What was published, measured, and the base model that it is for.
 * @throws ADAPTER_INVALID, OBJECT_NOT_FOUND; CONFLICT when the configured base model is another one
 */
async function openServed(
  world: AdapterWorld,
  version: AdapterVersion,
): Promise<{ readonly served: Served; readonly base: BaseModel }> {
  const objects = await world.openObjects();
  const served = decodeServed(version.key, await objects.get(version.key), { digest: version.adapterDigest });
  return { served, base: await baseModelOf(world, served) };
}

/** The configured base model. @throws CONFLICT when the artefact is for another one */
export async function baseModelOf(
  world: Pick<AdapterWorld, 'openBaseModel'>,
  { digest: artefact, baseModelDigest }: { readonly digest: string; readonly baseModelDigest: string },
): Promise<BaseModel> {
  const base = await world.openBaseModel();
  const { digest, folder } = base.checkpoint;
  if (digest === baseModelDigest) return base;
  throw new SeamError(
    'CONFLICT',
    `Cannot open adapter ${artefact}: expected its base model ${baseModelDigest} in ${folder}, got ${digest}. Name the right folder (SEAM_GENERATOR_MODEL_FOLDER).`,
    { details: { expected: baseModelDigest, measured: digest } },
  );
}

/**
 * Puts an imported adapter into the object store, laid out as the trainer lays out its own, and on record. It is published, not
 * promoted: nothing serves it yet.
 */
export async function publishImported(
  world: AdapterWorld,
  adapter: Adapter,
  base: BaseModel,
  { by, ...origin }: Origin & { readonly by: string },
): Promise<void> {
  const fingerprint = await base.fingerprint(adapter);
  const stored = await storeImported(await world.openObjects(), adapter, origin);
  const event: EventOf<'AdapterPublished'> = {
    type: 'AdapterPublished',
    method: SEAM_METHOD,
    slot: GENERATOR_SLOT,
    artefact: { kind: adapter.kind, digest: adapter.digest, address: stored.key },
    engine: null,
    attestation: null,
    publishedBy: by,
    meta: originMeta({
      messageId: derivedId(adapter.digest, 'imported'),
      correlationId: adapter.digest,
      source: 'seam/cli',
      occurredAt: world.clock.now(),
      sourceClass: 'user',
    }),
    adapterDigest: adapter.digest,
    ...stored,
    kind: adapter.kind,
    baseModelDigest: adapter.baseModelDigest,
    parent: null,
    // No run made it: the id follows from the content, and no run has it.
    runId: derivedId(adapter.digest, 'import'),
    algorithm: 'import',
    inputs: [],
    manifestDigest: null,
    fingerprint,
    metrics: {},
  };
  const log = await world.openLog('create');
  await log.append([encodeEvent(event)]);
}

/** Writes the origin first: where the tensors are found, their origin is found as well. */
async function storeImported(
  objects: ObjectStore,
  adapter: Adapter,
  origin: Origin,
): Promise<{ readonly key: string; readonly sizeBytes: number }> {
  const folder = `adapters/${adapter.digest}`;
  const { kind, settings, baseModelDigest, digest } = adapter;
  const put = (name: string, value: unknown): Promise<unknown> =>
    objects.put(`${folder}/${name}`, Buffer.from(`${canonicalJson(value)}\n`), { contentType: 'application/json' });
  await put('config.json', { digest, kind, settings, baseModelDigest });
  await put('lineage.json', { imported: origin });
  const body = encodeAdapter(adapter);
  await objects.put(`${folder}/adapter.safetensors`, body);
  return { key: `${folder}/adapter.safetensors`, sizeBytes: body.length };
}

/** Enough to tell two apart: a fingerprint has a thousand characters. */
export function fingerprintText(fingerprint: string): string {
  return fingerprint.length <= 40
    ? onOneLine(fingerprint)
    : `${excerpt(fingerprint, 24)} (${count(fingerprint.length)} characters, SHA-256 ${sha256(fingerprint).slice(0, 12)})`;
}
