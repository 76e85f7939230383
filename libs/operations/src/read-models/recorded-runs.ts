/** Training runs with what was decided on what they made. */
import type { Evaluation } from '@seamstream/events';
import { isMeant, LEAST_OF_ID, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import type {
  AdapterLineage,
  AdapterStatus,
  FaithfulEntries,
  FaithfulEntriesByAdapter,
  TrainingProgress,
  TrainingRun,
} from '@seamstream/read-models';
import { withoutItsDifferences } from './adapter-story.js';

export interface RecordedRun extends Omit<TrainingRun, 'evaluation'> {
  /** What became of the adapter that it made; null where it made none. */
  readonly decision: AdapterStatus | null;
  /** The comparison that the decision rests on, without the problems that differ: its adapter's changes have them. */
  readonly evaluation: Evaluation | null;
  /** Of what the adapter that it made has written since; null before its first entry that was to quote. */
  readonly faithful: FaithfulEntries | null;
  /** Why it was decided so, or ended so. */
  readonly reason: string | null;
}

/** By start. The rule of a promotion is its reason; a run that is refused has a separate one. */
export function recordedRuns(
  training: TrainingProgress,
  lineage: AdapterLineage,
  written: FaithfulEntriesByAdapter,
): readonly RecordedRun[] {
  const versions = new Map(lineage.versions.map((version) => [version.adapterDigest, version]));
  return training.runs.map((run): RecordedRun => {
    // Equal content is the same adapter: the run that published it first says what was decided on it.
    const version = run.adapterDigest === null ? undefined : versions.get(run.adapterDigest);
    const own = version?.runId === run.runId ? version : undefined;
    return {
      ...run,
      decision: version?.status ?? null,
      evaluation: withoutItsDifferences(run.evaluation ?? own?.evaluation ?? null),
      reason: run.reason ?? own?.reason ?? null,
      faithful: run.adapterDigest === null ? null : faithfulBy(written, run.adapterDigest),
    };
  });
}

/** What was written with an adapter (null: by the bare base model); null where nothing of it was to quote. */
export function faithfulBy({ adapters }: FaithfulEntriesByAdapter, digest: string | null): FaithfulEntries | null {
  const found = adapters.find(({ adapterDigest }) => adapterDigest === digest);
  return found === undefined ? null : { quoting: found.quoting, faithful: found.faithful };
}

/**
 * The run whose id begins so, or that made the adapter whose digest does; `last` is the newest.
 * @throws NOT_FOUND for none, INVALID_INPUT for several
 */
export function findRun(runs: readonly RecordedRun[], meant: string): RecordedRun {
  const byId = runs.filter(({ runId }) => isMeant(meant, runId));
  const found =
    meant === 'last'
      ? runs.slice(-1)
      : byId.length > 0
        ? byId
        : runs.filter(({ adapterDigest }) => adapterDigest !== null && isMeant(meant, adapterDigest));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const some = (of: readonly RecordedRun[]): string =>
    of.length === 0
      ? 'there are none yet'
      : of
          .slice(-10)
          .map(({ runId }) => shortId(runId))
          .join(', ');
  if (found.length > 1)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot look for run ${onOneLine(meant)}: expected one, got ${found.length} (${some(found)}). Give more of its id.`,
    );
  throw new SeamError(
    'NOT_FOUND',
    `Cannot look for run ${onOneLine(meant)}: expected "last" or at least ${LEAST_OF_ID} characters of the id of a run, or of the adapter that it made, got none of those in the log (${some(runs)}).`,
    { details: { run: meant } },
  );
}
