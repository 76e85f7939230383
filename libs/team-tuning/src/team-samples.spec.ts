import type { GradedProblem } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import type { GeneratorModel } from '@seamstream/rollout';
import fc from 'fast-check';
import { teamOf } from './team.js';
import { samplesOf, sampleTeam, type TeamPrediction } from './team-samples.js';

describe('figures of a team', () => {
  it('pool the answers of all agents of a vote: golden values', () => {
    // 28, 28, 27 where 28 is right, and a problem of which one of three is right.
    const result = samplesOf([answered(0, [true, true, false], true), answered(1, [false, true, false])], team, 1);
    expect(result).toMatchObject({ answers: 3, problems: 2, failed: 0, ties: 0 });
    expect(value(result.meanAt)).toBeCloseTo((2 / 3 + 1 / 3) / 2, 12);
    // pass@2: 1 − C(1, 2) / C(3, 2) = 1, and 1 − C(2, 2) / C(3, 2) = 2/3.
    expect(value(result.passAt[2])).toBeCloseTo((1 + 2 / 3) / 2, 12);
    expect(value(result.passAt[3])).toBe(1);
    expect(value(result.majorityAt)).toBe(0.5);
    expect(Object.entries(result.perAgent).map(([name, each]) => [name, value(each)])).toEqual([
      ['agent_1', 0.5],
      ['agent_2', 1],
      ['agent_3', 0],
    ]);
  });

  it('estimate pass@k as counting all subsets of the answers does', () => {
    const answers = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(answers, { minLength: 1, maxLength: 5 }), (problems) => {
        const { passAt, meanAt } = samplesOf(
          problems.map((right, at) => answered(at, right)),
          team,
          2,
        );
        expect(Object.keys(passAt)).toEqual(['1', '2', '4', '6']);
        for (const [k, estimate] of Object.entries(passAt)) {
          const counted = problems.map((right) => passByCounting(right, Number(k)));
          expect(value(estimate)).toBeCloseTo(counted.reduce((sum, each) => sum + each, 0) / problems.length, 10);
        }
        expect(value(passAt[1])).toBeCloseTo(value(meanAt), 12);
      }),
      { numRuns: 50 },
    );
  });

  it('leave out a problem that could not be asked, and say why', () => {
    const unjudged = { code: 'PROMPT_TOO_LONG', reason: 'of 900 tokens' } as const;
    const nothing = { predicted: null, answers: [], majorityIsRight: false, tied: false };
    const result = samplesOf([answered(0, [true, true, true], true), { ...nothing, problem: 1, unjudged }], team, 1);
    expect(result).toMatchObject({ problems: 1, failed: 1, unjudged: [{ code: 'PROMPT_TOO_LONG', problems: 1 }] });
    expect(value(result.meanAt)).toBe(1);
    expect(samplesOf([{ ...nothing, problem: 0, unjudged }], team, 1)).toMatchObject({ problems: 0, meanAt: null });
  });
});

describe('a sample that an agent of a chain cannot be asked in', () => {
  it('is one without an answer: the problem counts, and the other samples are as they would be', async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 40, max: 110 }), fc.string({ maxLength: 20 }), async (maxPositions, seed) => {
        const [wide, narrow] = [await sampled('chain', 4096, seed), await sampled('chain', maxPositions, seed)];
        const fits = wide.asked.map((prompt) => prompt.length + MOST_TOKENS <= maxPositions);
        cut += fits.filter((each) => !each).length;
        expect(narrow.result).toMatchObject({ problems: 1, failed: 0, answers: SAMPLES });
        expect(narrow.answers).toEqual(wide.answers.map((answer, at) => (fits[at] ? answer : null)));
        expect(value(narrow.result.meanAt)).toBe(fits.filter(Boolean).length / SAMPLES);
        expect(value(narrow.result.majorityAt)).toBe(Number(fits.includes(true)));
      }),
    );
    expect(cut).toBeGreaterThan(0);
  });

  it('leaves the problem out where not even the first agent can be asked, and in a vote where none can', async () => {
    for (const topology of ['chain', 'vote'] as const) {
      const { result, asked } = await sampled(topology, MOST_TOKENS, 'any');
      expect(result).toMatchObject({ problems: 0, failed: 1, unjudged: [{ code: 'PROMPT_TOO_LONG' }] });
      expect(asked).toEqual([]);
    }
  });
});

