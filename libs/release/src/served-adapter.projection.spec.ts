import type { EventOf, SeamEvent } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import {
  evaluatedByPerson,
  evaluationOf,
  pinned,
  promotedByPerson,
  promotedByRun,
  rolledBack,
  unpinned,
} from '@seamstream/testing/promotion-log';
import { evaluationsOf } from './promotion-evidence.decide.js';
import { groundsOf, lastGoodAdapter } from './served-adapter.projection.js';
import {
  after,
  lastReason,
  over,
  promoted,
  published,
  servedAfter,
  serving,
  stateAfter,
} from './served-adapters.fake.js';

describe('the served adapter', () => {
  it('is the bare base model at first', () => {
    expect(servedAfter()).toBeNull();
  });

  it('is the last one promoted', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'))).toEqual(serving('b'));
  });

  it('is the earlier one after a rollback', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'), rolledBack('3', 'b', 'a'))).toEqual(serving('a'));
    expect(servedAfter(promoted('1', 'a'), rolledBack('2', 'a', null))).toBeNull();
  });

  it('is the one that a run promotes, even if an act without effect took the id of its promotion', () => {
    const id = derivedId(derivedId('run-b', 'started'), 'promoted');
    for (const forged of [unpinned(id, 'x'), pinned(id, 'x'), rolledBack(id, 'c', null)])
      expect(servedAfter(promoted('1', 'a'), forged, ...over('a', 'b'))).toEqual(serving('b'));
  });

  it('stays when a rollback comes too late', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'), rolledBack('3', 'a', null))).toEqual(serving('b'));
  });

  it('does not come back when its promotion is recorded again after a rollback', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'), rolledBack('3', 'b', 'a'), promoted('2', 'b'))).toEqual(
      serving('a'),
    );
  });

  it('is the first of two that were promoted over the same parent, in either order', () => {
    const [a, b] = [over(null, 'a'), over(null, 'b')];
    expect(servedAfter(...a, ...b)).toEqual(serving('a'));
    expect(servedAfter(...b, ...a)).toEqual(serving('b'));
    expect(servedAfter(...a, ...b, ...a, ...b)).toEqual(serving('a'));
    expect(servedAfter(...a, ...b, ...over('b', 'c'), ...over('a', 'd'))).toEqual(serving('d'));
  });

  it('stays when a promotion over another one comes too late, which says why', () => {
    const events = [...over(null, 'a'), rolledBack('2', 'a', null), ...over('a', 'b'), ...over(null, 'c')];
    const { served, decisions } = stateAfter(events);
    expect(served).toEqual(serving('c'));
    expect(decisions.map(({ status, reason }) => [status, reason])).toEqual([
      ['counted', ''],
      ['counted', ''],
      [
        'overtaken',
        'overtaken: it was compared with adapter a, and meanwhile the base model is served; train again from that',
      ],
      ['counted', ''],
    ]);
  });

  it('is what a person promotes by name, with a reason and an evaluation', () => {
    expect(servedAfter(...over(null, 'a'), promoted('2', 'b'))).toEqual(serving('b'));
  });

  it('may be promoted again', () => {
    expect(servedAfter(promoted('1', 'a'), rolledBack('2', 'a', null), promoted('3', 'a'))).toEqual(serving('a'));
  });

  it('is the same in any order of reading the two topics', () => {
    const log = [...over(null, 'a'), ...over('a', 'b'), rolledBack('r', 'b', 'a'), ...over('a', 'c')];
    const isOfRuns = ({ type }: SeamEvent): boolean => type.startsWith('TrainingRun');
    const [runs, adapters] = [log.filter(isOfRuns), log.filter((event) => !isOfRuns(event))];
    const expected = stateAfter(log);
    expect(expected.served).toEqual(serving('c'));
    for (let seed = 0; seed < 50; seed++) {
      const random = Random.of('two topics', seed);
      const queues = [[...runs].sort((a, b) => Number(a.meta.messageId < b.meta.messageId) - 0.5), [...adapters]];
      const order: SeamEvent[] = [];
      while (queues[0]!.length + queues[1]!.length > 0) {
        const [next] = queues[random.int(2)]!.splice(0, 1);
        if (next !== undefined) order.push(next);
      }
      const { served, decisions } = stateAfter(order);
      expect({ served, decisions }).toEqual({ served: expected.served, decisions: expected.decisions });
    }
  });
});

