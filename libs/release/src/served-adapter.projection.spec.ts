import type { AdapterPromoted, EventOf, SeamEvent } from '@seamstream/events';
import { derivedId, Random } from '@seamstream/kernel';
import { evaluationOf, promotedByPerson, promotedByRun, rolledBack } from './promotion-log.contract.js';
import { evolveServedAdapter, initialServedAdapter, type ServedAdapterState } from './served-adapter.projection.js';

const published = (digest: string): SeamEvent => promotedByRun({ adapterDigest: digest })[1];
/** As a person promotes: over whatever is served. */
const promoted = (messageId: string, digest: string): SeamEvent =>
  promotedByPerson({ messageId, adapterDigest: digest });
/** As a run promotes: compared with its parent. */
const over = (parent: string | null, digest: string): readonly SeamEvent[] =>
  promotedByRun({ adapterDigest: digest, parent, onlyOverParent: true });
const serving = (digest: string) => ({ adapterDigest: digest, key: `adapters/${digest}`, fingerprint: `f-${digest}` });
const stateAfter = (events: readonly SeamEvent[]): ServedAdapterState =>
  events.reduce(evolveServedAdapter, initialServedAdapter());
/** With everything published. */
const servedAfter = (...events: readonly SeamEvent[]) =>
  stateAfter([...['a', 'b', 'c', 'd'].map(published), ...events]).served;

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

  it('stays when a rollback comes too late', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'), rolledBack('3', 'a', null))).toEqual(serving('b'));
  });

  it('does not come back when its promotion is told again after a rollback', () => {
    expect(servedAfter(promoted('1', 'a'), promoted('2', 'b'), rolledBack('3', 'b', 'a'), promoted('2', 'b'))).toEqual(
      serving('a'),
    );
  });

  it('is the first of two that were promoted over the same parent, in whatever order they come', () => {
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
        'overtaken: it was compared with adapter a, and meanwhile the base model is served; train anew from that',
      ],
      ['counted', ''],
    ]);
  });

  it('is what a person promotes by name, with a reason and an evaluation', () => {
    expect(servedAfter(...over(null, 'a'), promoted('2', 'b'))).toEqual(serving('b'));
  });

  it('may be promoted anew', () => {
    expect(servedAfter(promoted('1', 'a'), rolledBack('2', 'a', null), promoted('3', 'a'))).toEqual(serving('a'));
  });

  it('is the same in whatever order the two topics are read', () => {
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
      'of an adapter that somebody published in the name of the run',
      [started, { ...made, meta: { ...made.meta, messageId: 'made-up' } }, completed, promotion],
      /did not publish adapter b/,
    ],
    [
      'over another parent than the run had',
      [...run, changed({ parent: null })],
      /did not publish adapter b over this/,
    ],
    [
      'under an id of its own',
      [...run, changed({ meta: { ...promotion.meta, messageId: 'made-up' } })],
      /its id does not follow from run/,
    ],
    [
      'of a run whose start is made up',
      [{ ...started, meta: { ...started.meta, messageId: 'x' } }, made, completed, promotion],
      /the start of run/,
    ],
    [
      'that its own figures speak against',
      [...run, changed({ evaluation: evaluationOf(0.25, 0.75) })],
      /does not bear it out: 25.0 % of 4 problems/,
    ],
    ['with figures that are none', [...run, changed({ evaluation: evaluationOf(7, 0) })], /evaluation is none/],
    ['of nobody', [...run, changed({ runId: null })], /neither a run nor the person/],
    [
      'of a person who gives no reason',
      [...run, changed({ runId: null, promotedBy: 'eve', reason: ' ' })],
      /no reason of eve's/,
    ],
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
      [...run, promotion, { ...(rolledBack('f', 'b', 'a') as EventOf<'AdapterRolledBack'>), key: 'adapters/evil' }],
      /adapter a was never served under this key/,
    ],
  ])('%s changes nothing, and is told', (_, forged, reason) => {
    const before = forged.includes(promotion) && forged.at(-1) !== promotion && forged.at(-1) !== made ? 'b' : 'a';
    const { served, decisions } = stateAfter([...honest, ...forged]);
    expect(served).toEqual(serving(before));
    expect(decisions.filter(({ status }) => status === 'refused')).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(reason) as string }),
    ]);
  });

  it('does not keep the true one from counting, whose id it took before', () => {
    const forged = changed({ evaluation: null });
    const { served, decisions } = stateAfter([...honest, ...run, forged, promotion]);
    expect(served).toEqual(serving('b'));
    expect(decisions.map(({ status }) => status)).toEqual(['counted', 'refused', 'counted']);
    expect(promotion.meta.messageId).toBe(derivedId(derivedId('run-b', 'started'), 'promoted'));
  });
});
