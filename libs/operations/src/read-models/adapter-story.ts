/** What an adapter changed against its parent, and where it was in use. Pure. */
import type { Evaluation, ProblemDifference } from '@seamstream/events';
import { excerpt } from '@seamstream/kernel';
import type {
  AdapterLineage,
  AdapterStatus,
  AdapterUse,
  AdapterUses,
  AdapterVersion,
  UnknownUse,
} from '@seamstream/read-models';

/** Use of an adapter, next to what was decided on it. */
export interface ListedUse extends AdapterUse {
  /** Null for the bare base model, and where its publication does not count. So are the next two. */
  readonly version: number | null;
  /** Of what it answers, as it was published; the beginning of a long one. */
  readonly fingerprint: string | null;
  readonly status: AdapterStatus | null;
  /** Whether generators shall serve it now. */
  readonly isServed: boolean;
}

export interface ListedUses {
  /** Those in use last come first. */
  readonly uses: readonly ListedUse[];
  /** All digests of no published adapter, together; null where there is none. */
  readonly unknown: UnknownUse | null;
}

/** What was served, next to what was decided on it. */
export function listedUses({ adapters, unknown }: AdapterUses, { versions, served }: AdapterLineage): ListedUses {
  const known = new Map(versions.map((version) => [version.adapterDigest, version]));
  const uses = adapters
    .map((use): ListedUse => {
      const { version = null, fingerprint = null, status = null } = known.get(use.adapterDigest ?? '') ?? {};
      return {
        ...{ ...use, version, fingerprint: fingerprint === null ? null : excerpt(fingerprint, 40), status },
        isServed: use.adapterDigest === served,
      };
    })
    .sort((a, b) => b.lastAt - a.lastAt || (a.version ?? 0) - (b.version ?? 0));
  return { uses, unknown };
}

/** The same problems through an adapter and its parent. */
export interface AdapterChanges {
  readonly adapterDigest: string;
  /** Null is the bare base model. */
  readonly parent: string | null;
  /** Null: it was not measured. */
  readonly problemSet: string | null;
  /** Problems that both were asked and that count. */
  readonly problems: number;
  /** Null where it was not asked the same problems as its parent, side by side. */
  readonly rescued: number | null;
  readonly broken: number | null;
  /** Those that the log has in full: the rescued first. */
  readonly differences: readonly ProblemDifference[];
  /** Rescued and broken problems that the log only counts. */
  readonly onlyCounted: number;
}

/** By the measurement that its promotion or rejection rests on. */
export function changesOf({ adapterDigest, parent, evaluation }: AdapterVersion): AdapterChanges {
  const { problemSet = null, problems = 0, rescued = null, broken = null } = evaluation ?? {};
  const differences = evaluation?.differences ?? [];
  return {
    ...{ adapterDigest, parent, problemSet, problems, rescued, broken, differences },
    onlyCounted: Math.max(0, (rescued ?? 0) + (broken ?? 0) - differences.length),
  };
}

/** @see withoutDifferences */
export function withoutItsDifferences(evaluation: Evaluation | null): Evaluation | null {
  return evaluation === null || (evaluation.differences ?? []).length === 0
    ? evaluation
    : { ...evaluation, differences: [] };
}

/** Without what {@link changesOf} says of one adapter: of all of them it would be long. */
export function withoutDifferences(lineage: AdapterLineage): AdapterLineage {
  const short = <T extends { readonly evaluation: Evaluation | null }>(of: T): T => ({
    ...of,
    evaluation: withoutItsDifferences(of.evaluation),
  });
  return {
    ...lineage,
    servedBy: lineage.servedBy && short(lineage.servedBy),
    versions: lineage.versions.map((version) => ({ ...short(version), acts: version.acts.map(short) })),
  };
}
