/**
 * Which answers wait for feedback: a fold of seam.answers, read further before each use. It begins at the offset of the group that ends
 * deadlines, which is the first answer that still waits. So a restart reads the waiting answers, and the records among them.
 *
 * An answer waits here if the log has its experience and both say the same. So what another client appended takes no answer's place. It waits
 * until its end, if the log has the result that the end names. So no client ends a wait without one.
 */
import { type EventLog, partitionForKey, stretchesOf } from '@seamstream/event-log';
import { type EventOf, GROUP, TOPIC } from '@seamstream/events';
import { isJudged, KnownExperiences, WrittenResults } from '@seamstream/evidence';
import { type Clock, SeamError } from '@seamstream/kernel';
import { type PlacedEvent, readEvents } from '@seamstream/log-reader';
import { DoubtfulEnds } from './doubtful-ends.js';
import { PartitionAnswers } from './partition-answers.js';
import { type Standing, standingOf } from './settle-answers.decide.js';

type Answer = EventOf<'AnswerRecorded'>;
type End = EventOf<'AnswerSettled'>;

/** A record of seam.answers that waits for nothing and ends no wait. */
export interface ForeignRecord {
  readonly partition: number;
  readonly offset: number;
}

interface Reading {
  readonly answers: PartitionAnswers;
  readonly doubtful: DoubtfulEnds;
  next: number;
  /** Two that ask at once read one after the other. */
  last: Promise<unknown>;
}

export class OpenAnswers {
  private readonly readings = new Map<number, Promise<Reading>>();
  /** Of the topic: their number never changes while a log lives. */
  private partitions: number | undefined;

  private readonly experiences: KnownExperiences;
  private readonly results: WrittenResults;

