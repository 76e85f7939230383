/** The frozen executor as a language model of this system: greedy, until its end token or its limit. Weights that it keeps are part of it. */

import type {
  Adaptation,
  AdaptationOptions,
  AdaptationRequest,
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  SampledAnswerRequest,
  SamplingParams,
  ScoredText,
  TextScore,
} from '@seamstream/environments';
import {
  documentsOf,
  type InnerUpdateSettings,
  innerUpdate,
  innerUpdateSchema,
  trainableOf,
} from '@seamstream/inner-update';
import { canonicalJson, SeamError, shortId } from '@seamstream/kernel';
import type {
  Adapter,
  GenerationRequest,
  GenerationResult,
  SamplingSettings,
  TrainableSettings,
} from '@seamstream/language-model';
import type { GeneratorModel } from '@seamstream/rollout';
import { fittingPrompt } from '@seamstream/rollout';
import type { TrainingEngine } from '@seamstream/training-contract';

export interface LanguageModelExecutorSettings {
  /** What outcomes call the model, e.g. its folder's name. */
  readonly name: string;
  /** Most tokens of a response. */
  readonly maxTokens: number;
  /** Refuse to run with other weights: SHA-256 as the checkpoint measures it. */
  readonly expectedDigest?: string;
  /** Trains the same weights, where self-edits act on them. */
  readonly training?: TrainingEngine;
  /** What it learned and kept: it answers, and is trained further, with these weights. */
  readonly learned?: Adapter;
}

/** How a call ends early, and who hears how far it is. */
interface CallOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: AnsweringProgress) => void) | undefined;
  readonly until: string | undefined;
  /** Undefined: the executor's own limit. */
  readonly mostTokens: number | undefined;
}

/** Answers that are kept for a caller whose call was ended and who has to ask again. */
const KEPT_ANSWERS = 4096;

export class LanguageModelExecutor implements ExecutorModel {
  readonly identity: ExecutorModel['identity'];
  readonly controlTokens: readonly string[];
  readonly chats: boolean;
  readonly adapt?: NonNullable<ExecutorModel['adapt']>;
  readonly countTokens?: NonNullable<ExecutorModel['countTokens']>;
  readonly score?: NonNullable<ExecutorModel['score']>;
  /** By what was asked: of calls that were ended, what they had finished. */
  private readonly kept = new Map<string, GenerationResult>();
  private readonly sampling: SamplingSettings;
  /** Null: the bare weights. */
  private readonly learned: Adapter | null;

  /** @param model generates; its port is the generator's, without an adapter. @throws CHECKPOINT_INVALID when the weights are not the expected ones. */
  constructor(
    private readonly model: GeneratorModel,
    { name, maxTokens, expectedDigest, training, learned }: LanguageModelExecutorSettings,
  ) {
    if (expectedDigest !== undefined && model.digest !== expectedDigest) {
      throw new SeamError(
        'CHECKPOINT_INVALID',
        `Cannot start executor ${name}: expected the frozen weights ${expectedDigest}, the model has ${model.digest}. Restore the model's folder.`,
        {
          details: { expected: expectedDigest, measured: model.digest },
        },
      );
    }
    this.sampling = { temperature: 0, topK: 0, topP: 1, maxTokens };
    const { chatTemplateDigest: chatTemplate, controlTokens = [] } = model.tokenizer;
    this.controlTokens = controlTokens;
    this.chats = chatTemplate !== undefined;
    const decoding = canonicalJson({ ...this.sampling, ...(chatTemplate === undefined ? {} : { chatTemplate }) });
    this.learned = learned ?? null;
    // With other weights it is another executor: outcomes say so, and no log has both.
    const revision = learned === undefined ? model.digest : `${learned.digest}@${model.digest}`;
    this.identity = { model: name, revision, decoding };
    if (training === undefined) return;
    this.adapt = (request, options) => this.adaptedBy(training, this.learned, request, options);
    this.countTokens = (text) => this.encodeDocument(text).length;
    // New pairs change nothing, under all settings.
    const scored = learned?.settings ?? trainableOf(innerUpdateSchema.parse({}), 'scores');
    this.score = (texts) => this.scoresBy(training, this.learned, scored, texts);
  }

