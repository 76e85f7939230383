import { advantagesOf, context, few, grpo, planOf } from './grpo-plans.fake.js';
import { algorithms } from './index.js';
import { logOf } from './recorded-groups.fake.js';

describe('dynamic sampling', () => {
  const log = logOf({ g1: [1, 0], g2: [1, 1], g3: [0, 0], g4: [0, 1] });
  const wanting = (liveGroups: number): object => ({ window: { rounds: 2 }, dynamicSampling: { liveGroups } });

  it('replays from the rounds of the window up to ten, and none but these without it', () => {
    expect(grpo.replayedRounds({ window: { rounds: 2 } })).toEqual({ least: 2, most: 2 });
    expect(grpo.replayedRounds(wanting(8))).toEqual({ least: 2, most: 10 });
    expect(algorithms.get('sft')?.replayedRounds({})).toEqual({ least: 0, most: 0 });
  });

  it('is content with as many live groups as it wants: dead ones do not count', () => {
    expect(grpo.hasEnoughSignal(log, wanting(2), context)).toBe(true);
    expect(grpo.hasEnoughSignal(log, wanting(3), context)).toBe(false);
    expect(grpo.hasEnoughSignal(log, {}, context)).toBe(true);
  });

  it('refuses fewer rounds at most than are replayed in any case', () => {
    const config = { window: { rounds: 4 }, dynamicSampling: { liveGroups: 2, maxRounds: 3 } };
    expect(() => grpo.resolveConfiguration(config)).toThrow(/at least window\.rounds/);
  });
});

describe('overlong shaping', () => {
  const overlong = { maxTokens: 4, bufferTokens: 2 };

  it('takes reward from long entries before advantages are formed', () => {
    // Entries of three tokens: one over 4 − 2, so half of the punishment.
    const log = logOf({ g1: [1, 0] });
    const shorter = log.experiences.map((each) =>
      each.candidateIndex === 0
        ? each
        : { ...each, tokenIds: [10, 11], logProbs: [0, Math.log(1 / 2)], forced: [true, false], legalMass: [1, 1] },
    );
    const plan = planOf({ ...log, experiences: shorter }, { ...few, overlong });
    // Rewards 1 − ½ and 0 − 0, their mean ¼.
    expect(advantagesOf(plan)).toEqual({ 'g1-0': 0.25, 'g1-1': -0.25 });
    expect(plan.diagnostics).toMatchObject({ overlongMembers: 1, meanPunishment: -0.25, meanReward: 0.5 });
  });

  it("can look at the executor's response instead", () => {
    const log = logOf({ g1: [1, 0, 0] });
    const results = log.results.map((each, index) =>
      each.type === 'OutcomeRecorded' ? { ...each, responseTokens: [9, 3, 1][index]! } : each,
    );
    const plan = planOf({ ...log, results }, { ...few, overlong: { ...overlong, of: 'response', penalty: 0.6 } });
    // Punishments 0.6, 0.3, 0: rewards 0.4, −0.3, 0 with the mean 1/30.
    expect(advantagesOf(plan)).toEqual({
      'g1-0': expect.closeTo(0.4 - 1 / 30, 12),
      'g1-1': expect.closeTo(-0.3 - 1 / 30, 12),
      'g1-2': expect.closeTo(-1 / 30, 12),
    });
  });

  it('does not bring a dead group to life, for lengths are no verdicts', () => {
    const log = logOf({ g1: [1, 1], g2: [1, 0] });
    const results = log.results.map((each, index) =>
      each.type === 'OutcomeRecorded' ? { ...each, responseTokens: index } : each,
    );
    const plan = planOf({ ...log, results }, { ...few, overlong: { ...overlong, of: 'response' } });
    expect(plan.diagnostics).toMatchObject({ liveGroups: 1, deadGroups: 1, examples: 2 });
  });

  it('is refused with advantages that divide by the mean reward, and with a buffer beyond its limit', () => {
    expect(() => grpo.resolveConfiguration({ advantage: 'maxrl', overlong })).toThrow(
      /expected null .* "maxrl".*at overlong/,
    );
    expect(() => grpo.resolveConfiguration({ overlong: { maxTokens: 4, bufferTokens: 5 } })).toThrow(
      /at most maxTokens/,
    );
  });
});

describe('the mean of several verdicts', () => {
  it('is a reward like any other: groups that would be dead by one verdict live', () => {
    // Two of four and three of four answers were right.
    expect(advantagesOf(planOf(logOf({ g1: [2 / 4, 3 / 4] })))).toEqual({ 'g1-0': -0.125, 'g1-1': 0.125 });
  });
});
