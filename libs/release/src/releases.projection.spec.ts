import type { EventOf, SeamEvent } from '@seamstream/events';
import {
  evaluatedByPerson,
  pinned,
  promotedByPerson,
  promotedByRun,
  rolledBack,
} from '@seamstream/testing/promotion-log';
import { type PlannedFacts, releasePlanned } from '@seamstream/testing/release-log';
import { decideStage, evidenceText, type ReleaseEvidence } from './release.decide.js';
import { checkedPlan, DEFAULT_RELEASE_PLAN } from './release-plan.js';
import { evolveReleases, initialReleases, type ReleasesState, runningIn } from './releases.projection.js';
import { evolveServedAdapter, initialServedAdapter } from './served-adapter.projection.js';

const CANARY = { kind: 'canary', share: 0.5, margin: 0.1, minProblems: 10 } as const;
const PLAN = checkedPlan({ ...DEFAULT_RELEASE_PLAN, stages: [CANARY, CANARY] });
/** Of both stages: the candidate solved all, and the parent none. */
const GOOD: ReleaseEvidence = {
  paired: [],
  canaries: [0, 1].map((stage) => ({
    stage,
    candidate: { solved: 250, failed: 0, missing: 0 },
    parent: { solved: 0, failed: 250, missing: 0 },
  })),
};

describe('a release', () => {
  it('runs from its plan, stage by stage, until its rule promotes', () => {
    expect(runningIn(releasesAfter(), 'generator')).toBeUndefined();
    const state = releasesAfter(planned());
    expect(runningIn(state, 'generator')).toMatchObject({ stage: 0, status: 'running', plan: PLAN });
    expect(runningIn(state, 'another')).toBeUndefined();
    expect(statusAfter(decided(0))).toEqual({ stage: 1, status: 'running', decisions: 1 });
    expect(statusAfter(decided(0), decided(1))).toEqual({ stage: 1, status: 'promoted', decisions: 2 });
    expect(runningIn(releasesAfter(planned(), decided(0), decided(1)), 'generator')).toBeUndefined();
  });

  it('is the same where its records come twice', () => {
    const once = releasesAfter(planned(), decided(0), decided(1));
    expect(releasesAfter(planned(), planned(), decided(0), decided(0), decided(1), decided(0))).toEqual(once);
    expect(once.refused).toEqual([]);
  });

  it('is overtaken by what else is served, and not by its own slot staying as it is', () => {
    const promotion = promotedByPerson({ messageId: 'p', adapterDigest: 'b' });
    expect(statusAfter(promotion).status).toBe('overtaken');
    const over = planned({ parent: 'b' });
    expect(releasesAfter(promotion, over).releases.get('r')!.status).toBe('running');
    expect(releasesAfter(promotion, over, rolledBack('back', 'b', null)).releases.get('r')!.status).toBe('overtaken');
    // A rollback that comes too late changes nothing.
    expect(releasesAfter(promotion, over, rolledBack('back', 'c', null)).releases.get('r')!.status).toBe('running');
  });
});

describe('a plan of a release', () => {
  it.each<[string, readonly SeamEvent[], RegExp]>([
    [
      'its id was planned before',
      [planned(), planned({ candidate: 'b' })].map(renamed),
      /release r was planned before/,
    ],
    ['another one runs', [planned(), planned({ releaseId: 's' })], /release r of this slot is not over/],
    ['its candidate is its parent', [planned({ candidate: 'a', parent: 'a' })], /its candidate is its parent/],
    ['its slot is pinned', [pinned('pin', null), planned()], /is pinned by/],
    ['its candidate was not published', [planned({ candidate: 'z' })], /adapter z was not published before/],
    ['its parent is not served', [planned({ parent: 'b' })], /its parent is b, and the base model is served/],
    ['it names no person', [{ ...planned(), plannedBy: '' }], /./],
    ['this version cannot read it', [{ ...planned(), plan: '{}' }], /./],
  ])('does not count where %s', (_, events, reason) => {
    expect(refusalOf(...events)).toEqual([expect.stringMatching(reason)]);
  });

  it('that does not count is kept with its reason, the newest hundred of all', () => {
    const state = releasesAfter(
      ...Array.from({ length: 103 }, (_, i) => planned({ releaseId: `r${i}`, candidate: 'z' })),
    );
    expect(state.refusedCount).toBe(103);
    expect(state.refused.map(({ event }) => event.releaseId)).toEqual(
      Array.from({ length: 100 }, (_, i) => `r${i + 3}`),
    );
  });
});

