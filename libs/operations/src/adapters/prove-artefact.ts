/** Whether what was published can be served: weights, a library, or a team. */
import { unservable } from '@seamstream/experience-library';
import { isSeamError, messageOf, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { sameFingerprint } from '@seamstream/language-model';
import type { AdapterVersion } from '@seamstream/read-models';
import { decodeServed, isTeamKey, type Served, weightsOf } from '@seamstream/rollout';
import {
  assertMembers,
  loadTeam,
  parseTeam,
  type TeamArtefact,
  teamBaseDigest,
  teamFingerprint,
} from '@seamstream/team-tuning';
import type { AdapterWorld, BaseModel } from './adapter-world.js';
import { baseModelOf, fingerprintText } from './published-adapter.js';

type Published = Pick<AdapterVersion, 'adapterDigest' | 'key' | 'fingerprint' | 'baseModelDigest'>;

/**
 * As those do who serve it: whole, of this base model, and answering as it was published.
 * @param teamFile of a team of several base models: says where they are
 * @throws NOT_FOUND, ADAPTER_INVALID, CONFLICT; INVALID_INPUT for a file with what is no team, INVALID_CONFIGURATION for the file
 */
export async function proveArtefact(world: AdapterWorld, published: Published, teamFile?: string): Promise<void> {
  const artefact = await openWhole(world, published);
  assertSaysSomething(artefact, 'promote');
  const measured = await answersOf(world, artefact, teamFile);
  if (sameFingerprint(measured, published.fingerprint)) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot promote adapter ${shortId(published.adapterDigest)}: expected the answers to the probe that it was published with (${fingerprintText(published.fingerprint)}), got ${fingerprintText(measured)}. Compare the model folders here and where it was published.`,
    { details: { adapterDigest: published.adapterDigest } },
  );
}

/** A library without a text would be served as if it were one. @throws ADAPTER_INVALID */
export function assertSaysSomething(artefact: Served | TeamArtefact, act: 'promote' | 'release'): void {
  if (artefact.kind !== 'library' || unservable(artefact, null) === undefined) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot ${act} library ${shortId(artefact.digest)}: expected a text that says something, got none. To serve without a library: "seam adapters rollback --to base".`,
  );
}

async function answersOf(
  world: AdapterWorld,
  artefact: Served | TeamArtefact,
  teamFile: string | undefined,
): Promise<string> {
  if (artefact.kind === 'team') {
    const bases = await basesOf(world, artefact, teamFile);
    return teamFingerprint(artefact.members, ({ adapter }, place) => bases[place]!.fingerprint(adapter));
  }
  if (teamFile !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot promote adapter ${shortId(artefact.digest)}: expected a team with ${teamFile}, got ${artefact.kind === 'library' ? 'a library' : 'weights'}. Leave --team out.`,
    );
  const base = await baseModelOf(world, artefact);
  return base.fingerprint(weightsOf(artefact) ?? undefined);
}

/** Of each agent, in the order of the team. Without its file they share the generators' base model. */
async function basesOf(
  world: AdapterWorld,
  artefact: TeamArtefact,
  teamFile: string | undefined,
): Promise<readonly BaseModel[]> {
  if (teamFile === undefined) {
    const base = await world.openBaseModel();
    if (base.checkpoint.digest === artefact.baseModelDigest) return artefact.members.map(() => base);
    throw new SeamError(
      'CONFLICT',
      `Cannot promote team ${shortId(artefact.digest)}: expected its base models ${artefact.baseModelDigest}, got ${base.checkpoint.digest} in ${base.checkpoint.folder}. Name the file that says where they are (--team FILE).`,
    );
  }
  const team = parseTeam(Buffer.from(await world.readInput(teamFile)).toString('utf8'), teamFile);
  assertMembers(artefact, team);
  const opened = new Map<string, BaseModel>();
  for (const { name, path: folder } of team.agents)
    if (!opened.has(folder)) opened.set(folder, await world.openBaseModel({ folder, name: `path of agent ${name}` }));
  const bases = team.agents.map(({ path }) => opened.get(path)!);
  const measured = teamBaseDigest(bases.map(({ checkpoint }) => checkpoint.digest));
  if (measured === artefact.baseModelDigest) return bases;
  throw new SeamError(
    'CONFLICT',
    `Cannot promote team ${shortId(artefact.digest)}: expected its base models ${artefact.baseModelDigest}, the folders of ${teamFile} hold ${measured}. Name the folders that it was tuned on.`,
  );
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
