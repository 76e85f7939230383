/** What clients of one tenant learn of another: nothing, on any route that the gateway has. */
import { DEFAULT_TENANT, encodeEvent } from '@seamstream/events';
import { derivedId, newId, systemClock } from '@seamstream/kernel';
import { type IssuedKey, issueKey, ROLES, type Role } from '@seamstream/operations/access';
import { declareQuota } from '@seamstream/operations/quotas';
import { eventsOf, type FlakyLog, openLog, until } from '@seamstream/testing';
import { generated } from '@seamstream/testing/log-of';
import { chatCompletion } from '@seamstream/testing/model-server';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { adapterPublished } from '@seamstream/testing/training-log';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import { GatewayServer } from '../http-server.js';
import { isGuarded } from './access.js';
import { ASKED, chat, type Known, MARK, type Request } from './curious-requests.fake.js';
import { AUDIENCE, FakeIssuer } from './issuer.fake.js';

/** What is served, and wrote for no problem. */
const SERVED = 'e'.repeat(64);

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
});
afterEach(() => gateway.stop());

describe('two tenants of one gateway', () => {
  it('learn nothing of each other on any route, in any role, and by any id', async () => {
    const issuer = await FakeIssuer.start();
    await start({
      issuer: { url: issuer.url, audience: AUDIENCE, roles: { staff: 'viewer' } },
      // Its routes are there where people sign in.
      login: { clientId: 'seam', publicUrl: 'http://127.0.0.1:7080' },
    });
    await issuer.stop();
    const globex = await keyOf('globex', 'admin');
    const known = { ...(await workOf(globex)), own: '' };
    await log.append(promotedByRun({ adapterDigest: SERVED }).map((event) => encodeEvent(event)));
    const routes = gateway.service.get(GatewayServer).routes.filter((route) => isGuarded(route.split(' ')[1]));
    // A new route needs its line in the table.
    expect(routes.filter((route) => !route.startsWith('HEAD')).toSorted()).toEqual(Object.keys(ASKED).toSorted());
    // They are there for those who may see them: else this test could not fail.
    for (const reader of [globex, await keyOf(DEFAULT_TENANT, 'operator')])
      for (const [route, { requests }] of Object.entries(ASKED).filter(([, { shows }]) => shows)) {
        const answers = await Promise.all(requests(known).map((request) => ask(reader, route, request, MARK)));
        expect({ route, isShown: answers.some(({ whole }) => whole.includes(MARK)) }).toEqual({ route, isShown: true });
      }
    const kinds = [...ROLES.map((role) => ['acme', role] as const), [DEFAULT_TENANT, 'publisher'] as const];
    const strangers = await Promise.all(
      kinds.map(async ([tenant, role]) => ({
        ...{ tenant, role, key: await keyOf(tenant, role) },
        own: await publishedBy(await keyOf(tenant, 'publisher')),
      })),
    );
    for (const [route, { requests }] of Object.entries(ASKED)) {
      const asking = strangers.flatMap(({ own, ...stranger }) =>
        requests({ ...known, own }).map((request) => ({ ...stranger, request })),
      );
      const learned = asking.map(async ({ tenant, role, key, request }) => {
        const answer = await ask(key, route, request);
        const shown = [...known.secrets, SERVED].filter((each) => answer.learned.includes(each));
        return { tenant, role, route, request, shown };
      });
      expect((await Promise.all(learned)).filter(({ shown }) => shown.length > 0)).toEqual([]);
    }
  }, 120_000);

  it('are answered about an id of the other in the words for an id that is nowhere', async () => {
    await start();
    const { problemId } = await workOf(await keyOf('globex', 'publisher'));
    const acme = await keyOf('acme', 'publisher');
    const nowhere = newId();
    for (const route of ['GET /api/problems/:id', 'GET /api/views/problems/:id', 'POST /v1/feedback']) {
      const [theirs, none] = await Promise.all(
        [problemId, nowhere].map(async (id) => {
          const body = route.startsWith('POST') ? { problemId: id, value: true } : undefined;
          const { status, whole } = await ask(acme, route, { id, body });
          return { status, whole: whole.replaceAll(id, 'ID').replaceAll(/[0-9a-f-]{36}/g, 'DERIVED') };
        }),
      );
      expect({ route, ...theirs }).toEqual({ route, ...none });
    }
    expect((await ask(acme, 'GET /api/problems/:id', { id: problemId })).status).toBe(404);
    // What they say of it is theirs, and no part of the other's story.
    const given = await eventsOf(log, 'FeedbackGiven');
    expect(given.map(({ meta }) => meta.tenant)).toEqual(expect.arrayContaining(['globex', 'acme']));
  });

  it('follow the topics of problems alone, and choose no tenant by what they send', async () => {
    await start();
    const acme = await keyOf('acme', 'admin');
    for (const topic of ['usage', 'buffer', 'training', 'adapters', 'teams', 'dead-letters', 'access'])
      expect((await ask(acme, 'GET /api/events', { query: `topics=${topic}` })).status).toBe(400);
    const headers = { 'x-seam-tenant': 'globex', ce_tenant: 'globex', traceparent: '00-globex' };
    const body = { prompt: 'Why?', metadata: { tenant: 'globex' } };
    await ask(acme, 'POST /api/problems', { body, headers });
    expect(
      (await ask(acme, 'POST /api/problems', { body: { prompt: 'Why?', tenant: 'globex' }, headers })).status,
    ).toBe(400);
    const published = await eventsOf(log, 'ProblemPublished');
    expect(published.map(({ meta }) => meta.tenant)).toEqual(['acme']);
  });

  it('choose the same names, and share neither problem nor conversation', async () => {
    await start();
    const published = await Promise.all(
      ['acme', 'globex'].map(async (tenant) => {
        const key = await keyOf(tenant, 'publisher');
        const headers = { 'idempotency-key': 'order-7' };
        const byName = await ask(key, 'POST /api/problems', { body: { prompt: 'Why?' }, headers });
        const byId = await ask(key, 'POST /api/problems', { body: { prompt: 'Why?', problemId: 'p-1' } });
        await ask(key, 'POST /v1/chat/completions', { body: { ...chat('Why?'), seam: { conversation: 'c-1' } } });
        return [byName, byId].map(({ whole }) => whole);
      }),
    );
    expect(new Set(published.flat()).size).toBe(4);
    const chats = (await eventsOf(log, 'ProblemPublished')).filter(({ assignment }) => assignment);
    expect(new Set(chats.map(({ assignment }) => assignment!.unit)).size).toBe(2);
    expect(new Set(chats.map(({ meta }) => meta.tenant))).toEqual(new Set(['acme', 'globex']));
    const answers = await eventsOf(log, 'AnswerRecorded');
    expect(answers.map(({ meta }) => meta.tenant).toSorted()).toEqual(['acme', 'globex']);
  });

  it('take no id of another by choosing one in the form that the system gives', async () => {
    await start();
    const [acme, other] = [await keyOf('acme', 'publisher'), await keyOf(DEFAULT_TENANT, 'publisher')];
    const publish = async (key: IssuedKey, problemId?: string): Promise<string> => {
      const { whole } = await ask(key, 'POST /api/problems', { body: { prompt: 'Why?', problemId } });
      return (JSON.parse(whole) as { problems: [{ problemId: string }] }).problems[0].problemId;
    };
    const known = derivedId('acme/p-1', 'problem');
    const random = newId();
    const taken = [known, known.toUpperCase(), random];
    for (const id of taken) expect(taken).not.toContain(await publish(other, id));
    expect(await publish(other, 'p-1')).toBe('p-1');
    expect(await publish(acme, 'p-1')).toBe(known);
    expect((await ask(acme, 'GET /api/problems/:id', { id: known })).status).toBe(200);
    expect((await ask(other, 'GET /api/problems/:id', { id: known })).status).toBe(404);
  });

  it('learn of adapters what is in the story of their problem', async () => {
    await start();
    const [key, operator] = [await keyOf('acme', 'publisher'), await keyOf(DEFAULT_TENANT, 'operator')];
    const problemId = await publishedBy(key);
    const wrote = generated(problemId, { adapterDigest: 'a2' });
    const events = [adapterPublished('a1', null, 'r1'), ...promotedByRun({ adapterDigest: 'a2' })];
    await log.append(
      [...events, { ...wrote, meta: { ...wrote.meta, tenant: 'acme' } }].map((each) => encodeEvent(each)),
    );
    const storyFor = async (reader: IssuedKey, route = 'GET /api/views/problems/:id') =>
      JSON.parse((await ask(reader, route, { id: problemId })).whole) as unknown;
    expect(await storyFor(key)).toMatchObject({ versions: { a2: 2 }, againstBase: { served: 'a2' } });
    await log.append(promotedByRun({ adapterDigest: SERVED }).map((event) => encodeEvent(event)));
    expect(await storyFor(key)).toMatchObject({ versions: { a2: 2 }, againstBase: null });
    for (const route of ['GET /api/views/problems/:id', 'GET /api/problems/:id']) {
      expect(JSON.stringify(await storyFor(key, route))).not.toContain(SERVED);
      expect(await storyFor(operator, route)).toMatchObject({ againstBase: { served: SERVED } });
    }
  });

  it('have separate limits: what one has used up is there for the other', async () => {
    await start();
    const [acme, globex] = [await keyOf('acme', 'publisher'), await keyOf('globex', 'publisher')];
    const limit = {
      measure: 'requests',
      per: 'month',
      mode: 'enforced',
      declaredBy: 'ada',
      reason: 'a trial',
    } as const;
    await declareQuota(log, { ...limit, keyId: 'globex/*', limit: 1 }, systemClock);
    const { keyId } = globex;
    await expect(declareQuota(log, { ...limit, keyId: `acme/${keyId}`, limit: 1 }, systemClock)).rejects.toThrow(
      'expected the public part of a key',
    );
    const statusOf = async (key: IssuedKey) =>
      (await ask(key, 'POST /api/problems', { body: { prompt: 'Why?' } })).status;
    await until(async () => (await statusOf(globex)) === 429);
    expect([await statusOf(acme), await statusOf(acme), await statusOf(globex)]).toEqual([202, 202, 429]);
    const reserved = await eventsOf(log, 'UsageReserved');
    expect(new Set(reserved.map(({ meta, keyId: of }) => `${meta.tenant}/${of}`))).toEqual(
      new Set([`globex/${keyId}`]),
    );
  });
});

