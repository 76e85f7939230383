/** What a client with access to a topic of the log can do to the costs that are summed from it. */
import { conversationTemplate, type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { type FlakyLog, openLog } from '@seamstream/testing';
import { answerTo, attempted, endOf } from '@seamstream/testing/log-of';
import { readCounts } from '../read-models/index.js';
import { costReport } from './cost-report.js';

type Entry = EventOf<'ExperienceGenerated'>;
type Answer = EventOf<'AnswerRecorded'>;

let log: FlakyLog;
beforeEach(async () => {
  log = await openLog();
});

describe('The costs of a log', () => {
  it.each<[string, (of: { readonly entry: Entry; readonly answer: Answer }) => SeamEvent]>([
    ['answer without an entry', ({ answer }) => dear({ ...answer, experienceId: 'x' })],
    ['answer under a free id', ({ answer }) => dear({ ...answer, meta: { ...answer.meta, messageId: 'm' } })],
    ['answer of another cause', ({ answer }) => dear({ ...answer, meta: { ...answer.meta, causationId: 'm' } })],
    ['answer of another client', ({ answer }) => dear({ ...answer, meta: { ...answer.meta, subject: 'bob' } })],
    ['answer of another arm', ({ answer }) => dear({ ...answer, arm: 'control' })],
    ['answer of another adapter', ({ answer }) => dear({ ...answer, adapterDigest: 'a' })],
    ['answer to another domain', ({ answer }) => dear({ ...answer, problem: { ...answer.problem, domain: 'd' } })],
    ['entry of another arm', ({ entry }) => ({ ...entry, arm: 'explore' })],
    ['entry without a place', ({ entry }) => ({ ...entry, candidateIndex: 1 })],
    ['entry of another group', ({ entry }) => ({ ...entry, groupId: 'g' })],
    ['entry under a free id', ({ entry }) => ({ ...entry, experienceId: 'x' })],
    ['entry for another domain', ({ entry }) => ({ ...entry, problem: { ...entry.problem, domain: 'd' } })],
  ])('count no %s in the place of the true one, and say that it is there', async (_, forge) => {
    const { published, entry, answer } = worked();
    await append(published, forge({ entry, answer }), entry, answer);
    const { rows, unfounded, extra } = await report();
    expect(rows).toMatchObject([{ name: 'deploy', attempts: 1, promptTokens: answer.promptTokens }]);
    expect(extra!.rows.map(({ problems }) => problems)).toEqual([1]);
    expect(unfounded).toBe(1);
  });

  it('count the answer of a gateway whose entry never came, in the arm that was drawn', async () => {
    const { published, answer } = worked();
    const assignment = { experiment: 'e', unit: 'u', controlShare: 0 };
    const own = inConversation(answer);
    await append(
      { ...published, assignment, answeredBy: 'seam/gateway' },
      ...[answer, { ...own, arm: 'control' as const }, { ...own, groupId: 'g' }, { ...own, adapterDigest: 'a' }],
      own,
    );
    const [, judged] = endOf(own);
    await append(judged);
    expect(await report()).toMatchObject({ rows: [{ name: 'deploy', attempts: 1 }], unfounded: 4 });
  });

  it('count the result by feedback of a gateway’s answer that is no more, and no other without an entry', async () => {
    const { published, answer } = worked();
    const own = inConversation(answer);
    const { groupId, candidateIndex, groupSize, arm, adapterDigest, executor } = own;
    const judged = { ...endOf(own)[1], groupId, candidateIndex, groupSize, arm, adapterDigest, executor };
    await append({ ...published, answeredBy: 'seam/gateway' }, { ...judged, feedbackId: null }, judged);
    expect(await report()).toMatchObject({ rows: [{ name: 'deploy', attempts: 1 }], unfounded: 1 });
  });

  it('count the answer of a gateway before its entry came, after a publication that is no more', async () => {
    const { published, entry, answer } = worked();
    await append(published, { ...entry, adapterDigest: 'a' }, dear(answer), inConversation(answer));
    expect(await report()).toMatchObject({ rows: [], unfounded: 2 });
    deleteAll([TOPIC.problems]);
    const rows = [{ name: 'deploy', attempts: 1, promptTokens: answer.promptTokens }];
    expect(await report()).toMatchObject({ rows, unfounded: 1 });
  });

  it('count an entry that is recorded again once, and do not call it unfounded', async () => {
    const [published, entry, outcome] = attempted('p', true);
    await append(published!, entry!, outcome!);
    const once = await report();
    await append(entry!);
    expect(await report()).toEqual(once);
    expect([once.unfounded, once.extra!.besides.exploration.items]).toEqual([0, 2]);
  });

  it('count what is about records that the log holds no more', async () => {
    const { published, entry, answer } = worked();
    const older = attempted('p', true, { arm: 'control' })[2]!;
    await append(published, entry, older, answer);
    expect(await report()).toMatchObject({ rows: [{ name: 'deploy' }], unfounded: 1 });
    deleteAll([TOPIC.problems, TOPIC.experiences]);
    expect(await report()).toMatchObject({ rows: [{ name: 'deploy' }, { name: 'control' }], unfounded: 0 });
  });
});

/** A problem that was deployed, its entry and the answer of an executor. */
function worked(): { published: EventOf<'ProblemPublished'>; entry: Entry; answer: Answer } {
  const [published, entry] = attempted('p', true, { arm: 'deploy' });
  const answer = answerTo([published!, entry!]);
  return { published: published as EventOf<'ProblemPublished'>, entry: entry as Entry, answer };
}

/** As a gateway records it. */
const inConversation = (answer: Answer): Answer => ({
  ...answer,
  executor: { ...answer.executor, template: conversationTemplate('d') },
});

/** What a forger would have counted. */
const dear = (answer: Answer): Answer => ({ ...answer, promptTokens: 1_000_000 });

function deleteAll(topics: readonly string[]): void {
  const watermarks = log.watermarks.bind(log);
  log.watermarks = async (topic) =>
    (await watermarks(topic)).map((each) => (topics.includes(topic) ? { ...each, low: each.high } : each));
}

const append = (...events: readonly SeamEvent[]) => log.append(events.map(encodeEvent));
const OPTIONS = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
const report = () =>
  costReport(
    { log, lift: async () => (await readCounts({ log, snapshots: null }, OPTIONS)).answer },
    { by: 'arm', sinceMs: 0 },
    OPTIONS,
  );
