import type { EventOf, SeamEvent, UsageLimit } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import fc from 'fast-check';
import { UsageLedger } from './usage-ledger.js';
import { windowAt } from './windows.js';

describe('room under limits', () => {
  it('is taken by a reservation, and given back when no executor worked', () => {
    const ledger = new UsageLedger();
    expect(ledger.apply(reserved('a', { tokens: 60 }))?.isAdmitted).toBe(true);
    expect(ledger.apply(reserved('b', { tokens: 60 }))).toMatchObject({
      isAdmitted: false,
      exceeded: [{ measure: 'tokens', used: 60, limit: 100 }],
    });
    ledger.apply(settled('a', { outcome: 'released', tokens: null }));
    expect(ledger.apply(reserved('c', { tokens: 100 }))?.isAdmitted).toBe(true);
  });

  it('is charged as it was reserved where nothing was reported', () => {
    const ledger = new UsageLedger();
    ledger.apply(reserved('a', { tokens: 60 }));
    ledger.apply(settled('a', { outcome: 'charged', tokens: null }));
    expect(usedTokens(ledger)).toBe(60);
  });

  it('is charged as it was reserved where its gateway died, and is no open reservation then', () => {
    const ledger = new UsageLedger();
    ledger.apply(reserved('a', { tokens: 60 }));
    expect(ledger.openAt(AT + LAPSE - 1)).toBe(1);
    expect(ledger.openAt(AT + LAPSE)).toBe(0);
    ledger.apply(settled('a', { outcome: 'released', tokens: null }, AT + LAPSE + 1));
    expect(usedTokens(ledger)).toBe(60);
  });

  it('counts the first settlement alone, and none of another client', () => {
    const ledger = new UsageLedger();
    ledger.apply(reserved('a', { tokens: 60 }));
    ledger.apply({ ...settled('a', { outcome: 'released', tokens: null }), keyId: 'another' });
    ledger.apply(settled('a', { outcome: 'charged', tokens: 10 }));
    ledger.apply(settled('a', { outcome: 'released', tokens: null }));
    expect(usedTokens(ledger)).toBe(10);
  });

  it('is reported and not refused in shadow mode', () => {
    const ledger = new UsageLedger();
    const limits: readonly UsageLimit[] = [{ measure: 'requests', per: 'day', limit: 0, mode: 'shadow' }];
    expect(ledger.apply(reserved('a', { limits }))).toMatchObject({ isAdmitted: true, exceeded: [{ used: 0 }] });
  });

  it('is shown of each kind of limit for the client that is nearest to it', () => {
    const ledger = new UsageLedger();
    const limits: readonly UsageLimit[] = [
      { measure: 'tokens', per: 'day', limit: 100, mode: 'enforced' },
      { measure: 'requests', per: 'day', limit: 0, mode: 'shadow' },
    ];
    ledger.apply({ ...reserved('a', { tokens: 60, limits }), keyId: 'one' });
    ledger.apply({ ...reserved('b', { tokens: 20, limits }), keyId: 'another/with a slash' });
    expect(ledger.fullestAt((keyId) => (keyId === 'one' ? limits : limits.slice(0, 1)), AT)).toEqual([
      { measure: 'tokens', per: 'day', mode: 'enforced', fraction: 0.6 },
      { measure: 'requests', per: 'day', mode: 'shadow', fraction: 1 },
    ]);
    expect(ledger.fullestAt(() => [], AT)).toEqual([]);
  });

  it('is not there for an unknown price under a limit of money', () => {
    const limits: readonly UsageLimit[] = [{ measure: 'money', per: 'day', limit: 1_000_000, mode: 'enforced' }];
    expect(new UsageLedger().apply(reserved('a', { limits, money: null }))?.isAdmitted).toBe(false);
    expect(new UsageLedger().apply(reserved('a', { limits, money: 1_000_000 }))?.isAdmitted).toBe(true);
  });

  it('is whole again in the next window, and a late settlement counts in the window of its reservation', () => {
    const ledger = new UsageLedger();
    const limits: readonly UsageLimit[] = [{ measure: 'tokens', per: 'minute', limit: 100, mode: 'enforced' }];
    const next = windowAt('minute', AT).endMs;
    ledger.apply(reserved('a', { tokens: 100, limits }));
    expect(ledger.apply(reserved('b', { tokens: 100, limits }, next - 1))?.isAdmitted).toBe(false);
    expect(ledger.apply(reserved('c', { tokens: 100, limits }, next))?.isAdmitted).toBe(true);
    ledger.apply(settled('a', { outcome: 'charged', tokens: 500 }, next + 1));
    expect(ledger.usesOf('k', limits, next)[0]!.used).toBe(100);
  });

  it('is kept by months of the calendar', () => {
    expect(windowAt('month', Date.UTC(2028, 1, 29, 12))).toEqual({
      startMs: Date.UTC(2028, 1, 1),
      endMs: Date.UTC(2028, 2, 1),
    });
  });
});

