/** What the doctor looks at: the newest groups and successes, the runs since the last promotion, and what is served. */

import type { AdmissionFacts, FinishedGroup, RunFacts, ServingFacts } from '@seamstream/doctor';
import { finishedGroups } from '@seamstream/doctor';
import type { EventLog } from '@seamstream/event-log';
import { type AdapterPublished, type SeamEvent, TOPIC, type TopicName } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { isAttemptResult } from '@seamstream/experience-groups';
import type { ResultEvent } from '@seamstream/learning';
import { type EventChunk, type ReadRange, storedRanges } from '@seamstream/log-reader';
import { evolveServedAdapter, initialServedAdapter, type ServedAdapter } from '@seamstream/release';
import type { ReadAlongside } from '@seamstream/snapshots';
import type { ReadingOptions } from '../read-models/kept-log.js';

/** Newest records that are read of each partition: some thousand candidates, for any length of the log. */
const TAIL_RECORDS = 4096;

/** Runs that are looked at when none was promoted lately. */
const MOST_RUNS = 8;

export interface LogFacts {
  /** The newest finished explored groups, oldest first. */
  readonly groups: readonly FinishedGroup[];
  /** The newest results of problems without an entry. */
  readonly controls: readonly ResultEvent[];
  /** Runs that ended since the last promotion, that one included. */
  readonly runs: readonly (RunFacts & { readonly runId: string })[];
  readonly serving: ServingFacts;
  /** What generators load; null is the base model. */
  readonly served: ServedAdapter | null;
  readonly admission: AdmissionFacts;
  /** Why results do not count, of the newest. */
  readonly refusedResults: readonly string[];
}

/** Reads the ends of the large topics, and all of the small ones, in the reading that compares the snapshots. */
export class FactsReader implements ReadAlongside {
  private readonly events = new Map<string, SeamEvent[]>();
  private readonly contents: ProblemContents;

  private constructor(
    log: EventLog,
    readonly ranges: readonly ReadRange[],
    private readonly bar: ReturnType<ReadingOptions['progress']>,
  ) {
    this.contents = new ProblemContents(log);
  }

  /** @param progress is begun with the number of records that are read for the facts */
  static async open(log: EventLog, progress: ReadingOptions['progress']): Promise<FactsReader> {
    const tails = [TOPIC.experiences, TOPIC.outcomes, TOPIC.buffer] as const;
    const whole = [TOPIC.training, TOPIC.adapters] as const;
    const ranges = await Promise.all([
      ...tails.map(async (topic) =>
        (await storedRanges(log, topic)).map((range) => ({
          ...range,
          from: Math.max(range.from, range.to - TAIL_RECORDS),
        })),
      ),
      ...whole.map((topic) => storedRanges(log, topic)),
    ]);
    const own = ranges.flat();
    return new FactsReader(log, own, progress(own.reduce((sum, { from, to }) => sum + to - from, 0)));
  }

  async take({ range: { topic, partition }, records, events }: EventChunk): Promise<void> {
    const own = this.ranges.find((range) => range.topic === topic && range.partition === partition);
    if (own === undefined) return;
    const isWithin = ({ offset }: { readonly offset: number }): boolean => offset >= own.from && offset < own.to;
    const within = events.filter(({ record }) => isWithin(record));
    const kept = this.events.get(topic) ?? [];
    this.events.set(topic, kept);
    for (const event of await this.contents.fill(within.map(({ event }) => event))) kept.push(event);
    this.bar.advance(records.filter(isWithin).length);
  }

  close(): void {
    this.bar.stop();
  }

  /** What was read. @param groups newest ones to look at */
  facts(groups: number): LogFacts {
    const of = (topic: TopicName): readonly SeamEvent[] =>
      (this.events.get(topic) ?? []).sort((a, b) => a.meta.occurredAt - b.meta.occurredAt);
    const experiences = of(TOPIC.experiences).filter((event) => event.type === 'ExperienceGenerated');
    const results = of(TOPIC.outcomes).filter(isAttemptResult);
    // In the log's order, which decides what is served.
    const adapters = this.events.get(TOPIC.adapters) ?? [];
    const serving = servingOf([...(this.events.get(TOPIC.training) ?? []), ...adapters]);
    return {
      groups: finishedGroups(experiences, results).slice(-groups),
      controls: results.filter(({ arm }) => arm === 'control'),
      runs: runsOf(of(TOPIC.training), serving.promotedBy),
      serving: serving.facts,
      served: serving.served,
      admission: admissionOf(of(TOPIC.buffer)),
      refusedResults: of(TOPIC.buffer).flatMap((event) =>
        event.type === 'ResultRefused' ? [`${event.reason}, ${event.detail}`] : [],
      ),
    };
  }
}

