/** An honest double of the frozen model. */
import type { Adaptation, ExecutorAnswer, ExecutorModel, SampledAnswerRequest } from './executor-model.port.js';

/** An executor that answers by a rule over the prompt's text, and over the seed where it draws. */
export class FakeExecutor implements ExecutorModel {
  readonly identity = { model: 'fake', revision: '1', decoding: '{}' };
  readonly prompts: string[] = [];

  constructor(private readonly rule: (prompt: string, seed: string) => string | ExecutorAnswer) {}

  answer(prompts: readonly string[]): Promise<readonly ExecutorAnswer[]> {
    this.prompts.push(...prompts);
    return Promise.resolve(prompts.map((prompt) => this.answerTo(prompt, 'greedy')));
  }

  sample(requests: readonly SampledAnswerRequest[]): Promise<readonly (readonly ExecutorAnswer[])[]> {
    this.prompts.push(...requests.map(({ prompt }) => prompt));
    return Promise.resolve(
      requests.map(({ prompt, seeds }) => seeds.map((seed): ExecutorAnswer => this.answerTo(prompt, seed))),
    );
  }

  private answerTo(prompt: string, seed: string): ExecutorAnswer {
    const text = this.rule(prompt, seed);
    return typeof text === 'string'
      ? { status: 'answered', text, finished: true, promptTokens: prompt.length, responseTokens: text.length }
      : text;
  }
}

/** What a training of a double comes to. @param digest of its weights */
export function adaptedTo(
  model: Pick<ExecutorModel, 'answer' | 'sample' | 'score'>,
  digest = 'adapter',
): Extract<Adaptation, { status: 'adapted' }> {
  return { status: 'adapted', model, adapter: { digest, bytes: 1_000 } };
}
