import { type Acl, compareAcls } from './acl-plan.js';

const right = (principal: string, name: string, operation: Acl['operation'] = 'read'): Acl => ({
  principal,
  resource: 'topic',
  pattern: 'literal',
  name,
  operation,
});

describe('comparing rights', () => {
  it('names what is missing, and what a wanted principal or anybody has beyond it', () => {
    const wanted = [right('User:a', 't'), right('User:b', 't')];
    const existing = [
      right('User:b', 't'),
      right('User:b', 't', 'write'),
      right('User:*', 't', 'write'),
      right('User:stranger', 't', 'all'),
    ];
    expect(compareAcls(wanted, existing)).toEqual([
      { acl: right('User:a', 't'), what: 'missing' },
      { acl: right('User:b', 't', 'write'), what: 'surplus' },
      { acl: right('User:*', 't', 'write'), what: 'surplus' },
    ]);
  });

  it('finds no difference between equal rights in any order', () => {
    const wanted = [right('User:a', 't'), right('User:a', 'u')];
    expect(compareAcls(wanted, wanted.toReversed())).toEqual([]);
  });

  it('distinguishes a name from a prefix of names', () => {
    const prefixed: Acl = { ...right('User:a', 'seam.'), pattern: 'prefixed' };
    expect(compareAcls([right('User:a', 'seam.')], [prefixed]).map(({ what }) => what)).toEqual(['missing', 'surplus']);
  });
});
