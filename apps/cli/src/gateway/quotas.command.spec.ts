/** Limits, prices and what was spent, on a log: what the commands say and record, and what they refuse. */
import { conversationTemplate, type EventOf, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { EXAMPLE_EVENTS, recordsOf } from '@seamstream/testing';
import { asWritten } from '@seamstream/testing/log-of';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const WHY = ['--by', 'ada', '--reason', 'a trial'] as const;

let world: FakeWorld;
let keyId: string;
beforeEach(async () => {
  world = await fakeWorld();
  await world.seam('gateway', 'keys', 'issue', 'bot', '--by', 'ada', '--json');
  ({ keyId } = world.takeJson()[0] as { keyId: string });
});

describe('seam gateway quotas', () => {
  it('declares a limit, shows what is used of it, and removes it', async () => {
    expect(await set('tokens', '1000', 'day')).toBe(0);
    expect(world.takeOutput()).toContain(`declared 1,000 of tokens per day for ${keyId}`);
    await world.log.append([encodeEvent({ ...reservation(), tokens: 700 })]);
    await world.seam('gateway', 'quotas', 'list');
    expect(world.takeOutput()).toMatch(new RegExp(`${keyId} +tokens +day +1,000 +700 .* enforced`));
    expect(await remove('day')).toBe(0);
    world.takeOutput();
    await world.seam('gateway', 'quotas', 'list');
    expect(world.takeOutput()).toBe('No limit is declared.\n');
  });

  it('refuses what it cannot limit, and records nothing of it', async () => {
    const before = (await recordsOf(world.log, TOPIC.access)).length;
    const nobody = ['gateway', 'quotas', 'set', 'nobody', ...of('tokens', 'day'), '--limit', '5', ...WHY];
    expect(await world.seam(...nobody)).toBe(2);
    expect(world.takeErrors()).toContain('expected the public part of a key');
    expect(await set('tokens', '-1', 'day')).toBe(2);
    expect(await set('tokens', '1.5', 'day')).toBe(2);
    expect(await set('money', '5', 'month')).toBe(2);
    expect(world.takeErrors()).toContain('expected prices, got none');
    expect(await remove('day')).toBe(2);
    expect(await recordsOf(world.log, TOPIC.access)).toHaveLength(before);
  });

  it('limits the clients of a tenant, each behind its name', async () => {
    await world.seam('gateway', 'keys', 'issue', 'desk', '--tenant', 'acme', '--json');
    const [theirs] = world.takeJson() as [{ keyId: string; tenant: string }];
    expect(theirs.tenant).toBe('acme');
    const limited = (client: string) =>
      world.seam('gateway', 'quotas', 'set', client, ...of('tokens', 'day'), '--limit', '9', ...WHY);
    for (const client of [theirs.keyId, `globex/${theirs.keyId}`, `acme/${keyId}`, 'Acme/*', 'a/b/*'])
      expect({ client, status: await limited(client) }).toEqual({ client, status: 2 });
    expect([await limited('acme/*'), await limited(`acme/${theirs.keyId}`)]).toEqual([0, 0]);
    expect([await limited('acme/whole'), await limited('Acme/whole'), await limited('a/b/whole')]).toEqual([0, 2, 2]);
    const { meta, ...used } = reservation();
    const spent = { ...used, keyId: theirs.keyId, tokens: 7, meta: { ...meta, tenant: 'acme' } };
    const together = { ...spent, keyId: 'whole', reservationId: 'of the tenant', tokens: 8 };
    await world.log.append([encodeEvent(spent), encodeEvent(together)]);
    world.takeOutput();
    await world.seam('gateway', 'quotas', 'list', '--json');
    const [{ quotas }] = world.takeJson() as [{ quotas: { keyId: string; used: number | null }[] }];
    expect(quotas.map((each) => [each.keyId, each.used])).toEqual([
      ['acme/*', null],
      [`acme/${theirs.keyId}`, 7],
      ['acme/whole', 8],
    ]);
    await world.seam('gateway', 'keys', 'list');
    expect(world.takeOutput()).toMatch(new RegExp(`${theirs.keyId} +acme +publisher +desk`));
    expect(await world.seam('gateway', 'keys', 'issue', 'desk', '--tenant', 'Acme Corp')).toBe(2);
  });

  it('says of each client and tenant which limits hold, how much is used, reserved and left', async () => {
    await set('tokens', '1000', 'day');
    await world.seam('gateway', 'quotas', 'set', '*', ...of('requests', 'day'), '--limit', '9', ...WHY);
    await world.seam(
      'gateway',
      'quotas',
      'set',
      'acme/whole',
      ...of('tokens', 'day'),
      '--limit',
      '50',
      '--shadow',
      ...WHY,
    );
    const { meta, ...rest } = reservation();
    const [ended, open, dead] = ['ended', 'open', 'dead'].map((reservationId) => ({ meta, ...rest, reservationId }));
    const settled = { ...EXAMPLE_EVENTS.UsageSettled, keyId, reservationId: 'ended', tokens: 40, meta };
    const now = world.clock.now();
    await world.log.append(
      [
        { ...ended!, tokens: 300, lapsesAt: now + 1_000 },
        { ...open!, tokens: 200, lapsesAt: now + 1_000 },
        // Its gateway died: it stays charged, and is under way no more.
        { ...dead!, tokens: 100, lapsesAt: now },
        settled,
      ].map((event) => encodeEvent(event)),
    );
    world.takeOutput();
    await world.seam('gateway', 'quotas', 'use', '--json');
    const [told] = world.takeJson() as [{ clients: { limits: object[] }[]; openReservations: number }];
    expect(told).toMatchObject({
      openReservations: 1,
      clients: [
        {
          ...{ client: keyId, kind: 'key', name: 'bot', role: 'publisher' },
          limits: [
            { measure: 'requests', limit: 9, used: 3, reserved: 1, left: 6, declaredFor: '*' },
            { measure: 'tokens', limit: 1_000, used: 340, reserved: 200, left: 660, declaredFor: keyId },
          ],
        },
        { client: 'acme/whole', kind: 'tenant', limits: [{ used: 0, left: 50, mode: 'shadow' }] },
      ],
    });
    await world.seam('gateway', 'quotas', 'use');
    expect(world.takeOutput()).toMatch(
      new RegExp(`${keyId} +bot +tokens +day +1,000 +340 +200 +660 .* enforced +${keyId}`),
    );
    await world.seam('gateway', 'quotas', 'list');
    expect(world.takeOutput()).toMatch(new RegExp(`${keyId} +tokens +day +1,000 +340 +200 +660 `));
  });

  it('names the tenants that keys, sessions and limits have', async () => {
    await world.seam('gateway', 'keys', 'issue', 'desk', '--tenant', 'acme', '--json');
    const [theirs] = world.takeJson() as [{ keyId: string }];
    await world.seam('gateway', 'keys', 'revoke', theirs.keyId, ...WHY);
    await world.seam('gateway', 'quotas', 'set', 'globex/*', ...of('tokens', 'day'), '--limit', '50', ...WHY);
    const { SessionStarted: session } = EXAMPLE_EVENTS;
    const meta = { ...session.meta, tenant: 'acme', occurredAt: world.clock.now() };
    await world.log.append([encodeEvent({ ...session, meta, expiresAt: world.clock.now() + 60_000 })]);
    world.takeOutput();
    await world.seam('gateway', 'tenants', 'list', '--json');
    expect(world.takeJson()).toEqual([
      {
        tenants: [
          { tenant: 'default', openKeys: 1, closedKeys: 0, users: 0, limits: 0 },
          { tenant: 'acme', openKeys: 0, closedKeys: 1, users: 1, limits: 0 },
          { tenant: 'globex', openKeys: 0, closedKeys: 0, users: 0, limits: 1 },
        ],
      },
    ]);
    await world.seam('gateway', 'tenants', 'list');
    expect(world.takeOutput()).toMatch(/acme +0 +1 +1 +0/);
    await world.seam('gateway', 'users', 'list');
    expect(world.takeOutput()).toMatch(new RegExp(`${session.userId} +acme +viewer .* 1\\n`));
    await world.seam('gateway', 'keys', 'list');
    expect(world.takeOutput()).toMatch(new RegExp(`${theirs.keyId} +acme +publisher +desk .* revoked`));
  });

  it('takes money in the currency of the prices', async () => {
    await price('0.15', '0.60');
    expect(await set('money', '12.5', 'month')).toBe(0);
    expect(world.takeOutput()).toContain('declared 12.50 of money per month');
    await world.seam('gateway', 'quotas', 'list', '--json');
    expect(world.takeJson()).toMatchObject([
      { currency: 'USD', quotas: [{ measure: 'money', limit: 12_500_000, used: 0 }] },
    ]);
  });
});

describe('seam cost spent', () => {
  it('sums what executors reported at the prices that were valid then, and counts what is unknown', async () => {
    await price('1', '2', '2026-01-01T00:00:00Z');
    await price('100', '200', '2026-06-01T00:00:00Z');
    const answers = [
      ...answer('a', { promptTokens: 1_000, responseTokens: 500 }),
      ...answer('b', {
        ...{ promptTokens: 1_000, responseTokens: 500 },
        usage: '{"prompt_tokens_details":{"cached_tokens":1000}}',
      }),
      ...answer('c', { promptTokens: null, responseTokens: null }),
      ...answer('d', { executor: { ...EXAMPLE_EVENTS.AnswerRecorded.executor, model: 'another' } }),
    ];
    // Feedback on the first one: it was asked once.
    const { experienceId } = answers[1] as EventOf<'AnswerRecorded'>;
    const settled: SeamEvent = { ...EXAMPLE_EVENTS.OutcomeRecorded, experienceId, attemptId: null };
    await world.log.append([...answers, settled].map((event) => encodeEvent(event)));
    world.takeOutput();
    expect(await world.seam('cost', 'spent', 'key', '--json')).toBe(0);
    const { promptTokens, responseTokens } = EXAMPLE_EVENTS.AnswerRecorded;
    expect(world.takeJson()).toEqual([
      {
        by: 'key',
        currency: 'USD',
        unfounded: 0,
        rows: [
          {
            ...{ name: 'user-7', attempts: 4, unknownTokens: 1, unpriced: 1 },
            ...{ promptTokens: 2_000 + promptTokens!, responseTokens: 1_000 + responseTokens! },
            // Full price: 1,000 + 1,000; from the cache 0 + 1,000, in millionths.
            money: 2_000 + 1_000,
          },
        ],
      },
    ]);
    const theirs = answer('e', { promptTokens: 5, responseTokens: 5 });
    await world.log.append(theirs.map((event) => encodeEvent({ ...event, meta: { ...event.meta, tenant: 'acme' } })));
    await world.seam('cost', 'spent', 'tenant', '--json');
    const [{ rows }] = world.takeJson() as [{ rows: { name: string; attempts: number }[] }];
    expect(rows.map(({ name, attempts }) => [name, attempts])).toEqual([
      ['default', 4],
      ['acme', 1],
    ]);
    await world.seam('cost', 'spent', 'arm', '--tenant', 'acme', '--json');
    const [own] = world.takeJson() as [{ rows: { attempts: number }[] }];
    expect(own.rows.map(({ attempts }) => attempts)).toEqual([1]);
    expect(await world.seam('cost', 'spent', 'arm', '--tenant', 'No Name')).toBe(2);
    world.takeErrors();
    await world.seam('cost', 'spent', 'key');
    expect(world.takeOutput()).toContain('acme/user-7');
    await world.seam('cost', 'spent', 'model');
    expect(world.takeOutput()).toMatch(/another +1 .* – +0 +1/);
  });

  it.each([
    [[], ''],
    [['--tenant', 'globex'], ' of the tenant globex'],
    [['--since', '2100-01-01'], ' since 2100-01-01'],
    [['--tenant', 'default', '--since', '2100-01-01'], ' of the tenant default since 2100-01-01'],
  ])('says of which part of the log it found nothing, with %j', async (filters, part) => {
    if (filters.length > 0) await world.log.append(answer('a', {}).map((event) => encodeEvent(event)));
    expect(await world.seam('cost', 'spent', 'key', ...filters)).toBe(0);
    expect(world.takeOutput()).toBe(`No attempt of an executor${part} is in the log.\n`);
  });

  it.each(['2026', '2026-02-30', '2026-03-01T12:00', '24:00', 'yesterday', ''])(
    'refuses %j as a time, since it is another one elsewhere or none at all',
    async (time) => {
      for (const asked of [
        ['spent', 'key', `--since=${time}`],
        ['prices', 'set', 'm', ...PRICED, `--from=${time}`],
      ]) {
        expect(await world.seam('cost', ...asked)).toBe(2);
        expect(world.takeErrors()).toMatch(
          /Cannot read --(since|from): expected a time in ISO 8601 with Z or an offset/,
        );
      }
    },
  );

  it('has one currency, and refuses amounts that it cannot count', async () => {
    await price('1', '2');
    expect(await price('1', '2', undefined, 'EUR')).toBe(2);
    expect(world.takeErrors()).toContain('expected USD, the currency of this log');
    expect(await price('0.0000001', '2')).toBe(2);
    expect(await price('-1', '2')).toBe(2);
    world.takeOutput();
    await world.seam('cost', 'prices', 'list', '--json');
    expect(world.takeJson()).toMatchObject([{ prices: [{ promptPerMillion: 1_000_000, validUntil: null }] }]);
  });
});

const PRICED = ['--prompt=1', '--completion=1', '--currency=USD', ...WHY];
const of = (measure: string, per: string): readonly string[] => ['--measure', measure, '--per', per];
const set = (measure: string, limit: string, per: string) =>
  world.seam('gateway', 'quotas', 'set', keyId, ...of(measure, per), `--limit=${limit}`, ...WHY);
const remove = (per: string) => world.seam('gateway', 'quotas', 'remove', keyId, ...of('tokens', per), ...WHY);
const price = (prompt: string, completion: string, from?: string, currency = 'USD') =>
  world.seam(
    ...['cost', 'prices', 'set', EXAMPLE_EVENTS.AnswerRecorded.executor.model, `--prompt=${prompt}`],
    ...['--completion', completion, '--cached-prompt', '0', '--currency', currency],
    ...(from === undefined ? [] : ['--from', from]),
    ...WHY,
  );

/** An answer of a gateway whose entry did not come, behind what it answers. */
function answer(id: string, changes: Partial<EventOf<'AnswerRecorded'>>): readonly SeamEvent[] {
  const { AnswerRecorded: example, ProblemPublished: asked } = EXAMPLE_EVENTS;
  const problem = { ...asked.problem, problemId: id };
  const executor = { ...(changes.executor ?? example.executor), template: conversationTemplate('d') };
  const alone = { candidateIndex: 0, groupSize: 1, arm: 'deploy', adapterDigest: null } as const;
  const meta = { ...example.meta, occurredAt: Date.UTC(2026, 2, 1) };
  return asWritten([
    { ...asked, problem, mode: 'deploy', meta: { ...asked.meta, messageId: id }, assignment: null, answeredBy: 'g' },
    { ...example, ...alone, problem, meta, usage: null, ...changes, executor },
  ]);
}

function reservation(): EventOf<'UsageReserved'> {
  const { UsageReserved: example } = EXAMPLE_EVENTS;
  return { ...example, keyId, limits: [], meta: { ...example.meta, occurredAt: world.clock.now() } };
}
