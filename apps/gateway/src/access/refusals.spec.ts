/** What is left of refused requests: few records, which add up, and hold no secret. */
import type { EventOf } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { issueKey, revokeKey, userIdOf } from '@seamstream/operations/access';
import { eventsOf, openLog, recordsOf, until } from '@seamstream/testing';
import fc from 'fast-check';
import { startGateway } from '../gateway.fake.js';
import { AUDIENCE, FakeIssuer } from './issuer.fake.js';
import { type CountedRefusals, originOf, RefusalCounts } from './refusal-counts.decide.js';
import { Refusals } from './refusals.js';

describe('Refused requests', () => {
  it('are recorded by client, reason, route and origin when the gateway ends, without a word of theirs', async () => {
    const log = await openLog();
    const issuer = await FakeIssuer.start();
    const issue = (role: 'viewer') => issueKey(log, { name: 'n', role, by: 'ada', expiresAt: null }, systemClock);
    const [open, leaked] = [await issue('viewer'), await issue('viewer')];
    await revokeKey(log, leaked.keyId, { by: 'ada', reason: 'it leaked' }, systemClock);
    const settings = { url: issuer.url, audience: AUDIENCE, roles: { staff: 'viewer' } };
    const gateway = await startGateway({ log, gateway: { access: 'keys', issuer: settings } });
    const ask = async (path: string, token: string, method = 'GET', times = 1): Promise<void> => {
      for (let time = 0; time < times; time++)
        await fetch(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
    };
    const groups = (...names: string[]) => issuer.token({ claims: { groups: names } });
    const forged = `${leaked.key.slice(0, -1)}${leaked.key.endsWith('A') ? 'B' : 'A'}`;
    await ask('/v1/models', 'a-secret-of-a-client', 'GET', 20);
    await ask('/v1/feedback', open.key, 'POST', 3);
    await ask('/api/problems/p-1', leaked.key);
    await ask('/api/problems/p-1', forged);
    await ask('/api/me', await groups('others'));
    await ask('/api/me', await issuer.token({ claims: { exp: 1 } }));
    await ask('/api/me', await groups('staff'));
    await ask('/nothing', 'a-secret-of-a-client');
    expect(await eventsOf(log, 'AccessRefused')).toEqual([]);
    const user = userIdOf(issuer.url, 'ada');
    await gateway.stop();
    await issuer.stop();
    const told = (await eventsOf(log, 'AccessRefused')).map(lineOf);
    expect(told.toSorted()).toEqual(
      [
        '20 null invalid_token GET /v1/models loopback',
        `3 ${open.keyId} forbidden POST /v1/feedback loopback`,
        `1 ${leaked.keyId} key_revoked GET /api/problems/:id loopback`,
        '1 null invalid_api_key GET /api/problems/:id loopback',
        `1 ${user} no_role GET /api/me loopback`,
        '1 null token_expired GET /api/me loopback',
      ].toSorted(),
    );
    const stored = (await recordsOf(log, 'seam.usage')).map(({ value }) => Buffer.from(value!).toString('latin1'));
    for (const secret of ['a-secret-of-a-client', open.key.slice(-43), leaked.key.slice(-43)])
      expect(stored.filter((each) => each.includes(secret))).toEqual([]);
  });

  it('are a bounded number of counts that add up, for any flood', () => {
    fc.assert(
      fc.property(fc.array(refusalArbitrary, { minLength: 1, maxLength: 500, size: 'max' }), (flood) => {
        const counts = new RefusalCounts();
        for (const refused of flood) counts.add(refused);
        const counted = counts.take();
        expect(counted.length).toBeLessThanOrEqual(64 + 3);
        expect(sum(counted)).toBe(sum(flood));
        expect(Math.min(...counted.map(({ firstAt }) => firstAt))).toBe(
          Math.min(...flood.map(({ firstAt }) => firstAt)),
        );
        expect(Math.max(...counted.map(({ lastAt }) => lastAt))).toBe(Math.max(...flood.map(({ lastAt }) => lastAt)));
        expect(counts.take()).toEqual([]);
      }),
      // A flood of hundreds is not made smaller in a bearable time.
      { endOnFailure: true },
    );
  });

  it('of one kind are one record a minute, and none is lost where the log is away', async () => {
    const log = await openLog();
    let isAway = true;
    const append: typeof log.append = async (records) => {
      if (isAway) throw new Error('away');
      return log.append(records);
    };
    const warnings: unknown[] = [];
    const world = {
      drivers: { log: { append } },
      clock: systemClock,
      logger: { warn: (it: unknown) => warnings.push(it) },
    };
    const refusals = new Refusals(world, 20);
    const refuse = (times: number): void => {
      for (let time = 0; time < times; time++)
        refusals.add({
          id: null,
          tenant: 'default',
          reason: 'invalid_api_key',
          route: 'GET /v1/models',
          origin: 'public',
        });
    };
    refuse(1000);
    await until(() => warnings.length > 1);
    refuse(1000);
    isAway = false;
    await until(async () => (await eventsOf(log, 'AccessRefused')).length > 0);
    refuse(5);
    await refusals.close();
    expect((await eventsOf(log, 'AccessRefused')).map(({ requests }) => requests)).toEqual([2000, 5]);
  });

  it.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.9.9.9', 'loopback'],
    ['10.1.2.3', 'private'],
    ['::ffff:192.168.0.7', 'private'],
    ['172.31.255.255', 'private'],
    ['fd00::7', 'private'],
    ['fe80::1%eth0', 'private'],
    ['172.32.0.1', 'public'],
    ['8.8.8.8', 'public'],
    ['2001:db8::1', 'public'],
    [undefined, 'public'],
  ])('are from an address of a class: %s', (address, origin) => {
    expect(originOf(address)).toBe(origin);
  });
});

const lineOf = ({ requests, keyId, reason, route, origin }: EventOf<'AccessRefused'>): string =>
  [requests, keyId, reason, route, origin].join(' ').replace('  ', ' null ');

const refusalArbitrary: fc.Arbitrary<CountedRefusals> = fc
  .record({
    id: fc.option(fc.integer({ min: 0, max: 200 }).map((number) => `user-${number}`)),
    tenant: fc.constantFrom('default', 'acme'),
    reason: fc.constantFrom('forbidden', 'invalid_token', 'several'),
    route: fc.option(fc.constantFrom('GET /v1/models', 'POST /v1/feedback')),
    origin: fc.constantFrom(...(['loopback', 'private', 'public'] as const)),
    requests: fc.integer({ min: 1, max: 9 }),
    at: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ at, ...refused }) => ({ ...refused, firstAt: at, lastAt: at }));

const sum = (counted: readonly CountedRefusals[]): number => counted.reduce((all, { requests }) => all + requests, 0);
