import type { LanguageModel } from '@seamstream/language-model';
import type { GeneratorModel } from '@seamstream/rollout';
import { tokenizer } from '@seamstream/rollout/testing';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';

/** The engine's class is a generator as it is: a compile-time claim. */
const asGenerator = (model: LanguageModel): GeneratorModel => model;

describe('a language model as executor', () => {
  const end = 0;
  /** Repeats the last word of its prompt, says its seed where it is to draw, then ends. */
  const echo = (maxPositions = 60) => {
    const asked: number[] = [];
    const settings: unknown[] = [];
    const model: GeneratorModel = {
      digest: 'weights',
      config: { maxPositions },
      tokenizer,
      generate: (requests) => {
        asked.push(requests.length);
        settings.push(...requests.map(({ sampling }) => sampling));
        return Promise.resolve(
          requests.map(({ promptTokenIds, seeds, sampling: { maxTokens, temperature } }) =>
            seeds.map((seed) => {
              const word = tokenizer.decode(promptTokenIds).split(' ').at(-1);
              const ids = [...tokenizer.encode(` ${word}${temperature === 0 ? '' : seed}`), end];
              const tokenIds = ids.slice(0, maxTokens);
              return {
                tokenIds,
                logProbs: tokenIds.map(() => 0),
                legalMass: tokenIds.map(() => 1),
                forced: tokenIds.map(() => false),
                finishReason: ids.length > maxTokens ? ('length' as const) : ('completed' as const),
              };
            }),
          ),
        );
      },
    };
    return { model, asked, settings };
  };

  it('answers in order, computes equal prompts once, and leaves the end token out of the text', async () => {
    const { model, asked } = echo();
    const executor = new LanguageModelExecutor(model, { name: 'echo', maxTokens: 20 });
    const answers = await executor.answer(['say oak', 'say ash', 'say oak']);
    expect(answers.map((answer) => (answer.status === 'answered' ? answer.text : ''))).toEqual([
      ' oak',
      ' ash',
      ' oak',
    ]);
    expect(answers[0]).toMatchObject({ finished: true, promptTokens: tokenizer.encode('say oak').length });
    expect(asked).toEqual([2]);
    expect(executor.identity).toEqual({
      model: 'echo',
      revision: 'weights',
      decoding: '{"maxTokens":20,"temperature":0,"topK":0,"topP":1}',
    });
  });

  it('draws an answer per seed where an evaluation asks for it; its identity stays the greedy one', async () => {
    const { model, asked, settings } = echo();
    const executor = new LanguageModelExecutor(model, { name: 'echo', maxTokens: 20 });
    const answers = await executor.sample(
      [
        { prompt: 'say oak', seeds: ['1', '2'] },
        { prompt: `say ${'oak '.repeat(60)}`, seeds: ['1', '2'] },
      ],
      { temperature: 0.7, topP: 0.9 },
    );
    expect(answers[0]!.map((answer) => answer.status === 'answered' && answer.text)).toEqual([' oak1', ' oak2']);
    expect(answers[1]).toMatchObject([{ code: 'PROMPT_TOO_LONG' }, { code: 'PROMPT_TOO_LONG' }]);
    expect(asked).toEqual([1]);
    expect(settings).toEqual([{ temperature: 0.7, topK: 0, topP: 0.9, maxTokens: 20 }]);
    expect(executor.identity.decoding).toBe('{"maxTokens":20,"temperature":0,"topK":0,"topP":1}');
  });

  it('says when a response is cut off, and lets a prompt that does not fit fail alone', async () => {
    const maxTokens = tokenizer.encode(' oak').length + 1;
    const executor = new LanguageModelExecutor(echo(20 + maxTokens).model, { name: 'echo', maxTokens });
    const [cut, long, whole] = await executor.answer(['say zzzzzz', 'x '.repeat(40), 'say oak']);
    expect(cut).toMatchObject({ status: 'answered', finished: false });
    expect(long).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG', retryable: false });
    expect(whole).toMatchObject({ status: 'answered', finished: true });
  });

  it('refuses to run with other weights than the frozen ones', () => {
    expect(
      () => new LanguageModelExecutor(echo().model, { name: 'echo', maxTokens: 2, expectedDigest: 'other' }),
    ).toThrow(/expected the frozen weights other, the model has weights/);
    expect(asGenerator).toBeDefined();
  });
});
