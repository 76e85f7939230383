/** The whole way of an attempt by tools: a service, a model's endpoint, a real MCP server in a process, and a site that it navigates. */
import { InMemoryEventLog } from '@seamstream/event-log';
import { decodeEvent, type EventOf, encodeEvent, type SeamEvent, TOPIC, TOPICS } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { loadConfig, type RunningService, startService } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { eventually } from '@seamstream/testing/eventually';
import { type Behaviour, chatCompletion, ModelServer, toolCalls } from '@seamstream/testing/model-server';
import { startSite, toolServerProgram } from '@seamstream/testing/tool-server';
import { executorConfigSchema, executorService } from './app.module.js';

const PAGES = {
  '/': '<p>Symposium</p><a href="/venue">Venue</a>',
  '/venue': '<p>It is held in Vienna.</p>',
};

let model: ModelServer;
let site: Awaited<ReturnType<typeof startSite>>;
let log: InMemoryEventLog;
let service: RunningService | undefined;

beforeEach(async () => {
  model = await ModelServer.start(() => ({ kind: 'hang' }));
  site = await startSite(PAGES);
  log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name }) => ({ name, partitions: 1 })));
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  await model.stop();
  await site.stop();
});

describe('an executor that acts by tools', () => {
  it('finds its answer by a link of a page, and the outcome holds what it did', async () => {
    // The second address is in what the first page said: without the tool's answer there is none.
    model.behave = modelThat((told) => {
      const link = /Venue: (\S+)/.exec(told)?.[1];
      if (told.includes('held in')) return chatCompletion(`Answer: ${/held in (\w+)/.exec(told)![1]}`);
      return toolCalls([['visit', { url: link ?? site.url }]]);
    });
    await serve();
    const [outcome] = await resultsOf('venue');
    expect(outcome).toMatchObject({
      type: 'OutcomeRecorded',
      success: true,
      response: 'Answer: Vienna',
      promptTokens: 27,
      toolCalls: [
        { turn: 1, tool: 'visit', arguments: `{"url":"${site.url}"}`, outcome: 'answered' },
        { turn: 2, tool: 'visit', arguments: `{"url":"${site.url}venue"}`, result: expect.stringContaining('Vienna') },
      ],
      executor: { decoding: expect.stringMatching(/"tools":\{"digest":"[0-9a-f]{64}".*"names":\["visit"\]/) },
    });
    expect(site.seen).toEqual(['/', '/venue']);
    const offered = model.seen.find(({ body }) => body?.tools !== undefined)!.body!.tools;
    expect(offered).toMatchObject([{ type: 'function', function: { name: 'visit' } }]);
  });

  it('has failed by its own fault with a tool that it is not allowed, and by a loop without end', async () => {
    model.behave = modelThat((_, asked) =>
      asked.includes('wrong') ? toolCalls([['environment', {}]]) : toolCalls([['visit', { url: `${site.url}venue` }]]),
    );
    await serve();
    const [wrong, loop] = await resultsOf('wrong', 'loop');
    expect(wrong).toMatchObject({ type: 'OutcomeRecorded', success: false, reward: 0, toolCalls: [] });
    expect((wrong as EventOf<'OutcomeRecorded'>).verifierDetail).toMatch(
      /called environment wrongly: there is no tool/,
    );
    expect(loop).toMatchObject({ success: false, verifierDetail: 'it called a tool in its last turn, the 4th' });
    expect((loop as EventOf<'OutcomeRecorded'>).toolCalls).toHaveLength(3);
  });

  it('whose server fails has no result: the failure is recorded, and no zero', async () => {
    model.behave = modelThat((told, asked) =>
      asked.includes('crash') ? toolCalls([['crash', {}]]) : chatCompletion(`Answer: ${told === '' ? 'Vienna' : ''}`),
    );
    await serve({ tools: ['visit', 'crash'] });
    const results = await resultsOf('crash', 'other');
    expect(results).toMatchObject([
      {
        type: 'ExecutionFailed',
        code: 'ENDPOINT_FAILED',
        reason: expect.stringMatching(/call tool crash of tool server/),
      },
      { type: 'OutcomeRecorded', success: true },
    ]);
  });

  it('is not there unless it is asked for: tools of another driver, and the driver without tools, are refused', () => {
    const servers = JSON.stringify({ site: { command: 'node', tools: ['visit'] } });
    expect(() => settings({ SEAM_EXECUTOR_DRIVER: 'endpoint', SEAM_EXECUTOR_TOOLS_SERVERS: servers })).toThrow(
      /expected tools, since tools.servers is given/,
    );
    expect(() => settings({ SEAM_EXECUTOR_DRIVER: 'tools' })).toThrow(/at least one server/);
    const body = JSON.stringify({ tools: [] });
    expect(() => settings({ SEAM_EXECUTOR_DRIVER: 'endpoint', SEAM_EXECUTOR_ENDPOINT_EXTRA_BODY: body })).toThrow(
      /expected none of/,
    );
  });
});

/** Its answers follow from the last result of a tool, and from the question. */
function modelThat(
  answer: (told: string, asked: string) => unknown,
): (request: ModelServer['seen'][number]) => Behaviour {
  return ({ method, body }) => {
    if (method === 'GET') return { kind: 'answer', status: 404, body: '' };
    const messages = body!.messages as { role: string; content: string }[];
    const asked = messages[0]!.content;
    const last = messages.at(-1)!;
    const told = last.role === 'tool' ? last.content : '';
    return { kind: 'answer', body: asked === 'Hello' ? chatCompletion('Hi') : answer(told, asked) };
  };
}

function settings(changes: Readonly<Record<string, string>>) {
  return loadConfig(executorConfigSchema, {
    SEAM_LOGGING_LEVEL: 'silent',
    SEAM_CONSUMING_MAX_ATTEMPTS: '2',
    SEAM_CONSUMING_FIRST_RETRY_MS: '1',
    SEAM_CONSUMING_MAX_RETRY_MS: '20',
    SEAM_EXECUTOR_ENDPOINT_URL: model.url,
    SEAM_EXECUTOR_ENDPOINT_MODEL: 'tiny',
    SEAM_EXECUTOR_TOOLS_MAX_TURNS: '4',
    ...changes,
  });
}

async function serve({ tools = ['visit'] } = {}): Promise<void> {
  const servers = { site: { ...toolServerProgram(), tools, hosts: [site.host] } };
  service = await startService(executorService(), {
    config: settings({ SEAM_EXECUTOR_DRIVER: 'tools', SEAM_EXECUTOR_TOOLS_SERVERS: JSON.stringify(servers) }),
    drivers: { log, objects: new InMemoryObjectStore() },
    serveHttp: false,
  });
  service.ended.catch(() => undefined);
}

/** What becomes of problems with these names, in their order. */
async function resultsOf(...names: readonly string[]): Promise<readonly SeamEvent[]> {
  const example = EXAMPLE_EVENTS.ExperienceWithheld;
  await log.append(
    names.map((name) =>
      encodeEvent({
        ...example,
        meta: { ...example.meta, messageId: derivedId(name, 'experience'), correlationId: name },
        problem: {
          ...example.problem,
          ...{ problemId: name, prompt: `Where is ${name}?`, reference: 'Vienna' },
          verifier: { kind: 'exact', version: '1', options: {} },
        },
        ...{ experienceId: `x-${name}`, groupId: `g-${name}` },
      }),
    ),
  );
  let events: SeamEvent[] = [];
  await eventually(async () => {
    events = [];
    for await (const chunk of log.read({ topic: TOPIC.outcomes, partition: 0, from: 0 }))
      events.push(...chunk.map(decodeEvent));
    expect(events).toHaveLength(names.length);
  });
  return names.map((name) => events.find((event) => event.meta.correlationId === name)!);
}
