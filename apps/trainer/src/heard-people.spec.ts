/** Runs that hear what people say of answers: where a plan says that it stands, who counts, and that a replay hears the same. */

import { readFile } from 'node:fs/promises';
import { InMemoryEventLog, type LogRecord, type ReadOptions } from '@seamstream/event-log';
import { type EventOf, experienceIdOf, originMeta, TOPIC } from '@seamstream/events';
import { derivedId, systemClock } from '@seamstream/kernel';
import { issueKey, revokeKey, userIdOf } from '@seamstream/operations/access';
import { wantedAcls } from '@seamstream/operations/cluster';
import { eventsOf, newWorld, openLog, type World } from '@seamstream/testing';
import { runConfigurationOf } from '@seamstream/training-runs';
import { closeServices, consumed, encodeAll, onDemandOf, publish, serve } from './trainer-world.fake.js';

afterEach(closeServices);

const { signal } = new AbortController();
const HEARING = { minExamples: 1, feedback: { weight: 0.5, people: 2 } };
const request = { algorithm: 'rest-em', settings: HEARING };

describe('a run that hears people', () => {
  it('learns otherwise, and comes out the same again however much is said after it', async () => {
    const world = newWorld();
    await publish(world, 0, 6, { solved: 2 });
    const people = await keysOf(world, 3);
    await say(world, people, { attempt: firstSolved(0), score: 0 });
    await (await onDemandOf(world)).handle(request, signal);
    const [heard] = await eventsOf(world, 'AdapterPublished');
    expect(heard!.metrics).toMatchObject({
      ...{ feedbackAttempts: 1, feedbackPeople: 3, feedbackDecided: 1, meanReward: 0.5 },
      feedbackReward: expect.closeTo(0.5 - 0.5 / 24),
    });
    for (let index = 0; index < 6; index++)
      await say(world, people, { attempt: firstSolved(index), score: index === 0 ? 1 : 0 });
    expect(await (await onDemandOf(world)).verify(heard!.adapterDigest, signal)).toMatchObject({ matches: true });

    // The same results in a log in which no person said anything.
    const silent = newWorld();
    await publish(silent, 0, 6, { solved: 2 });
    await (await onDemandOf(silent)).handle(request, signal);
    const [unheard] = await eventsOf(silent, 'AdapterPublished');
    expect(unheard!.metrics).toMatchObject({ feedbackAttempts: 0, feedbackDecided: 0, feedbackReward: 0.5 });
    expect(unheard!.adapterDigest).not.toBe(heard!.adapterDigest);
  });

  it('counts keys that may judge and users, and neither who has no key nor what a revoked one said', async () => {
    const world = newWorld();
    await publish(world, 0, 2, { solved: 2 });
    const log = await openLog(world);
    const [revoked, good] = await keysOf(world, 2);
    await revokeKey(log, revoked!, { by: 'ada', reason: 'lost' }, systemClock);
    const viewer = await keyOf(world, 'viewer');
    const elsewhere = await keyOf(world, 'publisher', 'acme');
    const unknown = ['k-unknown', 'user-short', null];
    const user = userIdOf('https://issuer', 'ada');
    await say(world, [good!, revoked!, viewer, elsewhere, ...unknown, user], { attempt: firstSolved(0), score: 0 });
    await (await onDemandOf(world)).handle(request, signal);
    expect((await eventsOf(world, 'AdapterPublished'))[0]!.metrics).toMatchObject({ feedbackPeople: 2 });
    const { feedback } = await plannedIn(world);
    expect(feedback).toMatchObject({ ranges: [{ from: 0, to: 8 }], keys: [`default/${good}`] });
  });

  it('names no feedback on problems that it does not learn from', async () => {
    const world = newWorld();
    await publish(world, 0, 2, { solved: 2 });
    const [key] = await keysOf(world, 1);
    await say(world, [key!], { attempt: firstSolved(7), score: 1 });
    await (await onDemandOf(world)).handle(request, signal);
    expect(await plannedIn(world)).toMatchObject({ feedback: { ranges: [] } });
  });

  it('has a plan as before where it is not to hear them, regardless of what the log holds', async () => {
    const world = newWorld();
    await publish(world, 0, 2, { solved: 2 });
    await say(world, await keysOf(world, 3), { attempt: firstSolved(0), score: 0 });
    await (await onDemandOf(world)).handle({ algorithm: 'rest-em', settings: { minExamples: 1 } }, signal);
    expect(await plannedIn(world)).not.toHaveProperty('feedback');
    expect(JSON.stringify((await eventsOf(world, 'AdapterPublished'))[0]!.metrics)).not.toContain('feedback');
  });

  it('is searched for with what the settings want to hear: trials of another feedback are others', async () => {
    const world = newWorld();
    await publish(world, 0, 6, { solved: 2 });
    const people = await keysOf(world, 3);
    const basisOf = async (settings: object) =>
      (await (await onDemandOf(world)).trials({ algorithm: 'rest-em', settings: { ...settings } }, signal)).basis;
    const [deaf, silent] = [await basisOf({}), await basisOf(HEARING)];
    await say(world, people, { attempt: firstSolved(0), score: 0 });
    expect(await basisOf({})).toBe(deaf);
    expect(new Set([deaf, silent, await basisOf(HEARING)]).size).toBe(3);
    const trials = await (await onDemandOf(world)).trials(request, signal);
    const trial = await trials.measure({ ...HEARING });
    expect(trial.metrics).toMatchObject({ feedbackPeople: 3, feedbackDecided: 1 });
  });

  it('is planned window after window, each with what was said until then', async () => {
    const world = newWorld();
    const people = await keysOf(world, 2);
    await serve(world, { config: { algorithm: 'rest-em', algorithms: { 'rest-em': HEARING } } });
    for (let round = 1; round <= 3; round++) {
      // Of an answer before it is there: it is heard with the window that the answer is in.
      await say(world, people, { attempt: firstSolved(6 * (round - 1)), score: 1 });
      const adapterDigest = (await eventsOf(world, 'AdapterPromoted')).at(-1)?.adapterDigest ?? null;
      await publish(world, 6 * (round - 1), 6 * round, { adapterDigest });
      await consumed(world);
    }
    const heard = (await eventsOf(world, 'TrainingRunPlanned')).map((run) => runConfigurationOf(run).feedback?.ranges);
    expect(heard.map((ranges) => ranges!.reduce((sum, { from, to }) => sum + to - from, 0))).toEqual([2, 2, 2]);
  });

  it('reads no topic that the shipped rights keep from its principal', async () => {
    const world = newWorld();
    await openLog(world);
    const log = new NotingLog({ storage: world.storage });
    const config = { algorithm: 'rest-em', algorithms: { 'rest-em': HEARING } };
    await serve(world, { log, config });
    await say(world, await keysOf(world, 1), { attempt: firstSolved(0), score: 1 });
    await publish(world, 0, 6, {});
    await consumed(world);
    expect((await plannedIn(world)).feedback).toMatchObject({ ranges: [{ from: 0, to: 1 }] });
    const rights = await wantedAcls({ readInput: (path) => readFile(path) });
    const mayRead = rights
      .filter(({ principal, operation }) => principal === 'User:seam-trainer' && operation === 'read')
      .map(({ name }) => name);
    expect([...log.opened]).toEqual(expect.arrayContaining([TOPIC.feedback, TOPIC.access]));
    expect([...log.opened].filter((topic) => !mayRead.includes(topic))).toEqual([]);
  });
});

