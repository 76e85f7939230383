import { type Adapter, decodeAdapter } from '@seamstream/language-model';
import { readLineage } from '../adapters/read-lineage.js';
import { findAdapter } from '../adapters/render-adapters.js';
import type { CommandRuntime } from '../command-runtime.js';

/** The adapter that an option means: `base`, `served`, or a digest's first digits. Null is the bare base model. */
export async function adapterOf(
  runtime: CommandRuntime,
  name: string,
  baseModelDigest: string,
): Promise<Adapter | null> {
  if (name === 'base') return null;
  const lineage = await readLineage(runtime);
  if (name === 'served' && lineage.served === null) return null;
  const { key, adapterDigest } = findAdapter(lineage, name === 'served' ? (lineage.served ?? '') : name);
  const objects = await runtime.openObjects();
  return decodeAdapter(await objects.get(key), { digest: adapterDigest, baseModelDigest });
}
