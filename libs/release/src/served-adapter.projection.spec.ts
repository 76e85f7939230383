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
});
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

  it('may be promoted anew', () => {
    expect(servedAfter(promoted('1', 'a'), rolledBack('2', 'a', null), promoted('3', 'a'))).toEqual(serving('a'));
  });
});
