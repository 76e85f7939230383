/**
 * Rewards that say nothing teach nothing, in a world whose advice is a function of attributes. SEAM_TEST_SHUFFLED names seeds of a run at
 * full size, each with both presets: npm run conformance:shuffled-rewards.
 */
import { byVerifier, exploreRound, type RejudgedRound, type RunEnding, shuffled } from '../support/rejudged-round.js';

/** Within chance: of 128 problems a base model that solves 5 % is this far from its like once in 40 comparisons. */
const CHANCE = 0.06;
const { SEAM_TEST_SHUFFLED: full } = process.env;
const CASES = (full === undefined ? [2] : full.split(',').map(Number)).flatMap((seed) =>
  (full === undefined ? (['attributes'] as const) : (['attributes', 'familiar-attributes'] as const)).map((method) => ({
    method,
    seed,
    problems: full === undefined ? 64 : 256,
  })),
);

describe.each(CASES)('rounds of $method on seed $seed ($problems problems)', (settings) => {
  let round: RejudgedRound;
  const report = (what: string, { type, evaluation }: RunEnding): void => {
    if (evaluation === null) return;
    const { problems, success, parentSuccess, rescued, broken } = evaluation;
    process.stdout.write(
      `${JSON.stringify({ ...settings, explored: round.explored, what, type, problems, success, parentSuccess, rescued, broken })}\n`,
    );
  };
  beforeAll(async () => {
    round = await exploreRound(settings);
  }, 1_800_000);
  afterAll(() => round.close());

  it('promote nothing that imitated shuffled rewards, and it solves what chance solves', async () => {
    const ending = await round.learnedBy(shuffled, 'sft');
    report('sft, shuffled', ending);
    expect(ending.type).toBe('TrainingRunRejected');
    expect(ending.evaluation!.success).toBeLessThanOrEqual(ending.evaluation!.parentSuccess! + CHANCE);
  }, 1_800_000);

  // A policy that moves at random may know more of 24 facts than its parent did. On seed 2 it was promoted for that: 0.12 after 0.01.
  it('teach by comparing less than the verdicts that were earned do, if they are shuffled', async () => {
    const ending = await round.learnedBy(shuffled, 'grpo');
    report('grpo, shuffled', ending);
    const earned = await round.learnedBy(byVerifier, 'sft');
    expect(ending.evaluation!.success).toBeLessThan(earned.evaluation!.success);
  }, 1_800_000);

  it('promote what learned from the same entries with the verdicts that they earned', async () => {
    const ending = await round.learnedBy(byVerifier, 'sft');
    report('sft, true', ending);
    expect(ending.type).toBe('AdapterPromoted');
  }, 1_800_000);
});
