/** The current state: which consumers lag, what is served, what became of problems and runs. A watch reads only what is new. */

import { findingsIn } from '@seamstream/doctor';
import { consumerLag, type EventLog } from '@seamstream/event-log';
import { GROUP, TOPIC } from '@seamstream/events';
import {
  type AdapterLineage,
  adapterLineageProjection,
  type FaithfulEntries,
  type FaithfulEntriesByAdapter,
  faithfulEntriesProjection,
  type Ledger,
  ledgerProjection,
  type TrainingProgress,
  trainingProgressProjection,
  type WaitingAnswers,
  waitingAnswersProjection,
} from '@seamstream/read-models';
import { jointUse, type KeptReading, type SnapshotUse } from '@seamstream/snapshots';
import { shardName, shardsOf } from '@seamstream/success-buffer/shards';
import { type Activity, activityProjection } from '../read-models/activity.projection.js';
import { type KeptLog, openReading, type ReadingOptions } from '../read-models/kept-log.js';
import { faithfulBy, type RecordedRun, recordedRuns } from '../read-models/recorded-runs.js';

export interface Status {
  readonly ledger: Ledger;
  /** Answers that only feedback judges. */
  readonly waiting: WaitingAnswers;
  /** Records that a consumer has not answered yet. */
  readonly lag: readonly { readonly consumer: string; readonly topic: string; readonly records: number }[];
  /** Null: the bare base model. */
  readonly served: string | null;
  /** Of the entries that were to quote their problem: all, and those of what is served. Null where there are none. */
  readonly entries: { readonly all: FaithfulEntries | null; readonly served: FaithfulEntries | null };
  /** Newest version of the buffer; null before the first. */
  readonly buffer: { readonly version: number; readonly rows: number } | null;
  readonly runs: { readonly all: number; readonly promoted: number; readonly underWay: number };
  readonly lastRun: Pick<RecordedRun, 'runId' | 'algorithm' | 'status' | 'decision' | 'reason'> | null;
  /** What the last ended run found wrong, as the doctor names it. */
  readonly findings: ReturnType<typeof findingsIn>;
  /** When the newest event happened, in milliseconds since the Unix epoch; null in an empty log. */
  readonly newestAt: number | null;
}

/** Reads what is new each time, the first time what is new since a snapshot. */
export class StatusReader {
  private reading: ReturnType<typeof modelsOf> | undefined;

  constructor(private readonly kept: KeptLog) {}

  /** @throws the signal's reason when it aborts */
  async read(options: ReadingOptions): Promise<Status> {
    this.reading ??= modelsOf(await openReading(this.kept));
    const { reading, models } = this.reading;
    await reading.readOn(options);
    const answers = {
      ledger: models.ledger.answer(),
      waiting: models.waiting.answer(),
      training: models.training.answer(),
      lineage: models.lineage.answer(),
      written: models.written.answer(),
      activity: models.activity.answer(),
    };
    return statusOf(answers, await lagOf(this.kept.log, answers.activity.shards));
  }

  /** What the answers rest on. */
  use(): SnapshotUse {
    return jointUse(Object.values(this.reading?.models ?? {}));
  }

  /** Lets go of the files. */
  close(): void {
    this.reading?.reading.close();
  }
}

/** What a status is made of. */
export interface StatusAnswers {
  readonly ledger: Ledger;
  readonly waiting: WaitingAnswers;
  readonly training: TrainingProgress;
  readonly lineage: AdapterLineage;
  readonly written: FaithfulEntriesByAdapter;
  readonly activity: Activity;
}

/** The status that read models tell, as far as the same records. */
export function statusOf(answers: StatusAnswers, lag: Status['lag']): Status {
  const { ledger, waiting, training, lineage, written } = answers;
  const { buffer, newestAt } = answers.activity;
  const { served } = lineage;
  const runs = recordedRuns(training, lineage, written);
  const ended = runs.filter(({ endedAt }) => endedAt !== null);
  const last = runs.at(-1);
  const promoted = runs.filter(({ decision }) => decision === 'promoted' || decision === 'served').length;
  return {
    ledger,
    waiting,
    lag,
    served,
    entries: { all: written.all.quoting === 0 ? null : written.all, served: faithfulBy(written, served) },
    buffer,
    runs: { all: runs.length, promoted, underWay: runs.length - ended.length },
    lastRun:
      last === undefined
        ? null
        : {
            ...{ runId: last.runId, algorithm: last.algorithm, status: last.status },
            ...{ decision: last.decision, reason: last.reason },
          },
    findings: findingsIn(ended.at(-1)?.metrics ?? {}),
    newestAt,
  };
}

/** Records that each consumer has not answered yet. @param shards of the buffer */
export async function lagOf(log: EventLog, shards: number): Promise<Status['lag']> {
  const buffers = shardsOf(shards).map((shard) =>
    shards === 1 ? GROUP.buffer : `${GROUP.buffer}.${shardName(shard)}`,
  );
  const consumers: [string, string][] = [
    [GROUP.generator, TOPIC.problems],
    [GROUP.executor, TOPIC.experiences],
    ...buffers.map((group): [string, string] => [group, TOPIC.outcomes]),
    [GROUP.trainer, TOPIC.outcomes],
    [GROUP.judge, TOPIC.feedback],
  ];
  const present = new Set((await log.topics()).map(({ name }) => name));
  return Promise.all(
    consumers
      .filter(([, topic]) => present.has(topic))
      .map(async ([consumer, topic]) => {
        const lags = await consumerLag(log, consumer, topic);
        return { consumer, topic, records: [...lags.values()].reduce((sum, lag) => sum + lag, 0) };
      }),
  );
}

function modelsOf(reading: KeptReading) {
  const models = {
    ledger: reading.of(ledgerProjection),
    waiting: reading.of(waitingAnswersProjection),
    training: reading.of(trainingProgressProjection),
    lineage: reading.of(adapterLineageProjection),
    written: reading.of(faithfulEntriesProjection),
    activity: reading.of(activityProjection),
  };
  return { reading, models };
}
