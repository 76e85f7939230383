/**
 * Self-edits by a generator's model, with its adapter: asked and bound as the generator's service asks for the entries of experiences, so that
 * an adapter writes here what it was trained to write there.
 */
import { breakerOf, EDIT_SCHEMA, editText } from '@seamstream/experience';
import { canonicalJson, isSeamError, messageOf, SeamError, sha256 } from '@seamstream/kernel';
import type { Adapter, GenerationRequest, GenerationResult } from '@seamstream/language-model';
import { fittingPrompt, type GeneratorModel } from '@seamstream/rollout';
import {
  type EditOutcome,
  type EditRequest,
  type EditWriter,
  type EditWriterIdentity,
  type WritingOptions,
  writerPrompt,
} from '@seamstream/self-edits';

export interface LanguageModelWriterSettings {
  /** Null: the bare base model. */
  readonly adapter: Adapter | null;
  /** Edits that are written side by side. */
  readonly batch: number;
  readonly close?: () => Promise<void>;
}

export class LanguageModelEditWriter implements EditWriter {
  readonly identity: EditWriterIdentity;

  constructor(
    private readonly model: GeneratorModel,
    private readonly settings: LanguageModelWriterSettings,
  ) {
    const { digest, chatTemplateDigest = null } = model.tokenizer;
    this.identity = {
      source: 'generator',
      model: model.digest,
      adapter: settings.adapter?.digest ?? null,
      form: sha256(canonicalJson({ tokenizer: digest, chatTemplate: chatTemplateDigest, schema: EDIT_SCHEMA })),
    };
  }

  get batch(): number {
    return this.settings.batch;
  }

  countTokens(text: string): number {
    return this.model.tokenizer.encode(text).length;
  }

  /** The time begins for all requests at once. */
  async write(requests: readonly EditRequest[], { timeoutMs, signal, onOutcome }: WritingOptions): Promise<void> {
    const asked: { readonly index: number; readonly request: GenerationRequest }[] = [];
    requests.forEach((request, index) => {
      const prompt = this.promptOf(request);
      if ('status' in prompt) onOutcome(index, prompt);
      else asked.push({ index, request: prompt });
    });
    if (asked.length === 0) return;
    const late = AbortSignal.timeout(timeoutMs);
    const open = new Set(asked.map((_, at) => at));
    const take = (at: number, candidates: GenerationResult): void => {
      if (open.delete(at)) onOutcome(asked[at]!.index, this.outcomeOf(candidates));
    };
    const settleRest = (outcome: EditOutcome): void => {
      for (const at of open) onOutcome(asked[at]!.index, outcome);
    };
    try {
      const results = await this.model.generate(
        asked.map(({ request }) => request),
        {
          ...(this.settings.adapter === null ? {} : { adapter: this.settings.adapter }),
          signal: signal === undefined ? late : AbortSignal.any([late, signal]),
          onProgress: ({ finished }) => {
            for (const { request, candidates } of finished) take(request, candidates);
          },
        },
      );
      results.forEach((candidates, at) => take(at, candidates));
    } catch (error) {
      if (signal?.aborted === true)
        throw new SeamError('ABORTED', 'Cannot continue writing edits: stopped on request.');
      if (late.aborted && isSeamError(error, 'ABORTED')) {
        const reason = `it was not written within ${timeoutMs} ms`;
        settleRest({ status: 'failed', code: 'DEADLINE_EXCEEDED', reason, retryable: true });
        return;
      }
      // A thread that ended is replaced, and another draw may be finite; with any other fault all edits would fail alike.
      if (!isSeamError(error, 'SESSION_FAILED') && !isSeamError(error, 'NON_FINITE')) throw error;
      settleRest({ status: 'failed', code: error.code, reason: error.message, retryable: true });
    }
  }

  async close(): Promise<void> {
    await this.settings.close?.();
  }

  private promptOf({ kind, passage, sampling, seed }: EditRequest): GenerationRequest | EditOutcome {
    const asked = breakerOf(this.model.tokenizer.controlTokens ?? [])(writerPrompt(kind, passage));
    const prompt = fittingPrompt(this.model, asked, sampling.maxTokens);
    if (prompt.fits)
      return {
        promptTokenIds: prompt.tokenIds,
        seeds: [seed],
        sampling: { ...sampling, topK: 0 },
        schema: EDIT_SCHEMA,
      };
    const reason = `expected request and edit within ${this.model.config.maxPositions} tokens, got ${prompt.size} and up to ${sampling.maxTokens}`;
    return { status: 'failed', code: 'PROMPT_TOO_LONG', reason, retryable: false };
  }

  private outcomeOf([candidate]: GenerationResult): EditOutcome {
    try {
      const text = editText(this.model.tokenizer.decode(candidate!.tokenIds));
      if (text.trim() !== '') return { status: 'written', text };
      return { status: 'failed', code: 'ENTRY_INVALID', reason: 'the edit is blank', retryable: true };
    } catch (error) {
      if (!isSeamError(error, 'ENTRY_INVALID')) throw error;
      return { status: 'failed', code: 'ENTRY_INVALID', reason: messageOf(error), retryable: true };
    }
  }
}
