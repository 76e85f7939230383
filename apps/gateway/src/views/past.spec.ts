/** Pages as of a moment are what they were then, for those who see the whole system. */
import { DEFAULT_TENANT, encodeEvent, TOPIC } from '@seamstream/events';
import { jsonText, systemClock } from '@seamstream/kernel';
import { issueKey, type Role } from '@seamstream/operations/access';
import { type FlakyLog, openLog, until } from '@seamstream/testing';
import { generated, published, recorded } from '@seamstream/testing/log-of';
import { guardedProblems } from '@seamstream/testing/release-log';
import { EXAMPLE_LINEAGE, runStarted } from '@seamstream/testing/training-log';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import type { LiveChange } from './live-views.js';
import { MOST_ASKED } from './reading-turns.js';

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
  gateway = await startGateway({ log, gateway: { access: 'keys' } });
});
afterEach(() => gateway.stop());

describe('Pages as of a moment', () => {
  it('the first is what it was then, although more came since', async () => {
    const key = await keyOf(DEFAULT_TENANT, 'viewer');
    await work('sums', 1_000);
    const then = await overviewOf(key, '');
    await work('words', 2_000);
    const past = await overviewOf(key, `?asOf=${new Date(1_500).toISOString()}`);
    for (const part of ['lift', 'promotions', 'measured', 'served', 'runs'] as const)
      expect([part, past.overview[part]]).toEqual([part, then.overview[part]]);
    const { published, solved } = then.overview.status.ledger;
    expect([past.at, past.overview.status.ledger]).toMatchObject([1_500, { published, solved }]);
    const now = await overviewOf(key, `?asOf=${new Date(2_000).toISOString()}`);
    const domainsOf = ({ overview }: LiveChange) => overview.lift.modes[0]!.domains.map(({ domain }) => domain);
    expect([past, now].map(domainsOf)).toEqual([['sums'], ['sums', 'words']]);
    expect((await overviewOf(key, `?asOf=${new Date(0).toISOString()}`)).overview.status.ledger.published).toBe(0);
  });

  it('each is what it was then, also as of a record', async () => {
    const key = await keyOf(DEFAULT_TENANT, 'operator');
    await work('sums', 1_000);
    await log.append(RUN.map((event) => ({ ...encodeEvent(event), timestampMs: 1_000 })));
    const views = ['problems', 'adapters', 'adapters/use', 'runs', 'buffer', 'releases', 'facts', 'success', 'prices'];
    const told = (query: string) =>
      Promise.all([...views, 'cost?by=domain'].map(async (view) => [view, withoutNow(await viewOf(key, view, query))]));
    const time = `asOf=${new Date(1_500).toISOString()}`;
    const then = await told(time);
    expect(then[0]).toMatchObject(['problems', { all: 26, domains: ['sums'] }]);
    // 22 of the 26 problems have an entry of the log of then. The gateway's generator writes for all of them later.
    expect(then[2]).toMatchObject(['adapters/use', { uses: [{ experiences: 22 }] }]);
    await work('words', 2_000);
    for (const moment of [time, `asOf=${await lastPlaceOf(1_000)}`]) expect(await told(moment)).toEqual(then);
    const now = await told('');
    const changed = then.flatMap(([view], at) => (jsonText(then[at]!) === jsonText(now[at]!) ? [] : [view]));
    expect(changed).toEqual(['problems', 'adapters/use', 'releases', 'success', 'cost?by=domain']);
  });

  it('a problem that was not published then is not found, and one that was has what happened until then', async () => {
    const key = await keyOf(DEFAULT_TENANT, 'operator');
    await log.append([{ ...encodeEvent(published('early')), timestampMs: 1_000 }]);
    await log.append(
      [generated('early'), recorded('early', true)].map((event) => ({ ...encodeEvent(event), timestampMs: 2_000 })),
    );
    const storyAt = (at: number) => viewOf(key, 'problems/early', `asOf=${new Date(at).toISOString()}`);
    expect(await storyAt(500)).toMatchObject({ error: { code: 'not_found' } });
    expect(await storyAt(1_500)).toMatchObject({ story: { attempts: [] } });
    expect(await storyAt(2_500)).toMatchObject({ story: { attempts: [{ results: [{}] }] } });
  });

  it('does not say how far services were', async () => {
    const key = await keyOf(DEFAULT_TENANT, 'viewer');
    await work('sums', 1_000);
    const lags = ({ overview: { stages, status } }: LiveChange) => [
      stages.map(({ lag }) => lag),
      status.lag.length > 0,
    ];
    expect(lags(await overviewOf(key, ''))).toEqual([Array(5).fill(expect.any(Number)), true]);
    expect(lags(await overviewOf(key, '?asOf=2030-01-01T00:00:00Z'))).toEqual([Array(5).fill(null), false]);
  });

  it('a record is no moment for who sees one tenant: its answer would say that it is there, and when it was written', async () => {
    await log.append(RUN.map((event) => ({ ...encodeEvent(event), timestampMs: 1_000 })));
    const place = await lastPlaceOf(1_000);
    const [acme, root] = [await keyOf('acme', 'operator'), await keyOf(DEFAULT_TENANT, 'operator')];
    for (const view of ['problems', 'problems/p', 'prices', 'cost']) {
      for (const named of [place, 'seam.training/0/999999'])
        expect([view, await viewOf(acme, view, `asOf=${named}`)]).toMatchObject([
          view,
          { error: { message: expect.stringContaining('expected a time in ISO 8601'), code: 'invalid_input' } },
        ]);
      for (const [key, moment] of [
        [acme, '2030-01-01T00:00:00Z'],
        [root, place],
      ] as const)
        expect([view, jsonText(await viewOf(key, view, `asOf=${moment}`))]).not.toEqual([
          view,
          expect.stringContaining('invalid_input'),
        ]);
    }
  });

  it('are read in turns: of too many one is refused, prices too, and who asks for now waits for none of them', async () => {
    const [acme, globex, root] = await Promise.all([
      keyOf('acme', 'operator'),
      keyOf('globex', 'operator'),
      keyOf(DEFAULT_TENANT, 'operator'),
    ]);
    const { open, asked } = holdThePast();
    const leaving = new AbortController();
    const waiting = [acme, globex].flatMap((key) =>
      Array.from({ length: MOST_ASKED }, () =>
        getView(key, 'prices?asOf=2030-01-01', leaving.signal).catch(() => null),
      ),
    );
    const oneMore = (key: string) =>
      getView(key, 'prices?asOf=2030-01-01', AbortSignal.timeout(500)).catch(() => undefined);
    for (const key of [acme, globex])
      await until(async () => (await oneMore(key))?.status === 429, 'the refusal of one more');
    expect(asked()).toBe(1);
    expect((await getView(root, 'cost', AbortSignal.timeout(5_000))).status).toBe(200);
    leaving.abort();
    open();
    await Promise.all(waiting);
  });

  it('of one moment need one fold, and a problem needs none', async () => {
    const key = await keyOf(DEFAULT_TENANT, 'operator');
    await work('sums', 1_000);
    await log.append([{ ...encodeEvent(published('early')), timestampMs: 1_000 }]);
    const asOf = `asOf=${new Date(1_500).toISOString()}`;
    const readBy = async (view: string, query: string) => {
      const before = log.readOf(TOPIC.problems);
      expect(await viewOf(key, view, query)).not.toHaveProperty('error');
      return log.readOf(TOPIC.problems) - before;
    };
    await readBy('problems/early', asOf);
    // Had the problem folded the log, this would be 0.
    expect(await readBy('problems', asOf)).toBeGreaterThanOrEqual(27);
    for (const view of ['adapters', 'runs', 'buffer', 'releases', 'problems'])
      expect([view, await readBy(view, asOf)]).toEqual([view, 0]);
    expect(await readBy('problems', 'asOf=2030-01-01')).toBeGreaterThanOrEqual(27);
    // Of a moment that is to come there may be more.
    await work('words', 2_000);
    expect(await viewOf(key, 'problems', 'asOf=2030-01-01')).toMatchObject({
      domains: expect.arrayContaining(['words']),
    });
  });

  it('the first is for no reader of one tenant, and of no word that is no moment', async () => {
    const acme = await keyOf('acme', 'admin');
    const asked = async (key: string, query: string) => (await ask(key, query)).status;
    expect(await asked(acme, '?asOf=2030-01-01T00:00:00Z')).toBe(403);
    const root = await keyOf(DEFAULT_TENANT, 'operator');
    for (const query of ['?asOf=yesterday', '?asOf=', '?at=2030-01-01T00:00:00Z'])
      expect([query, await asked(root, query)]).toEqual([query, 400]);
  });
});

