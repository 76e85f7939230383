import type { AdapterPromoted, SeamEvent } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import {
  evaluatedByPerson,
  evaluationOf,
  pinned,
  promotedByRun,
  rolledBack,
  unpinned,
} from '@seamstream/testing/promotion-log';
import { after, over, promoted, serving, stateAfter } from './served-adapters.fake.js';

describe('a forged decision', () => {
  const [started, made, completed, promotion] = promotedByRun({
    adapterDigest: 'b',
    parent: 'a',
    onlyOverParent: true,
  });
  const honest = over(null, 'a');
  const changed = (changes: Partial<AdapterPromoted>): SeamEvent => ({ ...promotion, ...changes });
  const run = [started, made, completed];
  const otherRun = promotedByRun({ adapterDigest: 'c', parent: 'a' });

  it.each<[string, readonly SeamEvent[], RegExp]>([
    ['of an adapter that was never published', [started, completed, promotion], /was not published before/],
    [
      'of an adapter that is published only afterwards',
      [started, completed, promotion, made],
      /was not published before/,
    ],
    ['under another key', [...run, changed({ key: 'adapters/evil' })], /under another key/],
    ['with another fingerprint', [...run, changed({ fingerprint: 'mine' })], /another fingerprint/],
    ['without an evaluation', [...run, changed({ evaluation: null })], /names no evaluation/],
    ['of a run that never started', [made, completed, promotion], /no run .* was started/],
    ['of a run that did not complete', [started, made, promotion], /was not completed/],
    [
      'of a run that completed with another adapter',
      [started, made, { ...completed, adapterDigest: 'other' }, promotion],
      /completed with adapter other/,
    ],
    [
      "in another run's name",
      [...run, ...otherRun.slice(0, 3), changed({ runId: 'run-c' })],
      /run run-c completed with adapter c/,
    ],
    [
      'of an adapter that another client published in the name of the run',
      [started, { ...made, meta: { ...made.meta, messageId: 'made-up' } }, completed, promotion],
      /did not publish adapter b/,
    ],
    [
      'over another parent than the run had',
      [...run, changed({ parent: null })],
      /did not publish adapter b over this/,
    ],
    [
      'under an id that does not follow from the run',
      [...run, changed({ meta: { ...promotion.meta, messageId: 'made-up' } })],
      /its id does not follow from run/,
    ],
    [
      'of a run whose start is made up',
      [{ ...started, meta: { ...started.meta, messageId: 'x' } }, made, completed, promotion],
      /the start of run/,
    ],
    [
      'of a run that is judged by a rule of another version',
      [{ ...started, configuration: '{"promotion":{"rule":"vote"}}' }, made, completed, promotion],
      /a rule that this version does not know/,
    ],
    [
      'of a run that compares by a measure of another version',
      [
        { ...started, configuration: '{"promotion":{"rule":"better","measure":"votes","level":1}}' },
        made,
        completed,
        promotion,
      ],
      /a rule that this version does not know/,
    ],
    [
      'that its own figures speak against',
      [...run, changed({ evaluation: evaluationOf(0.25, 0.75) })],
      /does not bear it out: 25.0 % of 4 problems/,
    ],
    ['with impossible figures', [...run, changed({ evaluation: evaluationOf(7, 0) })], /evaluation is not valid/],
    ['without a run or a person', [...run, changed({ runId: null })], /neither a run nor the person/],
    [
      'of a person who gives no reason',
      [...run, changed({ runId: null, promotedBy: 'eve', reason: ' ' })],
      /no reason of eve's/,
    ],
    [
      'of a person who made the measurement up',
      [
        ...run,
        evaluatedByPerson('b', evaluationOf(0.25)),
        evaluatedByPerson('c', evaluationOf(1)),
        changed({ runId: null, promotedBy: 'eve', reason: 'r', evaluation: evaluationOf(1) }),
      ],
      /evaluation is not on record/,
    ],
    ['that rolls back without a name', [{ ...rolledBack('f', 'a', null), rolledBackBy: null }], /names no person/],
    ['that rolls back without a reason', [{ ...rolledBack('f', 'a', null), reason: '' }], /gives no reason of ada's/],
    ['that pins without a name', [{ ...pinned('f', 'a'), pinnedBy: ' ' }], /names no person/],
    ['that pins without a reason', [{ ...pinned('f', 'a'), reason: '' }], /gives no reason of ada's/],
    ['that unpins without a name', [{ ...unpinned('f', 'a'), unpinnedBy: '' }], /names no person/],
    [
      'of a person who measured nothing',
      [
        ...run,
        changed({ runId: null, promotedBy: 'eve', reason: 'r', evaluation: { ...evaluationOf(1), problems: 0 } }),
      ],
      /1 of 0 problems/,
    ],
    [
      'that says something else under the id of one that counted',
      [...run, promotion, changed({ rule: 'mine' })],
      /another decision has its id/,
    ],
    ['that rolls back to what was never served', [rolledBack('f', 'a', 'evil')], /adapter evil was never served/],
    [
      'that rolls back to what was served, under another key',
      [...run, promotion, { ...rolledBack('f', 'b', 'a'), key: 'adapters/evil' }],
      /adapter a was never served under this key/,
    ],
  ])('%s changes nothing, and is reported', (_, forged, reason) => {
    const before = forged.includes(promotion) && forged.at(-1) !== promotion && forged.at(-1) !== made ? 'b' : 'a';
    const { served, decisions } = stateAfter([...honest, ...forged]);
    expect(served).toEqual(serving(before));
    expect(decisions.filter(({ status }) => status === 'refused')).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(reason) as string }),
    ]);
  });

  it('of a person counts on what a run measured that was refused, whichever is read first', () => {
    const [start, publication] = promotedByRun({ adapterDigest: 'c', parent: 'a' });
    const rejection: SeamEvent = {
      type: 'TrainingRunRejected',
      meta: { ...start.meta, messageId: 'rejected' },
      runId: 'run-c',
      adapterDigest: 'c',
      reason: 'worse',
      evaluation: evaluationOf(0.5),
      metrics: {},
    };
    const log = [...honest, start, publication];
    expect(stateAfter([...log, rejection, promoted('2', 'c')]).served).toEqual(serving('c'));
    expect(stateAfter([...log, promoted('2', 'c'), rejection]).served).toEqual(serving('c'));
    expect(stateAfter([...log, promoted('2', 'c')]).served).toEqual(serving('a'));
  });

  it('does not keep the true one from counting, whose id it took before', () => {
    const forged = changed({ evaluation: null });
    const { served, decisions } = stateAfter([...honest, ...run, forged, promotion]);
    expect(served).toEqual(serving('b'));
    expect(decisions.map(({ status }) => status)).toEqual(['counted', 'refused', 'counted']);
    expect(promotion.meta.messageId).toBe(derivedId(derivedId('run-b', 'started'), 'promoted'));
  });
});

describe('forged records', () => {
  it('are forgotten, the oldest first, where there are many, and a true promotion still counts', () => {
    const forged = Array.from(
      { length: 1500 },
      (_, at) => promotedByRun({ adapterDigest: 'none', runId: `f${at}` })[3],
    );
    const doubted = Array.from({ length: 1500 }, (_, at) => ({
      ...evaluatedByPerson(`unknown-${at}`),
      evaluatedBy: 'eve',
    }));
    const [start, adapter, completed, promotion] = over(null, 'a');
    // What it rests on is read last, as it may be: all is folded again then.
    const state = after(...forged, promotion!, ...doubted, ...forged.slice(0, 900), start!, completed!);
    expect(state.served).toEqual(serving('a'));
    expect(adapter!.type).toBe('AdapterPublished');
    expect(state.decisions.filter(({ status }) => status === 'refused').length).toBeLessThanOrEqual(1000);
    expect(state.doubted).toHaveLength(1000);
    expect(state.steps.length).toBeLessThan(2_100);
    expect(state.doubted.at(-1)?.event.adapterDigest).toBe('unknown-1499');
  });
});
