/** An honest double of the frozen model. */
import type { Adaptation, ExecutorAnswer, ExecutorModel } from './executor-model.port.js';

/** An executor that answers by a rule over the prompt's text, and over the seed where it draws. A character is a token. */
export class FakeExecutor implements ExecutorModel {
  readonly identity = { model: 'fake', revision: '1', decoding: '{}' };
  readonly prompts: string[] = [];

  constructor(private readonly rule: (prompt: string, seed: string) => string | ExecutorAnswer) {}

  answer(...[prompts, , , , mostTokens]: Parameters<ExecutorModel['answer']>): Promise<readonly ExecutorAnswer[]> {
    this.prompts.push(...prompts);
    return Promise.resolve(prompts.map((prompt) => this.answerTo(prompt, 'greedy', mostTokens)));
  }

  sample(
    ...[requests, , , , , mostTokens]: Parameters<NonNullable<ExecutorModel['sample']>>
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    this.prompts.push(...requests.map(({ prompt }) => prompt));
    return Promise.resolve(
      requests.map(({ prompt, seeds }) => seeds.map((seed) => this.answerTo(prompt, seed, mostTokens))),
    );
  }

  private answerTo(prompt: string, seed: string, mostTokens = Infinity): ExecutorAnswer {
    const said = this.rule(prompt, seed);
    if (typeof said !== 'string') return said;
    const text = said.slice(0, mostTokens);
    const finished = text.length === said.length;
    return { status: 'answered', text, finished, promptTokens: prompt.length, responseTokens: text.length };
  }
}

/** What a training of a double comes to. @param digest of its weights */
export function adaptedTo(
  model: Pick<ExecutorModel, 'answer' | 'sample' | 'score'>,
  digest = 'adapter',
): Extract<Adaptation, { status: 'adapted' }> {
  return { status: 'adapted', model, adapter: { digest, bytes: 1_000 } };
}
