/** The first page: does it help, is it learning, is it well. Pure. */
import { TOPIC } from '@seamstream/events';
import type { AdapterLineage } from '@seamstream/read-models';
import type { LiftAnswers } from '../read-models/lift-estimate.js';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import type { Status } from '../status/status.js';

/** An adapter as it was measured against its parent. */
export interface MeasuredAdapter {
  readonly version: number;
  readonly adapterDigest: string;
  readonly parent: string | null;
  readonly runId: string;
  readonly algorithm: string;
  readonly status: string;
  /** When it was decided on, else published; in milliseconds since the Unix epoch. */
  readonly at: number;
  readonly problems: number;
  readonly success: number;
  readonly parentSuccess: number | null;
  readonly perDomain: Readonly<Record<string, number>>;
  readonly parentPerDomain: Readonly<Record<string, number>>;
}

/** A stage of the way of a problem. */
export interface Stage {
  readonly name: 'publish' | 'generate' | 'execute' | 'buffer' | 'train';
  /** Records of the topic that it writes. */
  readonly records: number;
  /** Records that it has not answered yet. Null: the log is as it was at a moment, which does not say it. */
  readonly lag: number | null;
}

export interface Overview {
  readonly status: Status;
  readonly lift: LiftAnswers;
  /** Promotions that counted, in the order of time. */
  readonly promotions: readonly { readonly at: number; readonly adapterDigest: string; readonly version: number }[];
  /** Adapters with a measurement, in the order of publication. */
  readonly measured: readonly MeasuredAdapter[];
  readonly served: { readonly adapterDigest: string; readonly version: number; readonly since: number } | null;
  readonly pinned: boolean;
  readonly stages: readonly Stage[];
  readonly runs: number;
}

export function overviewOf(of: {
  readonly status: Status;
  readonly lift: LiftAnswers;
  readonly lineage: AdapterLineage;
  readonly runs: readonly RecordedRun[];
  readonly records: Readonly<Record<string, number>>;
  /** Whether the status says how far consumers are. */
  readonly knowsLag: boolean;
}): Overview {
  const { status, lift, lineage, runs, records, knowsLag } = of;
  const promotions = lineage.versions.flatMap(({ adapterDigest, version, acts }) =>
    acts
      .filter(({ act, status: result }) => act === 'promoted' && result === 'counted')
      .map(({ at }) => ({ at, adapterDigest, version })),
  );
  const served = lineage.versions.find(({ adapterDigest }) => adapterDigest === lineage.served);
  return {
    status,
    lift,
    promotions: promotions.sort((a, b) => a.at - b.at),
    measured: measuredIn(lineage),
    served:
      served === undefined
        ? null
        : {
            adapterDigest: served.adapterDigest,
            version: served.version,
            since: lineage.servedBy?.at ?? served.publishedAt,
          },
    pinned: lineage.pin !== null,
    stages: stagesOf(status, records).map((stage) => (knowsLag ? stage : { ...stage, lag: null })),
    runs: runs.length,
  };
}

function measuredIn({ versions }: AdapterLineage): readonly MeasuredAdapter[] {
  return versions.flatMap(({ evaluation, acts, publishedAt, ...version }) => {
    if (evaluation === null) return [];
    const { problems, success, parentSuccess, perDomain, parentPerDomain } = evaluation;
    return [
      {
        version: version.version,
        adapterDigest: version.adapterDigest,
        parent: version.parent,
        runId: version.runId,
        algorithm: version.algorithm,
        status: version.status,
        at: acts[0]?.at ?? publishedAt,
        ...{ problems, success, parentSuccess, perDomain, parentPerDomain },
      },
    ];
  });
}

/** By the topic that a stage writes, and the consumer groups that it reads with. */
const STAGES: readonly (readonly [Stage['name'], string, RegExp | null])[] = [
  ['publish', TOPIC.problems, null],
  ['generate', TOPIC.experiences, /generator/],
  ['execute', TOPIC.outcomes, /executor$/],
  ['buffer', TOPIC.buffer, /buffer/],
  ['train', TOPIC.training, /trainer/],
];

function stagesOf({ lag }: Status, records: Readonly<Record<string, number>>): readonly Stage[] {
  return STAGES.map(([name, topic, groups]) => ({
    name,
    records: records[topic] ?? 0,
    lag: lag.filter(({ consumer }) => groups?.test(consumer)).reduce((sum, own) => sum + own.records, 0),
  }));
}
