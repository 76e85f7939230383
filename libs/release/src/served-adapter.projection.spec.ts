import { originMeta, type SeamEvent } from '@seamstream/events';
import { evolveServedAdapter, initialServedAdapter } from './served-adapter.projection.js';

const meta = (messageId: string) =>
  originMeta({ messageId, correlationId: 'r', source: 'seam/trainer', occurredAt: 0, sourceClass: 'trusted' });
const promoted = (id: string, digest: string): SeamEvent => ({
  type: 'AdapterPromoted',
  meta: meta(id),
  adapterDigest: digest,
  key: `adapters/${digest}`,
  fingerprint: `f-${digest}`,
  parent: null,
  runId: null,
  rule: 'r',
  evaluation: null,
  onlyOverParent: false,
});
/** As a run promotes: compared with its parent. */
const over = (parent: string | null, id: string, digest: string): SeamEvent =>
  ({ ...promoted(id, digest), parent, onlyOverParent: true }) as SeamEvent;
const rolledBack = (id: string, from: string, to: string | null): SeamEvent => ({
  type: 'AdapterRolledBack',
  meta: meta(id),
  adapterDigest: from,
  to,
  key: to === null ? null : `adapters/${to}`,
  fingerprint: to === null ? null : `f-${to}`,
  reason: 'r',
});
const serving = (digest: string) => ({ adapterDigest: digest, key: `adapters/${digest}`, fingerprint: `f-${digest}` });
const servedAfter = (...events: readonly SeamEvent[]) =>
  events.reduce(evolveServedAdapter, initialServedAdapter()).served;

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
    const [a, b] = [over(null, '1', 'a'), over(null, '2', 'b')];
    expect(servedAfter(a, b)).toEqual(serving('a'));
    expect(servedAfter(b, a)).toEqual(serving('b'));
    expect(servedAfter(a, b, a, b)).toEqual(serving('a'));
    expect(servedAfter(a, b, over('b', '3', 'c'), over('a', '4', 'd'))).toEqual(serving('d'));
  });

  it('stays when a promotion over another one comes too late, which says why', () => {
    const events = [over(null, '1', 'a'), rolledBack('2', 'a', null), over('a', '3', 'b'), over(null, '4', 'c')];
    const { served, overtaken } = events.reduce(evolveServedAdapter, initialServedAdapter());
    expect(served).toEqual(serving('c'));
    expect([...overtaken]).toEqual([
      ['3', 'overtaken: it was compared with adapter a, and meanwhile the base model is served; train anew from that'],
    ]);
  });

  it('is what a person promotes, and what was promoted before promotions named what they are over', () => {
    expect(servedAfter(over(null, '1', 'a'), promoted('2', 'b'))).toEqual(serving('b'));
  });

  it('may be promoted anew', () => {
    expect(servedAfter(promoted('1', 'a'), rolledBack('2', 'a', null), promoted('3', 'a'))).toEqual(serving('a'));
  });
});
