import { PromptInjection } from '@seamstream/environments';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import { executor, FakeGenerator, fakeTokenizer, questions, SCHEMA, VERIFIER } from '@seamstream/rollout/testing';
import { evaluate } from './evaluate.js';
import type { Prediction } from './predictions.js';

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
      ...{
        environment: new PromptInjection(executor, prompts),
        generator,
        adapter: null,
        prompts,
        schemaFor: () => SCHEMA,
        maxEntryTokens: 128,
        seed: 's',
      },
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