describe('a decision on a release', () => {
  const person = { decidedBy: 'ada', decision: 'rolled back', reason: 'it is slow' } as const;

  it('of a person needs a reason and no evidence', () => {
    expect(statusAfter(decided(0, person)).status).toBe('rolled back');
    expect(refusalOf(planned(), decided(0, { ...person, reason: '' }))).toHaveLength(1);
  });

  it.each<[string, readonly SeamEvent[], RegExp]>([
    ['nothing was planned', [decided(0)], /no release r was planned/],
    ['the release is over', [planned(), decided(0, person), decided(0)].map(renamed), /release r is over: rolled back/],
    ['it is of another slot', [planned(), decided(0, { slot: 'library' })], /is of slot generator/],
    ['another stage runs', [planned(), decided(1)], /stage 1 runs, and it decides on 2/],
    ['it says no end', [planned(), decided(0, { decision: 'better' })], /neither of the ends/],
    ['no stage comes', [planned(), decided(0), decided(1, { decision: 'advanced' })], /no stage after the last/],
    ['its evidence has no counts', [planned(), decided(0, { evidence: 'much' })], /its evidence is not valid/],
    ['its counts say another end', [planned(), decided(0, { decision: 'promoted' })], /do not bear it out/],
    ['its rule is another', [planned(), decided(0, { rule: 'another' })], /do not bear it out/],
    ['its reason is another', [planned(), decided(0, { reason: 'another' })], /do not bear it out/],
  ])('does not count where %s', (_, events, reason) => {
    expect(refusalOf(...events)).toEqual([expect.stringMatching(reason)]);
  });
});

/** As separate records, also where they say the same. */
function renamed<E extends SeamEvent>(event: E, index: number): E {
  return { ...event, meta: { ...event.meta, messageId: `${event.meta.messageId}-${index}` } };
}

/** Releases after a log in which adapters a, b and c were published and measured, and none is served. */
function releasesAfter(...events: readonly SeamEvent[]): ReleasesState {
  let served = initialServedAdapter();
  let state = initialReleases();
  const known = ['a', 'b', 'c'].flatMap((adapterDigest) => [
    promotedByRun({ adapterDigest })[1],
    evaluatedByPerson(adapterDigest),
  ]);
  for (const event of [...known, ...events]) {
    served = evolveServedAdapter(served, event);
    state = evolveReleases(state, event, served);
  }
  return state;
}

function planned(changes: Partial<PlannedFacts> = {}): EventOf<'ReleasePlanned'> {
  return releasePlanned({ releaseId: 'r', candidate: 'a', plan: PLAN, ...changes });
}

function decided(stage: number, changes: Partial<EventOf<'ReleaseDecided'>> = {}): EventOf<'ReleaseDecided'> {
  const evidence = { ...GOOD, canaries: GOOD.canaries.slice(0, stage + 1) };
  const { end, rule, reason, figures } = decideStage(PLAN, stage, evidence);
  return {
    ...{ type: 'ReleaseDecided', releaseId: 'r', slot: 'generator', stage, decision: end!, rule, reason },
    ...{ evidence: evidenceText(PLAN, evidence, figures), decidedBy: null, attestation: null },
    meta: { ...planned().meta, messageId: `decided-${stage}` },
    ...changes,
  } as EventOf<'ReleaseDecided'>;
}

function statusAfter(...events: readonly SeamEvent[]) {
  const { stage, status, decisions } = releasesAfter(planned(), ...events).releases.get('r')!;
  return { stage, status, decisions: decisions.length };
}

function refusalOf(...events: readonly SeamEvent[]): readonly string[] {
  const { refused, refusedCount } = releasesAfter(...events);
  expect(refusedCount).toBe(refused.length);
  return refused.map(({ reason }) => reason);
}