describe('any interleaving of gateways that reserve, settle, release, die and start again', () => {
  it('lets nothing through above the limit but what requests used above their reservation', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), limitsDrawn, (steps, limits) => {
        const world = new World(limits);
        for (const each of steps) world.take(each);
        world.readAll();
        for (const limit of limits) {
          for (const [startMs, charged] of world.chargedByWindow(limit)) {
            expect(charged.amount).toBeLessThanOrEqual(limit.limit + charged.above);
            const [use] = world.gateways[0]!.ledger.usesOf('k', [limit], startMs);
            expect(use!.used).toBe(charged.amount);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('leaves no reservation open once all are settled or lapsed, and all gateways say the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), limitsDrawn, (steps, limits) => {
        const world = new World(limits);
        for (const each of steps) world.take(each);
        for (const gateway of world.gateways) for (const id of [...gateway.underWay]) world.settle(gateway, id, 1);
        world.readAll();
        expect(world.gateways[0]!.ledger.openAt(world.nowMs + 2 * LAPSE)).toBe(0);
        const fresh = new UsageLedger();
        world.log.forEach((event) => fresh.apply(event));
        for (const { ledger } of world.gateways) {
          expect(ledger.usesOf('k', limits, world.nowMs)).toEqual(fresh.usesOf('k', limits, world.nowMs));
          expect(ledger.openAt(world.nowMs)).toBe(fresh.openAt(world.nowMs));
        }
      }),
      { numRuns: 200 },
    );
  });
});

const AT = Date.UTC(2026, 0, 31, 23, 59, 30);
const LAPSE = 90_000;
const GATEWAYS = 3;
const TOKENS: readonly UsageLimit[] = [{ measure: 'tokens', per: 'day', limit: 100, mode: 'enforced' }];

function reserved(id: string, changes: Partial<EventOf<'UsageReserved'>> = {}, atMs = AT): EventOf<'UsageReserved'> {
  const { UsageReserved: example } = EXAMPLE_EVENTS;
  const meta = { ...example.meta, messageId: id, occurredAt: atMs };
  return {
    ...example,
    ...{ meta, keyId: 'k', reservationId: id, tokens: 10, money: 10, limits: TOKENS, lapsesAt: atMs + LAPSE },
    ...changes,
  };
}

function settled(
  id: string,
  changes: Pick<EventOf<'UsageSettled'>, 'outcome' | 'tokens'>,
  atMs = AT,
): EventOf<'UsageSettled'> {
  const { UsageSettled: example } = EXAMPLE_EVENTS;
  const meta = { ...example.meta, messageId: `${id}-settled`, occurredAt: atMs };
  return { ...example, meta, keyId: 'k', reservationId: id, money: null, ...changes };
}

const usedTokens = (ledger: UsageLedger): number => ledger.usesOf('k', TOKENS, AT)[0]!.used;

interface Gateway {
  ledger: UsageLedger;
  /** Records that it has read. */
  read: number;
  /** Admitted reservations whose requests are under way. */
  underWay: Set<string>;
  /** Appended, and not read yet. */
  readonly undecided: Set<string>;
  /** Of its clock, in milliseconds. */
  readonly skewMs: number;
}

/** One log, and gateways that read it as late as they like. */
class World {
  readonly log: SeamEvent[] = [];
  nowMs = AT;
  readonly gateways: Gateway[] = Array.from({ length: GATEWAYS }, (_, index) => ({
    ...{ ledger: new UsageLedger(), read: 0, underWay: new Set(), undecided: new Set(), skewMs: index * 700 },
  }));

  constructor(private readonly limits: readonly UsageLimit[]) {}

