/** What generators are served with: weights for the model, or a library of experiences next to the frozen one. */
import { decodeLibrary, type ExperienceLibrary, isLibraryKey } from '@seamstream/experience-library';
import { SeamError } from '@seamstream/kernel';
import { type Adapter, type AdapterIntake, decodeAdapter } from '@seamstream/language-model';

export type Served = Adapter | ExperienceLibrary;

export function isLibrary(served: Served): served is ExperienceLibrary {
  return served.kind === 'library';
}

/** The weights that a model computes with: none where a library is served, or nothing. */
export function weightsOf(served: Served | null): Adapter | null {
  return served === null || isLibrary(served) ? null : served;
}

/** Folder of the teams in the object store. */
export const TEAM_FOLDER = 'teams/';

/** Whether a key of the object store is a team's. */
export function isTeamKey(key: string): boolean {
  return key.startsWith(TEAM_FOLDER);
}

/**
 * @param key where it lies in the object store, which says what it is
 * @throws ADAPTER_INVALID when the bytes are not what is expected
 */
export function decodeServed(key: string, bytes: Uint8Array, intake: AdapterIntake = {}): Served {
  if (isTeamKey(key)) throw ofTeam(key);
  if (!isLibraryKey(key)) return decodeAdapter(bytes, intake);
  const { digest, baseModelDigest } = intake;
  return decodeLibrary(bytes, {
    ...(digest === undefined ? {} : { digest }),
    ...(baseModelDigest === undefined ? {} : { baseModelDigest }),
  });
}

function ofTeam(key: string): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot write entries with ${key}: expected weights or a library, got a team of agents, which no generator serves. Roll the slot back (seam adapters rollback), and give the team file another slot.`,
    { details: { key } },
  );
}
