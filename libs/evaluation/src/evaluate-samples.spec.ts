import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import type { Problem } from '@seamstream/events';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { answerClasses, evaluateSamples, type SamplingEvaluationSettings } from './evaluate-samples.js';

const problem = (n: number, domain: string, reference: string): Problem => ({
  problemId: `p${n}`,
  domain,
  prompt: `Question ${n}?`,
  reference,
  verifier: { kind: 'numeric', version: '1', options: {} },
  metadata: {},
});
const PROBLEMS = [problem(0, 'easy', '7'), problem(1, 'easy', '7'), problem(2, 'hard', '7'), problem(3, 'hard', '7')];

/** What is answered to each problem's four draws. */
const DRAWS: Readonly<Record<string, readonly string[]>> = {
  p0: ['7', '7.0', '3', '7'], // 3 right, the majority too
  p1: ['3', '7', '3.00', '4'], // 1 right, outvoted
  p2: ['5', '7', '5', '7'], // 2 right, a tie that the wrong answer leads
  p3: ['7', '5', '', '7'], // 2 right, one without an answer
};

const executor = () =>
  new FakeExecutor((_, seed) => {
    const [, id, number] = /(p\d)\/(\d)$/.exec(seed) ?? [];
    const text = DRAWS[id!]![Number(number)]!;
    return text === '' ? 'I do not know.' : `Answer: ${text}`;
  });

let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});
const settings = (changes: Partial<SamplingEvaluationSettings> = {}): SamplingEvaluationSettings => ({
  arms: ['noExperience'],
  environment: new PromptInjection(executor(), prompts),
  generator: new FakeGenerator(fakeTokenizer(['x'])),
  adapter: null,
  prompts,
  schemaFor: () => ({ type: 'object', properties: {}, required: [], additionalProperties: false }),
  maxEntryTokens: 8,
  seed: 's',
  samples: 4,
  drawing: { temperature: 1, topP: 1 },
  ...changes,
});

describe('an evaluation of several answers per problem', () => {
  it('gives pass@k, mean@k and majority@k overall and by domain', async () => {
    const { arms, lift } = await evaluateSamples(PROBLEMS, settings());
    const { passAt, meanAt, majorityAt, ties, problems, failed, perDomain } = arms.noExperience!;
    expect([problems, failed, ties]).toEqual([4, 0, 1]);
    // Right of four: 3, 1, 2, 2. pass@2: 1 − C(4−c, 2)/6 = 1, 1/2, 5/6, 5/6.
    expect(meanAt!.value).toBe(0.5);
    expect(passAt[1]?.value).toBe(0.5);
    expect(passAt[2]!.value).toBeCloseTo((1 + 1 / 2 + 5 / 6 + 5 / 6) / 4, 12);
    expect(passAt[4]?.value).toBe(1);
    expect(Object.keys(passAt)).toEqual(['1', '2', '4']);
    // p0 and p3; p2 is tied and 5 came first.
    expect(majorityAt!.value).toBe(0.5);
    expect(perDomain.easy).toMatchObject({ problems: 2, ties: 0, meanAt: { value: 0.5 }, majorityAt: { value: 0.5 } });
    expect(perDomain.hard).toMatchObject({ problems: 2, ties: 1, meanAt: { value: 0.5 } });
    // Two problems that come out alike tell little.
    const [least, most] = perDomain.hard!.meanAt!.interval95;
    expect(most - least).toBeGreaterThan(0.5);
    const [low, high] = meanAt!.interval95;
    expect(low).toBeGreaterThan(0.1);
    expect(low).toBeLessThan(0.4);
    expect(high).toBeGreaterThan(0.6);
    expect(high).toBeLessThan(0.9);
    expect(lift).toBeNull();
  });

  it('is repeatable, and independent of the batch size', async () => {
    const once = await evaluateSamples(PROBLEMS, settings());
    expect(await evaluateSamples(PROBLEMS, settings({ batchSize: 1 }))).toEqual(once);
  });

  it('counts a problem nowhere that could not be asked, and stops where asking again might help', async () => {
    const failing = (retryable: boolean) =>
      new FakeExecutor((prompt) =>
        prompt.includes('Question 2')
          ? { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'too long', retryable }
          : 'Answer: 7',
      );
    const { arms } = await evaluateSamples(
      PROBLEMS,
      settings({ environment: new PromptInjection(failing(false), prompts) }),
    );
    expect(arms.noExperience).toMatchObject({ problems: 3, failed: 1, meanAt: { value: 1 } });
    expect(arms.noExperience!.unjudged).toEqual([{ code: 'PROMPT_TOO_LONG', reason: 'too long', problems: 1 }]);
    await expect(
      evaluateSamples(PROBLEMS, settings({ environment: new PromptInjection(failing(true), prompts) })),
    ).rejects.toMatchObject({
      code: 'SESSION_FAILED',
    });
  });

  it('refuses an executor that cannot draw', async () => {
    const { identity, prompts: asked } = executor();
    const greedy = { identity, prompts: asked, answer: () => Promise.resolve([]) };
    await expect(
      evaluateSamples(PROBLEMS, settings({ environment: new PromptInjection(greedy, prompts) })),
    ).rejects.toThrow('expected an executor that can draw answers at a temperature, got fake');
  });
});

describe('classes of answers', () => {
  const numeric = { kind: 'numeric', version: '1', options: {} };

  it('hold what the verifier takes for one another, and what is the same text', async () => {
    expect(await answerClasses(['1/2', '0.5', null, 'one half', 'One  HALF', '2'], numeric)).toEqual([
      0,
      0,
      null,
      1,
      1,
      2,
    ]);
  });

  it('keep words apart that only capitals write alike', async () => {
    expect(await answerClasses(['Maße', 'MAßE', 'Masse'], { ...numeric, kind: 'code' })).toEqual([0, 0, 1]);
  });

  it('are by text alone where references are no answers', async () => {
    expect(await answerClasses(['1/2', '0.5', ' 0.5'], { ...numeric, kind: 'code' })).toEqual([0, 1, 1]);
  });
});
