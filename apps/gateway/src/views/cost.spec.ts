/** What the page of costs is answered: the same as the commands print, and of one tenant and role no more than is theirs. */
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { jsonText, systemClock } from '@seamstream/kernel';
import { type IssuedKey, issueKey, type Role } from '@seamstream/operations/access';
import { COST_GROUPS, type CostReport, type CostWanted, costReport } from '@seamstream/operations/cost';
import { declarePrice, listedPrices, readDeclaredLimits } from '@seamstream/operations/quotas';
import { readCounts } from '@seamstream/operations/read-models';
import { eventsOf, type FlakyLog, openLog, until } from '@seamstream/testing';
import { asWritten } from '@seamstream/testing/log-of';
import { guardedProblems } from '@seamstream/testing/release-log';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let log: FlakyLog;
let gateway: GatewayUnderTest;
beforeEach(async () => {
  log = await openLog();
  await declarePrice(log, price('e', 2), systemClock);
  await declarePrice(log, price('b', 10), systemClock);
  for (const tenant of ['default', 'acme', 'globex']) await log.append(workOf(tenant).map(encodeEvent));
  gateway = await startGateway({ log, gateway: { access: 'keys' } });
});
afterEach(() => gateway.stop());

describe('The page of costs', () => {
  it('has what the commands print, by each group and from any day on', async () => {
    const admin = await keyOf('default', 'admin');
    for (const by of Object.keys(COST_GROUPS) as (keyof typeof COST_GROUPS)[]) {
      expect([by, await costFor(admin, `?by=${by}`)]).toEqual([by, await printed({ by, sinceMs: 0 })]);
      const later = await printed({ by, sinceMs: Date.UTC(2100, 0, 1) });
      expect([by, await costFor(admin, `?by=${by}&since=2100-01-01`)]).toEqual([by, later]);
    }
    const { rows, extra } = await costFor(admin, '');
    expect([rows.length, extra?.rows.map(({ shown }) => shown)]).toEqual([2, ['extra']]);
    const listed = (await (await get(admin, 'prices')).json()) as { prices: unknown };
    expect(listed.prices).toEqual(listedPrices(await readDeclaredLimits(log)));
    for (const query of ['?by=person', '?since=now', '?limit=1'])
      expect([query, (await get(admin, `cost${query}`)).status]).toEqual([query, 400]);
  });

  it('is for operators, each of their tenant, and of a chosen one for who runs the system', async () => {
    const [viewer, publisher] = [await keyOf('acme', 'viewer'), await keyOf('acme', 'publisher')];
    for (const key of [viewer, publisher])
      expect([(await get(key, 'cost')).status, (await get(key, 'prices')).status]).toEqual([403, 403]);
    const [acme, root] = [await keyOf('acme', 'operator'), await keyOf('default', 'operator')];
    for (const by of ['arm', 'tenant', 'domain', 'key', 'adapter'] as const) {
      const own = await printed({ by, sinceMs: 0, tenant: 'acme' });
      for (const [key, query] of [
        [acme, `?by=${by}`],
        [acme, `?by=${by}&tenant=acme`],
        [root, `?by=${by}&tenant=acme`],
      ] as const)
        expect([by, await costFor(key, query)]).toEqual([by, own]);
      expect(jsonText(await costFor(acme, `?by=${by}`))).not.toContain('globex');
    }
    expect((await get(acme, 'cost?tenant=globex')).status).toBe(400);
    expect((await costFor(root, '?by=tenant')).rows.map(({ name }) => name).toSorted()).toEqual([
      'acme',
      'default',
      'globex',
    ]);
  });

  it('is a part of the story of a problem for operators alone', async () => {
    const published = await eventsOf(log, 'ProblemPublished');
    const own = published.find(({ meta }) => meta.tenant === 'acme')!.problem.problemId;
    for (const [role, sees] of [
      ['viewer', false],
      ['publisher', false],
      ['operator', true],
    ] as const) {
      const key = await keyOf('acme', role);
      const told = [`views/problems/${own}`, `problems/${own}`].map(async (path) => {
        const { cost } = (await (await getApi(key, path)).json()) as { cost?: unknown };
        return (cost ?? null) !== null;
      });
      expect([role, await Promise.all(told)]).toEqual([role, [sees, sees]]);
    }
  });

  it('says what it answers, so that a page does not take it for the answer to another question', async () => {
    const admin = await keyOf('default', 'admin');
    expect((await answerTo(admin, '?by=key&since=2026-01-02&tenant=acme')).asked).toEqual({
      ...{ by: 'key', since: '2026-01-02', tenant: 'acme' },
    });
    expect((await answerTo(admin, '')).asked).toEqual({ by: 'arm', since: '', tenant: '' });
  });

  it('says what is paid to a tenant, and not which person declared it', async () => {
    const acme = await keyOf('acme', 'operator');
    const { prices } = (await (await get(acme, 'prices')).json()) as { prices: unknown[] };
    expect(prices).toMatchObject([
      { model: 'e', promptPerMillion: 2e6, validUntil: null, declaredBy: null, reason: null },
      { model: 'b', promptPerMillion: 10e6, declaredBy: null, reason: null },
    ]);
  });
});

const OPTIONS = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};

/** What `seam cost spent` prints with --json. */
async function printed(wanted: CostWanted): Promise<CostReport> {
  const lift = async () => (await readCounts({ log, snapshots: null }, OPTIONS)).answer;
  return JSON.parse(jsonText(await costReport({ log, lift }, wanted, OPTIONS))) as CostReport;
}

const answerTo = async (key: IssuedKey, query: string) =>
  (await (await get(key, `cost${query}`)).json()) as CostReport & { you: unknown; asked: unknown };

async function costFor(key: IssuedKey, query: string): Promise<CostReport> {
  const { you: _, asked: _asked, ...report } = await answerTo(key, query);
  return report;
}

const getApi = ({ key }: IssuedKey, path: string) =>
  fetch(`${gateway.url}/api/${path}`, { headers: { authorization: `Bearer ${key}` } });

const get = (key: IssuedKey, path: string) => getApi(key, `views/${path}`);

/** A key that the gateway has read. */
async function keyOf(tenant: string, role: Role): Promise<IssuedKey> {
  const issued = await issueKey(log, { name: 'n', role, tenant, by: 'ada', expiresAt: null }, systemClock);
  await until(async () => (await get(issued, 'access')).status === 200);
  return issued;
}

/** Millionths of the currency for a token. */
const price = (model: string, each: number) => ({
  ...{ model, currency: 'USD', validFrom: 0, cachedPromptPerMillion: null },
  ...{ promptPerMillion: each * 1e6, completionPerMillion: each * 1e6, declaredBy: 'ada', reason: 'a secret trial' },
});

/** Entries help, and cost something. */
function workOf(tenant: string): readonly SeamEvent[] {
  const drawn = { guardId: `g-${tenant}`, controlShare: 0.1, domain: `sums of ${tenant}` };
  return asWritten([
    ...guardedProblems({ ...drawn, treated: true, solved: 60, failed: 0 }),
    ...guardedProblems({ ...drawn, treated: false, solved: 0, failed: 12 }),
  ]).map((event) => ({
    ...event,
    ...(event.type === 'ExperienceGenerated' ? { promptTokenIds: [1, 2], tokenIds: [3] } : {}),
    meta: { ...event.meta, tenant: tenant === 'default' ? null : tenant },
  }));
}
