/** What a session learns, who may use and forget it, and that no other request is the worse for it. */
import { fileURLToPath } from 'node:url';
import { PromptInjection, sessionEnvironment } from '@seamstream/environments';
import { FakeExecutor, TellingExecutor } from '@seamstream/environments/testing';
import { loadPrompts } from '@seamstream/experience';
import { systemClock, withDeadline } from '@seamstream/kernel';
import { issueKey, type Role } from '@seamstream/operations/access';
import { eventsOf, until } from '@seamstream/testing';
import fc from 'fast-check';
import { gatewayConfigSchema } from '../app.module.js';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import type { EmbeddedExecutor } from './open-upstreams.js';

let gateway: GatewayUnderTest;
let isRunning = false;
afterEach(stop);

describe('a session of the shipped model', () => {
  const OF_ADA = ['Ada Frost lives in Kelso.', 'Ada Frost works as a potter.', 'Ada Frost drinks cider.'];
  const OF_HUGO = ['Hugo Lake lives in Corby.', 'Hugo Lake works as a dyer.', 'Hugo Lake drinks whey.'];
  const QUESTIONS = ['Where does Ada Frost live?', 'What does Ada Frost drink?', 'Where does Hugo Lake live?'];

  it('answers by what was said in it and not in another, says so in the log, and as before once it is forgotten', async () => {
    const modelFolder = fileURLToPath(new URL('../../../../models/self-edits/executor', import.meta.url));
    await start({
      hasUpstream: false,
      gateway: {
        ...{ controlShare: 1, checkpoint: { modelFolder, maxTokens: 4 } },
        sessions: { every: 3, steps: 16, learningRate: 0.01 },
      },
    });
    const answers = async (session?: string) =>
      Promise.all(QUESTIONS.map(async (question) => (await say(question, { session })).text));
    const frozen = await answers();
    // Both at once.
    await Promise.all([OF_ADA, OF_HUGO].map((facts, at) => sayAll(facts, at === 0 ? 'ada' : 'hugo')));
    const [ada, hugo] = await Promise.all([learned('ada'), learned('hugo')]);
    expect(ada.adapter.bytes).toBeGreaterThan(10_000);
    const [ofAda, ofHugo, ofNone] = [await answers('ada'), await answers('hugo'), await answers()];
    expect(ofAda.slice(0, 2)).toEqual([' Kelso', ' cider']);
    expect(ofHugo[2]).toBe(' Corby');
    expect(ofNone).toEqual(frozen);
    expect([ofAda[2], ofHugo[0]]).not.toEqual([' Corby', ' Kelso']);

    const recorded = await eventsOf(gateway.log, 'AnswerRecorded');
    const marked = recorded.filter(({ sessionAdapter }) => sessionAdapter !== null);
    expect(new Set(marked.map(({ sessionAdapter }) => sessionAdapter))).toEqual(
      new Set([ada.adapter.digest, hugo.adapter.digest]),
    );
    expect(marked).toHaveLength(6);
    expect(marked.every(({ feedbackUntil, meta }) => feedbackUntil === meta.occurredAt)).toBe(true);
    expect(new Set(recorded.map(({ executor }) => executor.revision)).size).toBe(1);

    expect(await call('DELETE', 'ada')).toMatchObject({ status: 200, body: { id: 'ada', wasKnown: true } });
    expect(await call('DELETE', 'ada')).toMatchObject({ status: 200, body: { wasKnown: false } });
    expect(await call('GET', 'ada')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect(await answers('ada')).toEqual(frozen);
    expect((await say(QUESTIONS[2]!, { session: 'hugo' })).text).toBe(' Corby');
  });
});

describe('a request', () => {
  it('in a session is refused without one, by a malformed name, and with a message that is too long', async () => {
    await start({});
    const off = await say('Hello', { session: 'a' });
    expect(off).toMatchObject({ status: 400, body: { error: { code: 'no_sessions', param: 'seam.session' } } });
    const inOtherWords = await fetch(`${gateway.url}/v1/responses`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', 'x-seam-session': 'a' } },
      body: JSON.stringify({ model: 'seam', input: 'Hello' }),
    });
    expect(await inOtherWords.json()).toMatchObject({ error: { code: 'no_sessions' } });
    expect(gateway.upstream.seen).toEqual([]);
    await stop();
    await startTelling({ mostCharacters: 20 });
    const odd = await say('Hello', { headers: { 'x-seam-session': '../b' } });
    expect(odd).toMatchObject({ status: 400, body: { error: { param: 'seam.session', code: 'invalid_value' } } });
    expect(await call('GET', '%2e%2e%2fb')).toMatchObject({ status: 400, body: { error: { param: 'id' } } });
    expect(await call('DELETE', 'b!')).toMatchObject({ status: 400, body: { error: { param: 'id' } } });
    const long = await say('x'.repeat(21), { session: 'a' });
    expect(long).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(await eventsOf(gateway.log, 'ProblemPublished')).toEqual([]);
  });

  it('is answered while a session learns, by the last adapter, and a training ends with its session', async () => {
    const executor = await startTelling({ every: 1 });
    await say('one', { session: 'a' });
    await learned('a');
    executor.until = new Promise(() => undefined);
    expect((await say('two', { session: 'a' })).text).toBe('["one"]');
    await until(() => executor.trained.length === 2);
    const during = await Promise.all([say('three', { session: 'a' }), say('four', { session: 'b' }), say('five', {})]);
    expect(during.map(({ text }) => text)).toEqual(['["one"]', 'frozen', 'frozen']);
    expect((await call('GET', 'a')).body).toMatchObject({ messages: 3, updates: 1, isLearning: true });
    executor.until = Promise.resolve();
    await call('DELETE', 'a');
    await learned('b');
    expect((await say('six', { session: 'b' })).text).toBe('["four"]');
    expect((await say('seven', { session: 'a' })).text).toBe('frozen');
    const metrics = await metricsText();
    expect(metrics).toContain('seam_sessions 2\n');
    expect(metrics).toContain('seam_sessions_forgotten_total{why="request"} 1\n');
    expect(metrics).toContain('seam_session_trainings_total{result="forgotten"} 2\n');
  });

  it('leaves a training behind it whose step does not end, and the gateway closes in its time all the same', async () => {
    const executor = await startTelling({ every: 1 }, { shutdownGraceMs: 50 });
    Object.assign(executor, { hearsAborts: false, waits: true });
    await say('one', { session: 'a' });
    await until(() => executor.atOnce === 1);
    const stopping = stop();
    await withDeadline(3_000, stopping).finally(() => executor.finishOne());
    await stopping;
  });

  it('that is not answered begins no session, and many sessions of a client leave those of another one', async () => {
    await startTelling({ every: 1, mostSessions: 2 }, { access: 'keys' });
    const [own, other] = [await keyOf('acme/one'), await keyOf('globex/one')];
    await say('one', { session: 'a', key: own });
    const { adapter } = await learned('a', own);
    for (const session of ['x', 'y', 'z']) {
      const refused = await say('Hello', { session, key: other, tools: [{ type: 'function' }] });
      expect(refused).toMatchObject({ status: 400, body: { error: { param: 'tools' } } });
      expect(await call('GET', session, other)).toMatchObject({ status: 404 });
    }
    expect(await metricsText()).toContain('seam_sessions 1\n');
    for (const session of ['x', 'y', 'z']) await say('Hello', { session, key: other });
    expect((await call('GET', 'a', own)).body).toMatchObject({ adapter });
    expect(await call('GET', 'y', other)).toMatchObject({ status: 404 });
  });

  it('in a session of a client is never in one of another, in whichever order they speak, ask and forget', async () => {
    await startTelling({ every: 1, mostSessions: 3 }, { access: 'keys' });
    const keys = new Map(await Promise.all(CLIENTS.map(async (name) => [name, await keyOf(name)] as const)));
    const viewer = await keyOf('acme/viewer', 'viewer');
    expect(await call('DELETE', 'a', viewer)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    let run = 0;
    // A second account, of all runs: what was said in each session since it began, those used last behind the others.
    const known = new Map<string, string[]>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
        run++;
        for (const [n, { client, act, ...named }] of steps.entries()) {
          const name = `${named.name}${run}`;
          const [own, key] = [`${client}/${name}`, keys.get(client)!];
          const told = known.get(own);
          if (act === 'forget') {
            expect((await call('DELETE', name, key)).body).toMatchObject({ wasKnown: told !== undefined });
            known.delete(own);
          } else if (act === 'look') {
            const { status, body } = await call('GET', name, key);
            expect([status, body.messages]).toEqual(told === undefined ? [404, undefined] : [200, told.length]);
          } else {
            const { text } = await say(`${own} ${n}`, { session: name, key });
            expect(text).toBe(told === undefined ? 'frozen' : JSON.stringify(told));
            known.delete(own);
            known.set(own, [...(told ?? []), `${own} ${n}`]);
            if (known.size > 3) known.delete(leaving([...known.keys()], client));
            await learned(name, key);
          }
        }
      }),
      { numRuns: 10 },
    );
  });
});

