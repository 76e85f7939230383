import { assignCooperatively, type JoinedMember } from './cooperative-assignment.js';

const TOPIC = new Map([['t', 4]]);
const member = (memberId: string, owned: readonly number[] = [], more: Partial<JoinedMember> = {}): JoinedMember => ({
  memberId,
  topics: ['t'],
  sharing: 'spread',
  owned: owned.map((partition) => `t/${partition}`),
  generation: 1,
  ...more,
});
const sharesOf = (given: ReadonlyMap<string, readonly string[]>): Record<string, readonly string[]> =>
  Object.fromEntries([...given].map(([memberId, names]) => [memberId, names.toSorted()]));

describe('sharing partitions cooperatively', () => {
  it('assigns partitions without an owner at once', () => {
    expect(sharesOf(assignCooperatively([member('a'), member('b')], TOPIC))).toEqual({
      a: ['t/0', 't/2'],
      b: ['t/1', 't/3'],
    });
  });

  it('assigns a partition that has to move to no member until its owner has let go', () => {
    const first = sharesOf(assignCooperatively([member('a', [0, 1, 2, 3]), member('b')], TOPIC));
    expect(first.a).toHaveLength(2);
    expect(first.b).toEqual([]);
    const kept = first.a!.map((name) => Number(name.slice(2)));
    const second = sharesOf(assignCooperatively([member('a', kept), member('b')], TOPIC));
    expect(second.a).toEqual(first.a);
    expect([...second.a!, ...second.b!].toSorted()).toEqual(['t/0', 't/1', 't/2', 't/3']);
  });

  it('believes the later of two members that claim a partition', () => {
    const [stale, present] = [member('a', [0, 1, 2, 3], { generation: 3 }), member('b', [0, 1], { generation: 7 })];
    const given = sharesOf(assignCooperatively([stale, present], TOPIC));
    expect(given).toEqual({ a: ['t/2', 't/3'], b: ['t/0', 't/1'] });
  });

  it('gives all to one where the group wants it whole, and to the next when that one is gone', () => {
    const whole = { sharing: 'whole' } as const;
    const all = ['t/0', 't/1', 't/2', 't/3'];
    const owner = member('b', [0, 1, 2, 3], whole);
    expect(sharesOf(assignCooperatively([member('a', [], whole), owner], TOPIC))).toEqual({ a: [], b: all });
    expect(sharesOf(assignCooperatively([member('a', [], whole)], TOPIC))).toEqual({ a: all });
  });

  it('gives nothing of a topic that the cluster does not have', () => {
    expect(sharesOf(assignCooperatively([member('a', [], { topics: ['gone'] })], TOPIC))).toEqual({ a: [] });
  });
});
