import fc from 'fast-check';
import { problemShares } from './problem-shares.js';
import { TeamMethod, teamSettings } from './team-method.js';

const numbered = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const sizes = (shares: readonly (readonly unknown[])[]): number[] => shares.map(({ length }) => length);

describe('the problems of the batches of a stage', () => {
  it('are all there once, in their order, as many for each agent or one more, for any numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16 }), fc.nat({ max: 200 }), (agents, more) => {
        const problems = numbered(agents + more);
        const shares = problemShares(problems, agents, 'even');
        expect(shares.flat()).toEqual(problems);
        expect(shares).toHaveLength(agents);
        const fair = problems.length / agents;
        for (const size of sizes(shares)) expect([Math.floor(fair), Math.ceil(fair)]).toContain(size);
      }),
    );
  });

  it.each([
    [4, 3, [1, 1, 2]],
    [9, 4, [2, 2, 2, 3]],
    [10, 6, [1, 2, 2, 1, 2, 2]],
  ])('leave no batch empty: %i problems of %i agents', (problems, agents, expected) => {
    expect(sizes(problemShares(numbered(problems), agents, 'even'))).toEqual(expected);
  });

  it('are too few where an agent would have none, and the numbers are named', () => {
    expect(() => problemShares(numbered(2), 3, 'even')).toThrow(
      /team of 3 agents: expected at least 3 problems.*got 2/,
    );
  });

  it('are divided as they were in a stage of the first release, whose plan names no way', () => {
    expect(sizes(problemShares(numbered(9), 4, 'rounded-up'))).toEqual([3, 3, 3, 0]);
    expect(problemShares(numbered(8), 4, 'rounded-up')).toEqual(problemShares(numbered(8), 4, 'even'));
    expect(teamSettings['sat-seq']({}).division).toBe('rounded-up');
    const { recipes } = new TeamMethod('team', 'team');
    const planned = recipes.get('sat-seq')!.resolveConfiguration({ groupSize: 2 });
    expect(planned).toMatchObject({ division: 'even', groupSize: 2 });
    expect(recipes.get('sat-seq')!.resolveConfiguration({ division: 'rounded-up' }).division).toBe('rounded-up');
  });
});
