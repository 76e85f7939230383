/**
 * An adapter in the object store:
 *
 *   adapters/<digest>/adapter.safetensors   tensors and settings, named by their content
 *                     config.json           base model, kind, settings: for people and other tools
 *                     lineage.json          the run that made it, with everything that it learned from
 */
import type { AdapterPublished } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { type Adapter, decodeAdapter, encodeAdapter } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import type { StoredArtefact } from './artefact.js';
import type { RunPlan } from './run-plan.js';

/** Writes config and lineage first: where the tensors are found, their origin is found as well. */
export async function storeAdapter(
  objects: ObjectStore,
  adapter: Adapter,
  plan: RunPlan,
  metrics: Readonly<Record<string, number>>,
): Promise<StoredArtefact> {
  const folder = `adapters/${adapter.digest}`;
  const { kind, settings, baseModelDigest, digest } = adapter;
  const json = (value: unknown): Uint8Array => Buffer.from(`${canonicalJson(value)}\n`);
  await objects.put(`${folder}/config.json`, json({ digest, kind, settings, baseModelDigest }), {
    contentType: 'application/json',
  });
  await objects.put(`${folder}/lineage.json`, json({ ...plan, metrics }), { contentType: 'application/json' });
  const body = encodeAdapter(adapter);
  await objects.put(`${folder}/adapter.safetensors`, body);
  return { key: `${folder}/adapter.safetensors`, sizeBytes: body.length };
}

/** @throws ADAPTER_INVALID when the object is not the published adapter; OBJECT_NOT_FOUND */
export async function loadAdapter(
  objects: ObjectStore,
  { key, adapterDigest }: Pick<AdapterPublished, 'key' | 'adapterDigest'>,
): Promise<Adapter> {
  return decodeAdapter(await objects.get(key), { digest: adapterDigest });
}
