/** The libraries of a log as a list: how large each is, by which changes it came about, and what promotion said of it. */

import { isLibraryKey } from '@seamstream/experience-library';
import {
  type AdapterLineage,
  type AdapterVersion,
  adapterLineageProjection,
  type TrainingRun,
  trainingProgressProjection,
} from '@seamstream/read-models';
import { type KeptLog, type ReadingOptions, withoutItsDifferences, withReading } from '../read-models/index.js';

const OPERATIONS = ['add', 'modify', 'merge', 'delete', 'keep', 'import'] as const;

export interface ListedLibrary
  extends Pick<AdapterVersion, 'version' | 'parent' | 'runId' | 'algorithm' | 'status' | 'evaluation' | 'comparison'> {
  readonly digest: string;
  /** Milliseconds since the Unix epoch. */
  readonly publishedAtMs: number;
  readonly items: number;
  /** Most items that its run allowed; null where no run made it. */
  readonly maxItems: number | null;
  /** Of its parent's items, by operation, as its run counted them. */
  readonly changes: Readonly<Record<(typeof OPERATIONS)[number], number>>;
  /** Why it was promoted, rejected or rolled back; null where nothing was decided. */
  readonly reason: string | null;
}

/** In the order of publication. No library itself is read. Pure. */
export function listedLibraries(
  lineage: AdapterLineage,
  runs: readonly Pick<TrainingRun, 'runId' | 'configuration'>[],
): readonly ListedLibrary[] {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  return lineage.versions
    .filter(({ key }) => isLibraryKey(key))
    .map(({ adapterDigest, publishedAt, metrics, ...version }): ListedLibrary => {
      const { parent, runId, algorithm, status, evaluation, comparison, reason } = version;
      const run = byId.get(runId);
      const items = metrics.items ?? 0;
      const counted = OPERATIONS.map((operation) => [operation, metrics[`${operation}Items`] ?? 0] as const);
      const changes = Object.fromEntries(counted) as ListedLibrary['changes'];
      return {
        ...{ version: version.version, digest: adapterDigest, parent, runId, algorithm, publishedAtMs: publishedAt },
        ...{ status, items, evaluation: withoutItsDifferences(evaluation), comparison, reason },
        maxItems: run === undefined ? null : mostItemsIn(run.configuration),
        changes: run === undefined ? { ...changes, import: items } : changes,
      };
    });
}

/** @throws the signal's reason when it aborts */
export function readLibraries(kept: KeptLog, options: ReadingOptions): Promise<readonly ListedLibrary[]> {
  return withReading(kept, async (reading) => {
    const [lineage, training] = [reading.of(adapterLineageProjection), reading.of(trainingProgressProjection)];
    await reading.readOn(options);
    return listedLibraries(lineage.answer(), training.answer().runs);
  });
}

/** @param configuration canonical JSON, as a run records it */
function mostItemsIn(configuration: string): number | null {
  const { algorithm } = JSON.parse(configuration) as { readonly algorithm?: { readonly maxItems?: unknown } };
  return typeof algorithm?.maxItems === 'number' ? algorithm.maxItems : null;
}
