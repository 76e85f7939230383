/**
 * A checkpoint of this machine that brings a library on. It is loaded when it is needed first, since a run that is done again from its
 * recorded replies needs none. Requests that come together are written side by side: a reply depends on its request and the weights
 * alone. Operations are written under their JSON Schema and end within the tokens of the reply, so that each can be read.
 */
import { breakerOf } from '@seamstream/experience';
import { loadDistillationTemplates, writtenOperations } from '@seamstream/experience-library';
import { isSeamError, messageOf, SeamError } from '@seamstream/kernel';
import type { GenerationRequest, GenerationResult } from '@seamstream/language-model';
import { Budget, type TokenCount } from '@seamstream/openai-endpoint';
import { encodePrompt, fittingPrompt, type GeneratorModel } from '@seamstream/rollout';
import { type DistillationSettings, spendingOf } from './distillation.config.js';
import type { DistillationAnswer, DistillationRequest, DistillationSource } from './distillation.port.js';

export interface DistillingModel extends GeneratorModel {
  close(): Promise<void>;
}

interface Waiting {
  readonly request: DistillationRequest;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (answer: DistillationAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** One that is written now. */
interface Writing extends Waiting {
  readonly asked: GenerationRequest;
  readonly worst: TokenCount;
}

const SETTING = 'SEAM_TRAINER_DISTILLATION_MODEL_FOLDER';
const NOTHING: TokenCount = { promptTokens: 0, responseTokens: 0 };
/** Operations that it has to be able to write at least. */
const FORM = { most: 1, maxWords: 1 } as const;

export class LanguageModelDistillation implements DistillationSource {
  private readonly budget: Budget;
  private opened: Promise<DistillingModel> | undefined;
  private waiting: Waiting[] = [];
  private working: Promise<void> | undefined;
  /** Why nothing is asked any more. */
  private halted: SeamError | undefined;

  /** @param open loads the checkpoint. It is asked once, and again where it failed */
  constructor(
    private readonly settings: Pick<DistillationSettings, 'concurrency' | 'replyTimeoutMs' | 'budget'>,
    private readonly open: () => Promise<DistillingModel>,
  ) {
    this.budget = new Budget(spendingOf(settings.budget));
  }

  async prepare({ maxTokens }: { readonly maxTokens: number }): Promise<void> {
    const model = await this.model();
    const { summary, advantage, consolidation } = await loadDistillationTemplates();
    const templates = [summary.text, advantage.text, consolidation.text];
    const shortest = Math.max(...templates.map((text) => encodePrompt(model, text).length));
    const room = model.config.maxPositions - maxTokens;
    if (shortest > room)
      throw refused(
        `expected a model that holds the shortest prompt and a reply, ${shortest} and ${maxTokens} tokens, this one holds ${model.config.maxPositions}`,
      );
    try {
      const stages = ['advantage', 'consolidation'] as const;
      await model.assertWrites?.(
        stages.map((stage) => writtenOperations({ stage, ...FORM })),
        maxTokens,
      );
    } catch (cause) {
      throw refused(`this model cannot write operations within ${maxTokens} tokens: ${messageOf(cause)}`, cause);
    }
  }

  addSpent(tokens: TokenCount): void {
    this.budget.addSpent(tokens);
  }

  ask(request: DistillationRequest, signal?: AbortSignal): Promise<DistillationAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, signal, resolve, reject });
      // Requests of the same moment are written together.
      this.working ??= Promise.resolve().then(() => this.work());
    });
  }

  async close(): Promise<void> {
    const model = await this.opened?.catch(() => undefined);
    await model?.close();
  }

  private model(): Promise<DistillingModel> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private async work(): Promise<void> {
    while (this.waiting.length > 0) {
      // Those of one run, since its signal ends them together.
      const [{ signal }] = this.waiting as [Waiting];
      const taken = this.waiting.filter((each) => each.signal === signal).slice(0, this.settings.concurrency);
      this.waiting = this.waiting.filter((each) => !taken.includes(each));
      const batch: Writing[] = [];
      try {
        const model = await this.model();
        for (const each of taken) batch.push(...this.admitted(model, each));
        await this.write(model, batch, signal);
      } catch (error) {
        // What was reserved is free again, and what waits for it is not asked: others would wait for it for ever.
        for (const { worst } of batch) this.budget.settle(worst, NOTHING);
        this.waiting = this.waiting.filter((each) => !taken.includes(each));
        for (const { reject } of taken) reject(error);
      }
    }
    this.working = undefined;
  }

  /** With its worst case reserved; one that has to wait for others of its turn is asked in the next. */
  private admitted(model: DistillingModel, each: Waiting): readonly Writing[] {
    const { prompt, maxTokens, temperature, seed, form } = each.request;
    const fitting = fittingPrompt(model, breakerOf(model.tokenizer.controlTokens ?? [])(prompt), maxTokens);
    if (!fitting.fits) {
      each.reject(tooLong(fitting.size, each.request, model));
      return [];
    }
    const worst = { promptTokens: fitting.tokenIds.length, responseTokens: maxTokens };
    const reservation = this.halted === undefined ? this.budget.reserve(worst) : 'spent';
    if (reservation === 'spent') {
      this.halted ??= spent(this.budget, worst);
      each.reject(this.halted);
      return [];
    }
    if (reservation === 'wait') {
      this.waiting.push(each);
      return [];
    }
    const sampling = { temperature, topK: 0, topP: 1, maxTokens };
    const asked = { promptTokenIds: fitting.tokenIds, seeds: [seed], sampling };
    return [{ ...each, worst, asked: form === undefined ? asked : { ...asked, schema: form } }];
  }

  /** Each is answered as soon as it is written, so that a run that ends in between loses none of them. */
  private async write(
    model: DistillingModel,
    batch: readonly Writing[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (batch.length === 0) return;
    const late = AbortSignal.timeout(this.settings.replyTimeoutMs);
    const open = new Set(batch.keys());
    const take = (at: number, candidates: GenerationResult): void => {
      if (!open.has(at)) return;
      const { worst, resolve } = batch[at]!;
      const answer = answerOf(model, worst.promptTokens, candidates);
      this.budget.settle(worst, answer);
      open.delete(at);
      resolve(answer);
    };
    try {
      const results = await model.generate(
        batch.map(({ asked }) => asked),
        {
          signal: signal === undefined ? late : AbortSignal.any([late, signal]),
          onProgress: ({ finished }) => {
            for (const { request, candidates } of finished) take(request, candidates);
          },
        },
      );
      results.forEach((candidates, at) => take(at, candidates));
    } catch (error) {
      const isLate = late.aborted && signal?.aborted !== true && isSeamError(error, 'ABORTED');
      const fault = isLate ? overdue(this.settings.replyTimeoutMs) : error;
      for (const at of open) {
        // Nothing is recorded of it, and nothing was paid.
        this.budget.settle(batch[at]!.worst, NOTHING);
        batch[at]!.reject(fault);
      }
    }
  }
}

