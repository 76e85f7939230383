import { InMemoryEventLog, type LogRecord, type ReadOptions } from '@seamstream/event-log';
import {
  decodeEvent,
  type EventOf,
  encodeEvent,
  type Problem,
  type SeamEvent,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { isResult } from './doubt.decide.js';
import { Evidence, type PlacedEvent } from './evidence.js';
import { all, explored, FORGED_EXPERIENCES, FORGERIES, type HonestResults, outcomeOf } from './result-log.contract.js';

const problemOf = (index: number): Problem => ({
  problemId: `p-${index}`,
  domain: 'sums',
  prompt: `What is ${index}?`,
  reference: String(index),
  verifier: { kind: 'exact', version: '1', options: { trim: 'yes', case: 'keep' } },
  metadata: { a: '1', b: '2' },
});

/** Counts what is read of each topic. */
class CountingLog extends InMemoryEventLog {
  readonly read_ = new Map<string, number>();

  override async *read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    for await (const records of super.read(options)) {
      this.read_.set(options.topic, (this.read_.get(options.topic) ?? 0) + records.length);
      yield records;
    }
  }
}

async function logOf(events: readonly SeamEvent[]): Promise<CountingLog> {
  const log = new CountingLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  await log.append(events.map(encodeEvent));
  return log;
}

/** The results in a log, partition by partition in their order. */
async function resultsIn(log: InMemoryEventLog): Promise<PlacedEvent[]> {
  const placed: PlacedEvent[] = [];
  for (const { partition } of await log.watermarks(TOPIC.outcomes))
    for await (const records of log.read({ topic: TOPIC.outcomes, partition, from: 0 }))
      for (const record of records) placed.push({ event: decodeEvent(record), position: record });
  return placed;
}

const honest = (count: number): HonestResults[] =>
  Array.from({ length: count }, (_, index) => explored(problemOf(index), { solved: [index % 4] }));

