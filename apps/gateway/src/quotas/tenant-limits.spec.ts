/** Limits of tenants as a whole, next to those of their clients: what several gateways on one log let through, and what clients learn. */
import {
  decodeEvent,
  type EventOf,
  type QuotaMeasure,
  type QuotaMode,
  type SeamEvent,
  TOPIC,
  tenantOf,
} from '@seamstream/events';
import { ManualClock, systemClock } from '@seamstream/kernel';
import { issueKey } from '@seamstream/operations/access';
import { declareQuota, quotasStatus, readDeclaredLimits, windowAt } from '@seamstream/operations/quotas';
import { eventsOf, type FlakyLog, openLog, recordsOf, until } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import fc from 'fast-check';
import { type GatewayUnderTest, startGateway } from '../gateway.fake.js';
import type { Charge } from './charge.js';
import { Quotas } from './quotas.js';

let log: FlakyLog;
const running: { stop(): Promise<unknown> }[] = [];
beforeEach(async () => {
  log = await openLog();
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

describe('a tenant with a limit as a whole', () => {
  it('has it for all of its clients together, and the refused one learns whose limit it is', async () => {
    await limit('acme/whole', 2);
    await limit('acme/*', 50);
    const gateway = await start();
    const [first, second, other] = [await keyIn('acme'), await keyIn('acme'), await keyIn('globex')];
    const answers = [await chat(gateway, first), await chat(gateway, second), await chat(gateway, first)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    // The tighter one is named: what one of them uses is missing for the other.
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual(['1', '0', '0']);
    expect(await messageOf(answers[2]!)).toContain('under the limit of its whole tenant, 2 requests per month');
    expect((await chat(gateway, other)).status).toBe(200);
    expect((await chat(gateway, await keyIn('default'))).status).toBe(200);
    const before = (await recordsOf(log, TOPIC.usage)).length;
    for (let again = 0; again < 10; again++) expect((await chat(gateway, second)).status).toBe(429);
    expect(await recordsOf(log, TOPIC.usage)).toHaveLength(before);
  });

  it('has room, and a client of it has none: then the refusal names the client', async () => {
    await limit('acme/whole', 50);
    await limit('*', 1);
    const gateway = await start();
    const [first, second] = [await keyIn('acme'), await keyIn('acme')];
    const answers = [await chat(gateway, first), await chat(gateway, second), await chat(gateway, first)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(await messageOf(answers[2]!)).toContain('under the limit of the client, 1 requests per month');
    expect(await usedOf('acme/whole')).toBe(2);
  });

  it('has none but its own: the limit of each client is not that of all together', async () => {
    await limit('*', 1);
    await limit('acme/*', 1);
    const gateway = await start();
    for (const key of [await keyIn('acme'), await keyIn('acme')]) expect((await chat(gateway, key)).status).toBe(200);
  });

  it('is answered above one in shadow mode, and learns that it is the tenant that is above it', async () => {
    await limit('whole', 0, { mode: 'shadow' });
    const gateway = await start();
    const answer = await chat(gateway, await keyIn('default'));
    expect([answer.status, answer.headers.get('x-seam-quota-shadow')]).toEqual([200, 'tenant/requests/month']);
    expect((await chat(gateway, await keyIn('acme'))).headers.get('x-seam-quota-shadow')).toBeNull();
  });

  it('learns what it may use at once, where a request is above that', async () => {
    await limit('acme/whole', 5, { measure: 'tokens' });
    const refused = await chat(await start(), await keyIn('acme'));
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await messageOf(refused)).toContain('at most 5 tokens per month by the limit of its whole tenant');
  });

  it('lets through exactly that in several gateways, and what is refused takes no room of its client', async () => {
    await limit('acme/whole', 10);
    await limit('acme/*', 45);
    const { keyId } = await keyIn('acme');
    const declared = await readDeclaredLimits(log);
    const world = { log, clock: systemClock, declared: () => declared, onExceeded: () => undefined };
    const opened = await Promise.all([1, 2, 3].map(() => open(world)));
    const reserved = await Promise.allSettled(
      Array.from({ length: 45 }, (_, index) => opened[index % 3]!.quotas.reserve(...asked('acme', keyId, 10))),
    );
    expect(reserved.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    // All foresaw room, and asked the log.
    expect((await eventsOf(log, 'UsageReserved')).length).toBeGreaterThan(20);
    // One of its client, and one of the tenant.
    expect((await quotasStatus(log, systemClock)).openReservations).toBe(20);
  });
});

describe('any gateways that reserve, settle, release, die and start again', () => {
  it('let nothing through above the limits of clients or of their tenant but what requests used above their reservation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 8 }), limitsDrawn, async (rounds, limits) => {
        const world = await World.of(limits);
        for (const each of rounds) await world.take(each);
        await world.end();
        const events = (await recordsOf(world.log, TOPIC.usage)).map(decodeEvent);
        const payers = new Map(PAYERS.map((payer) => [payer, chargedTo(payer, events)] as const));
        for (const { charged, above, limit: most } of [...payers.values()].flat())
          expect(charged).toBeLessThanOrEqual(most + above);
        const tokensOf = (payer: string): number =>
          payers
            .get(payer)!
            .filter(({ measure }) => measure === 'tokens')
            .reduce((sum, { charged }) => sum + charged, 0);
        // The tenant pays what its clients pay together. Only of a gateway that died one may be charged what the other was refused.
        if (world.deaths === 0) {
          expect(tokensOf('acme/whole')).toBe(world.settledTokens);
          expect(tokensOf('acme/one') + tokensOf('acme/two')).toBe(world.settledTokens);
        } else expect(tokensOf('acme/whole')).toBeGreaterThanOrEqual(world.settledTokens);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

const QUOTA = { declaredBy: 'ada', reason: 'a trial', per: 'month' } as const;
const GATEWAYS = 3;
const CLIENTS = ['one', 'two'] as const;
const PAYERS = [...CLIENTS.map((client) => `acme/${client}`), 'acme/whole'];

interface Key {
  readonly key: string;
  readonly keyId: string;
}

const limit = (
  keyId: string,
  most: number,
  { measure = 'requests', mode = 'enforced' }: { readonly measure?: QuotaMeasure; readonly mode?: QuotaMode } = {},
) => declareQuota(log, { ...QUOTA, keyId, measure, limit: most, mode }, systemClock);

const keyIn = (tenant: string): Promise<Key> =>
  issueKey(log, { name: 'n', role: 'publisher', tenant, by: 'ada', expiresAt: null }, systemClock);

async function start(): Promise<GatewayUnderTest> {
  const behave = () => ({ kind: 'answer' as const, body: chatCompletion('Four.') });
  const gateway = await startGateway({ behave, log, gateway: { access: 'keys', experienceWithinMs: 0 } });
  running.push(gateway);
  return gateway;
}

/** With a key that the gateway has read. */
async function chat(gateway: GatewayUnderTest, { key }: Key): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await until(async () => (await fetch(`${gateway.url}/api/me`, { headers })).status === 200);
  const body = JSON.stringify({ model: 'seam', messages: [{ role: 'user', content: 'How many?' }] });
  return fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
}

async function messageOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { message: string } }).error.message;
}

async function usedOf(keyId: string): Promise<number | null> {
  const { quotas } = await quotasStatus(log, systemClock);
  return quotas.find((quota) => quota.keyId === keyId)!.used;
}

async function open(
  world: Parameters<typeof Quotas.open>[0],
): Promise<{ readonly quotas: Quotas; stop(): Promise<void> }> {
  const ended = new AbortController();
  const [quotas, reading] = await Quotas.open(world, { answerWithinMs: 600_000 }, ended.signal);
  const opened = {
    quotas,
    stop: async () => {
      ended.abort();
      await reading.catch(() => undefined);
    },
  };
  running.push(opened);
  return opened;
}

function asked(tenant: string, id: string, tokens: number): Parameters<Quotas['reserve']> {
  return [{ id, tenant }, () => ({ problems: 1, promptTokens: tokens, responseTokens: 0 }), ['tiny']];
}

const round = fc.record({
  /** Requests that all gateways ask room for at once. */
  asking: fc.array(
    fc.record({
      by: fc.nat(GATEWAYS - 1),
      client: fc.constantFrom(...CLIENTS),
      tokens: fc.integer({ min: 1, max: 40 }),
    }),
    { maxLength: 12 },
  ),
  /** How those that were let through end: null releases. */
  ends: fc.array(fc.option(fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 6 }),
  /** This one dies while they are under way. */
  dies: fc.constantFrom(null, null, null, null, null, null, 0, 1, 2),
  /** Minutes that go by. */
  minutes: fc.nat(25),
});
type Round = typeof round extends fc.Arbitrary<infer Each> ? Each : never;

const limitsDrawn = fc.record({ client: fc.integer({ min: 10, max: 200 }), tenant: fc.integer({ min: 10, max: 250 }) });

/** One log, and gateways that die. */
class World {
  deaths = 0;
  /** Of requests that were let through by gateways that live. */
  settledTokens = 0;
  private readonly gateways: Awaited<ReturnType<typeof open>>[] = [];

  private constructor(
    readonly log: FlakyLog,
    private readonly settings: Parameters<typeof Quotas.open>[0],
    private readonly clock: ManualClock,
  ) {}

  static async of({ client, tenant }: { readonly client: number; readonly tenant: number }): Promise<World> {
    const ownLog = await openLog();
    const clock = new ManualClock(Date.UTC(2026, 0, 31, 22, 30));
    const declare = (keyId: string, measure: QuotaMeasure, most: number) =>
      declareQuota(ownLog, { ...QUOTA, keyId, measure, limit: most, per: 'hour', mode: 'enforced' }, clock);
    await declare('acme/*', 'tokens', client);
    await declare('acme/whole', 'tokens', tenant);
    await declare('acme/whole', 'requests', 12);
    const declared = await readDeclaredLimits(ownLog);
    const settings = { log: ownLog, clock, declared: () => declared, onExceeded: () => undefined };
    const world = new World(ownLog, settings, clock);
    for (let at = 0; at < GATEWAYS; at++) world.gateways[at] = await open(settings);
    return world;
  }

  async take({ asking, ends, dies, minutes }: Round): Promise<void> {
    const underWay = asking.map(({ by, client, tokens }) =>
      this.gateways[by]!.quotas.reserve(...asked('acme', client, tokens)).catch(() => undefined),
    );
    if (dies !== null) {
      this.deaths++;
      await this.gateways[dies]!.stop();
    }
    let at = 0;
    // What a dead gateway had asked for is not settled.
    const living = underWay.filter((_, index) => asking[index]!.by !== dies);
    for (const charge of await Promise.all(living))
      if (charge !== undefined) await this.settle(charge, ends[at++ % ends.length]!);
    if (dies !== null) this.gateways[dies] = await open(this.settings);
    this.clock.advance(minutes * 60_000);
  }

  async end(): Promise<void> {
    for (const gateway of this.gateways) await gateway.stop();
  }

  private async settle(charge: Charge, tokens: number | null): Promise<void> {
    const usage = { prompt_tokens: tokens ?? 0, completion_tokens: 0, total_tokens: tokens ?? 0 };
    charge.begin();
    this.settledTokens += tokens ?? 0;
    await this.log.append(tokens === null ? charge.released() : charge.charged({ usage, model: 'tiny' }));
  }
}

interface Charged {
  readonly measure: QuotaMeasure;
  readonly limit: number;
  readonly charged: number;
  readonly above: number;
}

/** Counted from the log's text, without a ledger: of each limit and hour what was charged, and how much of it above reservations. */
function chargedTo(payer: string, events: readonly SeamEvent[]): readonly Charged[] {
  const admitted = new Map<string, { readonly event: EventOf<'UsageReserved'>; now: number | null }>();
  const hourOf = ({ meta }: SeamEvent): number => windowAt('hour', meta.occurredAt).startMs;
  const inHour = (hour: number) => [...admitted.values()].filter(({ event }) => hourOf(event) === hour);
  const amount = (measure: QuotaMeasure, tokens: number): number => (measure === 'requests' ? 1 : tokens);
  const sumOf = (measure: QuotaMeasure, hour: number): number =>
    inHour(hour).reduce((sum, { now }) => sum + (now === null ? 0 : amount(measure, now)), 0);
  for (const event of events) {
    if (event.type !== 'UsageReserved' && event.type !== 'UsageSettled') continue;
    if (`${tenantOf(event.meta)}/${event.keyId}` !== payer) continue;
    if (event.type === 'UsageReserved') {
      const fits = event.limits.every(
        (each) => sumOf(each.measure, hourOf(event)) + amount(each.measure, event.tokens) <= each.limit,
      );
      if (fits) admitted.set(event.reservationId, { event, now: event.tokens });
    } else {
      const each = admitted.get(event.reservationId);
      if (each !== undefined) each.now = event.outcome === 'released' ? null : (event.tokens ?? each.event.tokens);
    }
  }
  const [first] = admitted.values();
  const hours = [...new Set([...admitted.values()].map(({ event }) => hourOf(event)))];
  return (first?.event.limits ?? []).flatMap(({ measure, limit: most }) =>
    hours.map((hour) => ({
      ...{ measure, limit: most, charged: sumOf(measure, hour) },
      above: inHour(hour).reduce(
        (sum, { event, now }) =>
          sum + Math.max(0, now === null ? 0 : amount(measure, now) - amount(measure, event.tokens)),
        0,
      ),
    })),
  );
}
