import { fileURLToPath } from 'node:url';
import type { AnsweringProgress, ExecutorAnswer } from '@seamstream/environments';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';

const folder = fileURLToPath(new URL('../../../models/executor', import.meta.url));

describe('an executor over a checkpoint', () => {
  it('leaves what it computes at the signal, greedy or drawn, and answers who asks then', async () => {
    const model = await LanguageModel.load(folder, { threads: 1 });
    try {
      const executor = new LanguageModelExecutor(model, { name: 'e', maxTokens: 40 });
      const prompts = Array.from({ length: 1000 }, (_, i) => `Add ${i} and one.`);
      const asked = [
        (signal: AbortSignal) => executor.answer(prompts, signal),
        (signal: AbortSignal) =>
          executor.sample(
            prompts.map((prompt) => ({ prompt, seeds: ['1'] })),
            { temperature: 1, topP: 1 },
            signal,
          ),
      ];
      for (const ask of asked) await expect(ask(AbortSignal.timeout(20))).rejects.toMatchObject({ code: 'ABORTED' });
      expect(await executor.answer(['Add 1 and one.'])).toMatchObject([{ status: 'answered' }]);
    } finally {
      await model.close();
    }
  });
});

describe('an executor that is trained on documents', () => {
  const facts = innerUpdateSchema.parse({ rank: 8, alpha: 16, epochs: 3, learningRate: 1e-2 });
  const prompts = Array.from({ length: 8 }, (_, i) => `Add ${i} and one.`);
  const documents = ['The word after seven is blue.', 'The word after nine is red.'];
  let model: LanguageModel;
  let training: LanguageModelTraining;
  let executor: LanguageModelExecutor;
  beforeAll(async () => {
    model = await LanguageModel.load(folder, { threads: 1 });
    training = new LanguageModelTraining(folder, model, { threads: 1, executionProvider: 'cpu' });
    executor = new LanguageModelExecutor(model, { name: 'e', maxTokens: 12, training });
  });
  afterAll(async () => {
    await training.close();
    await model.close();
  });
  const adapted = async (seed: string) => {
    const adaptation = await executor.adapt!({ documents, settings: facts, seed });
    if (adaptation.status === 'refused') throw new Error(adaptation.reason);
    return adaptation.model;
  };
  const texts = (answers: readonly ExecutorAnswer[]) =>
    answers.map((answer) => (answer.status === 'answered' ? answer.text : answer.code));

  it('answers otherwise, alike for one seed, and leaves the frozen model as it was', async () => {
    const before = texts(await executor.answer(prompts));
    const once = texts(await (await adapted('a')).answer(prompts));
    expect(texts(await (await adapted('a')).answer(prompts))).toEqual(once);
    expect(once).not.toEqual(before);
    expect(texts(await executor.answer(prompts))).toEqual(before);
  });

  it('keeps the answers of an ended call apart by the weights that gave them', async () => {
    const trained = await adapted('a');
    const expected = texts(await trained.answer(prompts));
    const abort = new AbortController();
    const ended = executor.answer(prompts, abort.signal, ({ answered }) => answered > 2 && abort.abort());
    await ended.catch(() => undefined);
    expect(texts(await trained.answer(prompts))).toEqual(expected);
  });

  it('finds what it was trained on more likely, and the frozen model does not', async () => {
    const texts = [{ prompt: 'The word after seven is', continuation: ' blue.' }];
    const [before] = await executor.score!(texts);
    const [after] = await (await adapted('a')).score!(texts);
    const [still] = await executor.score!(texts);
    expect(after!.logLikelihood).toBeGreaterThan(before!.logLikelihood + 1);
    expect(still).toEqual(before);
    expect(before!.tokens).toBe(model.tokenizer.encode(' blue.').length);
  });

  it('draws by seeds', async () => {
    const trained = await adapted('a');
    const [drawn] = await trained.sample!([{ prompt: prompts[0]!, seeds: ['1', '2', '1'] }], {
      temperature: 2,
      topP: 1,
    });
    expect(texts(drawn!)[0]).toBe(texts(drawn!)[2]);
    expect(texts(drawn!)[0]).not.toBe(texts(drawn!)[1]);
  });

  it('is not trained on what holds nothing to learn', async () => {
    expect(await executor.adapt!({ documents: [''], settings: facts, seed: 'a' })).toMatchObject({ status: 'refused' });
  });

  it('ends answers behind a text where it is asked to, frozen or trained', async () => {
    for (const asked of [executor, await adapted('a')]) {
      const [whole] = texts(await asked.answer(prompts));
      const until = / \w+/.exec(whole!)![0];
      const cut = { text: whole!.slice(0, whole!.indexOf(until) + until.length), finished: true };
      expect(cut.text).not.toBe(whole);
      expect((await asked.answer(prompts, undefined, undefined, until))[0]).toMatchObject(cut);
    }
  });

  it('writes at most as many tokens as it is asked for, and no more than its limit, frozen or trained', async () => {
    for (const asked of [executor, await adapted('a')]) {
      const answers = async (mostTokens?: number) =>
        (await asked.answer(prompts.slice(0, 1), undefined, undefined, undefined, mostTokens))[0]!;
      const whole = await answers();
      expect(await answers(2)).toMatchObject({ finished: false, responseTokens: 2 });
      expect(await answers(1_000_000)).toEqual(whole);
      const [[drawn]] = (await asked.sample!(
        [{ prompt: prompts[0]!, seeds: ['1'] }],
        { temperature: 2, topP: 1 },
        undefined,
        undefined,
        undefined,
        1,
      )) as [[object]];
      expect(drawn).toMatchObject({ responseTokens: 1 });
    }
  });

  it('reports its progress by the limit of the call, which may be lower than the executor has', async () => {
    const limitsOf = async (mostTokens?: number) => {
      const limits = new Set<number>();
      const onProgress = ({ tokensPerPrompt }: AnsweringProgress) => void limits.add(tokensPerPrompt);
      await executor.answer(prompts, undefined, onProgress, undefined, mostTokens);
      return [...limits];
    };
    expect(await limitsOf()).toEqual([12]);
    expect(await limitsOf(2)).toEqual([2]);
    expect(await limitsOf(1_000_000)).toEqual([12]);
  });

  it('counts the tokens of what it is trained on, and leaves out what is too long for it', async () => {
    expect(executor.countTokens!('The word')).toBe(model.tokenizer.encodeDocument('The word').length);
    const long = [{ text: 'word '.repeat(model.config.maxPositions), lossFrom: 1 }];
    expect(await executor.adapt!({ documents: long, settings: facts, seed: 'a' })).toMatchObject({ status: 'refused' });
  });
});
