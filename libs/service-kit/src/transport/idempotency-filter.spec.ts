/** What was answered is read again at its place, wherever in the topics of answers that is. */
import { type Claim, InMemoryEventLog, type ReadOptions, type Watermarks } from '@seamstream/event-log';
import { type EventOf, encodeEvent, TOPIC, TOPICS } from '@seamstream/events';
import { derivedId, SeamError } from '@seamstream/kernel';
import { EXAMPLE_EVENTS, recordsOf } from '@seamstream/testing';
import { decodedItem } from './batch-item.js';
import { AnsweredRecords } from './idempotency-filter.js';

describe('what was answered before', () => {
  it('is found at places far apart, and nothing between them is read', async () => {
    const { log, isAnswered } = await answeredLog();
    expect(await isAnswered()).toEqual([true, true, false, true]);
    expect(log.reads.map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [2_001, 2_003],
    ]);
  });

  it('counts as unanswered once its answer has been deleted', async () => {
    const { log, isAnswered } = await answeredLog();
    log.low = 1;
    expect(await isAnswered()).toEqual([false, true, false, true]);
  });

  it('is read from what is left where more is deleted as it is read', async () => {
    const { log, isAnswered } = await answeredLog();
    log.lowAtRead = 2_002;
    expect(await isAnswered()).toEqual([false, false, false, true]);
  });
});

const { ProblemPublished } = EXAMPLE_EVENTS;

function problem(id: string): EventOf<'ProblemPublished'> {
  const messageId = derivedId(id, 'problem');
  return { ...ProblemPublished, meta: { ...ProblemPublished.meta, messageId, correlationId: id } };
}

function expiredOf({ meta, problem: subject }: EventOf<'ProblemPublished'>): EventOf<'ProblemExpired'> {
  const answered = { ...meta, messageId: derivedId(meta.messageId, 'expired'), causationId: meta.messageId };
  return { type: 'ProblemExpired', meta: answered, problem: subject, expiredAt: 1 };
}

/** Counts what is read, and may have deleted its oldest records. */
class TrimmedLog extends InMemoryEventLog {
  low = 0;
  /** What {@link low} becomes with the next reading. */
  lowAtRead = 0;
  readonly reads: ReadOptions[] = [];

  override async watermarks(topic: string): Promise<readonly Watermarks[]> {
    return (await super.watermarks(topic)).map((each) => ({ ...each, low: Math.min(this.low, each.high) }));
  }

  override read(options: ReadOptions): ReturnType<InMemoryEventLog['read']> {
    this.low = Math.max(this.low, this.lowAtRead);
    if (options.from < this.low) throw new SeamError('OFFSET_OUT_OF_RANGE', 'It is deleted.');
    this.reads.push(options);
    return super.read(options);
  }
}

/** Items of the problems, and what was answered before them: the first, 2,000 others, the second, and the last. */
async function answeredLog() {
  const log = new TrimmedLog();
  await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
  const problems = ['first', 'second', 'open', 'last'].map(problem);
  const [first, second, , last] = problems;
  const others = Array.from({ length: 2_000 }, (_, index) => encodeEvent(expiredOf(problem(`other-${index}`))));
  await log.append(problems.map(encodeEvent));
  await log.append([encodeEvent(expiredOf(first!)), ...others, ...[second!, last!].map(expiredOf).map(encodeEvent)]);
  const records = await recordsOf(log, TOPIC.problems);
  const recognise = (answer: { readonly meta: { readonly causationId: string | null } }) => (cause: object) =>
    (cause as EventOf<'ProblemPublished'>).meta.messageId === answer.meta.causationId;
  const answered = new AnsweredRecords(log, { topics: [TOPIC.outcomes], recognise });
  const claim = { group: 'g', memberId: 'm', token: 't' } as unknown as Claim;
  await answered.read({ topic: TOPIC.problems, partition: 0, records, claim, signal: new AbortController().signal });
  log.reads.length = 0;
  const isAnswered = async () => (await answered.marked(records.map(decodedItem))).items.map((item) => item.isAnswered);
  return { log, isAnswered };
}
