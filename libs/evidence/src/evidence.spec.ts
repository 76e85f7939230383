import { jest } from '@jest/globals';
import { decodeEvent, type EventOf, encodeEvent, eventWindow, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { FlakyLog } from '@seamstream/testing';
import {
  all,
  explored,
  FORGED_EXPERIENCES,
  FORGERIES,
  type HonestResults,
  outcomeOf,
} from '@seamstream/testing/result-log';
import fc from 'fast-check';
import { isResult } from './doubt.decide.js';
import { Evidence, type PlacedEvent } from './evidence.js';
import { honest, logOf, placed, problemOf, resultsIn } from './results-in-a-log.fake.js';

describe('a result', () => {
  it('counts under any key of its problem, in any partition', async () => {
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

  it('counts when the log has its experience and its problem and they agree with it', async () => {
    const log = await logOf(honest(50).flatMap(all));
    const results = await resultsIn(log);
    expect(results).toHaveLength(200);
    expect(await new Evidence(log).doubts(results)).toEqual(new Map());
  });

  it('is found in any order of results, and reading continues where the previous one ended', async () => {
    const log = await logOf(honest(400).flatMap(all));
    const results = await resultsIn(log);
    log.reads.clear();
    const evidence = new Evidence(log);
    for (let at = 0; at < results.length; at += 7)
      expect(await evidence.doubts(results.slice(at, at + 7))).toEqual(new Map());
    // Each record once: nothing honest is looked for a second time.
    expect(Object.fromEntries(log.reads)).toEqual({ [TOPIC.experiences]: 1600, [TOPIC.problems]: 400 });
    const shuffled = Random.of('order').shuffled([...results]);
    for (const result of shuffled.slice(0, 50)) expect(await evidence.doubts([result])).toEqual(new Map());
    const late = new Evidence(log, evidence.places());
    expect(await late.doubts(shuffled.slice(0, 50))).toEqual(new Map());
  });

  it('has its experience walked over once, also where nothing was read yet', async () => {
    const log = await logOf(honest(50).flatMap(all));
    const results = await resultsIn(log);
    const window = eventWindow('ExperienceGenerated');
    const open = jest.spyOn(Object.getPrototypeOf(window) as typeof window, 'open');
    try {
      expect(await new Evidence(log).doubts(results)).toEqual(new Map());
      // And each problem once.
      expect(open).toHaveBeenCalledTimes(results.length + 50);
    } finally {
      open.mockRestore();
    }
  });

  it('whose problem is missing is not looked for twice in the partition that its key stands for', async () => {
    const runs = honest(40);
    const log = new FlakyLog();
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
    // How many partitions there are, the end to read ahead to, without the experiences and with them, and once more before looking back.
    expect(asked).toBe(4);
  });

  it('that is missing makes the log be read once more at most, however many are', async () => {
    const log = await logOf(honest(100).flatMap(all));
    const [first, second] = honest(2).flatMap(({ outcomes }) => outcomes);
    const forged = Array.from({ length: 200 }, () =>
      FORGERIES['of an experience that was never written']!(first!, second!),
    );
    const evidence = new Evidence(log);
    for (const event of forged) expect((await evidence.doubts([placed(event)])).size).toBe(1);
    // Along the partition, once for its index, and for each what its problem's own records are.
    expect(log.reads.get(TOPIC.experiences)).toBeLessThan(400 + 400 + 200 * 8);
  });

  it('is judged by the first of two experiences under its id, from any start of reading and after anything was forgotten', async () => {
    const runs = honest(12);
    const log = await logOf(runs.flatMap(({ published, experiences }) => [published, ...experiences]));
    const [from, results] = [new Map<string, number>(), runs.flatMap(({ outcomes }) => outcomes)];
    for (const topic of [TOPIC.experiences, TOPIC.problems])
      for (const { partition, high } of await log.watermarks(topic)) from.set(`${topic}/${partition}`, high);
    // An attacker writes each of them, and each problem, once more in other words.
    const again = runs.flatMap(({ published, experiences }) => [
      { ...published, problem: { ...published.problem, prompt: 'Anything else?' } },
      ...experiences.map((experience) => ({ ...experience, entry: '{"n":"forged"}' })),
    ]);
    await log.append(again.map(encodeEvent));
    const came = results.map(placed);
    const restarted = new Evidence(log, from);
    expect(await restarted.doubts(came)).toEqual(new Map());
    const fromStart = new Evidence(log);
    expect(await fromStart.doubts(came)).toEqual(new Map());
    // Once more, when they are forgotten; and the forged words have no result of theirs.
    expect(await fromStart.doubts(came)).toEqual(new Map());
    const forged = results.map((event, offset) => placed({ ...event, entry: '{"n":"forged"}' }, offset));
    expect((await fromStart.doubts(forged)).size).toBe(results.length);
  });

  it('of bytes that its experience has is judged as by its values, and one of other bytes than its values as well', async () => {
    const random = Random.of('bytes of results/1');
    const runs = honest(8);
    const log = await logOf(runs.flatMap(({ published, experiences }) => [published, ...experiences]));
    const evidence = new Evidence(log);
    let [believed, doubted] = [0, 0];
    for (let round = 0; round < 600; round++) {
      const record = encodeEvent(runs[round % 8]!.outcomes[random.int(4)]!);
      const value = Buffer.from(record.value);
      if (round % 4 > 0) value[10 + random.int(value.length - 10)]! ^= 1 << random.int(8);
      let event: SeamEvent;
      try {
        event = decodeEvent({ ...record, value, partition: 0, offset: 0 });
      } catch {
        continue;
      }
      const position = { topic: TOPIC.outcomes, partition: 0, offset: round };
      const byBytes = await evidence.doubts([{ event, position, value }]);
      expect({ round, doubts: byBytes }).toEqual({ round, doubts: await evidence.doubts([{ event, position }]) });
      if (byBytes.size === 0) believed++;
      else doubted++;
    }
    expect(believed).toBeGreaterThan(150);
    expect(doubted).toBeGreaterThan(100);
  });

  it.each(Object.keys(FORGERIES))('%s is doubted', async (name) => {
    const problems = honest(40);
    const log = await logOf(problems.flatMap(all));
    const forged = problems.map(({ outcomes }, index) => {
      const other = problems[(index + 1) % problems.length]!.outcomes[0]!;
      return placed(FORGERIES[name]!(outcomes[0]!, other), index);
    });
    const doubts = await new Evidence(log).doubts(forged);
    expect([...doubts.keys()]).toEqual(forged.map((_, index) => index));
    for (const { detail } of doubts.values()) expect(detail).toMatch(/\w{3}/);
    const byValues = forged.map(({ event, position }) => ({ event, position }));
    expect(await new Evidence(log).doubts(byValues)).toEqual(doubts);
  });

  it.each(Object.keys(FORGED_EXPERIENCES))('that agrees with an experience %s is doubted', async (name) => {
    const problems = honest(20);
    const experiences = problems.map((each) => FORGED_EXPERIENCES[name]!(each.experiences[1]!));
    // The true ones are not there: the forged ones must not replace them.
    const log = await logOf([...problems.map(({ published }) => published), ...experiences]);
    const forged = experiences.map((experience, index) => placed(outcomeOf(experience, true), index));
    expect((await new Evidence(log).doubts(forged)).size).toBe(experiences.length);
  });

  it('of the control arm, one that failed and one that expired count as well', async () => {
    const [{ published }] = honest(1) as [HonestResults];
    const expiring: EventOf<'ProblemPublished'> = { ...published, expiresAt: 5 };
    const { deriveMeta, experienceIdOf, groupIdOf } = await import('@seamstream/events');
    const withheld: EventOf<'ExperienceWithheld'> = {
      type: 'ExperienceWithheld',
      attemptId: null,
      feedbackWithinMs: null,
      meta: deriveMeta(published.meta, { role: 'experience', source: 'seam/generator', occurredAt: 2 }),
      problem: published.problem,
      experienceId: experienceIdOf(published.meta.messageId, 0),
      groupId: groupIdOf(published.meta.messageId),
      share: 0.1,
    };
    const failed: SeamEvent = {
      type: 'ExecutionFailed',
      attemptId: null,
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

describe('of two experiences under one id', () => {
  const run = explored(problemOf(1), { entryOf: (index) => `{"n":${index}}` });
  const other = explored(problemOf(1), { entryOf: (index) => `{"forged":${index}}` });
  const filler = honest(40).slice(2);
  const results = { H: run.outcomes, F: other.outcomes };

  it('the first counts for all that is asked together, in any order, any number of times and after any restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ kind: fc.constantFrom('H', 'F'), at: fc.integer({ min: 0, max: 1 }), ends: fc.boolean() }),
          {
            minLength: 1,
            maxLength: 7,
          },
        ),
        fc.constantFrom('behind', 'before the group’s end', 'long after'),
        fc.integer({ min: -1, max: 6 }),
        async (asked, place, restartBefore) => {
          const [first, ...rest] = run.experiences as [SeamEvent, ...SeamEvent[]];
          const between = place === 'long after' ? filler.flatMap(all) : [];
          const log = await logOf(
            place === 'before the group’s end'
              ? [run.published, first, other.experiences[0]!, ...rest, ...other.experiences.slice(1)]
              : [run.published, first, ...rest, ...between, ...other.experiences],
          );
          let evidence = new Evidence(log);
          let batch: PlacedEvent[] = [];
          const verdicts: string[] = [];
          const judge = async (): Promise<void> => {
            const doubts = await evidence.doubts(batch);
            verdicts.push(...batch.map((_, index) => (doubts.has(index) ? 'F' : 'H')));
            batch = [];
          };
          for (const [index, { kind, at, ends }] of asked.entries()) {
            if (index === restartBefore) {
              await judge();
              evidence = new Evidence(log, evidence.places());
            }
            batch.push(placed(results[kind][at]!, index));
            if (ends) await judge();
          }
          await judge();
          expect(verdicts).toEqual(asked.map(({ kind }) => kind));
        },
      ),
      { numRuns: Number(process.env.SEAM_TEST_ORDERS ?? 300) },
    );
  });
});
