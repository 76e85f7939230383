import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { encodeEvent, TOPICS } from '@seamstream/events';
import { published } from '@seamstream/testing/log-of';
import { type TailRequest, tailTopics } from './tail-topics.js';

let log: EventLog;
beforeEach(async () => {
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS);
  for (const id of ['p1', 'p2', 'p3']) await log.append([encodeEvent(published(id))]);
});

async function told(request: Partial<TailRequest>, stop = new AbortController(), most = Number.POSITIVE_INFINITY) {
  const { topics, records } = await tailTopics(log, { topics: ['problems'], filter: {}, ...request }, stop.signal);
  const ids: string[] = [];
  for await (const decoded of records) {
    ids.push('event' in decoded && 'problem' in decoded.event ? decoded.event.problem.problemId : 'no event');
    if (ids.length === 3 && request.follow === true) await log.append([encodeEvent(published('p4'))]);
    if (ids.length >= most) stop.abort();
  }
  return { topics, ids };
}

describe('A tail', () => {
  it('returns the last records, those from a place on, and those that match a filter', async () => {
    expect(await told({ limit: 2 })).toEqual({ topics: ['seam.problems'], ids: ['p2', 'p3'] });
    expect((await told({ from: { at: 'earliest' }, limit: 2 })).ids).toHaveLength(2);
    expect((await told({ topics: [], filter: { problem: 'p2' } })).ids).toEqual(['p2']);
  });

  it('shows what is no event, unless events are looked for', async () => {
    await log.append([{ topic: 'seam.problems', key: 'p9', value: Buffer.from('poison') }]);
    expect((await told({})).ids).toContain('no event');
    expect((await told({ filter: { grep: 'how many' } })).ids).toHaveLength(3);
  });

  it('continues with new records until it is stopped, which is no error', async () => {
    expect((await told({ follow: true }, new AbortController(), 4)).ids).toEqual(['p1', 'p2', 'p3', 'p4']);
  });

  it('refuses a topic that the log does not have, and a request for nothing', async () => {
    await expect(told({ topics: ['problem'] })).rejects.toThrow('expected one of');
    await expect(told({ topics: [] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
