/** The frozen executor as a language model of this system: greedy, until its end token or its limit. */
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { SamplingSettings } from '@seamstream/language-model';
import type { ExecutorAnswer, ExecutorModel, GeneratorModel } from './models.port.js';

export interface LanguageModelExecutorSettings {
  /** What outcomes call the model, e.g. its folder's name. */
  readonly name: string;
  /** Most tokens of a response. */
  readonly maxTokens: number;
  /** Refuse to run with other weights: SHA-256 as the checkpoint measures it. */
  readonly expectedDigest?: string;
}

export class LanguageModelExecutor implements ExecutorModel {
  readonly identity: ExecutorModel['identity'];
  private readonly sampling: SamplingSettings;

  /** @param model generates; its port is the generator's, without an adapter. @throws CHECKPOINT_INVALID when the weights are not the expected ones. */
  constructor(
    private readonly model: GeneratorModel,
    { name, maxTokens, expectedDigest }: LanguageModelExecutorSettings,
  ) {
    if (expectedDigest !== undefined && model.digest !== expectedDigest) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Starting executor ${name}: expected the frozen weights ${expectedDigest}, the model has ${model.digest}. Restore the model's folder.`,
        {
          details: { expected: expectedDigest, measured: model.digest },
        },
      );
    }
    this.sampling = { temperature: 0, topK: 0, topP: 1, maxTokens };
    this.identity = { model: name, revision: model.digest, decoding: canonicalJson(this.sampling) };
  }

  /** Equal prompts have equal answers: each is computed once, which saves most of the work when a group's candidates agree. */
  async answer(prompts: readonly string[]): Promise<readonly ExecutorAnswer[]> {
    const distinct = new Map([...new Set(prompts)].map((prompt) => [prompt, this.model.tokenizer.encode(prompt)]));
    const room = this.model.config.maxPositions - this.sampling.maxTokens;
    const asked = [...distinct].filter(([, ids]) => ids.length <= room);
    const results = await this.model.generate(
      asked.map(([, promptTokenIds]) => ({ promptTokenIds, seeds: ['greedy'], sampling: this.sampling })),
    );
    const answers = new Map<string, ExecutorAnswer>();
    asked.forEach(([prompt, ids], i) => {
      const sequence = results[i]![0]!;
      answers.set(prompt, {
        status: 'answered',
        text: this.model.tokenizer.decode(sequence.tokenIds),
        finished: sequence.finishReason === 'completed',
        promptTokens: ids.length,
        responseTokens: sequence.tokenIds.length,
      });
    });
    return prompts.map((prompt) => answers.get(prompt) ?? this.tooLong(distinct.get(prompt)!.length));
  }

  private tooLong(promptTokens: number): ExecutorAnswer {
    const reason = `The executor's prompt has ${promptTokens} tokens and its response may have ${this.sampling.maxTokens}; the model holds ${this.model.config.maxPositions}. Shorten the problem.`;
    return { status: 'failed', code: 'PROMPT_TOO_LONG', reason, retryable: false };
  }
}
