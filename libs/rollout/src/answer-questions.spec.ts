import { PromptInjection } from '@seamstream/environments';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import fc from 'fast-check';
import { type AnsweredQuestion, type AnsweringSettings, answerQuestions, type Question } from './answer-questions.js';
import { FakeGenerator, fakeTokenizer } from './generator-model.fake.js';
import { executor, questions, SCHEMA } from './numbered-questions.fake.js';

let prompts: Prompts;
let generator: FakeGenerator;
beforeAll(async () => {
  prompts = await loadPrompts({ template: 'plain' });
});
beforeEach(() => {
  generator = new FakeGenerator(fakeTokenizer(['oak ash yew add subtract none Number']));
});

describe('answers to questions', () => {
  it('have the order of the questions, judged where a reference is given', async () => {
    const all = await answered(questions);
    expect(all.map(({ answer }) => answer)).toEqual([
      ...['SECRET0', 'none', 'SECRET2', 'none', 'SECRET4', 'none', 'SECRET6', null, 'SECRET8'],
    ]);
    expect(all.map(({ verdict }) => verdict?.success ?? null)).toEqual([
      ...[null, false, true, null, true, false, null, null, true],
    ]);
    expect(all[7]).toMatchObject({ response: null, failure: { code: 'PROMPT_TOO_LONG' } });
    expect(JSON.parse(all[0]!.entry!)).toHaveProperty('concepts');
  });

  it('do not depend on who is asked along, and are the same for the same seed alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...questions], { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        async (some, batchSize) => {
          const all = await answered(questions, { temperature: 1 });
          const own = await answered(some, { temperature: 1, batchSize });
          expect(own).toEqual(some.map((question) => all[questions.indexOf(question)]));
        },
      ),
      { numRuns: 12, seed: 43 },
    );
    const entries = async (seed: string): Promise<unknown> =>
      (await answered(questions, { temperature: 1, seed })).map(({ entry }) => entry);
    expect(await entries('a')).toEqual(await entries('a'));
    expect(await entries('a')).not.toEqual(await entries('b'));
  });

  it('come from models that do not see the reference', async () => {
    executor.prompts.length = 0;
    await answered(questions);
    expect(executor.prompts).toHaveLength(9);
    const asked = generator.requests.map(({ promptTokenIds }) => generator.tokenizer.decode(promptTokenIds));
    expect([...executor.prompts, ...asked].join('\n')).not.toContain('SECRET');
  });

  it('end where the executor says that it will answer nothing more, and else say why one is missing', async () => {
    const failing = (halts: boolean) =>
      Object.assign(new PromptInjection(executor, prompts), {
        attempt: async (requests: readonly unknown[]) =>
          requests.map(() => [{ status: 'failed', code: 'ENDPOINT_REFUSED', reason: 'no credit', halts }]),
      });
    await expect(answered(questions, { environment: failing(true) })).rejects.toMatchObject({
      code: 'ENDPOINT_REFUSED',
      message: 'Cannot answer: no credit',
    });
    const [first] = await answered(questions, { environment: failing(false) });
    expect(first).toMatchObject({ response: null, answer: null, failure: { reason: 'no credit' } });
    expect(first!.entry).not.toBeNull();
  });

  it('are given without entries where none are wanted, and no generator is asked', async () => {
    const all = await answered(questions, { withEntries: false });
    expect(all.map(({ entry }) => entry)).toEqual(questions.map(() => null));
    expect(all[0]).toMatchObject({ answer: 'SECRET0', failure: null });
    expect(generator.requests).toHaveLength(0);
  });
});

async function answered(
  asked: readonly Question[],
  settings: Partial<AnsweringSettings> = {},
): Promise<readonly AnsweredQuestion[]> {
  const all: AnsweredQuestion[] = [];
  for await (const batch of answerQuestions(asked, {
    ...{
      generator,
      environment: new PromptInjection(executor, prompts),
      adapter: null,
      prompts,
      schemaFor: () => SCHEMA,
      maxEntryTokens: 128,
    },
    ...{ withEntries: true, temperature: 0, seed: 's', batchSize: 4, ...settings },
  }))
    all.push(...batch);
  return all;
}