describe('a pinned adapter', () => {
  const log = [...over(null, 'a'), pinned('p', 'a')];

  it('stays until it is unpinned, regardless of promotions and rollbacks', () => {
    const held = [...log, ...over('a', 'b'), promoted('2', 'c'), rolledBack('3', 'a', null)];
    expect(servedAfter(...held)).toEqual(serving('a'));
    expect(
      after(...held)
        .decisions.slice(-3)
        .map(({ status, reason }) => [status, reason]),
    ).toEqual(
      Array.from({ length: 3 }, () => ['overtaken', 'adapter a is pinned by ada (a demonstration); unpin it first']),
    );
    expect(servedAfter(...held, unpinned('u', 'a'))).toEqual(serving('a'));
    expect(servedAfter(...held, unpinned('u', 'a'), promoted('4', 'd'))).toEqual(serving('d'));
  });

  it('is the one that is served at its place in the log, or none', () => {
    expect(after(...over(null, 'a'), pinned('p', 'b')).pin).toBeNull();
    expect(lastReason(after(...over(null, 'a'), pinned('p', 'b')))).toBe('adapter b is not served, adapter a is');
    expect(after(pinned('p', null)).pin).toMatchObject({ adapterDigest: null });
    expect(servedAfter(pinned('p', null), ...over(null, 'a'))).toBeNull();
  });

  it('is let go by name', () => {
    expect(lastReason(after(...log, unpinned('u', 'b')))).toBe('adapter b was not pinned any more');
    expect(after(...log, unpinned('u', 'b')).pin).toMatchObject({ adapterDigest: 'a' });
    expect(lastReason(after(...log, pinned('q', 'a')))).toMatch(/is pinned by ada/);
  });
});

describe('an adapter that was rolled back', () => {
  const gone = [...over(null, 'a'), ...over('a', 'b'), rolledBack('r', 'b', 'a')];

  it('is brought back by no run, nor is one that was trained from it', () => {
    const child = promotedByRun({ adapterDigest: 'c', parent: 'b' });
    const grandchild = promotedByRun({ adapterDigest: 'd', parent: 'c' });
    expect(servedAfter(...gone, ...child, ...grandchild)).toEqual(serving('a'));
    expect(lastReason(stateAfter([...gone, ...child, ...grandchild]))).toBe(
      'adapter b, which it descends from, was rolled back by ada (success fell); only a person promotes it again',
    );
    const again = promotedByRun({ adapterDigest: 'b', parent: 'a', runId: 'once more', onlyOverParent: true });
    expect(servedAfter(...gone, ...again)).toEqual(serving('a'));
    expect(lastReason(stateAfter([...gone, ...again]))).toMatch(/^it was rolled back by ada/);
  });

  it('is still the origin of one that is published again without it', () => {
    const [started, made, completed, promotion] = promotedByRun({ adapterDigest: 'c', parent: 'b' });
    for (const parent of [null, 'a']) {
      const forged = { ...made, parent, runId: 'made up' };
      for (const log of [
        [...gone, forged, started, made, completed, promotion],
        [...gone, started, made, completed, forged, promotion],
      ]) {
        expect(servedAfter(...log)).toEqual(serving('a'));
        expect(lastReason(stateAfter(log))).toMatch(/^adapter b, which it descends from, was rolled back/);
      }
    }
  });

  it('is the origin of one by what its run recorded, whenever that is read', () => {
    const made = promotedByRun({ adapterDigest: 'c', parent: 'a' }).slice(0, 3);
    const forged = { ...made[1]!, parent: 'b', runId: 'made up' } as SeamEvent;
    const log = [...gone, ...made, forged, ...promotedByRun({ adapterDigest: 'd', parent: 'c' })];
    const last = made[2]!;
    for (const order of [log, [...log.filter((event) => event !== last), last]])
      expect(stateAfter(order).served).toEqual(serving('d'));
  });

  it('is no parent of another only because a client publishes that one over it', () => {
    const [started, made, completed, promotion] = promotedByRun({ adapterDigest: 'c', parent: 'a' });
    const forged = { ...made, parent: 'b', runId: 'made up' };
    expect(stateAfter([...gone, forged, started, made, completed, promotion]).served).toEqual(serving('c'));
  });

  it('is served again when a person promotes it, and is a parent from then on', () => {
    expect(servedAfter(...gone, promoted('2', 'b'))).toEqual(serving('b'));
    expect(servedAfter(...gone, promoted('2', 'b'), ...over('b', 'c'))).toEqual(serving('c'));
  });

  it('does not keep what a person promotes from being learned on, although it descends from it', () => {
    const child = promotedByRun({ adapterDigest: 'c', parent: 'b' });
    const log = [...gone, ...child.slice(0, 3), evaluatedByPerson('c', evaluationOf(0.5))];
    const byPerson = {
      ...promotedByPerson({ messageId: '2', adapterDigest: 'c', parent: 'b' }),
      evaluation: evaluationOf(0.5),
    };
    expect(stateAfter([...log, byPerson, ...over('c', 'd')]).served).toEqual(serving('d'));
  });

  it('takes what was served after the one that it goes back to with it', () => {
    const log = [...over(null, 'a'), ...over('a', 'b'), ...over('b', 'c'), rolledBack('r', 'c', 'a')];
    expect([...after(...log).rolledBack.keys()].sort()).toEqual(['b', 'c']);
    expect(lastGoodAdapter(after(...log))).toBeNull();
    expect(after(...log).history).toEqual([null, serving('a')]);
  });

  it('leads to the last good one, which is the one served before that was not rolled back', () => {
    expect(lastGoodAdapter(after())).toBeUndefined();
    expect(lastGoodAdapter(after(...over(null, 'a')))).toBeNull();
    expect(lastGoodAdapter(after(...over(null, 'a'), ...over('a', 'b')))).toEqual(serving('a'));
    expect(lastGoodAdapter(after(...gone, ...over('a', 'c')))).toEqual(serving('a'));
    const anew = [...over(null, 'a'), ...over('a', 'b'), promoted('3', 'a'), rolledBack('4', 'a', 'b')];
    expect(lastGoodAdapter(after(...anew))).toBeNull();
  });
});

