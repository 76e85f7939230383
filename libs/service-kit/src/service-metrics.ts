import { type EventLog, type Waiting, waitingFor } from '@seamstream/event-log';
import { type Clock, systemClock, withDeadline } from '@seamstream/kernel';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BatchUnderWay } from './transport/worker-options.js';

/** Longest time that a scrape waits for the log; scrapers give up after some 10 s, and then every counter is missing. */
const ANSWER_TIMEOUT_MS = 2_000;

/** A gauge with labels, of which several are answered by one question. */
export interface GaugeFamily<Facts> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Label values are bounded by the caller: never ids, keys or users. */
  readonly samples: (facts: Facts) => readonly GaugeSample[];
}

export interface GaugeSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Counters of one service; its own registry, so that several services live in one process. */
export class ServiceMetrics {
  readonly registry = new Registry();

  readonly recordsConsumed = new Counter({
    name: 'seam_records_consumed_total',
    help: 'Records whose consumption was committed.',
    labelNames: ['group', 'topic'],
    registers: [this.registry],
  });

  readonly eventsAppended = new Counter({
    name: 'seam_events_appended_total',
    help: 'Events appended in the transactions of a group.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  readonly deadLetters = new Counter({
    name: 'seam_dead_letters_total',
    help: 'Records given up, by error code.',
    labelNames: ['group', 'code'],
    registers: [this.registry],
  });

  readonly retries = new Counter({
    name: 'seam_retries_total',
    help: 'Waits before another try, by error code.',
    labelNames: ['group', 'code'],
    registers: [this.registry],
  });

