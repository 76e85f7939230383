/** Whether what was published can be served: weights, a library, or a team. */
import { isSeamError, messageOf, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { sameFingerprint } from '@seamstream/language-model';
import type { AdapterVersion } from '@seamstream/read-models';
import { decodeServed, type Served, weightsOf } from '@seamstream/rollout';
import { isTeamKey, loadTeam, type TeamArtefact, teamFingerprint } from '@seamstream/team-tuning';
import type { AdapterWorld, BaseModel } from './adapter-world.js';
import { baseModelOf, fingerprintText } from './published-adapter.js';

type Published = Pick<AdapterVersion, 'adapterDigest' | 'key' | 'fingerprint' | 'baseModelDigest'>;

/** As those do who serve it: whole, of this base model, and answering as it was published. @throws NOT_FOUND, ADAPTER_INVALID, CONFLICT */
export async function proveArtefact(world: AdapterWorld, published: Published): Promise<void> {
  const artefact = await openWhole(world, published);
  const base = await baseModelOf(world, artefact);
  const measured = await answersOf(artefact, base);
  if (sameFingerprint(measured, published.fingerprint)) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot promote adapter ${shortId(published.adapterDigest)}: expected the answers to the probe that it was published with (${fingerprintText(published.fingerprint)}), got ${fingerprintText(measured)}. Compare the model folders here and where it was published.`,
    { details: { adapterDigest: published.adapterDigest } },
  );
}

function answersOf(artefact: Served | TeamArtefact, base: BaseModel): Promise<string> {
  if (artefact.kind !== 'team') return base.fingerprint(weightsOf(artefact) ?? undefined);
  return teamFingerprint(artefact.members, ({ adapter }) => base.fingerprint(adapter));
}

/** Every object of it, with the content that its digest names. @throws NOT_FOUND, ADAPTER_INVALID */
export async function openWhole(
  world: Pick<AdapterWorld, 'openObjects'>,
  { key, adapterDigest, baseModelDigest }: Pick<Published, 'key' | 'adapterDigest'> & { baseModelDigest?: string },
): Promise<Served | TeamArtefact> {
  const objects = await world.openObjects();
  try {
    if (isTeamKey(key)) return await loadTeam(objects, { key, adapterDigest });
    const intake = { digest: adapterDigest, ...(baseModelDigest === undefined ? {} : { baseModelDigest }) };
    return decodeServed(key, await objects.get(key), intake);
  } catch (error) {
    if (!isSeamError(error, 'OBJECT_NOT_FOUND')) throw error;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot serve adapter ${shortId(adapterDigest)}: expected its object ${onOneLine(key)}, got none (${messageOf(error)}). Choose another adapter, or import it again.`,
      { details: { adapterDigest, key }, cause: error },
    );
  }
}
