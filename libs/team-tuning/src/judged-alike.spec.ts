import type { JudgedBy } from '@seamstream/rollout';
import fc from 'fast-check';
import { agentOrder } from './agent-order.js';
import { clippedGroupAdvantages } from './formulas/advantages.js';
import { teamOf } from './team.js';
import type { TeamRollout } from './team-rollout.js';
import { advantagesOf, comparedRollouts } from './trained-turns.js';

/** Of a verdict on which both revisions judged. */
const MIX = 'fp_1, fp_2';
const GROUP = { advantage: { kind: 'group', clip: 5 } } as const;
const GAE = {
  advantage: {
    kind: 'gae',
    gamma: 0.99,
    lambda: 0.95,
    clip: 5,
    valueRange: 0.2,
    valueRate: 0.1,
    baseline: 'after-fit',
  },
} as const;

describe('rewards that different revisions of a judge gave', () => {
  it('are not compared within a group: a group of several revisions teaches nothing, any other what it always did', () => {
    fc.assert(
      fc.property(batches, (rollouts) => {
        const advantages = advantagesOf(rollouts, 0, GROUP, []);
        for (const [id, group] of Map.groupBy(rollouts, ({ problem }) => problem.problemId)) {
          // A mix names several.
          const revisions = new Set(group.flatMap(({ judgedBy }) => judgedBy?.revision?.split(', ') ?? []));
          const own = clippedGroupAdvantages(
            group.map(({ reward }) => reward),
            5,
          );
          expect(advantages.filter((_, at) => rollouts[at]!.problem.problemId === id)).toEqual(
            revisions.size > 1 ? own.map(() => 0) : own,
          );
        }
      }),
    );
  });

  it('are not compared by values: those of other revisions than judged most move no advantage in any batch', () => {
    fc.assert(
      fc.property(batches, batches, (rollouts, earlier) => {
        const compared = new Set(comparedRollouts(rollouts, GAE));
        const main = [...compared].find(({ judgedBy }) => judgedBy !== null)?.judgedBy ?? null;
        expect(main?.revision).not.toBe(MIX);
        // Where each is a mix there is no main revision.
        const isApart = ({ judgedBy }: TeamRollout) =>
          judgedBy != null && (judgedBy.revision === MIX || (main !== null && judgedBy.revision !== main.revision));
        const opposed = (batch: readonly TeamRollout[]) =>
          batch.map((each) => (isApart(each) ? { ...each, reward: 1 - each.reward } : each));
        const advantages = advantagesOf(rollouts, 0, GAE, [earlier]);
        expect(advantagesOf(opposed(rollouts), 0, GAE, [opposed(earlier)])).toEqual(advantages);
        for (const [at, rollout] of rollouts.entries()) {
          expect(compared.has(rollout)).toBe(!isApart(rollout));
          if (isApart(rollout)) expect(advantages[at]).toBe(0);
        }
      }),
    );
  });

  it('say nothing about which agent is updated first', () => {
    // The second agent's turn decides the reward, as two revisions see it; the first one's, as one revision does.
    const rewards = [1, 0, 1, 0];
    const apart = ['a', 'b'].flatMap((problem) =>
      rewards.map((reward, at) => rolloutOf(problem, reward, `fp_${at % 2}`, ['same', `own ${reward}`])),
    );
    const alike = rewards.map((reward) => rolloutOf('c', reward, 'fp_0', [`own ${reward}`, 'same']));
    expect(agentOrder('information', TEAM, { rollouts: [...apart, ...alike], seed: 's' })).toEqual([0, 1]);
    const one = [...apart, ...alike].map((each) => ({ ...each, judgedBy: alike[0]!.judgedBy! }));
    expect(agentOrder('information', TEAM, { rollouts: one, seed: 's' })).toEqual([1, 0]);
  });
});

const TEAM = teamOf({ agents: ['one', 'two'].map((name) => ({ name, path: 'm' })) }, 'of a spec');

function rolloutOf(
  problemId: string,
  reward: number,
  revision: string | null,
  texts: readonly string[] = ['', ''],
): TeamRollout {
  const judgedBy: JudgedBy = revision === null ? null : { model: 'judge', revision };
  const turns = texts.map((text, at) => ({
    ...{
      agent: `agent_${at}`,
      promptTokenIds: [at, 2 + reward * 4],
      tokenIds: [1],
      logProbs: [-1],
      forced: [false],
      text,
    },
    adapterDigest: null,
  }));
  const problem = { problemId } as TeamRollout['problem'];
  return {
    ...{ rolloutId: '', problem, candidate: 0, turns, outcome: null, response: '' },
    ...{ success: reward > 0.5, reward, judgedBy },
  };
}

/** Up to four problems with three rollouts each, in a mixed order. */
const batches: fc.Arbitrary<readonly TeamRollout[]> = fc
  .array(
    fc.array(fc.tuple(fc.constantFrom(0, 0.25, 1), fc.constantFrom('fp_1', 'fp_1', 'fp_2', MIX, null)), {
      minLength: 3,
      maxLength: 3,
    }),
    { minLength: 1, maxLength: 4 },
  )
  .chain((groups) =>
    fc.shuffledSubarray(
      groups.flatMap((group, at) => group.map(([reward, revision]) => rolloutOf(`p${at}`, reward, revision))),
      { minLength: groups.length * 3 },
    ),
  );
