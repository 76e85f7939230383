/**
 * The services as processes on the toy world, round by round as the embedded loop plays it (docs/adr/0003), while problems of
 * a round arrive one after the other. What is left can be compared with another run of the same rounds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ConsumedOffset, EventLog } from '@seamstream/event-log';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import type { Deployment } from './deployment.js';
import { allEventsOf, ofType, type RecordedRun, recordedRun } from './recorded-run.js';
import { ServiceProcesses, type ServiceProcessesOptions } from './service-processes.js';
import { TOY_ROUND, toyPublication } from './toy-world.js';

/** What is there while the rounds are played. */
export interface Scene {
  readonly deployment: Deployment;
  readonly services: ServiceProcesses;
  readonly log: EventLog;
  /** Rounds that were published so far, in part or whole. */
  round(): number;
}

export interface ToyRunOptions {
  readonly deployment: Deployment;
  /** Asked before each round, from 1 on. */
  readonly goesOn: (round: number) => boolean;
  /** Runs during the rounds until it is done or aborted; what it throws ends the run. */
  readonly disturb?: (scene: Scene, signal: AbortSignal) => Promise<void>;
  readonly processes?: ServiceProcessesOptions;
  /** Longest wait for the end of a round; 300 s when absent: machines are busy, and a hang still ends. */
  readonly roundTimeoutMs?: number;
  /** How a problem reaches the log; once, as it is, when absent. */
  readonly publish?: (log: EventLog, numbers: readonly number[]) => Promise<void>;
  readonly onRound?: (round: number) => void;
  /** Looks at log and objects after the services have ended. */
  readonly inspect?: (log: EventLog) => Promise<void>;
}

export interface ToyRun extends RecordedRun {
  readonly rounds: number;
  readonly complaints: readonly string[];
  readonly exits: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  /** Milliseconds that processes needed to be at work. */
  readonly startTimes: readonly number[];
  readonly seconds: number;
}

const PROBLEMS_AT_ONCE = 4;
/** Between the parts of a round: a few at a time, so that every service has something to do at any moment. */
const PAUSE_MS = 40;
const PATIENCE_MS = 500;

/** Whether the log could not be reached, which may pass. */
const isOutage = (error: unknown): boolean => isSeamError(error) && error.code === 'LOG_UNAVAILABLE';

/**
 * Publishes each problem once, also where an append fails with its fate unknown: then the log is asked.
 * @param numbers of toy problems
 */
export async function publishOnce(log: EventLog, numbers: readonly number[]): Promise<void> {
  const events = numbers.map((number) => toyPublication('problem', number));
  let missing = events;
  for (;;) {
    try {
      if (missing.length > 0) await log.append(missing.map(encodeEvent));
      return;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    for (let known: ReadonlySet<string> | undefined; known === undefined; ) {
      await pause(PATIENCE_MS);
      try {
        known = new Set((await allEventsOf(log, [TOPIC.problems])).map(({ meta }) => meta.messageId));
        missing = events.filter(({ meta }) => !known!.has(meta.messageId));
      } catch (error) {
        if (!isOutage(error)) throw error;
      }
    }
  }
}

/** Counts what ends a round, as it comes in. */
class RoundWatch {
  readonly decided = new Set<string>();
  readonly versions = new Set<number>();
  private readonly log: EventLog;
  private readonly next = new Map<string, ConsumedOffset>();

  constructor(log: EventLog) {
    this.log = log;
  }

  async run(signal: AbortSignal): Promise<void> {
    const topics = [TOPIC.adapters, TOPIC.training, TOPIC.buffer];
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      try {
        const from =
          this.next.size === 0
            ? ('earliest' as const)
            : (
                await Promise.all(topics.map(async (topic) => ({ topic, marks: await this.log.watermarks(topic) })))
              ).flatMap(({ topic, marks }) =>
                marks.map(
                  ({ partition, low }): ConsumedOffset =>
                    this.next.get(`${topic}/${partition}`) ?? { topic, partition, nextOffset: low },
                ),
              );
        for await (const records of this.log.follow({ topics, from, signal })) {
          for (const record of records) {
            const { topic, partition, offset } = record;
            this.next.set(`${topic}/${partition}`, { topic, partition, nextOffset: offset + 1 });
            this.count(decodeEvent(record));
          }
        }
      } catch (error) {
        if (isOver()) return;
        if (!isOutage(error)) throw error;
        await pause(PATIENCE_MS);
      }
    }
  }

  private count(event: SeamEvent): void {
    if (
      event.type === 'AdapterPromoted' ||
      event.type === 'TrainingRunRejected' ||
      event.type === 'TrainingRunFailed'
    ) {
      if (event.runId !== null) this.decided.add(event.runId);
    } else if (event.type === 'BufferCommitted') this.versions.add(event.sequence);
  }
}

