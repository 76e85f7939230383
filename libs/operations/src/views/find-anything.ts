/** What an id, or the beginning of one, may mean: adapters, runs, releases, problems. Pure. */
import { excerpt, isMeant, shortId } from '@seamstream/kernel';
import type { AdapterLineage, RecentProblem } from '@seamstream/read-models';
import type { Release } from '@seamstream/release';
import type { RecordedRun } from '../read-models/recorded-runs.js';

export interface FoundThing {
  readonly kind: 'adapter' | 'run' | 'release' | 'problem';
  readonly id: string;
  readonly label: string;
}

/** Shown of a kind. */
const MOST = 8;

export function findAnything(
  meant: string,
  of: {
    readonly lineage: Pick<AdapterLineage, 'versions'>;
    readonly runs: readonly RecordedRun[];
    readonly releases: readonly Pick<Release, 'event' | 'status'>[];
    readonly recent: readonly RecentProblem[];
  },
): readonly FoundThing[] {
  const words = meant.trim().toLowerCase();
  if (words === '') return [];
  const isNamed = (id: string): boolean => isMeant(words, id.toLowerCase());
  const adapters = of.lineage.versions
    .filter(({ adapterDigest, version }) => isNamed(adapterDigest) || `v${version}` === words)
    .map(
      ({ adapterDigest, version, status }): FoundThing => ({
        kind: 'adapter',
        id: adapterDigest,
        label: `adapter ${version}, ${shortId(adapterDigest)}, ${status}`,
      }),
    );
  const runs = of.runs
    .filter(({ runId }) => isNamed(runId))
    .map(
      ({ runId, algorithm, status }): FoundThing => ({
        kind: 'run',
        id: runId,
        label: `run ${shortId(runId)}, ${algorithm}, ${status}`,
      }),
    );
  const releases = of.releases
    .filter(({ event }) => isNamed(event.releaseId))
    .map(
      ({ event, status }): FoundThing => ({
        kind: 'release',
        id: event.releaseId,
        label: `release ${shortId(event.releaseId)} of ${shortId(event.candidate)}, ${status}`,
      }),
    );
  const byId = of.recent.filter(({ problemId }) => isNamed(problemId));
  const found = byId.length > 0 ? byId : of.recent.filter(({ question }) => question.toLowerCase().includes(words));
  const problems = found.slice(0, MOST).map(
    ({ problemId, domain, question }): FoundThing => ({
      kind: 'problem',
      id: problemId,
      label: `${domain}: ${excerpt(question, 80)}`,
    }),
  );
  return [...[adapters, runs, releases].flatMap((each) => each.slice(0, MOST)), ...problems];
}