  /**
   * @param evidence `none`: answers are believed without their experiences, and ends without their results
   * @param onForeign called for each record that is of no use here
   */
  constructor(
    private readonly log: EventLog,
    private readonly evidence: 'required' | 'none',
    private readonly clock: Clock,
    private readonly onForeign: (record: ForeignRecord) => void,
  ) {
    this.experiences = new KnownExperiences(log);
    this.results = new WrittenResults(log);
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

  /** Attempts of a partition that may have ended, as of the last {@link readOn}: their result may be about to come. */
  async mayHaveEnded(partition: number): Promise<ReadonlySet<string>> {
    return (await this.readings.get(partition))?.doubtful.attempts() ?? new Set();
  }

  /** The partition of the answers to a problem: its id is their key. */
  async partitionOf(problemId: string): Promise<number> {
    this.partitions ??= (await this.log.watermarks(TOPIC.answers)).length;
    return partitionForKey(problemId, this.partitions);
  }

  /**
   * The answer that waits, to be settled, as of the last {@link readOn}; undefined where none waits, also because its experience has come
   * meanwhile and says something else. Of early answers, until their experience comes, the first.
   * @throws NOT_FOUND where there is no answer at its offset
   */
  async toSettle(partition: number, attempt: string): Promise<Answer | undefined> {
    const { answers } = await this.readings.get(partition)!;
    for (;;) {
      const open = answers.open.get(attempt);
      if (open === undefined) return undefined;
      if (open.isEarly && !(await this.decide(partition, answers, attempt))) continue;
      const offset = answers.open.get(attempt)?.offset;
      if (offset === undefined) return undefined;
      const answer = await this.at(partition, offset);
      if (answers.open.get(attempt)?.offset === offset) return answer;
    }
  }

  /** Asks for the experiences of early answers. @returns false where what is known of the attempt has changed meanwhile */
  private async decide(partition: number, known: PartitionAnswers, attempt: string): Promise<boolean> {
    const early = known.earlyOf(attempt);
    const answers = await this.allAt(
      partition,
      early.map(({ offset }) => offset),
    );
    const standings = await this.standingsOf(answers, answers[0]!.meta.occurredAt, 'everywhere');
    if (known.earlyOf(attempt) !== early) return false;
    known.decided(
      attempt,
      answers.map((answer) => standings.get(answer)!),
    );
    return true;
  }

  /**
   * @param search of a gateway's answer: `near` takes it for early where its experience was not read along. What an experience does not
   *   bear out is foreign only if the first one of its id in the log says so.
   */
  private async standingsOf(
    answers: readonly Answer[],
    writtenMs: number,
    search: 'near' | 'everywhere',
  ): Promise<ReadonlyMap<Answer, Standing>> {
    if (this.evidence === 'none') return new Map(answers.map((answer) => [answer, 'ours']));
    const near = await this.experiences.near(answers, writtenMs);
    const standings = new Map(answers.map((answer, at) => [answer, standingOf(answer, near[at])]));
    const unclear = answers.filter((answer) => {
      const standing = standings.get(answer)!;
      return !isJudged(answer.problem) && (standing === 'foreign' || (standing === 'early' && search === 'everywhere'));
    });
    const first = await this.experiences.everywhere(unclear, writtenMs);
    for (const [at, answer] of unclear.entries()) standings.set(answer, standingOf(answer, first[at]));
    return standings;
  }

  private async at(partition: number, offset: number): Promise<Answer> {
    const [answer] = await this.allAt(partition, [offset]);
    return answer!;
  }

  /** @param offsets in their order @throws NOT_FOUND where there is no answer at one of them */
  private async allAt(partition: number, offsets: readonly number[]): Promise<readonly Answer[]> {
    const topic = TOPIC.answers;
    const found = new Map<number, Answer>();
    const ranges = stretchesOf(offsets).map((each) => ({ topic, partition, from: each[0]!, to: each.at(-1)! + 1 }));
    const asked = new Set(offsets);
    const options = { undecodable: 'skip', wants: ({ offset }: { offset: number }) => asked.has(offset) } as const;
    for await (const { events } of readEvents(this.log, ranges, options))
      for (const { event, record } of events) if (event.type === 'AnswerRecorded') found.set(record.offset, event);
    return offsets.map((offset) => {
      const answer = found.get(offset);
      if (answer !== undefined) return answer;
      throw new SeamError(
        'NOT_FOUND',
        `Cannot settle an answer: expected it at ${topic}/${partition}/${offset}, got another record.`,
      );
    });
  }

  private async begin(partition: number): Promise<Reading> {
    const marks = await this.log.watermarks(TOPIC.answers);
    const low = marks.find((each) => each.partition === partition)?.low ?? 0;
    const committed = await this.log.committedOffsets(GROUP.settler);
    const next = committed.find((each) => each.topic === TOPIC.answers && each.partition === partition)?.nextOffset;
    const onForeign = (offset: number): void => this.onForeign({ partition, offset });
    const answers = new PartitionAnswers(onForeign);
    const doubtful = new DoubtfulEnds(answers, this.results, this.clock, onForeign);
    return { answers, doubtful, next: Math.max(low, next ?? low), last: Promise.resolve() };
  }

  private async advance(partition: number, reading: Reading): Promise<void> {
    const marks = await this.log.watermarks(TOPIC.answers);
    const high = marks.find((each) => each.partition === partition)?.high ?? 0;
    await reading.doubtful.look();
    if (reading.next >= high) return;
    const range = { topic: TOPIC.answers, partition, from: reading.next, to: high };
    // An unreadable record goes to the dead letters where it is consumed.
    for await (const { events, records } of readEvents(this.log, [range], { undecodable: 'skip' })) {
      const answers = events.flatMap(({ event }) => (event.type === 'AnswerRecorded' ? [event] : []));
      const standings = await this.standingsOf(answers, records[0]!.timestampMs, 'near');
      const borneOut = await this.borneOut(events);
      for (const { event, record } of events) {
        const { offset, timestampMs } = record;
        if (event.type === 'AnswerRecorded') reading.answers.answered(event, offset, standings.get(event)!);
        if (event.type !== 'AnswerSettled') continue;
        // One that ends nothing is reported, whether it has a result or not.
        if (borneOut.has(event) || !reading.answers.mayEnd(event)) reading.answers.ended(event, offset);
        else reading.doubtful.add({ event, offset, timestampMs });
      }
      reading.next = records.at(-1)!.offset + 1;
    }
    reading.next = high;
  }

  private async borneOut(events: readonly PlacedEvent[]): Promise<ReadonlySet<End>> {
    const ends = events.flatMap(({ event, record: { timestampMs } }) =>
      event.type === 'AnswerSettled' ? [{ event, timestampMs }] : [],
    );
    if (this.evidence === 'none') return new Set(ends.map(({ event }) => event));
    return new Set([...(await this.results.borneOut(ends))].map(({ event }) => event));
  }
}
