import fc from 'fast-check';
import { assignPartitions, type GroupMember, grantablePartitions } from './partition-assignment.js';

const member = (memberId: string, ...topics: string[]): GroupMember => ({ memberId, topics });
const entries = (map: Map<string, string>) => Object.fromEntries(map);

describe('assignPartitions', () => {
  it('gives everything to the only member', () => {
    expect(entries(assignPartitions([member('a', 't')], new Map([['t', 3]]), new Map()))).toEqual({
      't/0': 'a',
      't/1': 'a',
      't/2': 'a',
    });
  });

  it('moves no more than balance needs when a member joins', () => {
    const before = new Map([
      ['t/0', 'a'],
      ['t/1', 'a'],
      ['t/2', 'a'],
      ['t/3', 'a'],
    ]);
    const after = assignPartitions([member('a', 't'), member('b', 't')], new Map([['t', 4]]), before);
    expect(entries(after)).toEqual({ 't/0': 'a', 't/1': 'a', 't/2': 'b', 't/3': 'b' });
  });

  it('leaves the others alone when a member is gone', () => {
    const before = new Map([
      ['t/0', 'a'],
      ['t/1', 'b'],
      ['t/2', 'c'],
    ]);
    const after = assignPartitions([member('a', 't'), member('c', 't')], new Map([['t', 3]]), before);
    expect(entries(after)).toEqual({ 't/0': 'a', 't/1': 'a', 't/2': 'c' });
  });

  it('leaves the whole with its owner when the group is not to be spread, and gives it to one when it is free', () => {
    const members = ['a', 'b'].map((id) => ({ ...member(id, 't', 'u'), sharing: 'whole' as const }));
    const counts = new Map([
      ['t', 3],
      ['u', 1],
    ]);
    const all = (owner: string) => new Map(['t/0', 't/1', 't/2', 'u/0'].map((name) => [name, owner]));
    expect(assignPartitions(members, counts, all('b'))).toEqual(all('b'));
    expect(new Set(assignPartitions(members, counts, new Map()).values()).size).toBe(1);
    expect(assignPartitions(members, counts, all('gone')).size).toBe(4);
  });

  describe('of groups that go by turns', () => {
    const counts = new Map([['t', 4]]);
    /** The members of the group with this turn; ids say nothing of instances. */
    const membersAt = (turn: number, instances: readonly number[]): GroupMember[] =>
      instances.map((instance) => ({
        ...member(`${(instance * 7 + turn * 3) % 11}-${instance}`, 't'),
        sharing: 'whole',
        turn,
        instance: `instance-${String(instance).padStart(2, '0')}`,
      }));
    const instanceOf = (memberId: string): number => Number(memberId.split('-')[1]);

    it('gives no instance more than its share of them, regardless of who owned them and in any order of members', () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 9 }),
          fc.nat(5),
          (instances, groups, before) => {
            const owned = new Map<number, number>();
            for (let turn = 0; turn < groups; turn++) {
              const members = membersAt(turn, instances);
              const former = members[before % members.length]!.memberId;
              const owners = new Map([0, 1, 2, 3].map((partition) => [`t/${partition}`, former]));
              const assigned = assignPartitions(members, counts, owners);
              expect(entries(assignPartitions(members.toReversed(), counts, new Map()))).toEqual(entries(assigned));
              expect(assigned.size).toBe(4);
              const holders = new Set(assigned.values());
              expect(holders.size).toBe(1);
              const instance = instanceOf([...holders][0]!);
              owned.set(instance, (owned.get(instance) ?? 0) + 1);
            }
            expect(Math.max(...owned.values())).toBeLessThanOrEqual(Math.ceil(groups / instances.length));
          },
        ),
        { numRuns: 200 },
      );
    });

    it('moves none for an instance that comes and whose turn it is not', () => {
      const ownerAt = (turn: number, instances: readonly number[]): number =>
        instanceOf(assignPartitions(membersAt(turn, instances), counts, new Map()).get('t/0')!);
      expect([0, 1, 2].map((turn) => ownerAt(turn, [4]))).toEqual([4, 4, 4]);
      expect([0, 1, 2].map((turn) => ownerAt(turn, [4, 5]))).toEqual([4, 5, 4]);
      expect([0, 1, 2].map((turn) => ownerAt(turn, [4, 5, 6]))).toEqual([4, 5, 6]);
    });
  });

  it('of a group that is whole a member gets nothing while another still has a part', () => {
    const spread = [member('a', 't'), member('b', 't')];
    const whole = spread.map((one) => ({ ...one, sharing: 'whole' as const }));
    const target = new Map([
      ['t/0', 'b'],
      ['t/1', 'b'],
    ]);
    const partly = new Map([['t/1', 'a']]);
    expect(entries(grantablePartitions(whole, target, partly))).toEqual({});
    expect(entries(grantablePartitions(whole, target, new Map()))).toEqual({ 't/0': 'b', 't/1': 'b' });
    expect(entries(grantablePartitions(whole, target, new Map([['t/1', 'b']])))).toEqual({ 't/0': 'b' });
    expect(entries(grantablePartitions(spread, target, partly))).toEqual({ 't/0': 'b' });
  });

  it('keeps partitions of the same number together across topics with the same subscribers', () => {
    const members = [member('a', 'experiences', 'outcomes'), member('b', 'experiences', 'outcomes')];
    const assigned = assignPartitions(
      members,
      new Map([
        ['experiences', 4],
        ['outcomes', 4],
      ]),
      new Map(),
    );
    for (const partition of [0, 1, 2, 3])
      expect(assigned.get(`experiences/${partition}`)).toBe(assigned.get(`outcomes/${partition}`));
    expect(new Set(assigned.values())).toEqual(new Set(['a', 'b']));
  });

  it('gives a topic only to members that asked for it', () => {
    const assigned = assignPartitions(
      [member('a', 'x'), member('b', 'y')],
      new Map([
        ['x', 2],
        ['y', 2],
        ['z', 2],
      ]),
      new Map(),
    );
    expect(entries(assigned)).toEqual({ 'x/0': 'a', 'x/1': 'a', 'y/0': 'b', 'y/1': 'b' });
  });

  it('is balanced, complete, settled after one step and the same in any order of members', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }),
        (ids, count, previous) => {
          const members = ids.map((id) => member(`m${id}`, 't'));
          const owners = new Map(previous.slice(0, count).map((id, partition) => [`t/${partition}`, `m${id}`]));
          const partitions = new Map([['t', count]]);
          const assigned = assignPartitions(members, partitions, owners);
          const loads = members.map(
            ({ memberId }) => [...assigned.values()].filter((owner) => owner === memberId).length,
          );
          expect(assigned.size).toBe(count);
          expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
          expect(assignPartitions(members, partitions, assigned)).toEqual(assigned);
          expect(entries(assignPartitions(members.toReversed(), partitions, owners))).toEqual(entries(assigned));
        },
      ),
      { numRuns: 200 },
    );
  });
});