function runsOf(training: readonly SeamEvent[], promoted: ReadonlySet<string | null>): LogFacts['runs'] {
  const runs = new Map<
    string,
    { -readonly [K in keyof LogFacts['runs'][number]]: LogFacts['runs'][number][K] } & {
      ended: boolean;
      checkpoints: RunFacts['checkpoints'][number][];
    }
  >();
  for (const event of training) {
    if (event.type === 'TrainingRunStarted') {
      const { runId, algorithm } = event;
      if (!runs.has(runId))
        runs.set(runId, {
          runId,
          algorithm,
          settings: settingsOf(event.configuration),
          code: null,
          metrics: {},
          checkpoints: [],
          ended: false,
        });
      continue;
    }
    const run = 'runId' in event && event.runId !== null ? runs.get(event.runId) : undefined;
    if (run === undefined) continue;
    if (event.type === 'TrainingRunCheckpointed') run.checkpoints.push(event.metrics);
    else if (
      event.type === 'TrainingRunCompleted' ||
      event.type === 'TrainingRunRejected' ||
      event.type === 'TrainingRunFailed'
    ) {
      run.ended = true;
      run.metrics = { ...run.metrics, ...event.metrics };
      if (event.type === 'TrainingRunFailed') run.code = event.code;
    }
  }
  const ended = [...runs.values()].filter((run) => run.ended);
  const last = ended.findLastIndex(({ runId }) => promoted.has(runId));
  return ended.slice(Math.max(last, 0, ended.length - MOST_RUNS));
}

/** The algorithm's part of a recorded configuration; null where it is of another version. */
function settingsOf(configuration: string): RunFacts['settings'] {
  try {
    const parsed = JSON.parse(configuration) as { readonly algorithm?: unknown };
    return typeof parsed.algorithm === 'object' ? (parsed.algorithm as RunFacts['settings']) : null;
  } catch {
    return null;
  }
}

/**
 * @param events of training, then of adapters: each in the log's order
 * @returns what is served, and the runs whose promotions counted
 */
function servingOf(events: readonly SeamEvent[]): {
  readonly facts: ServingFacts;
  readonly served: ServedAdapter | null;
  readonly promotedBy: ReadonlySet<string | null>;
} {
  const published = new Map<string, AdapterPublished>();
  let state = initialServedAdapter();
  let since = 0;
  for (const event of events) {
    if (event.type === 'AdapterPublished') published.set(event.adapterDigest, event);
    const before = state.served?.adapterDigest;
    state = evolveServedAdapter(state, event);
    if (state.served?.adapterDigest !== before) since = event.meta.occurredAt;
  }
  const promotedBy = new Set<string | null>();
  const refused: string[] = [];
  for (const { event, status, reason } of state.decisions) {
    if (status === 'counted' && event.type === 'AdapterPromoted') promotedBy.add(event.runId);
    if (status === 'refused') refused.push(reason);
  }
  refused.push(...state.doubted.map(({ reason }) => reason));
  const served = state.served === null ? null : { adapterDigest: state.served.adapterDigest, since };
  return { facts: { published, served, refused }, served: state.served, promotedBy };
}

function admissionOf(events: readonly SeamEvent[]): AdmissionFacts {
  const admitted = new Set<string>();
  const near = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'SuccessAdmitted') admitted.add(event.outcomeId);
    else if (event.type === 'SuccessRejected' && event.reason === 'near_duplicate')
      near.set(event.outcomeId, event.stratum);
  }
  const byStratum: Record<string, number> = {};
  for (const stratum of near.values()) byStratum[stratum] = (byStratum[stratum] ?? 0) + 1;
  return { admitted: admitted.size, nearDuplicates: near.size, byStratum };
}
