/** What a log says of guards: a record counts when the plan and the counts bear it out, and nothing but a person, a plan or another adapter ends a muting. */
import { deriveMeta, type EventOf, originMeta, type SeamEvent } from '@seamstream/events';
import { guardPlanned } from '@seamstream/testing/release-log';
import fc from 'fast-check';
import { type DomainCounts, decideMuting, mutingText } from './guard.decide.js';
import { DEFAULT_GUARD_PLAN } from './guard-plan.js';
import { controlShareIn, evolveGuards, type GuardsState, guardInForce, initialGuards } from './guards.projection.js';

const plan = { ...DEFAULT_GUARD_PLAN, weights: { sums: 0.4, words: 0.4 } };
const on = guardPlanned({ guardId: 'g-1', plan });

describe('The guards of a log', () => {
  it('mute a domain for what was served, and for it alone, until a person ends it', () => {
    const state = folded(on, muted('sums', 'a1'));
    expect(mutedOf(state, 'a1')).toEqual(['sums']);
    expect(mutedOf(state, 'b2')).toEqual([]);
    expect(mutedOf(state, null)).toEqual([]);
    const ended = folded(on, muted('sums', 'a1'), muted('words', 'a1'), unmuted('sums', 'a1'));
    expect(mutedOf(ended, 'a1')).toEqual(['words']);
    // The rule does not overrule the person, regardless of later counts.
    expect(mutedOf(evolveGuards(ended, muted('sums', 'a1', 'm-again', 2)), 'a1')).toEqual(['words']);
  });

  it('end with another plan, and with no plan', () => {
    const state = folded(on, muted('sums', 'a1'));
    const next = evolveGuards(state, guardPlanned({ guardId: 'g-2', plan }));
    expect(mutedOf(next, 'a1')).toEqual([]);
    expect(guardInForce(next, 'generator', 'a1')?.guardId).toBe('g-2');
    const off = evolveGuards(state, guardPlanned({ guardId: 'g-3', plan: null }));
    expect(guardInForce(off, 'generator', 'a1')).toBeUndefined();
    expect(evolveGuards(off, muted('sums', 'a1')).refused).toMatchObject([{ reason: 'guard g-1 is not in force' }]);
  });

  it.each<[string, readonly SeamEvent[], RegExp]>([
    ['a plan without a name', [guardPlanned({ guardId: 'g-1', plan, by: ' ' })], /who|name/],
    ['what is no plan', [guardPlanned({ guardId: 'g-1', plan: {} })], /Cannot read the plan of a guard/],
    [
      'a plan under an id that was declared',
      [on, guardPlanned({ guardId: 'g-2', plan }), again(on)],
      /declared before/,
    ],
    ['a muting without a guard', [muted('sums', 'a1')], /not in force/],
    ['one that its counts do not bear out', [on, { ...muted('sums', 'a1'), reason: 'harm' }], /do not bear it out/],
    ['one of another domain than its counts', [on, { ...muted('sums', 'a1'), domain: 'words' }], /do not bear it out/],
    ['one of too little evidence', [on, muted('sums', 'a1', 'm', 0.03)], /do not bear it out/],
    ['one without counts', [on, { ...muted('sums', 'a1'), evidence: '{}' }], /not valid/],
    ['a muting of what is muted', [on, muted('sums', 'a1'), muted('sums', 'a1', 'm-2')], /muted already/],
    ['the end of what is not muted', [on, unmuted('sums', 'a1')], /not muted for this adapter/],
    [
      'the end of a muting twice',
      [on, muted('sums', 'a1'), unmuted('sums', 'a1'), unmuted('sums', 'a1', 'u-2')],
      /before/,
    ],
    ['an end without a name', [on, muted('sums', 'a1'), { ...unmuted('sums', 'a1'), unmutedBy: '' }], /who|name/],
  ])('do not count %s', (_, events, reason) => {
    const { refused, refusedCount } = folded(...events);
    expect(refused).toMatchObject([{ reason: expect.stringMatching(reason) as string }]);
    expect(refusedCount).toBe(1);
  });

  it('count a record that is repeated once, and keep the newest of those that they refuse', () => {
    const once = [on, muted('sums', 'a1'), unmuted('sums', 'a1')];
    expect(folded(...once.flatMap((event) => [event, event]))).toEqual(folded(...once));
    const forged = Array.from({ length: 130 }, (_, i) => muted('sums', 'a1', `f-${i}`));
    const { refused, refusedCount } = folded(...forged);
    expect([refused.length, refused.at(-1)?.event.meta.messageId, refusedCount]).toEqual([100, 'f-129', 130]);
  });

  it('never let the rule end a muting: of any row of records without a person and a plan, what is muted stays so', () => {
    const record = fc.record({
      domain: fc.constantFrom('sums', 'words', 'new'),
      adapter: fc.constantFrom('a1', 'b2', null),
      id: fc.integer({ min: 0, max: 9 }),
      size: fc.constantFrom(0.03, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        let state = folded(on);
        for (const { domain, adapter, id, size } of records) {
          const before = ['a1', 'b2', null].map((each) => mutedOf(state, each));
          state = evolveGuards(state, muted(domain, adapter, `m-${id}`, size));
          for (const [at, each] of ['a1', 'b2', null].entries())
            expect(mutedOf(state, each)).toEqual(expect.arrayContaining([...before[at]!]));
        }
      }),
    );
  });
});

