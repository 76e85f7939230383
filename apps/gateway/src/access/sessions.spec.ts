/** Which sessions a gateway takes when the table of tenants has changed since they began. */
import { DEFAULT_TENANT } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { type FlakyLog, openLog } from '@seamstream/testing';
import type { IssuerSettings } from '../config.js';
import { RefusedError } from './refused-error.js';
import { Sessions } from './sessions.js';

const stop = new AbortController();
afterAll(() => stop.abort());

describe('a session', () => {
  it('is open under the table of tenants that it began under, and under no other', async () => {
    const log = await openLog();
    const tables: readonly [string, Table][] = [
      [DEFAULT_TENANT, { tenantsClaim: 'org', tenants: {} }],
      // The default tenant is in it, so the name of a session's tenant does not say whether the session is an old one.
      [DEFAULT_TENANT, { tenantsClaim: 'org', tenants: { staff: 'acme', house: DEFAULT_TENANT } }],
      ['acme', { tenantsClaim: 'org', tenants: { staff: 'acme' } }],
      ['acme', { tenantsClaim: 'team', tenants: { staff: 'acme' } }],
      ['globex', { tenantsClaim: 'org', tenants: { staff: 'globex' } }],
    ];
    const begun = await Promise.all(
      tables.map(async ([tenant, table]) => {
        const sessions = await open(log, table);
        return sessions.begin({ id: 'ada', role: 'admin', tenant, expiresAt: null }, 60_000);
      }),
    );
    const told = tables.map(async ([, table]) => {
      const later = await open(log, table);
      return Promise.all(begun.map((secret) => tenantOf(later, secret)));
    });
    const expected = tables.map((_, at) => tables.map(([tenant], of) => (of === at ? tenant : 401)));
    expect(await Promise.all(told)).toEqual(expected);
  });

  it('is the same for any order in which the table is written', async () => {
    const log = await openLog();
    const tenantsClaim = 'org';
    const first = await open(log, { tenantsClaim, tenants: { a: 'acme', b: 'globex' } });
    const secret = await first.begin({ id: 'ada', role: 'admin', tenant: 'acme', expiresAt: null }, 60_000);
    const second = await open(log, { tenantsClaim, tenants: { b: 'globex', a: 'acme' } });
    expect(await tenantOf(second, secret)).toBe('acme');
  });
});

type Table = Pick<IssuerSettings, 'tenantsClaim' | 'tenants'>;

async function open(log: FlakyLog, issuer: Table): Promise<Sessions> {
  const [sessions] = await Sessions.open(
    { log, clock: systemClock, origin: 'http://127.0.0.1:7080', issuer },
    stop.signal,
  );
  return sessions;
}

/** The tenant of a session that is open, or the status of the refusal. */
async function tenantOf(sessions: Sessions, secret: string): Promise<string | number | undefined> {
  const request = { headers: { cookie: `seam-session=${secret}` }, method: 'GET' };
  try {
    return (await sessions.principalOf(request as never))?.tenant;
  } catch (error) {
    if (error instanceof RefusedError) return error.status;
    throw error;
  }
}