it.each([
  [{ sessions: { every: 1 } }, 'whose weights are not at hand'],
  [{ checkpoint: { modelFolder: 'm' } }, 'expected none, since a server answers'],
])('a gateway before a server refuses the settings %j', (settings, message) => {
  const upstream = { url: 'http://127.0.0.1:1/v1', model: 'm' };
  expect(gatewayConfigSchema.safeParse({ gateway: { upstream, ...settings } }).error?.message).toContain(message);
});

it('a gateway whose executor cannot be trained refuses to have sessions', async () => {
  const environment = new PromptInjection(new FakeExecutor(() => ''), await loadPrompts());
  const starting = (sessions: EmbeddedExecutor['sessions']) =>
    startGateway({ embedded: { environment, sessions }, gateway: { sessions: { every: 1 } } });
  await expect(starting(undefined)).rejects.toThrow('Set SEAM_EXECUTOR_ENVIRONMENT to prompt-injection');
  const executor = new FakeExecutor(() => '');
  await expect(starting({ executor, environmentOf: () => environment })).rejects.toThrow(
    'whose weights can be trained',
  );
});

const CLIENTS = ['acme/one', 'acme/two', 'globex/one'];
const step = fc.record({
  client: fc.constantFrom(...CLIENTS),
  name: fc.constantFrom('a', 'b'),
  act: fc.constantFrom('say' as const, 'say' as const, 'look' as const, 'forget' as const),
});