  readonly fenced = new Counter({
    name: 'seam_fenced_records_total',
    help: 'Records whose finished work was dropped because another instance owns the partition.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  readonly passedOver = new Counter({
    name: 'seam_repeated_records_total',
    help: 'Records that were skipped because the log already holds what follows from them.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  readonly foreignAnswers = new Counter({
    name: 'seam_foreign_answers_total',
    help: 'Records that name another one as their cause and are no answer to it, each time that one is delivered. It was worked on nevertheless.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  readonly batchSeconds = new Histogram({
    name: 'seam_batch_seconds',
    help: 'Time from the delivery of a batch to its commit.',
    labelNames: ['group'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers: [this.registry],
  });

  private readonly tokensPerSecond = new Gauge({
    name: 'seam_batch_tokens_per_second',
    help: 'Speed of writing, of the batch under way that was reported on last; absent while there is none.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  private readonly remainingSeconds = new Gauge({
    name: 'seam_batch_remaining_seconds',
    help: 'Estimated time to the end of the batch under way that was reported on last; absent while there is none.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  private readonly readyRatio = new Gauge({
    name: 'seam_batch_ready_ratio',
    help: 'Records of the batch under way whose answer is ready, from 0 to 1; absent while there is none.',
    labelNames: ['group'],
    registers: [this.registry],
  });

  private readonly watched: { readonly group: string; readonly topic: string; readonly log: EventLog }[] = [];
  private asked: Promise<readonly PartitionLag[]> | undefined;

  constructor(clock: Clock = systemClock) {
    const lags = (): Promise<readonly PartitionLag[] | undefined> => this.lags();
    new Gauge({
      name: 'seam_consumer_lag_seconds',
      help: 'How long the oldest record that the group has not consumed has waited, 0 without one; absent while the log does not answer, and where a long stretch of offsets begins without a record.',
      labelNames: ['group', 'topic'],
      registers: [this.registry],
      async collect() {
        const answer = await lags();
        this.reset();
        for (const { seconds, ...labels } of oldestOf(answer ?? [], clock.now())) this.set(labels, seconds);
      },
    });
    new Gauge({
      name: 'seam_consumer_lag',
      help: 'Offsets of a partition that the group has not consumed yet, 0 without a record among them; absent while the log does not answer.',
      labelNames: ['group', 'topic', 'partition'],
      registers: [this.registry],
      async collect() {
        const answer = await lags();
        this.reset(); // an old figure would hide the outage
        for (const { lag, group, topic, partition } of answer ?? []) this.set({ group, topic, partition }, lag);
      },
    });
    const isWatching = (): boolean => this.watched.length > 0;
    new Gauge({
      name: 'seam_event_log_up',
      help: 'Whether the event log answered when these metrics were asked for: 1, or 0. Absent before the first subscription.',
      registers: [this.registry],
      async collect() {
        if (isWatching()) this.set((await lags()) === undefined ? 0 : 1);
        else this.remove();
      },
    });
  }

  /** A counter of the service's own. */
  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /** A histogram of the service's own. @param buckets upper ends, ascending */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    buckets: readonly number[],
  ): Histogram<L> {
    const registers = [this.registry];
    return new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers });
  }

  /** A gauge of the service's own, read when the metrics are asked for; absent while it cannot be read. */
  gauge(name: string, help: string, read: () => Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        const value = await withDeadline(ANSWER_TIMEOUT_MS, read()).catch(() => undefined);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /**
   * Gauges that one question answers when the metrics are asked for; all absent while it is not answered in time, since an old figure would
   * hide that. A question that is not answered yet is not asked again.
   * @param up says whether it was answered: 1, or 0
   */
  gauges<Facts>(
    up: { readonly name: string; readonly help: string },
    families: readonly GaugeFamily<Facts>[],
    read: () => Promise<Facts>,
  ): void {
    let asked: Promise<Facts> | undefined;
    const answer = (): Promise<Facts | undefined> => {
      asked ??= read().finally(() => {
        asked = undefined;
      });
      return withDeadline(ANSWER_TIMEOUT_MS, asked).catch(() => undefined);
    };
    new Gauge({
      ...up,
      registers: [this.registry],
      async collect() {
        this.set((await answer()) === undefined ? 0 : 1);
      },
    });
    for (const family of families) this.family(family, answer);
  }

  /** A gauge with labels, read when the metrics are asked for; absent while it cannot be read. */
  family<Facts>({ name, help, labels, samples }: GaugeFamily<Facts>, read: () => Promise<Facts | undefined>): void {
    new Gauge({
      ...{ name, help, labelNames: [...labels] },
      registers: [this.registry],
      async collect() {
        const facts = await withDeadline(ANSWER_TIMEOUT_MS, read()).catch(() => undefined);
        const found = facts === undefined ? [] : samples(facts);
        this.reset();
        // A gauge without labels is 0 after a reset: nothing was read, so nothing is shown.
        if (labels.length === 0 && found.length === 0) this.remove();
        for (const each of found) this.set(each.labels, each.value);
      },
    });
  }

  /** Shows how far a group's batch has come; null when it has ended. */
  underWay(group: string, progress: BatchUnderWay | null): void {
    if (progress === null) {
      for (const gauge of [this.tokensPerSecond, this.remainingSeconds, this.readyRatio]) gauge.remove({ group });
      return;
    }
    const { tokensPerSecond, remainingMs, ready, records } = progress;
    if (tokensPerSecond !== null) this.tokensPerSecond.set({ group }, tokensPerSecond);
    if (remainingMs !== null) this.remainingSeconds.set({ group }, remainingMs / 1000);
    this.readyRatio.set({ group }, ready / records);
  }

  /** Reports this group's lag from now on, asked for when the metrics are. */
  watchLag(group: string, topic: string, log: EventLog): void {
    this.watched.push({ group, topic, log });
  }

  /** Every watched partition's lag; undefined when the log fails or does not answer in time. */
  private async lags(): Promise<readonly PartitionLag[] | undefined> {
    // One question for both gauges of a scrape, and for the scrapes that come while it hangs.
    this.asked ??= lagsOf(this.watched).finally(() => {
      this.asked = undefined;
    });
    return withDeadline(ANSWER_TIMEOUT_MS, this.asked).catch(() => undefined);
  }
}

/** In the form of the gauge's labels. */
interface PartitionLag extends Waiting {
  readonly group: string;
  readonly topic: string;
  readonly partition: string;
}

/** By group and topic: the longest wait of its partitions, none where that of a partition with records is not known. */
function oldestOf(
  lags: readonly PartitionLag[],
  nowMs: number,
): readonly { readonly group: string; readonly topic: string; readonly seconds: number }[] {
  return Object.values(Object.groupBy(lags, ({ group, topic }) => `${group} ${topic}`)).flatMap((partitions) => {
    const [{ group, topic }] = partitions as [PartitionLag];
    const waiting = partitions!.filter(({ lag }) => lag > 0);
    if (waiting.some(({ sinceMs }) => sinceMs === undefined)) return [];
    const waits = waiting.map(({ sinceMs }) => (nowMs - sinceMs!) / 1000);
    return [{ group, topic, seconds: Math.max(0, ...waits) }];
  });
}

async function lagsOf(
  watched: readonly { readonly group: string; readonly topic: string; readonly log: EventLog }[],
): Promise<readonly PartitionLag[]> {
  const lags = await Promise.all(
    watched.map(async ({ group, topic, log }) =>
      [...(await waitingFor(log, group, topic))].map(([partition, waiting]) => ({
        ...{ group, topic, partition: String(partition) },
        ...waiting,
      })),
    ),
  );
  return lags.flat();
}