/** Plays rounds until it is asked to end, ends the services, and says what the log holds. */
export async function playToyRun(options: ToyRunOptions): Promise<ToyRun> {
  const { deployment, goesOn, disturb, roundTimeoutMs = 300_000, publish = publishOnce, onRound } = options;
  const startedMs = performance.now();
  const log = await deployment.openLog();
  const services = new ServiceProcesses(deployment.environment, options.processes);
  const ending = new AbortController();
  const watch = new RoundWatch(log);
  let exitCodes: readonly (number | null)[] | undefined;
  let round = 0;
  try {
    services.startAll();
    const failures: unknown[] = [];
    const failed = (error: unknown): void => {
      failures.push(error);
    };
    const watching = watch.run(ending.signal).catch(failed);
    const disturbance = disturb?.({ deployment, services, log, round: () => round }, ending.signal).catch(failed);
    const until = async (isReached: () => boolean, what: () => string): Promise<void> => {
      const giveUp = performance.now() + roundTimeoutMs;
      while (!isReached()) {
        if (failures.length > 0) throw failures[0];
        if (performance.now() > giveUp) {
          const last = services.said('').slice(-25).join('\n');
          throw new Error(
            `${what()} did not come within ${roundTimeoutMs} ms\n${services.complaints().slice(-10).join('\n')}\n${last}`,
          );
        }
        await pause(20);
      }
    };
    while (goesOn(round + 1)) {
      round++;
      const first = (round - 1) * TOY_ROUND;
      for (let index = 0; index < TOY_ROUND; index += PROBLEMS_AT_ONCE) {
        const numbers = Array.from(
          { length: Math.min(PROBLEMS_AT_ONCE, TOY_ROUND - index) },
          (_, at) => first + index + at,
        );
        await publish(log, numbers);
        await pause(PAUSE_MS);
      }
      await until(
        () => watch.decided.size >= round && watch.versions.size >= round,
        () => `the end of round ${round} (${watch.decided.size} decisions, ${watch.versions.size} versions)`,
      );
      onRound?.(round);
    }
    ending.abort();
    await disturbance;
    await watching;
    if (failures.length > 0) throw failures[0];
    // The last transactions of buffer and trainer may still be under way.
    await pause(500);
    exitCodes = await services.end();
    await options.inspect?.(log);
    return {
      ...(await recordedRun(log)),
      rounds: round,
      complaints: services.complaints(),
      exits: services.exits(),
      startTimes: services.startTimes(),
      exitCodes,
      seconds: (performance.now() - startedMs) / 1000,
    };
  } finally {
    ending.abort();
    if (exitCodes === undefined) await services.end();
    await log.close();
  }
}

/** Fraction of explored candidates that succeeded, round by round. */
export async function solvedPerRound(log: EventLog, rounds: number): Promise<readonly number[]> {
  const outcomes = ofType(await allEventsOf(log, [TOPIC.outcomes]), 'OutcomeRecorded').filter(
    ({ arm }) => arm === 'explore',
  );
  return Array.from({ length: rounds }, (_, round) => {
    const ofRound = outcomes.filter(
      ({ problem }) => Math.floor(Number(problem.problemId.split('-')[1]) / TOY_ROUND) === round,
    );
    return ofRound.filter(({ success }) => success).length / ofRound.length;
  });
}
