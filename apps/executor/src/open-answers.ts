/**
 * Which answers wait for feedback: a fold of seam.answers, read further before each use. It begins at the offset of the group that ends
 * deadlines, which is the first answer that still waits. So a restart reads the waiting answers, and the records among them.
 */
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type EventOf, GROUP, type SeamEvent, TOPIC, tenantOf, tenantsAttempt } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { readEvents } from '@seamstream/log-reader';
import type { OpenAnswer } from './settle-answers.decide.js';

/** Attempts of a partition that are remembered as settled, so that refused feedback on them gets the right reason. */
const REMEMBERED_SETTLED = 20_000;

export interface PlacedAnswer extends OpenAnswer {
  readonly offset: number;
}

export class PartitionAnswers {
  /** By attempt of a tenant, in the order of the log. */
  readonly open = new Map<string, PlacedAnswer>();
  /** Attempts of tenants. */
  private readonly settled = new Set<string>();

  evolve(event: SeamEvent, offset: number): void {
    if (event.type === 'AnswerRecorded') {
      const attempt = tenantsAttempt(event);
      // Of an answer that is recorded again the first counts.
      if (this.settled.has(attempt) || this.open.has(attempt)) return;
      this.open.set(attempt, {
        problemId: event.problem.problemId,
        tenant: tenantOf(event.meta),
        feedbackUntil: event.feedbackUntil,
        offset,
      });
    } else if (event.type === 'AnswerSettled') {
      const attempt = tenantsAttempt(event);
      this.open.delete(attempt);
      this.settled.add(attempt);
      if (this.settled.size > REMEMBERED_SETTLED) this.settled.delete(this.settled.values().next().value!);
    }
  }

  /** Of another tenant's attempt nothing is said, not even that there was one. @param attempt of a tenant */
  isSettled(attempt: string): boolean {
    return this.settled.has(attempt);
  }
}

interface Reading {
  readonly answers: PartitionAnswers;
  next: number;
  /** Two that ask at once read one after the other. */
  last: Promise<unknown>;
}

export class OpenAnswers {
  private readonly readings = new Map<number, Promise<Reading>>();
  /** Of the topic: their number never changes while a log lives. */
  private partitions: number | undefined;

  constructor(private readonly log: EventLog) {}

  /** How many wait, of the partitions that were looked at here. */
  async count(): Promise<number> {
    const readings = await Promise.all(this.readings.values());
    return readings.reduce((sum, { answers }) => sum + answers.open.size, 0);
  }

  /** The answers of a partition, as of what is committed now. */
  async readOn(partition: number): Promise<PartitionAnswers> {
    let known = this.readings.get(partition);
    if (known === undefined) {
      known = this.begin(partition);
      this.readings.set(partition, known);
      known.catch(() => this.readings.delete(partition));
    }
    const reading = await known;
    const mine = reading.last.catch(() => undefined).then(() => this.advance(partition, reading));
    reading.last = mine;
    await mine;
    return reading.answers;
  }

  /** The partition of the answers to a problem: its id is their key. */
  async partitionOf(problemId: string): Promise<number> {
    this.partitions ??= (await this.log.watermarks(TOPIC.answers)).length;
    return partitionForKey(problemId, this.partitions);
  }

  /** @throws NOT_FOUND where there is no answer at this offset */
  async at(partition: number, offset: number): Promise<EventOf<'AnswerRecorded'>> {
    const range = { topic: TOPIC.answers, partition, from: offset, to: offset + 1 };
    for await (const { events } of readEvents(this.log, [range], { undecodable: 'skip' }))
      for (const { event } of events) if (event.type === 'AnswerRecorded') return event;
    throw new SeamError(
      'NOT_FOUND',
      `Cannot settle an answer: expected it at ${TOPIC.answers}/${partition}/${offset}, got another record.`,
    );
  }

  private async begin(partition: number): Promise<Reading> {
    const marks = await this.log.watermarks(TOPIC.answers);
    const low = marks.find((each) => each.partition === partition)?.low ?? 0;
    const committed = await this.log.committedOffsets(GROUP.settler);
    const next = committed.find((each) => each.topic === TOPIC.answers && each.partition === partition)?.nextOffset;
    return { answers: new PartitionAnswers(), next: Math.max(low, next ?? low), last: Promise.resolve() };
  }

  private async advance(partition: number, reading: Reading): Promise<void> {
    const marks = await this.log.watermarks(TOPIC.answers);
    const high = marks.find((each) => each.partition === partition)?.high ?? 0;
    if (reading.next >= high) return;
    const range = { topic: TOPIC.answers, partition, from: reading.next, to: high };
    // An unreadable record goes to the dead letters where it is consumed.
    for await (const { events, records } of readEvents(this.log, [range], { undecodable: 'skip' })) {
      for (const { event, record } of events) reading.answers.evolve(event, record.offset);
      reading.next = records.at(-1)!.offset + 1;
    }
    reading.next = high;
  }
}