describe('the first tenant besides the default one', () => {
  it('closes the whole system to viewers of the default one, and what they had opened', async () => {
    await start();
    const [viewer, operator] = [await keyOf(DEFAULT_TENANT, 'viewer'), await keyOf(DEFAULT_TENANT, 'operator')];
    const overview = async (key: IssuedKey) => (await ask(key, 'GET /api/views/overview', {})).status;
    expect([await overview(viewer), await overview(operator)]).toEqual([200, 200]);
    const opened = await Promise.all(
      ['/api/stream', '/api/events'].map((path) =>
        fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${viewer.key}` } }),
      ),
    );
    await keyOf('acme', 'viewer');
    await Promise.all(opened.map((stream) => stream.text()));
    expect([await overview(viewer), await overview(operator)]).toEqual([403, 200]);
    expect((await ask(viewer, 'GET /api/views/problems', {})).status).toBe(200);
  });

  it('lets a stream of the whole system resume with what its client may still follow', async () => {
    await start();
    const viewer = await keyOf(DEFAULT_TENANT, 'viewer');
    const { whole } = await ask(viewer, 'GET /api/events', {}, '\n\n');
    const headers = { 'last-event-id': /^id: (.*)$/m.exec(whole)![1]! };
    expect(headers['last-event-id']).toContain('seam.buffer/');
    const acme = await keyOf('acme', 'viewer');
    await until(async () => (await ask(viewer, 'GET /api/views/overview', {})).status === 403);
    for (const key of [viewer, acme]) {
      const resumed = await ask(key, 'GET /api/events', { headers });
      expect([resumed.status, resumed.whole.includes('seam.buffer/')]).toEqual([200, false]);
    }
    expect((await ask(viewer, 'GET /api/events', { headers, query: 'topics=problems' })).status).toBe(400);
  });

  it('ends a stream of the whole system that was about to begin when it came', async () => {
    await start();
    const viewer = await keyOf(DEFAULT_TENANT, 'viewer');
    const watermarks = log.watermarks.bind(log);
    const [asked, came] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    log.watermarks = async (topic) => {
      asked.resolve(undefined);
      await came.promise;
      return watermarks(topic);
    };
    const headers = { authorization: `Bearer ${viewer.key}` };
    const opened = fetch(`${gateway.url}/api/events`, { headers, signal: AbortSignal.timeout(5_000) });
    await asked.promise;
    await keyOf('acme', 'viewer');
    came.resolve(undefined);
    expect(await (await opened).text()).not.toContain('event: ');
  });
});

async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const behave = () => ({ kind: 'answer' as const, body: chatCompletion('As many as were asked for.') });
  gateway = await startGateway({ log, gateway: { access: 'keys', ...settings }, behave });
}

/** A key that the gateway has read. */
async function keyOf(tenant: string, role: Role): Promise<IssuedKey> {
  const issued = await issueKey(
    log,
    { name: tenant === 'globex' ? MARK : 'n', role, tenant, by: 'ada', expiresAt: null },
    systemClock,
  );
  await until(async () => (await ask(issued, 'GET /api/me', {})).status === 200);
  return issued;
}

/** The id of a problem of its tenant. */
async function publishedBy(key: IssuedKey): Promise<string> {
  const { whole } = await ask(key, 'POST /api/problems', { body: { prompt: 'Why?' } });
  return (JSON.parse(whole) as { problems: [{ problemId: string }] }).problems[0].problemId;
}

/** A tenant publishes, asks and judges, with its mark in each. */
async function workOf(key: IssuedKey): Promise<Omit<Known, 'own'>> {
  const headers = { 'idempotency-key': 'order-1' };
  const { whole } = await ask(key, 'POST /api/problems', { body: { prompt: `What is a ${MARK}?` }, headers });
  const [{ problemId }] = (JSON.parse(whole) as { problems: [{ problemId: string }] }).problems;
  const asked = await ask(key, 'POST /v1/chat/completions', {
    body: { ...chat(`${MARK}?`), seam: { conversation: 'c-1' } },
  });
  const { id: completionId } = JSON.parse(asked.whole) as { id: string };
  const said = { completionId, value: true, comment: `a good ${MARK}` };
  await ask(key, 'POST /v1/feedback', { body: said, headers: { 'idempotency-key': 'said-1' } });
  const answered = completionId.replace('chatcmpl-', '');
  return { problemId, completionId, secrets: [MARK, problemId, answered, key.keyId] };
}

interface Answer {
  readonly status: number;
  readonly whole: string;
  /** Without what the client itself has sent. */
  readonly learned: string;
}

/**
 * @param route `GET /api/problems/:id`
 * @param patientFor what a stream is read to, where it comes; without it a stream is read for a moment
 */
async function ask(
  { key }: IssuedKey,
  route: string,
  { id = '', query, body, headers }: Request,
  patientFor?: string,
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const stop = new AbortController();
  const address = `${path.replace(/:\w+/, id)}${query === undefined ? '' : `?${query}`}`;
  const sent = JSON.stringify(body);
  const response = await fetch(`${gateway.url}${address}`, {
    ...{ method, signal: stop.signal },
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: sent }),
  });
  // A stream has no end: what it has to tell of the past comes at once.
  const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const timer = isEndless ? setTimeout(() => stop.abort(), patientFor === undefined ? 400 : 2_000) : undefined;
  let text = '';
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (isEndless && patientFor !== undefined && text.includes(patientFor)) stop.abort();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  const whole = `${JSON.stringify([...response.headers])}\n${text}`;
  const own = [id, ...Object.values((body ?? {}) as Record<string, unknown>), ...(query ?? '').split('=')];
  const words = own.filter((each) => typeof each === 'string' && each.length > 3) as string[];
  const learned = words.reduce((left, word) => left.replaceAll(word.replace('chatcmpl-', ''), ''), whole);
  return { status: response.status, whole: text === '' ? whole : text, learned };
}