  take({ kind, by, amount }: Step): void {
    const gateway = this.gateways[by % GATEWAYS]!;
    const [first] = gateway.underWay;
    if (kind === 'wait') this.nowMs += amount * 400;
    else if (kind === 'read') this.read(gateway, amount);
    else if (kind === 'reserve') this.reserve(gateway, amount);
    else if (kind === 'die') Object.assign(gateway, { ledger: new UsageLedger(), read: 0, underWay: new Set() });
    else if (first !== undefined) this.settle(gateway, first, kind === 'settle' ? amount : null);
  }

  /** @param tokens null releases */
  settle(gateway: Gateway, id: string, tokens: number | null): void {
    gateway.underWay.delete(id);
    const outcome = tokens === null ? 'released' : 'charged';
    this.log.push(settled(id, { outcome, tokens: tokens === 7 ? null : tokens }, this.nowMs + gateway.skewMs));
  }

  readAll(): void {
    for (const gateway of this.gateways) this.read(gateway, this.log.length);
  }

  private reserve(gateway: Gateway, tokens: number): void {
    const event = reserved(`r-${this.log.length}`, { tokens, limits: this.limits }, this.nowMs + gateway.skewMs);
    if (!gateway.ledger.verdictOn({ ...event, atMs: event.meta.occurredAt }).isAdmitted) return;
    gateway.undecided.add(event.reservationId);
    this.log.push(event);
  }

  private read(gateway: Gateway, records: number): void {
    for (const event of this.log.slice(gateway.read, gateway.read + records)) {
      gateway.read++;
      const verdict = gateway.ledger.apply(event);
      if (event.type !== 'UsageReserved' || !gateway.undecided.delete(event.reservationId)) continue;
      if (verdict!.isAdmitted) gateway.underWay.add(event.reservationId);
    }
  }

  /** Counted afresh from the log's text, without a ledger: what was charged in each window, and how much of it above reservations. */
  chargedByWindow({ measure, per }: UsageLimit): Map<number, { amount: number; above: number }> {
    const admitted = new Map<string, { readonly event: EventOf<'UsageReserved'>; now: number | null }>();
    const amountIn = (limit: UsageLimit, atMs: number): number =>
      [...admitted.values()]
        .filter(
          ({ event, now }) =>
            now !== null && windowAt(limit.per, event.meta.occurredAt).startMs === windowAt(limit.per, atMs).startMs,
        )
        .reduce((sum, { now }) => sum + (limit.measure === 'requests' ? 1 : now!), 0);
    for (const event of this.log) {
      if (event.type === 'UsageReserved') {
        const fits = event.limits.every(
          (limit) =>
            amountIn(limit, event.meta.occurredAt) + (limit.measure === 'requests' ? 1 : event.tokens) <= limit.limit,
        );
        if (fits) admitted.set(event.reservationId, { event, now: event.tokens });
      } else if (event.type === 'UsageSettled') {
        const each = admitted.get(event.reservationId);
        if (each === undefined || event.meta.occurredAt > each.event.lapsesAt) continue;
        each.now = event.outcome === 'released' ? null : (event.tokens ?? each.event.tokens);
      }
    }
    const windows = new Map<number, { amount: number; above: number }>();
    for (const { event, now } of admitted.values()) {
      const { startMs } = windowAt(per, event.meta.occurredAt);
      const { amount, above } = windows.get(startMs) ?? { amount: 0, above: 0 };
      const used = now === null ? 0 : measure === 'requests' ? 1 : now;
      const reservedAmount = measure === 'requests' ? 1 : event.tokens;
      windows.set(startMs, { amount: amount + used, above: above + Math.max(0, used - reservedAmount) });
    }
    return windows;
  }
}

const step = fc.record({
  kind: fc.constantFrom('reserve', 'reserve', 'reserve', 'read', 'read', 'settle', 'release', 'wait', 'die'),
  by: fc.nat(GATEWAYS - 1),
  amount: fc.integer({ min: 1, max: 40 }),
});
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

const limitsDrawn = fc
  .record({ requests: fc.nat(12), tokens: fc.nat(200) })
  .map(({ requests, tokens }): UsageLimit[] => [
    { measure: 'requests', per: 'minute', limit: requests, mode: 'enforced' },
    { measure: 'tokens', per: 'hour', limit: tokens, mode: 'enforced' },
  ]);