async function keyOf(tenant: string, role: Role): Promise<string> {
  const { key } = await issueKey(log, { name: 'n', role, tenant, by: 'ada', expiresAt: null }, systemClock);
  const headers = { authorization: `Bearer ${key}` };
  await until(async () => (await fetch(`${gateway.url}/api/me`, { headers })).status === 200);
  return key;
}

const ask = (key: string, query: string) =>
  fetch(`${gateway.url}/api/views/overview${query}`, { headers: { authorization: `Bearer ${key}` } });

const overviewOf = async (key: string, query: string): Promise<LiveChange> =>
  (await (await ask(key, query)).json()) as LiveChange;

const RUN = [...EXAMPLE_LINEAGE, runStarted('r', 'sft')];

const getView = (key: string, view: string, signal: AbortSignal) =>
  fetch(`${gateway.url}/api/views/${view}`, { headers: { authorization: `Bearer ${key}` }, signal });

/** Readings of the past begin, and wait until they may continue. */
function holdThePast(): { readonly open: () => void; readonly asked: () => number } {
  const gate = Promise.withResolvers<undefined>();
  const find = log.offsetForTime.bind(log);
  let asked = 0;
  log.offsetForTime = async (topic, partition, timestampMs) => {
    if (partition === 0) asked++;
    await gate.promise;
    return find(topic, partition, timestampMs);
  };
  return { open: () => gate.resolve(undefined), asked: () => asked };
}

const viewOf = async (key: string, view: string, query: string): Promise<Readonly<Record<string, unknown>>> => {
  const address = `${gateway.url}/api/views/${view}${view.includes('?') ? '&' : '?'}${query}`;
  return (await (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).json()) as Record<
    string,
    unknown
  >;
};

/** Without the time of the answer. */
const withoutNow = ({ nowMs: _, ...rest }: Readonly<Record<string, unknown>>) => rest;

/** The place of the last record of a time, in a partition that has one. */
async function lastPlaceOf(timestampMs: number): Promise<string> {
  for (const { partition } of await log.watermarks(TOPIC.training)) {
    const next = await log.offsetForTime(TOPIC.training, partition, timestampMs + 1);
    if (next > 0) return `${TOPIC.training}/${partition}/${next - 1}`;
  }
  throw new Error('Cannot name a place: expected a record.');
}

/** Problems with and without entries, all of one moment. */
async function work(domain: string, timestampMs: number): Promise<void> {
  const drawn = { guardId: 'g', controlShare: 0.1, domain };
  const events = [
    ...guardedProblems({ ...drawn, treated: true, solved: 20, failed: 2 }),
    ...guardedProblems({ ...drawn, treated: false, solved: 1, failed: 3 }),
  ];
  await log.append(events.map((event) => ({ ...encodeEvent(event), timestampMs })));
}
