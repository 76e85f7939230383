/** How releases stand: what was decided, and what the rule says now. */
import { isMeant, LEAST_OF_ID, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import type { RefusedRelease, Release, ReleaseEvidence, StageDecision } from '@seamstream/release';
import type { KeptLog, ReadingOptions } from '../read-models/index.js';
import { decisionNow, evidenceOf, type ReleaseFacts } from './release-evidence.js';
import { readFacts } from './release-facts.js';

export interface ReleaseStatus {
  readonly release: Release;
  readonly evidence: ReleaseEvidence;
  /** What the rule says of the running stage; null where none runs. */
  readonly now: StageDecision | null;
}

export interface ReleasesStatus {
  readonly releases: readonly ReleaseStatus[];
  /** Records that do not count, the newest; {@link refusedCount} says how many there are. */
  readonly refused: readonly RefusedRelease[];
  readonly refusedCount: number;
}

/** Every release, in the order of their plans. @throws the signal's reason when it aborts */
export async function readReleases(kept: KeptLog, options: ReadingOptions): Promise<ReleasesStatus> {
  return releasesStatus(await readFacts(kept, options));
}

/** The same of facts that were read before. */
export function releasesStatus(facts: ReleaseFacts): ReleasesStatus {
  const releases = [...facts.progress.releases.values()].map(
    (release): ReleaseStatus => ({
      release,
      evidence: evidenceOf(release, facts),
      now: release.status === 'running' ? decisionNow(release, facts) : null,
    }),
  );
  const { refused, refusedCount } = facts.progress;
  return { releases, refused, refusedCount };
}

/** The release whose id begins so; `last` is the newest. @throws NOT_FOUND for none, INVALID_INPUT for several */
export function findRelease<Found extends { readonly event: { readonly releaseId: string } }>(
  releases: readonly Found[],
  meant: string,
): Found {
  const found = meant === 'last' ? releases.slice(-1) : releases.filter(({ event }) => isMeant(meant, event.releaseId));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const some =
    releases.length === 0 ? 'there are none yet' : releases.map(({ event }) => shortId(event.releaseId)).join(', ');
  throw new SeamError(
    found.length > 1 ? 'INVALID_INPUT' : 'NOT_FOUND',
    `Cannot look for release ${onOneLine(meant)}: expected "last" or at least ${LEAST_OF_ID} characters of one id, got ${found.length} of those in the log (${some}). List them with "seam release status".`,
    { details: { release: meant } },
  );
}
