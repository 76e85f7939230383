import type { EventOf } from '@seamstream/events';
import type { PlacedEvent } from '@seamstream/log-reader';
import { usageStart } from '@seamstream/operations/quotas';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { RecentRefusals } from './recent-refusals.js';

const NOW = Date.UTC(2028, 4, 17, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('What was refused lately', () => {
  it('is of a tenant all that was, while a stranger, and another tenant, are refused 64 kinds a minute for hours', () => {
    const recent = new RecentRefusals();
    recent.apply([refused('acme', 'key-a', NOW - 300 * MINUTE_MS), refused(null, 'key-d', NOW - 299 * MINUTE_MS)]);
    for (let minute = 200; minute > 0; minute--)
      for (const [tenant, keyId] of [
        [null, null],
        ['globex', 'key-g'],
      ] as const)
        recent.apply(Array.from({ length: 64 }, () => refused(tenant, keyId, NOW - minute * MINUTE_MS)));
    expect(recent.at(NOW, 'acme').map(({ by }) => by)).toEqual(['key-a']);
    const all = recent.at(NOW).map(({ by }) => by);
    expect(all.slice(-2)).toEqual(['key-d', 'key-a']);
    // Memory has a bound in each.
    expect(all).toHaveLength(2 + 500 + 500);
    expect(recent.at(NOW, 'default').map(({ by }) => by)).toHaveLength(1 + 500);
  });

  it('is of the newest of very many tenants', () => {
    const recent = new RecentRefusals();
    recent.apply([refused(null, null, NOW - 1_000 * MINUTE_MS)]);
    for (let n = 0; n < 300; n++) recent.apply([refused(`t${n}`, 'key', NOW - (600 - n) * MINUTE_MS)]);
    expect(recent.at(NOW).length).toBeLessThanOrEqual(201);
    expect(recent.at(NOW, 't299')).toHaveLength(1);
    expect(recent.at(NOW, 't0')).toHaveLength(0);
    expect(recent.at(NOW, 'default')).toHaveLength(1);
  });

  it('is of the last day, the newest first, in any order of reading', () => {
    const recent = new RecentRefusals();
    const ages = [3, 1, 2].map((hours) => hours * 60 * MINUTE_MS);
    recent.apply([...ages, DAY_MS].map((age) => refused('acme', `key-${age}`, NOW - age)));
    expect(recent.at(NOW, 'acme').map(({ at }) => NOW - at)).toEqual(ages.toSorted((a, b) => a - b));
  });

  it.each(['2028-05-01T00:05:00Z', '2028-05-01T23:00:00Z', '2028-05-31T12:00:00Z'])(
    'is read by a gateway that starts at %s, and so is the use of the month',
    (time) => {
      const now = Date.parse(time);
      expect(usageStart(now)).toBeLessThan(now - DAY_MS);
      expect(usageStart(now)).toBeLessThan(Date.UTC(2028, 4, 1));
    },
  );
});

let offset = 0;
function refused(tenant: string | null, keyId: string | null, at: number): PlacedEvent {
  const { AccessRefused: example } = EXAMPLE_EVENTS;
  const event: EventOf<'AccessRefused'> = { ...example, keyId, meta: { ...example.meta, tenant, occurredAt: at } };
  return { event, record: { topic: 'seam.usage', partition: 0, offset: offset++ } as PlacedEvent['record'] };
}