  answer(
    prompts: readonly string[],
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
    until?: string,
    mostTokens?: number,
  ): Promise<readonly ExecutorAnswer[]> {
    return this.answerGreedily(this.learned, prompts, { signal, onProgress, until, mostTokens });
  }

  sample(
    requests: readonly SampledAnswerRequest[],
    drawing: SamplingParams,
    signal?: AbortSignal,
    onProgress?: (progress: AnsweringProgress) => void,
    until?: string,
    mostTokens?: number,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    return this.generate(this.learned, requests, this.drawing(drawing), { signal, onProgress, until, mostTokens });
  }

  /** @param start what training begins with; null: the bare weights */
  private async adaptedBy(
    training: TrainingEngine,
    start: Adapter | null,
    { documents, settings, seed }: AdaptationRequest,
    { signal, onStep }: AdaptationOptions = {},
  ): Promise<Adaptation> {
    this.assertContinues(settings, start);
    const maxTokens = Math.min(settings.maxDocumentTokens, this.model.config.maxPositions);
    const updated = await innerUpdate(training, {
      documents: documentsOf(documents, (text) => this.encodeDocument(text), maxTokens),
      settings,
      seed,
      start,
      signal,
      onStep,
    });
    if (updated.status === 'refused') return updated;
    const { adapter, losses, tokens } = updated;
    return {
      status: 'adapted',
      adapter: { digest: adapter.digest, bytes: bytesOf(adapter), weights: adapter },
      trained: { losses, tokens },
      model: {
        answer: (prompts, ended, onProgress, until, mostTokens) =>
          this.answerGreedily(adapter, prompts, { signal: ended, onProgress, until, mostTokens }),
        sample: (requests, drawing, ended, onProgress, until, mostTokens) =>
          this.generate(adapter, requests, this.drawing(drawing), { signal: ended, onProgress, until, mostTokens }),
        adapt: (request, options) => this.adaptedBy(training, adapter, request, options),
        score: (texts) => this.scoresBy(training, adapter, trainableOf(settings, 'scores'), texts),
      },
    };
  }