async function start(setting: Parameters<typeof startGateway>[0]): Promise<void> {
  gateway = await startGateway(setting);
  isRunning = true;
}

async function stop(): Promise<void> {
  if (isRunning) await gateway.stop();
  isRunning = false;
}

async function startTelling(
  sessions: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<TellingExecutor> {
  const [executor, prompts] = [new TellingExecutor(), await loadPrompts()];
  await start({
    embedded: {
      environment: new PromptInjection(executor, prompts),
      sessions: { executor, environmentOf: sessionEnvironment(executor, prompts) },
    },
    gateway: { controlShare: 1, sessions: { every: 1, ...sessions }, ...settings },
  });
  return executor;
}

/** Of one too many, those used last behind the others: the first of the client that has most, of equals who spoke. */
function leaving(own: readonly string[], speaker: string): string {
  const clientOf = (each: string): string => each.slice(0, each.lastIndexOf('/'));
  const before = own.slice(0, -1);
  const count = (client: string): number => own.filter((each) => clientOf(each) === client).length;
  const most = Math.max(...before.map((each) => count(clientOf(each))));
  const those = before.filter((each) => count(clientOf(each)) === most);
  return those.find((each) => clientOf(each) === speaker) ?? those[0]!;
}

interface Saying {
  readonly tools?: readonly unknown[];
  readonly session?: string | undefined;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function say(content: string, { session, key = 'none', headers = {}, tools }: Saying) {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model: 'seam', messages: [{ role: 'user', content }], tools, seam: { session } }),
  });
  const body = (await answer.json()) as { choices?: [{ message: { content: string } }] };
  return { status: answer.status, body, text: body.choices?.[0].message.content };
}

async function sayAll(contents: readonly string[], session: string): Promise<void> {
  for (const content of contents) await say(content, { session });
}

async function call(method: 'GET' | 'DELETE', name: string, key = 'none') {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${gateway.url}/v1/sessions/${name}`, { method, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Once the session has learned what was said in it. */
async function learned(name: string, key?: string) {
  let body: Record<string, unknown> = {};
  await until(async () => {
    ({ body } = await call('GET', name, key));
    return body.isLearning === false && body.adapter !== null;
  });
  return body as { readonly adapter: { readonly digest: string; readonly bytes: number } };
}

async function keyOf(name: string, role: Role = 'publisher'): Promise<string> {
  const [tenant] = name.split('/');
  const facts = { name, role, tenant: tenant!, by: 'ada', expiresAt: null };
  const { key } = await issueKey(gateway.log, facts, systemClock);
  await until(async () => (await call('GET', 'none', key)).status === 404);
  return key;
}

const metricsText = (): Promise<string> => gateway.service.metrics.registry.metrics();