describe('an evaluation', () => {
  const child = promotedByRun({ adapterDigest: 'c', parent: 'a' })[1];
  const log = [published('a'), child];
  const measured = (change: Partial<EventOf<'AdapterEvaluated'>> = {}, digest = 'a'): EventOf<'AdapterEvaluated'> => ({
    ...evaluatedByPerson(digest),
    ...change,
  });
  /** Five problems of ten rescued, one broken. */
  const side = { ...evaluationOf(0.5, 0.1), problems: 10, rescued: 5, broken: 1 };

  it.each<[string, EventOf<'AdapterEvaluated'>, RegExp]>([
    ['without a name', measured({ evaluatedBy: ' ' }), /names no person/],
    ['of an adapter that was not published', measured({}, 'x'), /adapter x was not published before/],
    ['for another base model', measured({ baseModelDigest: 'other' }), /adapter a is not for base model other/],
    [
      'of a parent that the adapter does not have',
      measured({ evaluation: evaluationOf(0.5, 0.1) }, 'c'),
      /a parent that it did not/,
    ],
    ['of no problems', measured({ evaluation: { ...evaluationOf(0.5), problems: 0 } }), /0.5 of 0 problems/],
    ['of half a problem', measured({ evaluation: { ...evaluationOf(0.5), problems: 1.5 } }), /of 1.5 problems/],
    ['above all', measured({ evaluation: evaluationOf(1.5) }), /says 1.5 of/],
    ['that is no number', measured({ evaluation: evaluationOf(Number.NaN) }), /says NaN of/],
    [
      'above all in a domain',
      measured({ evaluation: { ...evaluationOf(0.5), perDomain: { sums: 2 } } }),
      /its evaluation says/,
    ],
    [
      'of a parent above all in a domain',
      measured({ evaluation: { ...side, parentPerDomain: { sums: 2 } } }),
      /says 0.5/,
    ],
    ['with a count alone', measured({ evaluation: { ...side, broken: null } }), /says 5 rescued and null broken/],
    ['with fewer than none', measured({ evaluation: { ...side, rescued: 4, broken: -1 } }), /4 rescued and -1 broken/],
    [
      'with more than all',
      measured({ evaluation: { ...side, rescued: 9, broken: 4 } }),
      /9 rescued and 4 broken of 10/,
    ],
    ['with another lead', measured({ evaluation: { ...side, rescued: 6, broken: 1 } }), /6 rescued .* a lead of 4/],
    [
      'with a lead of half a problem',
      measured({ evaluation: { ...side, problems: 2, success: 0.75, parentSuccess: 0.5, rescued: 1, broken: 1 } }),
      /a lead of 0.5/,
    ],
    ['of no parent', measured({ evaluation: { ...side, parentSuccess: null } }), /a lead of NaN/],
    [
      'with differences of fewer problems',
      measured({
        evaluation: {
          ...side,
          shares: { candidate: 0.25, parent: 0, differences: [{ thousandths: 500, problems: 5 }] },
        },
      }),
      /differences of 5 of 10 problems/,
    ],
  ])('%s supports no promotion, and is reported', (_, event, reason) => {
    const { adapterDigest, evaluation } = event;
    const promotion = { ...promotedByPerson({ messageId: 'p', adapterDigest }), evaluation };
    const { served, doubted, measured: kept } = stateAfter([...log, event, promotion]);
    expect([served, kept]).toEqual([null, []]);
    expect(doubted).toEqual([{ event, reason: expect.stringMatching(reason) as string }]);
  });

  it.each([
    ['alone', evaluationOf(0.5, 0.1)],
    ['problem by problem', side],
  ])('of the base model together with its adapter is believed with shares %s', (_, evaluation) => {
    const event = measured({ evaluation });
    expect(stateAfter([...log, event]).measured).toEqual([event]);
  });

  it('is the newest by its place in the log, regardless of its author and its clock', () => {
    const early = { ...measured({ evaluation: evaluationOf(0.25) }) };
    const late = { ...early, meta: { ...early.meta, occurredAt: 1 }, evaluation: evaluationOf(0.75) };
    const promotion = { ...promotedByPerson({ messageId: 'p', adapterDigest: 'a' }), evaluation: evaluationOf(0.25) };
    const newest = (...events: SeamEvent[]) =>
      evaluationsOf('a', groundsOf(stateAfter([...log, ...events]))).at(-1)?.success;
    expect(newest(early, promotion)).toBe(0.25);
    expect(newest(early, promotion, late)).toBe(0.75);
    expect(newest(late, early)).toBe(0.25);
    expect(newest(early, late, promotion)).toBe(0.25);
    expect(newest(late, { ...promotion, evaluation: evaluationOf(1) })).toBe(0.75);
  });
});