/** Knows which topics were read from it. */
class NotingLog extends InMemoryEventLog {
  readonly opened = new Set<string>();

  override read(options: ReadOptions): AsyncIterable<readonly LogRecord[]> {
    this.opened.add(options.topic);
    return super.read(options);
  }
}

/** Of a problem the first of two entries that are right, as `explored` makes them. */
const firstSolved = (index: number) => {
  const problemId = `p-${index}`;
  return { problemId, attemptId: experienceIdOf(derivedId(problemId, 'group'), index % 4) };
};

async function say(
  world: World,
  people: readonly (string | null)[],
  { attempt, score }: { readonly attempt: ReturnType<typeof firstSolved>; readonly score: number },
): Promise<void> {
  const words = people.map((subject, index): EventOf<'FeedbackGiven'> => {
    const occurredAt = systemClock.now();
    const messageId = derivedId(`${subject} ${occurredAt} ${index}`, 'feedback');
    const origin = { messageId, correlationId: attempt.problemId, source: 'seam/gateway', occurredAt };
    const meta = originMeta({ ...origin, sourceClass: 'user', subject });
    return { type: 'FeedbackGiven', meta, ...attempt, score, by: 'ada', reason: '' };
  });
  await (await openLog(world)).append(encodeAll(words));
}

const keysOf = (world: World, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => keyOf(world, 'publisher')));

async function keyOf(world: World, role: 'viewer' | 'publisher', tenant?: string): Promise<string> {
  const asked = { name: 'a person', role, by: 'ada', expiresAt: null, ...(tenant === undefined ? {} : { tenant }) };
  return (await issueKey(await openLog(world), asked, systemClock)).keyId;
}

async function plannedIn(world: World): Promise<ReturnType<typeof runConfigurationOf>> {
  return runConfigurationOf((await eventsOf(world, 'TrainingRunPlanned'))[0]!);
}
