/** The first page as of a moment is what it was then, for those who see the whole system. */
import { DEFAULT_TENANT, encodeEvent } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { issueKey, type Role } from '@seamstream/operations/access';
import { type FlakyLog, openLog, until } from '@seamstream/testing';
import { guardedProblems } from '@seamstream/testing/release-log';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import type { LiveChange } from './live-views.js';

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
  gateway = await startGateway({ log, gateway: { access: 'keys' } });
});
afterEach(() => gateway.stop());

describe('The first page as of a moment', () => {
  it('is what it was then, although more came since', async () => {
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

  it('is for no reader of one tenant, and of no word that is no moment', async () => {
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

/** Problems with and without entries, all of one moment. */
async function work(domain: string, timestampMs: number): Promise<void> {
  const drawn = { guardId: 'g', controlShare: 0.1, domain };
  const events = [
    ...guardedProblems({ ...drawn, treated: true, solved: 20, failed: 2 }),
    ...guardedProblems({ ...drawn, treated: false, solved: 1, failed: 3 }),
  ];
  await log.append(events.map((event) => ({ ...encodeEvent(event), timestampMs })));
}
