/**
 * Which answers wait for feedback: a fold of seam.answers, read further before each use. It begins at the offset of the group that ends
 * deadlines, which is the first answer that still waits. So a restart reads the waiting answers, and the records among them.
 *
 * An answer waits here if the log has its experience and both say the same. So what another client appended takes no answer's place.
 */
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type EventOf, GROUP, TOPIC, tenantsAttempt } from '@seamstream/events';
import { KnownExperiences } from '@seamstream/evidence';
import { SeamError } from '@seamstream/kernel';
import { readEvents } from '@seamstream/log-reader';
import { isEndOf, type OpenAnswer, openAnswerOf, type Standing, standingOf } from './settle-answers.decide.js';

/** Attempts of a partition that are remembered as settled, so that refused feedback on them gets the right reason. */
const REMEMBERED_SETTLED = 20_000;

type Answer = EventOf<'AnswerRecorded'>;

export interface PlacedAnswer extends OpenAnswer {
  readonly offset: number;
  /** The experience was not there yet. */
  readonly isEarly: boolean;
}

/** A record of seam.answers that waits for nothing and ends no wait. */
export interface ForeignRecord {
  readonly partition: number;
  readonly offset: number;
}

export class PartitionAnswers {
  /** By attempt of a tenant, in the order of the log. */
  readonly open = new Map<string, PlacedAnswer>();
  /** Of attempts of tenants, their ends. What ended may have been before reading began. */
  private readonly settled = new Map<string, { readonly event: EventOf<'AnswerSettled'>; readonly offset: number }>();

  /** @param onForeign receives the offset of each record that is of no use */
  constructor(private readonly onForeign: (offset: number) => void) {}

  answered(event: Answer, offset: number, standing: Standing): void {
    if (standing === 'foreign') {
      this.onForeign(offset);
      return;
    }
    const attempt = tenantsAttempt(event);
    const answer = { ...openAnswerOf(event), offset, isEarly: standing === 'early' };
    const end = this.settled.get(attempt);
    if (end !== undefined && !isEndOf(end.event, answer)) {
      this.settled.delete(attempt);
      this.onForeign(end.offset);
    }
    const known = this.open.get(attempt);
    // Of an answer that is recorded again the first counts, unless its experience had not come by then.
    const isFirst = known === undefined || (known.isEarly && !answer.isEarly);
    if (isFirst && !this.settled.has(attempt)) this.open.set(attempt, answer);
  }

  ended(event: EventOf<'AnswerSettled'>, offset: number): void {
    const attempt = tenantsAttempt(event);
    const known = this.open.get(attempt);
    if (known !== undefined && !isEndOf(event, known)) {
      this.onForeign(offset);
      return;
    }
    this.open.delete(attempt);
    this.settled.set(attempt, { event, offset });
    if (this.settled.size > REMEMBERED_SETTLED) this.settled.delete(this.settled.keys().next().value!);
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

  private readonly experiences: KnownExperiences;

  /**
   * @param evidence `none`: answers are believed without their experiences
   * @param onForeign called for each record that is of no use here
   */
  constructor(
    private readonly log: EventLog,
    private readonly evidence: 'required' | 'none',
    private readonly onForeign: (record: ForeignRecord) => void,
  ) {
    this.experiences = new KnownExperiences(log);
  }

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

  /**
   * The answer that waits, to be settled; undefined where its experience has come meanwhile and says something else.
   * @throws NOT_FOUND where there is no answer at this offset
   */
  async toSettle(partition: number, attempt: string): Promise<Answer | undefined> {
    const { open } = await this.readOn(partition);
    const { offset, isEarly } = open.get(attempt)!;
    const answer = await this.at(partition, offset);
    if (!isEarly) return answer;
    const standings = await this.standingsOf([answer], answer.meta.occurredAt);
    if (standings.get(answer) !== 'foreign') return answer;
    open.delete(attempt);
    this.onForeign({ partition, offset });
    return undefined;
  }

  private async standingsOf(answers: readonly Answer[], writtenMs: number): Promise<ReadonlyMap<Answer, Standing>> {
    if (this.evidence === 'none') return new Map(answers.map((answer) => [answer, 'ours']));
    const experiences = await this.experiences.find(answers, writtenMs);
    return new Map(answers.map((answer, at) => [answer, standingOf(answer, experiences[at])]));
  }

  private async at(partition: number, offset: number): Promise<Answer> {
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
    const answers = new PartitionAnswers((offset) => this.onForeign({ partition, offset }));
    return { answers, next: Math.max(low, next ?? low), last: Promise.resolve() };
  }

  private async advance(partition: number, reading: Reading): Promise<void> {
    const marks = await this.log.watermarks(TOPIC.answers);
    const high = marks.find((each) => each.partition === partition)?.high ?? 0;
    if (reading.next >= high) return;
    const range = { topic: TOPIC.answers, partition, from: reading.next, to: high };
    // An unreadable record goes to the dead letters where it is consumed.
    for await (const { events, records } of readEvents(this.log, [range], { undecodable: 'skip' })) {
      const answers = events.flatMap(({ event }) => (event.type === 'AnswerRecorded' ? [event] : []));
      const standings = await this.standingsOf(answers, records[0]!.timestampMs);
      for (const { event, record } of events) {
        if (event.type === 'AnswerSettled') reading.answers.ended(event, record.offset);
        if (event.type !== 'AnswerRecorded') continue;
        reading.answers.answered(event, record.offset, standings.get(event)!);
      }
      reading.next = records.at(-1)!.offset + 1;
    }
    reading.next = high;
  }
}
