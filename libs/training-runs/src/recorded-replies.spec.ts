/** What a reply that was paid leaves in the log, where it is too long for a record or cannot be read. */
import type { InMemoryEventLog } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import type { DistillationModel } from '@seamstream/experience-library';
import { ManualClock } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { type DistillationSource, distillationSchema, openDistillation } from '@seamstream/model-clients';
import { openLog } from '@seamstream/testing';
import { chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { RecordedReplies } from './recorded-replies.js';

const QUESTION = { stage: 'advantage', prompt: 'Which advice?', attempt: 1 } as const;
let server: ModelServer;
let log: InMemoryEventLog;
const clients: DistillationSource[] = [];
beforeEach(async () => {
  log = await openLog();
  server = await ModelServer.start(() => ({ kind: 'answer', body: chatCompletion('count twice') }));
});
afterEach(async () => {
  await Promise.all([server.stop(), ...clients.splice(0).map((client) => client.close())]);
});

describe('a reply that no record holds', () => {
  it.each([
    ['of ASCII', 'long '.repeat(200_000)],
    ['of characters that are cut at a half', `x${'😀'.repeat(300_000)}`],
    ['that JSON spells six times as long', '\u0001'.repeat(170_000)],
  ])('is paid once and counts as cut off (%s)', async (_title, long) => {
    server.behave = () => ({ kind: 'answer', body: chatCompletion(long) });
    const first = await (await model()).ask(QUESTION);
    expect(first).toMatchObject({ isWhole: false });
    expect(long.startsWith(first.content!) && first.content!.isWellFormed()).toBe(true);
    expect(await (await model()).ask(QUESTION)).toEqual(first);
    expect(server.seen).toHaveLength(1);
  });

  it('is longer than all that are read: those are kept whole', async () => {
    const longest = '数'.repeat(200_000);
    server.behave = () => ({ kind: 'answer', body: chatCompletion(longest) });
    expect(await (await model()).ask(QUESTION)).toMatchObject({ content: longest, isWhole: true });
  });
});

describe('an answer that was paid and cannot be read', () => {
  it('is recorded: a restart knows what it cost, and the end of a budget names the cause', async () => {
    server.behave = () => ({ kind: 'answer', body: { choices: 'none' } });
    const budget = { tokens: 2_500 };
    const cause = /2 of its answers were paid and could not be read .*another shape.* its budget is spent/;
    await expect((await model({ budget })).ask(QUESTION)).rejects.toMatchObject({
      ...{ code: 'BUDGET_SPENT', message: expect.stringMatching(cause) },
    });
    const paid = await replies();
    expect(paid.map(({ content, isWhole }) => [content, isWhole])).toEqual([null, null].map((none) => [none, false]));
    await expect((await model({ budget })).ask(QUESTION)).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
    expect(server.seen).toHaveLength(2);
  });

  it('answers no question: it is asked again', async () => {
    let told = 0;
    server.behave = () => ({
      kind: 'answer',
      body: told++ === 0 ? { choices: 'none' } : chatCompletion('count twice'),
    });
    const bounded = await model({ budget: { tokens: 4_000 } });
    expect(await bounded.ask(QUESTION)).toMatchObject({ content: 'count twice', isWhole: true });
    expect((await replies()).map(({ content }) => content)).toEqual([null, 'count twice']);
    // What could not be read is spent once, by the client.
    expect(await bounded.ask({ ...QUESTION, attempt: 2 })).toMatchObject({ content: 'count twice' });
    expect(server.seen).toHaveLength(3);
  });
});

describe('a server that reports more tokens than a reply may have', () => {
  it('is believed, and named where the budget ends', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 90_000 };
    server.behave = () => ({ kind: 'answer', body: { ...(chatCompletion('count twice') as object), usage } });
    const bounded = await model({ budget: { tokens: 50_000 } });
    expect(await bounded.ask(QUESTION)).toMatchObject({ content: 'count twice' });
    await expect(bounded.ask({ ...QUESTION, attempt: 2 })).rejects.toMatchObject({
      ...{ code: 'BUDGET_SPENT', message: expect.stringMatching(/1 of its answers report more tokens than they were/) },
    });
    expect(await replies()).toMatchObject([{ responseTokens: 90_000 }]);
  });
});

async function model(settings: Readonly<Record<string, unknown>> = {}): Promise<DistillationModel> {
  const compute = { threads: 1, executionProvider: 'cpu' } as const;
  const client = openDistillation(
    distillationSchema.parse({ url: server.url, model: 'tiny', ...settings }),
    {},
    compute,
  );
  clients.push(client);
  const signal = new AbortController().signal;
  const replying = new RecordedReplies({ log, clock: new ManualClock(5), client });
  return replying.modelOf('run-1', { temperature: 0, maxTokens: 1024 }, { mayAsk: true, signal });
}

async function replies(): Promise<EventOf<'LibraryReplyRecorded'>[]> {
  const all: EventOf<'LibraryReplyRecorded'>[] = [];
  for await (const { events } of readTopics(log, [TOPIC.training], { undecodable: 'throw' }))
    for (const { event } of events) if (event.type === 'LibraryReplyRecorded') all.push(event);
  return all;
}