describe('The control arm of a muted domain', () => {
  const inForce = guardInForce(folded(on, muted('sums', 'a1')), 'generator', 'a1');

  it('has all but the declared share, and never fewer than before', () => {
    expect(controlShareIn(inForce, 'sums', 0.1)).toBe(0.98);
    expect(controlShareIn(inForce, 'sums', 1)).toBe(1);
    expect(controlShareIn(inForce, 'words', 0.1)).toBe(0.1);
    expect(controlShareIn(undefined, 'sums', 0.1)).toBe(0.1);
  });
});

function folded(...events: readonly SeamEvent[]): GuardsState {
  return events.reduce(evolveGuards, initialGuards());
}

const mutedOf = (state: GuardsState, adapterDigest: string | null): readonly string[] => [
  ...guardInForce(state, 'generator', adapterDigest)!.muted,
];

function again(event: EventOf<'GuardPlanned'>): EventOf<'GuardPlanned'> {
  return { ...event, meta: { ...event.meta, messageId: 'another' } };
}

/** A muting as the rule records it. @param size times 300 problems */
function muted(
  domain: string,
  adapterDigest: string | null,
  messageId = `muted-${domain}-${adapterDigest}`,
  size = 1,
): EventOf<'DomainMuted'> {
  const counts: DomainCounts = {
    domain,
    rank: Object.hasOwn(plan.weights, domain) ? null : 1,
    stages: [
      {
        controlShare: 0.1,
        counts: [
          { treated: false, result: 1, problems: Math.round(30 * size) },
          { treated: true, result: 0, problems: Math.round(270 * size) },
        ],
        missing: { treated: 0, control: 0 },
      },
    ],
  };
  const { rule, reason, figures } = decideMuting(plan, counts);
  return {
    ...{ type: 'DomainMuted', guardId: 'g-1', slot: 'generator', adapterDigest, domain, rule, reason },
    meta: { ...deriveMeta(on.meta, { role: 'muted', source: 'seam/test', occurredAt: 2 }), messageId },
    evidence: mutingText(plan, counts, { ...figures, needed: Math.min(figures.needed, 1e9) }),
    ...{ offsets: [], attestation: null },
  };
}

function unmuted(domain: string, adapterDigest: string, messageId = `unmuted-${domain}`): EventOf<'DomainUnmuted'> {
  const meta = originMeta({
    ...{ messageId, correlationId: 'g-1', source: 'seam/test' },
    ...{ occurredAt: 3, sourceClass: 'user' },
  });
  const said = { unmutedBy: 'ada', reason: 'the verifier was wrong', attestation: null };
  return { type: 'DomainUnmuted', meta, guardId: 'g-1', slot: 'generator', adapterDigest, domain, ...said };
}
