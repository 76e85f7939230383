import { InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta, type SeamEvent, TOPICS } from '@seamstream/events';
import { renderView } from './view/terminal-view.js';
import { WatchLogHandler } from './watch-log.handler.js';

const meta = (messageId: string) =>
  originMeta({ messageId, correlationId: 'c', source: 'seam/test', occurredAt: 5, sourceClass: 'user' });

const problemOf = (problemId: string) => ({
  problemId,
  domain: 'sums',
  prompt: `${problemId}?`,
  reference: '5',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});

const published = (problemId: string): SeamEvent => ({
  type: 'ProblemPublished',
  feedbackWithinMs: null,
  task: null,
  meta: meta(`published-${problemId}`),
  problem: problemOf(problemId),
  mode: 'explore',
  expiresAt: null,
});

/** The result of a group of one without an experience. */
const outcome = (problemId: string, success: boolean): SeamEvent => ({
  type: 'OutcomeRecorded',
  attemptId: null,
  feedbackId: null,
  measurement: null,
  promptTokenIds: [],
  tokenIds: [],
  forced: [],
  baseModelDigest: null,
  verifierVersion: '1',
  verifierDetail: '',
  meta: meta(`outcome-${problemId}`),
  experienceId: `experience-${problemId}`,
  problem: problemOf(problemId),
  groupId: `group-${problemId}`,
  candidateIndex: 0,
  groupSize: 1,
  arm: 'control',
  entry: null,
  adapterDigest: null,
  executor: { model: 'm', revision: 'r', template: 't', decoding: 'greedy' },
  response: '5',
  extractedAnswer: '5',
  success,
  reward: success ? 1 : 0,
  faithful: null,
  promptTokens: 1,
  responseTokens: 1,
  latencyMs: 1,
});

describe('the watch over the log', () => {
  it('shows problems that others published, before it began and while it runs, without a driver of rounds', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await log.append([published('a'), published('b'), outcome('a', true)].map(encodeEvent));
    const watch = new WatchLogHandler(log);
    const stop = new AbortController();
    let chunks = 0;
    const watching = watch.handle(stop.signal, async () => {
      chunks++;
      if (chunks === 1) {
        expect(watch.ledger).toMatchObject({ published: 2, solved: 1, inFlight: 1 });
        await log.append([published('c'), outcome('b', false)].map(encodeEvent));
      }
      if (watch.ledger.published === 3 && watch.ledger.failed === 1) stop.abort();
    });
    await watching;
    const facts = { source: 'data', ledger: watch.ledger, workedSeconds: 1, training: null, activity: null };
    const lines = renderView(watch.progress, facts, 100);
    expect(lines).toContain('  problems 3: 1 solved, 1 failed, 1 in flight');
    expect(lines.find((line) => line.includes('no experience'))).toMatch(/50\.0%.*of 2$/);
    expect(watch.progress.rounds.size).toBe(0);
  });

  it('passes over what is no event', async () => {
    const log = new InMemoryEventLog();
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await log.append([{ ...encodeEvent(published('a')), value: Buffer.from('noise') }, encodeEvent(published('b'))]);
    const watch = new WatchLogHandler(log);
    const stop = new AbortController();
    await watch.handle(stop.signal, () => {
      stop.abort();
      return Promise.resolve();
    });
    expect(watch.ledger).toMatchObject({ published: 1, deadLetterRecords: 0 });
  });
});
