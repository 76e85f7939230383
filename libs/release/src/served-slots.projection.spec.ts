import type { SeamEvent } from '@seamstream/events';
import { pinned, promotedByRun, rolledBack } from '@seamstream/testing/promotion-log';
import fc from 'fast-check';
import { evolveServedAdapter, initialServedAdapter } from './served-adapter.projection.js';
import { evolveServedSlots, initialServedSlots, type ServedSlots, servedIn } from './served-slots.projection.js';

const promoted = (adapterDigest: string, slot: string, parent: string | null = null): readonly SeamEvent[] =>
  promotedByRun({ adapterDigest, slot, parent, onlyOverParent: true });
const after = (events: readonly SeamEvent[]): ServedSlots => events.reduce(evolveServedSlots, initialServedSlots());
const servedBy = (slots: ServedSlots, slot: string): string | undefined => servedIn(slots, slot).served?.adapterDigest;

describe('slots', () => {
  it('are served with what is promoted for each, and a rollback or a pin holds in its own alone', () => {
    const log = [...promoted('a', 'generator'), ...promoted('t', 'team'), ...promoted('b', 'generator', 'a')];
    const slots = after([...log, rolledBack('r', 'b', 'a'), pinned('p', 'a'), ...promoted('u', 'team', 't')]);
    expect([servedBy(slots, 'generator'), servedBy(slots, 'team')]).toEqual(['a', 'u']);
    expect(servedIn(slots, 'library').served).toBeNull();
  });

  it('have chains that each are what is said of them alone would make', () => {
    const names = fc.constantFrom('generator', 'team', 'library');
    fc.assert(
      fc.property(fc.array(fc.record({ slot: names, over: fc.nat(3) }), { maxLength: 12 }), (promotions) => {
        const log = promotions.flatMap(({ slot, over }, index) => {
          const parent = index - over - 1 < 0 ? null : `${index - over - 1}`;
          return promoted(`${index}`, slot, parent);
        });
        const slots = after(log);
        for (const slot of ['generator', 'team', 'library']) {
          const alone = log.reduce(evolveServedAdapter, initialServedAdapter(slot));
          expect(servedIn(slots, slot).served).toEqual(alone.served);
          expect(servedIn(slots, slot).decisions).toEqual(alone.decisions);
        }
      }),
    );
  });

  it('take no promotion of an artefact that was made for another one', () => {
    const [started, published, completed, promotion] = promotedByRun({ adapterDigest: 't', slot: 'team' });
    const forged = { ...promotion, slot: 'generator' };
    const told = after([started, published, completed, forged]);
    expect(servedBy(told, 'generator')).toBeUndefined();
    const both = after([started, { ...published, slot: 'generator' }, completed, forged]);
    expect(servedBy(both, 'generator')).toBeUndefined();
    expect(servedIn(both, 'generator').decisions[0]!.reason).toBe('run run-t was started for slot team');
  });

  it('know the runs that the log named before their first artefact', () => {
    const [started, published, completed, promotion] = promotedByRun({ adapterDigest: 't', slot: 'team' });
    expect(servedBy(after([started, completed, published, promotion]), 'team')).toBe('t');
    expect(servedBy(after([published, promotion, started, completed]), 'team')).toBe('t');
  });
});
