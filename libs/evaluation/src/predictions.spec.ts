import { domainEntrySchema, loadPrompts, type Prompts } from '@seamstream/experience';
import type { Question } from '@seamstream/rollout';
import { FakeExecutor, FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { evaluate } from './evaluate.js';
import type { Prediction } from './predictions.js';

const SCHEMA = domainEntrySchema({
  concepts: { words: ['oak', 'ash', 'yew'] },
  strategy: { words: ['add', 'subtract'] },
  pitfalls: { words: ['none'] },
});
const VERIFIER = { kind: 'exact', version: '1', options: {} };
const questions: readonly Question[] = Array.from({ length: 9 }, (_, i) => ({
  problemId: `q${i}`,
  domain: 'wood',
  prompt: `Number ${i}?`,
  judgedBy: i % 3 === 0 ? null : { verifier: VERIFIER, reference: `SECRET${i}` },
}));

/** Says of an even number what is right, and of 7 nothing at all. */
const executor = new FakeExecutor((prompt) => {
  const number = Number(/Number (\d+)/.exec(prompt)![1]);
  if (number === 7) return { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'too long', retryable: false };
  return `Answer: ${number % 2 === 0 ? `SECRET${number}` : 'none'}`;
});

let prompts: Prompts;
let generator: FakeGenerator;
beforeAll(async () => {
  prompts = await loadPrompts({ template: 'plain' });
});
beforeEach(() => {
  generator = new FakeGenerator(fakeTokenizer(['oak ash yew add subtract none Number']));
});

describe('predictions of an evaluation', () => {
  it('are one per arm and problem, and their verdicts are what the rates are made of', async () => {
    const problems = questions.map(({ problemId, domain, prompt }, i) => ({
      ...{ problemId, domain, prompt, reference: `SECRET${i}`, verifier: VERIFIER, metadata: {} },
    }));
    const predictions: Prediction[] = [];
    const { arms } = await evaluate(problems, {
      ...{ executor, generator, adapter: null, prompts, schemaFor: () => SCHEMA, maxEntryTokens: 128, seed: 's' },
      arms: ['noExperience', 'trained'],
      batchSize: 4,
      onPrediction: (prediction) => void predictions.push(prediction),
    });
    for (const arm of ['noExperience', 'trained'] as const) {
      const own = predictions.filter((each) => each.arm === arm).sort((a, b) => a.problem - b.problem);
      expect(own.map(({ success }) => success)).toEqual(arms[arm]!.solved);
      expect(own.map(({ problem, sample }) => [problem, sample])).toEqual(problems.map((_, i) => [i, 0]));
      expect(own[7]).toMatchObject({ response: null, unjudged: { code: 'PROMPT_TOO_LONG' } });
      expect(own[2]).toMatchObject({ answer: 'SECRET2', response: 'Answer: SECRET2', unjudged: null });
      expect(own.every(({ entry }) => (entry === null) === (arm === 'noExperience'))).toBe(true);
    }
  });
});
