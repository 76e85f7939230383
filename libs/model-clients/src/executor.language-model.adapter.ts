/** The frozen executor as a language model of this system: greedy, until its end token or its limit. */

import type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  SampledAnswerRequest,
  SamplingParams,
} from '@seamstream/environments';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import type { GenerationRequest, GenerationResult, SamplingSettings } from '@seamstream/language-model';
import type { GeneratorModel } from '@seamstream/rollout';
import { fittingPrompt } from '@seamstream/rollout';

export interface LanguageModelExecutorSettings {
  /** What outcomes call the model, e.g. its folder's name. */
  readonly name: string;
  /** Most tokens of a response. */
  readonly maxTokens: number;
  /** Refuse to run with other weights: SHA-256 as the checkpoint measures it. */
  readonly expectedDigest?: string;
}

/** Answers that are kept for a caller whose call was ended and who has to ask again. */
const KEPT_ANSWERS = 4096;

export class LanguageModelExecutor implements ExecutorModel {
  readonly identity: ExecutorModel['identity'];
  readonly controlTokens: readonly string[];
  /** By what was asked: of calls that were ended, what they had finished. */
  private readonly kept = new Map<string, GenerationResult>();
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
    const { chatTemplateDigest: chatTemplate, controlTokens = [] } = model.tokenizer;
    this.controlTokens = controlTokens;
    const decoding = canonicalJson({ ...this.sampling, ...(chatTemplate === undefined ? {} : { chatTemplate }) });
    this.identity = { model: name, revision: model.digest, decoding };
  }

  /** Equal prompts have equal answers: each is computed once, which saves most of the work when a group's candidates agree. */
  async answer(
    prompts: readonly string[],
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
  ): Promise<readonly ExecutorAnswer[]> {
    const distinct = [...new Set(prompts)];
    const answers = await this.generate(
      distinct.map((prompt) => ({ prompt, seeds: ['greedy'] })),
      this.sampling,
      signal,
      onProgress,
    );
    const ofPrompt = new Map(distinct.map((prompt, i) => [prompt, answers[i]![0]!]));
    return prompts.map((prompt) => ofPrompt.get(prompt)!);
  }

  async sample(
    requests: readonly SampledAnswerRequest[],
    { temperature, topP }: SamplingParams,
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    return this.generate(requests, { ...this.sampling, temperature, topP }, signal, onProgress);
  }

  private async generate(
    requests: readonly SampledAnswerRequest[],
    sampling: SamplingSettings,
    signal: AbortSignal | undefined,
    onProgress: ((progress: AnsweringProgress) => void) | undefined,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    const encoded = requests.map(({ prompt, seeds }) => ({
      prompt: fittingPrompt(this.model, prompt, sampling.maxTokens),
      seeds,
    }));
    const asked = encoded.flatMap(({ prompt, seeds }) =>
      prompt.fits ? [{ promptTokenIds: prompt.tokenIds, seeds, sampling }] : [],
    );
    const results = (await this.generateOnce(asked, signal, onProgress)).values();
    return encoded.map(({ prompt, seeds }): readonly ExecutorAnswer[] => {
      if (!prompt.fits) return seeds.map(() => this.tooLong(prompt.size));
      return results.next().value!.map(({ tokenIds, finishReason }) => ({
        status: 'answered',
        text: this.model.tokenizer.decode(tokenIds),
        finished: finishReason === 'completed',
        promptTokens: prompt.tokenIds.length,
        responseTokens: tokenIds.length,
      }));
    });
  }

  /** What a call that was ended had finished is not computed again. */
  private async generateOnce(
    requests: readonly GenerationRequest[],
    signal: AbortSignal | undefined,
    onProgress: ((progress: AnsweringProgress) => void) | undefined,
  ): Promise<readonly GenerationResult[]> {
    const keys = requests.map(({ promptTokenIds, seeds, sampling }) =>
      canonicalJson([promptTokenIds, seeds, { ...sampling }]),
    );
    const results = keys.map((key) => this.kept.get(key));
    const missing = requests.flatMap((_, at) => (results[at] === undefined ? [at] : []));
    let answered = requests.length - missing.length;
    if (missing.length === 0) return results as readonly GenerationResult[];
    const generated = await this.model.generate(
      missing.map((at) => requests[at]!),
      {
        ...(signal === undefined ? {} : { signal }),
        onProgress: ({ tokens, finished }) => {
          for (const { request, candidates } of finished) this.keep(keys[missing[request]!]!, candidates);
          answered += finished.length;
          const { seeds } = requests[missing[0]!]!;
          onProgress?.({ answered, tokens, tokensPerPrompt: this.sampling.maxTokens * seeds.length });
        },
      },
    );
    missing.forEach((at, index) => {
      results[at] = generated[index]!;
    });
    for (const key of keys) this.kept.delete(key);
    return results as readonly GenerationResult[];
  }

  private keep(key: string, candidates: GenerationResult): void {
    this.kept.set(key, candidates);
    if (this.kept.size <= KEPT_ANSWERS) return;
    const [oldest] = this.kept.keys();
    this.kept.delete(oldest!);
  }

  private tooLong(size: string): ExecutorAnswer {
    const reason = `The executor's prompt has ${size} and its response may have ${this.sampling.maxTokens}; the model holds ${this.model.config.maxPositions}. Shorten the problem.`;
    return { status: 'failed', code: 'PROMPT_TOO_LONG', reason, retryable: false };
  }
}