describe('a result', () => {
  it('counts whatever key its problem was published under, in whatever partition', async () => {
    const runs = honest(40);
    const log = await logOf(runs.flatMap(({ experiences, outcomes }) => [...experiences, ...outcomes]));
    const { length } = await log.watermarks(TOPIC.problems);
    await log.append(
      runs.map(({ published }, index) => ({
        ...encodeEvent(published),
        key: [null, `course-${index % 3}`, published.problem.problemId][index % 3]!,
        partition: index % length,
      })),
    );
    const results = await resultsIn(log);
    expect(results).toHaveLength(160);
    expect(await new Evidence(log).doubts(results)).toEqual(new Map());
  });

  it('counts when its experience and its problem stand in the log and agree with it', async () => {
    const log = await logOf(honest(50).flatMap(all));
    const results = await resultsIn(log);
    expect(results).toHaveLength(200);
    expect(await new Evidence(log).doubts(results)).toEqual(new Map());
  });

  it('is found in whatever order results come, and reading goes on where the one before it ended', async () => {
    const log = await logOf(honest(400).flatMap(all));
    const results = await resultsIn(log);
    log.read_.clear();
    const evidence = new Evidence(log);
    for (let at = 0; at < results.length; at += 7)
      expect(await evidence.doubts(results.slice(at, at + 7))).toEqual(new Map());
    // Each record once: nothing honest is looked for a second time.
    expect(Object.fromEntries(log.read_)).toEqual({ [TOPIC.experiences]: 1600, [TOPIC.problems]: 400 });
    const shuffled = Random.of('order').shuffled([...results]);
    for (const result of shuffled.slice(0, 50)) expect(await evidence.doubts([result])).toEqual(new Map());
    const late = new Evidence(log, evidence.places());
    expect(await late.doubts(shuffled.slice(0, 50))).toEqual(new Map());
  });

  it('whose problem is missing is not looked for twice in the partition that its key stands for', async () => {
    const runs = honest(40);
    const log = new CountingLog();
    await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
    await log.append(runs.flatMap(({ experiences, outcomes }) => [...experiences, ...outcomes]).map(encodeEvent));
    const results = await resultsIn(log);
    let asked = 0;
    const watermarks = log.watermarks.bind(log);
    log.watermarks = (topic) => {
      if (topic === TOPIC.problems) asked++;
      return watermarks(topic);
    };
    expect((await new Evidence(log).doubts(results)).size).toBe(results.length);
    // How many partitions there are, the end to read on to, and the beginning of what to look back at.
    expect(asked).toBe(3);
  });

  it('that is missing makes the log be read once more at most, however many are', async () => {
    const log = await logOf(honest(100).flatMap(all));
    const [first, second] = honest(2).flatMap(({ outcomes }) => outcomes);
    const forged = Array.from({ length: 200 }, () => FORGERIES['of an experience that nobody wrote']!(first!, second!));
    const evidence = new Evidence(log);
    for (const event of forged)
      expect(
        (await evidence.doubts([{ event, position: { topic: TOPIC.outcomes, partition: 0, offset: 0 } }])).size,
      ).toBe(1);
    // Along the partition, once for its index, and for each what its problem's own records are.
    expect(log.read_.get(TOPIC.experiences)).toBeLessThan(400 + 400 + 200 * 8);
  });

  it.each(Object.keys(FORGERIES))('%s is doubted', async (name) => {
    const problems = honest(40);
    const log = await logOf(problems.flatMap(all));
    const forged = problems.map(({ outcomes }, index) => {
      const other = problems[(index + 1) % problems.length]!.outcomes[0]!;
      return {
        event: FORGERIES[name]!(outcomes[0]!, other),
        position: { topic: TOPIC.outcomes, partition: 0, offset: index },
      };
    });
    const doubts = await new Evidence(log).doubts(forged);
    expect([...doubts.keys()]).toEqual(forged.map((_, index) => index));
    for (const { detail } of doubts.values()) expect(detail).toMatch(/\w{3}/);
  });

  it.each(Object.keys(FORGED_EXPERIENCES))('that agrees with an experience %s is doubted', async (name) => {
    const problems = honest(20);
    const experiences = problems.map((each) => FORGED_EXPERIENCES[name]!(each.experiences[1]!));
    // The true ones are not there: the forged ones must not stand in for them.
    const log = await logOf([...problems.map(({ published }) => published), ...experiences]);
    const forged = experiences.map((experience, index) => ({
      event: outcomeOf(experience, true),
      position: { topic: TOPIC.outcomes, partition: 0, offset: index },
    }));
    expect((await new Evidence(log).doubts(forged)).size).toBe(experiences.length);
  });

  it('of the control arm, one that failed and one that expired count as well', async () => {
    const [{ published }] = honest(1) as [HonestResults];
    const expiring: EventOf<'ProblemPublished'> = { ...published, expiresAt: 5 };
    const { deriveMeta, experienceIdOf, groupIdOf } = await import('@seamstream/events');
    const withheld: EventOf<'ExperienceWithheld'> = {
      type: 'ExperienceWithheld',
      meta: deriveMeta(published.meta, { role: 'experience', source: 'seam/generator', occurredAt: 2 }),
      problem: published.problem,
      experienceId: experienceIdOf(published.meta.messageId, 0),
      groupId: groupIdOf(published.meta.messageId),
      share: 0.1,
    };
    const failed: SeamEvent = {
      type: 'ExecutionFailed',
      meta: deriveMeta(withheld.meta, { role: 'outcome', source: 'seam/executor', occurredAt: 3 }),
      problem: published.problem,
      experienceId: withheld.experienceId,
      groupId: withheld.groupId,
      candidateIndex: 0,
      groupSize: 1,
      arm: 'control',
      adapterDigest: null,
      code: 'SESSION_FAILED',
      reason: 'down',
      attempts: 1,
    };
    const expired: SeamEvent = {
      type: 'ProblemExpired',
      meta: deriveMeta(published.meta, { role: 'expired', source: 'seam/generator', occurredAt: 6 }),
      problem: published.problem,
      expiredAt: 6,
    };
    const log = await logOf([expiring, withheld, failed, expired]);
    const results = await resultsIn(log);
    expect(results.filter(({ event }) => isResult(event))).toHaveLength(2);
    expect(await new Evidence(log).doubts(results)).toEqual(new Map());
  });
});
