import { isMeant, LEAST_OF_ID, SeamError, shortId } from '@seamstream/kernel';
import type { AdapterLineage, AdapterVersion } from '@seamstream/read-models';
import { decodeServed, type Served } from '@seamstream/rollout';
import { type ReadingOptions, readLineage } from '../read-models/index.js';
import type { AdapterWorld } from './adapter-world.js';

/** Names that stand for a digest. */
export const BASE = 'base';
export const SERVED = 'served';

/** The adapter whose digest begins so, or the served one. NOT_FOUND for none, INVALID_INPUT for several or too few digits. */
export function findAdapter({ versions, served }: AdapterLineage, digits: string): AdapterVersion {
  if (digits === SERVED || digits === BASE) {
    const found = digits === SERVED ? versions.find(({ adapterDigest }) => adapterDigest === served) : undefined;
    if (found !== undefined) return found;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot find adapter "${digits}": expected an adapter, got the base model, which is ${digits === BASE ? 'none' : 'served'}. Name one by its digest (seam adapters).`,
    );
  }
  if (!/^[0-9a-f]+$/i.test(digits) || digits.length < LEAST_OF_ID) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot find an adapter: expected at least ${LEAST_OF_ID} hexadecimal digits of its digest, got "${digits}".`,
    );
  }
  const found = versions.filter(({ adapterDigest }) => isMeant(digits, adapterDigest));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1) {
    const names = found.map(({ adapterDigest }) => shortId(adapterDigest)).join(', ');
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot find an adapter: expected digits of one, got "${digits}", which begins ${names}. Give more digits.`,
    );
  }
  const known = versions.map(({ adapterDigest }) => shortId(adapterDigest)).join(', ');
  throw new SeamError(
    'NOT_FOUND',
    `Cannot find adapter ${digits}: expected one of those in the log (${known === '' ? 'there are none yet' : known}), got none of them.`,
    { details: { digest: digits } },
  );
}

/** The digest that a word means: null is the base model. @throws as {@link findAdapter} */
export function digestMeant(lineage: AdapterLineage, word: string): string | null {
  if (word === BASE) return null;
  return word === SERVED ? lineage.served : findAdapter(lineage, word).adapterDigest;
}

/**
 * The weights or the library that a word means: `base`, `served`, or a digest's first digits. Null is the bare base model.
 * @throws as {@link findAdapter}; ADAPTER_INVALID, OBJECT_NOT_FOUND
 */
export async function loadAdapter(
  world: Pick<AdapterWorld, 'openKeptLog' | 'openObjects'>,
  word: string,
  baseModelDigest: string,
  options: ReadingOptions,
): Promise<Served | null> {
  if (word === BASE) return null;
  const { answer: lineage } = await readLineage(await world.openKeptLog(), options);
  if (word === SERVED && lineage.served === null) return null;
  const { key, adapterDigest } = findAdapter(lineage, word);
  const objects = await world.openObjects();
  return decodeServed(key, await objects.get(key), { digest: adapterDigest, baseModelDigest });
}
