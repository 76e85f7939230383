/** Training runs with what was decided on what they made. */

import type { EventLog } from '@seamstream/event-log';
import type { Evaluation } from '@seamstream/events';
import { onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { foldProjection, type ReadingProgress } from '@seamstream/log-reader';
import {
  type AdapterStatus,
  adapterLineageProjection,
  type FaithfulEntries,
  type FaithfulEntriesByAdapter,
  faithfulEntriesProjection,
  type Projection,
  type TrainingRun,
  trainingProgressProjection,
} from '@seamstream/read-models';

export interface RecordedRun extends Omit<TrainingRun, 'evaluation'> {
  /** What became of the adapter that it made; null where it made none. */
  readonly decision: AdapterStatus | null;
  /** The comparison that the decision rests on. */
  readonly evaluation: Evaluation | null;
  /** Of what the adapter that it made has written since; null before its first entry that was to quote. */
  readonly faithful: FaithfulEntries | null;
  /** Why it was decided so, or ended so. */
  readonly reason: string | null;
}

type State = readonly [
  ReturnType<typeof trainingProgressProjection.initialState>,
  ReturnType<typeof adapterLineageProjection.initialState>,
  ReturnType<typeof faithfulEntriesProjection.initialState>,
];

/** By start. The rule of a promotion is its reason; a run that is refused has one of its own. */
export const recordedRunsProjection: Projection<State, readonly RecordedRun[]> = {
  topics: [...adapterLineageProjection.topics, ...faithfulEntriesProjection.topics],
  initialState: () => [
    trainingProgressProjection.initialState(),
    adapterLineageProjection.initialState(),
    faithfulEntriesProjection.initialState(),
  ],
  evolve: ([training, adapters, entries], event, position) => [
    trainingProgressProjection.evolve(training, event, position),
    adapterLineageProjection.evolve(adapters, event, position),
    faithfulEntriesProjection.evolve(entries, event, position),
  ],
  read([training, adapters, entries]) {
    const written = faithfulEntriesProjection.read(entries);
    const versions = new Map(
      adapterLineageProjection.read(adapters).versions.map((version) => [version.adapterDigest, version]),
    );
    return trainingProgressProjection.read(training).runs.map((run): RecordedRun => {
      // Equal content is the same adapter: what was decided on it is told by the run that published it first.
      const version = run.adapterDigest === null ? undefined : versions.get(run.adapterDigest);
      const own = version?.runId === run.runId ? version : undefined;
      return {
        ...run,
        decision: version?.status ?? null,
        evaluation: run.evaluation ?? own?.evaluation ?? null,
        reason: run.reason ?? own?.reason ?? null,
        faithful: run.adapterDigest === null ? null : faithfulBy(written, run.adapterDigest),
      };
    });
  },
};

/** What was written with an adapter (null: by the bare base model); null where nothing of it was to quote. */
export function faithfulBy({ adapters }: FaithfulEntriesByAdapter, digest: string | null): FaithfulEntries | null {
  const found = adapters.find(({ adapterDigest }) => adapterDigest === digest);
  return found === undefined ? null : { quoting: found.quoting, faithful: found.faithful };
}

/** All runs that the log tells of. @throws the signal's reason when it aborts */
export async function readRuns(
  log: EventLog,
  options: { readonly signal: AbortSignal; readonly progress: (total: number) => ReadingProgress },
): Promise<readonly RecordedRun[]> {
  return (await foldProjection(log, recordedRunsProjection, options)).answer;
}

/** Fewest characters of an id that may stand for it. */
const LEAST = 4;

/**
 * The run whose id begins so, or that made the adapter whose digest does; `last` is the newest.
 * @throws NOT_FOUND for none, INVALID_INPUT for several
 */
export function findRun(runs: readonly RecordedRun[], meant: string): RecordedRun {
  const begins = (id: string | null): boolean => meant.length >= LEAST && id?.startsWith(meant.toLowerCase()) === true;
  const byId = runs.filter(({ runId }) => begins(runId));
  const found =
    meant === 'last'
      ? runs.slice(-1)
      : byId.length > 0
        ? byId
        : runs.filter(({ adapterDigest }) => begins(adapterDigest));
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
    `Cannot look for run ${onOneLine(meant)}: expected "last" or at least ${LEAST} characters of the id of a run, or of the adapter that it made, got none of those in the log (${some(runs)}).`,
    { details: { run: meant } },
  );
}
