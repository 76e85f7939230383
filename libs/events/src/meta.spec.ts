import { derivedId } from '@seamstream/kernel';
import { deriveMeta, leastTrusted, originMeta } from './meta.js';
import { DEFAULT_TENANT, isTenant, tenantOf } from './tenants.js';

const cause = originMeta({
  messageId: 'm-1',
  correlationId: 'p-1',
  source: 'seam/gateway',
  occurredAt: 10,
  sourceClass: 'user',
  subject: 'user-7',
  traceparent: '00-a-b-01',
  tenant: 'acme',
});

describe('the meta of an event', () => {
  it('that nothing caused names no cause', () => {
    expect(cause).toEqual({
      messageId: 'm-1',
      correlationId: 'p-1',
      causationId: null,
      occurredAt: 10,
      source: 'seam/gateway',
      subject: 'user-7',
      sourceClass: 'user',
      traceparent: '00-a-b-01',
      tenant: 'acme',
    });
  });

  it('that follows from another keeps correlation, subject, tenant and trace, and points at its cause', () => {
    expect(deriveMeta(cause, { role: 'experience', index: 3, source: 'seam/generator', occurredAt: 20 })).toEqual({
      messageId: derivedId('m-1', 'experience', 3),
      correlationId: 'p-1',
      causationId: 'm-1',
      occurredAt: 20,
      source: 'seam/generator',
      subject: 'user-7',
      sourceClass: 'user',
      traceparent: '00-a-b-01',
      tenant: 'acme',
    });
  });

  it('has the same id whenever it is derived again, and another for another role or index', () => {
    const idOf = (role: string, index?: number) =>
      deriveMeta(cause, { role, ...(index === undefined ? {} : { index }), source: 's', occurredAt: Math.random() })
        .messageId;
    expect(idOf('outcome')).toBe(idOf('outcome', 0));
    expect(new Set([idOf('outcome'), idOf('outcome', 1), idOf('failure')]).size).toBe(3);
  });

  it('may belong to another story, that of a training run, and then to no tenant but the default one', () => {
    expect(
      deriveMeta(cause, { role: 'run', source: 's', occurredAt: 0, correlationId: 'r-1', traceparent: null }),
    ).toMatchObject({ correlationId: 'r-1', traceparent: null, causationId: 'm-1', tenant: null });
  });
});

describe('taint', () => {
  const derived = (from: Parameters<typeof leastTrusted>[0], own?: Parameters<typeof leastTrusted>[0]) =>
    deriveMeta(
      { ...cause, sourceClass: from },
      { role: 'r', source: 's', occurredAt: 0, ...(own === undefined ? {} : { sourceClass: own }) },
    ).sourceClass;

  it('flows from cause to effect', () => {
    expect([derived('trusted'), derived('user'), derived('web'), derived('model')]).toEqual([
      'trusted',
      'user',
      'web',
      'model',
    ]);
  });

  it('is never washed off by a more trusted service', () => {
    expect(derived('web', 'trusted')).toBe('web');
    expect(derived('model', 'user')).toBe('model');
  });

  it('grows with the output of a model', () => {
    expect(derived('trusted', 'model')).toBe('model');
  });

  it('of several sources is that of the least trusted', () => {
    expect(leastTrusted('trusted', 'web', 'user')).toBe('web');
  });
});

describe('the tenant of an event', () => {
  it('is the default one where none is named, in old events and new ones', () => {
    const { tenant } = originMeta({ ...cause, tenant: DEFAULT_TENANT });
    expect([tenant, tenantOf({ tenant: null }), tenantOf(cause)]).toEqual([null, 'default', 'acme']);
  });

  it.each([
    ['acme', true],
    ['a', true],
    ['acme-2-eu', true],
    ['a'.repeat(32), true],
    ['a'.repeat(33), false],
    ['', false],
    ['Acme', false],
    ['acme corp', false],
    ['-acme', false],
    ['acme-', false],
    ['a--b', false],
    ['a/b', false],
    ['acme\n', false],
    ['ácme', false],
    ['*', false],
  ])('has a name that is short and plain: %j is %j', (name, is) => {
    expect(isTenant(name)).toBe(is);
  });
});