function answerOf(model: DistillingModel, promptTokens: number, [candidate]: GenerationResult): DistillationAnswer {
  const { tokenIds, finishReason } = candidate!;
  return {
    content: model.tokenizer.decode(tokenIds),
    isWhole: finishReason === 'completed',
    model: model.digest,
    ...{ promptTokens, responseTokens: tokenIds.length },
  };
}

function refused(what: string, cause?: unknown): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot bring a library on by a checkpoint: ${what}. Name another folder in ${SETTING}, or set maxTokens of the recipe llm.`,
    { cause },
  );
}

function tooLong(size: string, { stage, maxTokens }: DistillationRequest, model: DistillingModel): SeamError {
  return new SeamError(
    'PROMPT_TOO_LONG',
    `Cannot bring the library on: expected prompt and reply of the stage ${stage} within ${model.config.maxPositions} tokens, got ${size} and up to ${maxTokens}. Set maxTokens, batchSize or maxItems lower, or use a model that holds more (${SETTING}).`,
  );
}

function spent(budget: Budget, { promptTokens, responseTokens }: TokenCount): SeamError {
  return new SeamError(
    'BUDGET_SPENT',
    `Cannot bring the library on: its budget is spent (${budget.toString()}); the next request may need ${promptTokens + responseTokens} tokens. Raise the budget.`,
  );
}

function overdue(timeoutMs: number): SeamError {
  return new SeamError(
    'DEADLINE_EXCEEDED',
    `Cannot bring the library on: expected a reply within ${timeoutMs} ms, got none. Raise SEAM_TRAINER_DISTILLATION_REPLY_TIMEOUT_MS, or lower SEAM_TRAINER_DISTILLATION_CONCURRENCY.`,
  );
}
