/** What goes on: who is behind, what is served, what became of problems and runs. Read on from where it stood, so that a watch costs what is new. */

import { findingsIn } from '@seamstream/doctor';
import { consumerLag, type EventLog } from '@seamstream/event-log';
import { type EventOf, GROUP, type SeamEvent, TOPIC } from '@seamstream/events';
import { readEvents, storedRanges } from '@seamstream/log-reader';
import {
  adapterLineageProjection,
  type FaithfulEntries,
  faithfulEntriesProjection,
  type Ledger,
  ledgerProjection,
} from '@seamstream/read-models';
import { shardName, shardsOf } from '@seamstream/success-buffer';
import { faithfulBy, type RecordedRun, recordedRunsProjection } from './recorded-runs.js';

export interface Status {
  readonly ledger: Ledger;
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

const TOPICS_READ = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.buffer,
  TOPIC.training,
  TOPIC.adapters,
  TOPIC.deadLetters,
];

export class StatusReader {
  private readonly next = new Map<string, number>();
  private ledger = ledgerProjection.initialState();
  private runs = recordedRunsProjection.initialState();
  private readonly commits = new Map<number, EventOf<'BufferCommitted'>>();
  private newestAt: number | null = null;

  constructor(private readonly log: EventLog) {}

  async read(signal: AbortSignal): Promise<Status> {
    for (const topic of TOPICS_READ) {
      for (const range of await storedRanges(this.log, topic)) {
        const name = `${topic}/${range.partition}`;
        const from = Math.max(range.from, this.next.get(name) ?? 0);
        for await (const { events } of readEvents(this.log, [{ ...range, from }], { undecodable: 'skip', signal }))
          for (const { event, record } of events) this.fold(event, record);
        this.next.set(name, range.to);
      }
    }
    const runs = recordedRunsProjection.read(this.runs);
    const ended = runs.filter(({ endedAt }) => endedAt !== null);
    const last = runs.at(-1);
    const promoted = runs.filter(({ decision }) => decision === 'promoted' || decision === 'served').length;
    const commits = [...this.commits.values()];
    const { served } = adapterLineageProjection.read(this.runs[1]);
    const written = faithfulEntriesProjection.read(this.runs[2]);
    return {
      ledger: ledgerProjection.read(this.ledger),
      lag: await this.lag(commits[0]?.shards ?? 1),
      served,
      entries: { all: written.all.quoting === 0 ? null : written.all, served: faithfulBy(written, served) },
      buffer:
        commits.length === 0
          ? null
          : {
              version: Math.min(...commits.map(({ sequence }) => sequence)),
              rows: commits.reduce((sum, { rows }) => sum + rows, 0),
            },
      runs: { all: runs.length, promoted, underWay: runs.length - ended.length },
      lastRun:
        last === undefined
          ? null
          : {
              ...{ runId: last.runId, algorithm: last.algorithm, status: last.status },
              ...{ decision: last.decision, reason: last.reason },
            },
      findings: findingsIn(ended.at(-1)?.metrics ?? {}),
      newestAt: this.newestAt,
    };
  }

  private fold(
    event: SeamEvent,
    position: { readonly topic: string; readonly partition: number; readonly offset: number },
  ): void {
    this.ledger = ledgerProjection.evolve(this.ledger, event, position);
    this.runs = recordedRunsProjection.evolve(this.runs, event, position);
    this.newestAt = Math.max(this.newestAt ?? 0, event.meta.occurredAt);
    if (event.type === 'BufferCommitted' && event.sequence >= (this.commits.get(event.shard)?.sequence ?? 0))
      this.commits.set(event.shard, event);
  }

  private async lag(shards: number): Promise<Status['lag']> {
    const buffers = shardsOf(shards).map((shard) =>
      shards === 1 ? GROUP.buffer : `${GROUP.buffer}.${shardName(shard)}`,
    );
    const consumers: [string, string][] = [
      [GROUP.generator, TOPIC.problems],
      [GROUP.executor, TOPIC.experiences],
      ...buffers.map((group): [string, string] => [group, TOPIC.outcomes]),
      [GROUP.trainer, TOPIC.outcomes],
    ];
    const present = new Set((await this.log.topics()).map(({ name }) => name));
    return Promise.all(
      consumers
        .filter(([, topic]) => present.has(topic))
        .map(async ([consumer, topic]) => {
          const lags = await consumerLag(this.log, consumer, topic);
          return { consumer, topic, records: [...lags.values()].reduce((sum, lag) => sum + lag, 0) };
        }),
    );
  }
}