describe('problems that a model has to judge', () => {
  it('are refused before an agent is asked where none does', async () => {
    const model = new ByteWriter({ maxPositions: 4096 });
    const problem = { ...SUM, verifier: { kind: 'judge', version: '1', options: { question: 'How many?' } } };
    await expect(sampled('chain', 4096, 'any', { model, problem })).rejects.toThrow(/expected a model that judges/);
    expect(model.asked).toEqual([]);
  });
});

const SAMPLES = 6;
const MOST_TOKENS = 8;
const SUM: GradedProblem = {
  ...{ problemId: 'sum', domain: 'sums', prompt: 'How many?', reference: '7', metadata: {} },
  verifier: { kind: 'exact', version: '1', options: {} },
};

/** A planner whose plans are as long as their seeds say, a solver and a critic that know the answer, in bytes. */
class ByteWriter implements GeneratorModel {
  readonly digest = 'bytes';
  readonly tokenizer = {
    digest: 'bytes',
    encode: (text: string) => [...Buffer.from(text)],
    decode: (ids: readonly number[]) => Buffer.from(ids).toString(),
  };
  /** What the solver was asked, sample by sample. */
  readonly asked: (readonly number[])[] = [];

  constructor(readonly config: { readonly maxPositions: number }) {}

  async generate(requests: Parameters<GeneratorModel['generate']>[0]) {
    return requests.map(({ promptTokenIds, seeds }) =>
      seeds.map((seed) => {
        const prompt = this.tokenizer.decode(promptTokenIds);
        const plans = prompt.startsWith('Plan');
        if (prompt.startsWith('Solve')) this.asked.push(promptTokenIds);
        const tokenIds = this.tokenizer.encode(plans ? seed.repeat(2).slice(Random.of(seed).int(70)) : 'Answer: 7');
        const [logProbs, forced] = [tokenIds.map(() => -1), tokenIds.map(() => false)];
        return { tokenIds, logProbs, legalMass: logProbs, forced, finishReason: 'completed' as const };
      }),
    );
  }
}

/** @param seed of plans */
async function sampled(
  topology: 'chain' | 'vote',
  maxPositions: number,
  seed: string,
  { model = new ByteWriter({ maxPositions }), problem = SUM } = {},
) {
  const before = topology === 'chain' ? '{before}' : '';
  const own = teamOf(
    {
      topology,
      agents: [
        { name: 'planner', path: 'm', role: 'Plan {problem}' },
        { name: 'solver', path: 'm', role: `Solve {problem} ${before}` },
        // Needs nothing of what came before, and always fits: it must not speak for those who could not.
        { name: 'critic', path: 'm', role: 'Check {problem}' },
      ],
    },
    'of a spec',
  );
  let answers: readonly (string | null)[] = [];
  const result = await sampleTeam([problem], {
    ...{ team: own, samples: SAMPLES, batchSize: 4, seed, environment: null },
    agents: own.agents.map((agent) => ({ agent, model, adapter: null })),
    sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: MOST_TOKENS },
    schemaFor: () => ({}),
    onPrediction: (prediction) => void (answers = prediction.answers.map(({ answer }) => answer)),
  });
  return { result, answers, asked: model.asked };
}

const AGENTS = ['agent_1', 'agent_2', 'agent_3'];
const team = teamOf({ agents: AGENTS.map((name) => ({ name, path: 'm' })) }, 'team.yaml');

/** A problem whose answers came sample by sample, in each as the team lists its agents. */
function answered(problem: number, right: readonly boolean[], majorityIsRight = false): TeamPrediction {
  const answers = right.map((success, at) => ({ agent: AGENTS[at % 3]!, answer: success ? '28' : '27', success }));
  return { problem, predicted: '28', answers, majorityIsRight, tied: false, unjudged: null };
}

const value = (estimate: { readonly value: number } | null | undefined): number => estimate!.value;

/** Share of all subsets of k answers that hold a right one: the second implementation of pass@k. */
function passByCounting(right: readonly boolean[], k: number): number {
  let subsets = 0;
  let passed = 0;
  for (let mask = 0; mask < 2 ** right.length; mask++) {
    const chosen = right.filter((_, at) => (mask >> at) & 1);
    if (chosen.length !== k) continue;
    subsets++;
    if (chosen.includes(true)) passed++;
  }
  return passed / subsets;
}