  /**
   * Pairs of another size cannot be trained further, and another scale would change what they say.
   * @param start what training would begin with; its own weights unless given
   * @throws INVALID_CONFIGURATION for other settings than those of weights that it kept
   */
  assertContinues(settings: InnerUpdateSettings, start: Adapter | null = this.learned): void {
    if (start === null) return;
    const { settings: had, digest } = start;
    const [kept, asked] = [had, trainableOf(settings, '')].map(pairsOf);
    if (kept === asked) return;
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot train executor ${this.identity.model} further: expected the settings of its weights ${shortId(digest)} (${kept}), got ${asked}. Set SEAM_EXECUTOR_INNER_UPDATE_RANK, …_ALPHA and …_TARGET_MODULES to theirs.`,
    );
  }

  /** @throws PROMPT_TOO_LONG where a text does not fit the model */
  private async scoresBy(
    training: TrainingEngine,
    adapter: Adapter | null,
    trainable: TrainableSettings,
    texts: readonly ScoredText[],
  ): Promise<readonly TextScore[]> {
    const sequences = texts.map(({ prompt, continuation }) => {
      const written = this.model.tokenizer.encode(continuation);
      const asked = fittingPrompt(this.model, prompt, written.length);
      if (!asked.fits) throw new SeamError('PROMPT_TOO_LONG', this.excessOf(asked.size, written.length));
      const { tokenIds } = asked;
      return { tokenIds: [...tokenIds, ...written], targets: written.map((_, index) => tokenIds.length + index) };
    });
    const weights = await training.begin({
      adapter,
      trainable,
      objective: { kind: 'negative-log-likelihood' },
    });
    try {
      const scores = await weights.logProbabilities(sequences);
      return scores.map((each) => ({ logLikelihood: each.reduce((sum, one) => sum + one, 0), tokens: each.length }));
    } finally {
      await weights.close();
    }
  }

  private encodeDocument(text: string): readonly number[] {
    const { tokenizer } = this.model;
    return tokenizer.encodeDocument?.(text) ?? tokenizer.encode(text);
  }

  /** A text as the ids that end an answer: as one run, and character by character, since what follows may divide it. */
  private stopsAt(until: string): readonly (readonly number[])[] {
    const { tokenizer } = this.model;
    return [tokenizer.encode(until), Array.from(until).flatMap((character) => tokenizer.encode(character))];
  }

  private drawing({ temperature, topP }: SamplingParams): SamplingSettings {
    return { ...this.sampling, temperature, topP };
  }

  /** Equal prompts have equal answers: each is computed once, which saves most of the work when a group's candidates agree. */
  private async answerGreedily(
    adapter: Adapter | null,
    prompts: readonly string[],
    options: CallOptions,
  ): Promise<readonly ExecutorAnswer[]> {
    const distinct = [...new Set(prompts)];
    const requests = distinct.map((prompt) => ({ prompt, seeds: ['greedy'] }));
    const answers = await this.generate(adapter, requests, this.sampling, options);
    const ofPrompt = new Map(distinct.map((prompt, i) => [prompt, answers[i]![0]!]));
    return prompts.map((prompt) => ofPrompt.get(prompt)!);
  }

  private async generate(
    adapter: Adapter | null,
    requests: readonly SampledAnswerRequest[],
    own: SamplingSettings,
    options: CallOptions,
  ): Promise<readonly (readonly ExecutorAnswer[])[]> {
    const sampling = { ...own, maxTokens: Math.min(own.maxTokens, options.mostTokens ?? Infinity) };
    const encoded = requests.map(({ prompt, seeds }) => ({
      prompt: fittingPrompt(this.model, prompt, sampling.maxTokens),
      seeds,
    }));
    const stops = options.until === undefined ? {} : { stopSequences: this.stopsAt(options.until) };
    const asked = encoded.flatMap(({ prompt, seeds }) =>
      prompt.fits ? [{ promptTokenIds: prompt.tokenIds, seeds, sampling, ...stops }] : [],
    );
    const results = (await this.generateOnce(adapter, asked, options)).values();
    return encoded.map(({ prompt, seeds }): readonly ExecutorAnswer[] => {
      if (!prompt.fits) return seeds.map(() => this.tooLong(prompt.size, sampling.maxTokens));
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
    adapter: Adapter | null,
    requests: readonly GenerationRequest[],
    { signal, onProgress, until }: CallOptions,
  ): Promise<readonly GenerationResult[]> {
    const keys = requests.map(({ promptTokenIds, seeds, sampling }) =>
      canonicalJson([adapter?.digest ?? null, promptTokenIds, seeds, { ...sampling }, until ?? null]),
    );
    const results = keys.map((key) => this.kept.get(key));
    const missing = requests.flatMap((_, at) => (results[at] === undefined ? [at] : []));
    let answered = requests.length - missing.length;
    if (missing.length === 0) return results as readonly GenerationResult[];
    const generated = await this.model.generate(
      missing.map((at) => requests[at]!),
      {
        ...(adapter === null ? {} : { adapter }),
        ...(signal === undefined ? {} : { signal }),
        onProgress: ({ tokens, finished }) => {
          for (const { request, candidates } of finished) this.keep(keys[missing[request]!]!, candidates);
          answered += finished.length;
          const { seeds, sampling } = requests[missing[0]!]!;
          onProgress?.({ answered, tokens, tokensPerPrompt: sampling.maxTokens * seeds.length });
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

  private tooLong(size: string, responseTokens: number): ExecutorAnswer {
    const reason = this.excessOf(size, responseTokens);
    return { status: 'failed', code: 'PROMPT_TOO_LONG', reason, retryable: false };
  }

  private excessOf(size: string, responseTokens: number): string {
    return `Cannot answer: expected prompt and response within ${this.model.config.maxPositions} tokens, got ${size} and up to ${responseTokens}. Shorten the problem.`;
  }
}

function bytesOf({ tensors }: Adapter): number {
  return tensors.values().reduce((sum, { data }) => sum + data.byteLength, 0);
}

/** Which pairs there are, in words. */
function pairsOf(trainable: TrainableSettings): string {
  if (trainable.kind === 'full') return 'whole weights';
  const { rank, alpha, targetModules } = trainable;
  return `rank ${rank}, alpha ${alpha}, modules ${[...targetModules].sort().join(' ')}`;
}
