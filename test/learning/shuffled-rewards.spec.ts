/**
 * Rewards that say nothing teach nothing, in a world whose advice is a function of attributes. SEAM_TEST_SHUFFLED names seeds of a run at
 * full size, each with both presets and several shuffles: npm run conformance:shuffled-rewards.
 */
import { attributeProblems, drawWorld, followPlan, randomPlan } from '@seamstream/attribute-world';
import { Random } from '@seamstream/kernel';
import { ATTRIBUTE_PRESETS } from '../../apps/standalone/src/demonstrations.js';
import { shuffled } from '../../apps/standalone/src/study/real-model/shuffled-verdicts.js';
import { byVerifier, exploreRound, type RejudgedRound, type RunEnding } from '../support/rejudged-round.js';

/**
 * A policy that moved at random holds other operators for true than before. What it solves then varies from shuffle to shuffle by some 3
 * points around what one solves who draws operators, and a base model that solves less than that is beaten by the luckier ones.
 */
const CHANCE = 0.06;
const { SEAM_TEST_SHUFFLED: full } = process.env;
const ORDERS = full === undefined ? ['a'] : ['a', 'b', 'c', 'd'];
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
    const { problems, success, parentSuccess, rescued, broken } = evaluation!;
    process.stdout.write(
      `${JSON.stringify({ ...settings, explored: round.explored, what, type, problems, success, parentSuccess, rescued, broken })}\n`,
    );
  };
  beforeAll(async () => {
    round = await exploreRound(settings);
  }, 1_800_000);
  afterAll(() => round.close());

  it('teach nothing by shuffled rewards: what solves problems then is chance', async () => {
    const rates: number[] = [];
    for (const order of ORDERS)
      for (const algorithm of ['sft', 'grpo'] as const) {
        const ending = await round.learnedBy(shuffled(order), algorithm);
        report(`${algorithm}, shuffle ${order}`, ending);
        rates.push(ending.evaluation!.success);
      }
    expect(rates.reduce((sum, each) => sum + each, 0) / rates.length).toBeLessThanOrEqual(
      solvedByDrawing(settings) + CHANCE,
    );
  }, 1_800_000);

  it('promote nothing that learned from shuffled rewards over what learned from true ones', async () => {
    const lessons = ORDERS.flatMap((order) => (['sft', 'grpo'] as const).map((algorithm) => ({ order, algorithm })));
    const { first, others } = await round.learnedAfter(
      { judging: byVerifier, algorithm: 'sft' },
      lessons.map(({ order, algorithm }) => ({ judging: shuffled(order), algorithm })),
    );
    report('sft, true', first);
    for (const [at, { order, algorithm }] of lessons.entries())
      report(`${algorithm}, shuffle ${order}, after true`, others[at]!);
    expect(first.type).toBe('AdapterPromoted');
    expect(others.map(({ type }) => type)).toEqual(lessons.map(() => 'TrainingRunRejected'));
  }, 1_800_000);
});

/** Share of problems that are solved by entries with the right attributes and operators that are drawn. */
function solvedByDrawing({ method, seed }: (typeof CASES)[number]): number {
  const world = drawWorld(seed, ATTRIBUTE_PRESETS[method]!);
  const problems = attributeProblems({ world, seed, split: 'validation', count: 3_000 });
  const isSolved = (problem: (typeof problems)[number], at: number): boolean =>
    followPlan(problem, randomPlan(problem, Random.of('drawn', at))).endsWith(`Answer: ${problem.reference}`);
  return problems.filter(isSolved).length / problems.length;
}
