import { normalised } from './formulas/advantages.js';
import { TEAM_RECIPES, teamSettings } from './team-method.js';
import type { TeamRollout } from './team-rollout.js';
import { advantagesOf, trainedTurns } from './trained-turns.js';

const VALUES = { kind: 'gae', gamma: 0.99, lambda: 0.95, clip: 5, valueRange: 0.2, valueRate: 0.5 } as const;
const BEFORE = { advantage: { ...VALUES, baseline: 'before-fit' } } as const;
const AFTER = { advantage: { ...VALUES, baseline: 'after-fit' } } as const;

const rolloutOf = (problemId: string, reward: number, ...asked: number[][]): TeamRollout =>
  ({ problem: { problemId }, reward, turns: asked.map((promptTokenIds) => ({ promptTokenIds })) }) as never;

const BATCH = [
  rolloutOf('a', 1, [1, 2], [3, 9]),
  rolloutOf('a', 0, [1, 2], [4, 9]),
  rolloutOf('b', 1, [5, 6], [3, 9]),
  rolloutOf('b', 0.25, [5, 6], [7, 9]),
];
const EARLIER = [rolloutOf('c', 0, [1, 6], [3, 8]), rolloutOf('c', 1, [5, 2], [4, 8])];

describe('advantages by values', () => {
  it('compare a reward with values that no reward of the batch is in', () => {
    // Nothing was fitted before the first batch: all values are 0, and what is left are the rewards.
    const bare = normalised(
      BATCH.map(({ reward }) => reward),
      5,
    );
    for (const place of [0, 1])
      advantagesOf(BATCH, place, BEFORE, []).forEach((each, at) => expect(each).toBeCloseTo(bare[at]!, 4));
    expect(advantagesOf(BATCH, 0, BEFORE, [EARLIER])).not.toEqual(advantagesOf(BATCH, 0, BEFORE, []));
  });

  it('are in runs of the first release what they were, fitted to the batch first', () => {
    // By the code of that release.
    const released = [
      [0.8466277944375803, -1.096373168079931, 0.8494375872786948, -0.599692213636344],
      [0.8600618895153247, -1.0035205579898299, 0.8600618895153247, -0.7166032210408201],
    ];
    expect([0, 1].map((place) => advantagesOf(BATCH, place, AFTER, [EARLIER]))).toEqual(released);
  });

  it('rest in new runs on values of before, and as their plans say in recorded ones', () => {
    const given = { advantage: { kind: 'gae' } };
    expect(TEAM_RECIPES.get('sat-seq')!.resolveConfiguration(given).advantage).toMatchObject({
      baseline: 'before-fit',
    });
    expect(teamSettings['sat-seq'](given).advantage).toMatchObject({ baseline: 'after-fit' });
    expect(TEAM_RECIPES.get('sat-seq')!.resolveConfiguration({}).advantage).toEqual({ kind: 'group', clip: 5 });
  });
});

describe('turns to train on', () => {
  it('count as successes where their rollout succeeded and is compared with others', () => {
    const written = { promptTokenIds: [1, 2], tokenIds: [3], forced: [false] };
    const [compared, apart, failed] = [true, true, false].map(
      (success) => ({ problem: { problemId: 'a' }, success, turns: [written] }) as unknown as TeamRollout,
    );
    const rollouts = [compared!, apart!, failed!];
    const turns = trainedTurns(rollouts, {
      ...{ agent: { field: null } as never, place: 0, maxTokens: 8, schemaFor: (() => undefined) as never },
      ...{ advantages: [0, 0, 0], weights: [1, 1, 1], compared: [compared!, failed!] },
    });
    expect(turns.map(({ success }) => success)).toEqual([true, false, false]);
  });
});
