import { fileURLToPath } from 'node:url';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';

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
