/** Who brings a library on by its replies: any server that speaks OpenAI's chat completions. */
import { operationsJsonSchema } from '@seamstream/experience-library';
import { SeamError, sha256, systemClock } from '@seamstream/kernel';
import {
  type BudgetSettings,
  type ChatDecoding,
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  DEFAULT_LIMITS,
  EndpointClient,
  type TokenCount,
  worstCase,
} from '@seamstream/openai-endpoint';
import { z } from 'zod';
import { connectionShape } from './executor.config.js';
import { keyOf } from './open-executor.js';

const positive = z.int().positive();

/** SEAM_TRAINER_DISTILLATION_…: the model that is asked by the recipe `llm`. */
export const distillationSchema = z
  .object({
    ...connectionShape,
    /** How the server calls the most tokens of an answer. */
    maxTokensField: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
    /** Whether operations are asked for under a JSON Schema (response_format), where the server knows it. */
    jsonSchema: z.boolean().default(false),
    /** Most requests at a time. */
    concurrency: positive.default(DEFAULT_LIMITS.concurrency),
    /** Most requests in a minute; no limit when absent. */
    requestsPerMinute: positive.optional(),
    /** Of prompts and answers. */
    tokensPerMinute: positive.optional(),
    /** Longest wait for an answer to one request. */
    requestTimeoutMs: positive.default(DEFAULT_LIMITS.requestTimeoutMs),
    budget: z
      .object({
        /** Most tokens of all runs of the log, of prompts and answers. */
        tokens: positive.optional(),
        /** Most money, in the currency of the prices. */
        money: z.number().positive().optional(),
        /** Of a million tokens of prompts. */
        promptPrice: z.number().nonnegative().optional(),
        /** Of a million tokens of answers. */
        responsePrice: z.number().nonnegative().optional(),
      })
      .prefault({}),
  })
  .prefault({});

export type DistillationEndpoint = z.infer<typeof distillationSchema>;

export interface DistillationRequest {
  readonly stage: string;
  readonly prompt: string;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  /** Decides what a server draws that knows seeds. */
  readonly seed: string;
}

export interface DistillationAnswer extends TokenCount {
  /** Null where the model refused, or a filter cut it off. */
  readonly content: string | null;
  readonly isWhole: boolean;
}

/** Nothing is asked before the first request. */
export class DistillationClient {
  private readonly client: EndpointClient;
  readonly model: string;

  /**
   * @param environment of the process: the key is in it
   * @throws INVALID_CONFIGURATION without address and model, and for a variable that is not set
   */
  constructor(
    private readonly settings: DistillationEndpoint,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    const { url, model, keyVariable, concurrency, requestTimeoutMs, budget } = settings;
    if (url === undefined || model === undefined)
      throw new SeamError(
        'INVALID_CONFIGURATION',
        'Cannot bring a library on by a model: expected its address and name in SEAM_TRAINER_DISTILLATION_URL and SEAM_TRAINER_DISTILLATION_MODEL. Set both.',
      );
    this.model = model;
    const spending: BudgetSettings = {
      ...{ tokens: budget.tokens ?? null, money: budget.money ?? null },
      ...{ promptPrice: budget.promptPrice ?? 0, responsePrice: budget.responsePrice ?? 0 },
    };
    this.client = new EndpointClient(
      {
        url,
        ...keyOf(keyVariable, 'SEAM_TRAINER_DISTILLATION_KEY_VARIABLE', environment),
        limits: {
          ...{ ...DEFAULT_LIMITS, concurrency, requestTimeoutMs },
          requestsPerMinute: settings.requestsPerMinute ?? null,
          tokensPerMinute: settings.tokensPerMinute ?? null,
        },
        budget: spending,
      },
      { clock: systemClock, chance: Math.random },
    );
  }

  /** What recorded replies cost. */
  addSpent(tokens: TokenCount): void {
    this.client.addSpent(tokens);
  }

  /** @throws BUDGET_SPENT, ENDPOINT_UNAVAILABLE and others that say why there is no reply; ABORTED */
  async ask(request: DistillationRequest, signal?: AbortSignal): Promise<DistillationAnswer> {
    const { stage, prompt, temperature, maxTokens, seed } = request;
    const messages = [{ role: 'user', content: prompt }] as const;
    const decoding: ChatDecoding = {
      ...{ temperature, topP: 1, maxTokens, maxTokensField: this.settings.maxTokensField, stop: [] },
      // Of 31 bits, since not all servers take more.
      seed: Number.parseInt(sha256(seed).slice(0, 8), 16) >>> 1,
      extraBody: this.settings.jsonSchema && stage !== 'summary' ? responseFormat(stage as 'advantage') : {},
    };
    const result = await this.client.ask(
      {
        ...{ method: 'POST', path: 'chat/completions', body: chatRequest(this.model, messages, decoding) },
        ...{ schema: chatCompletionSchema, worst: worstCase([prompt], maxTokens), usage: chatUsage },
      },
      signal,
    );
    if (result.kind === 'failed') throw new SeamError(result.code, `Cannot bring the library on: ${result.reason}`);
    const [choice] = result.value.choices;
    const isFiltered = choice!.finish_reason === 'content_filter';
    return {
      content: isFiltered ? null : (choice!.message.content ?? null),
      isWhole: choice!.finish_reason === 'stop',
      ...chatUsage(result.value),
    };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function responseFormat(stage: 'advantage' | 'consolidation'): Readonly<Record<string, unknown>> {
  const schema = operationsJsonSchema(stage);
  return { response_format: { type: 'json_schema', json_schema: { name: 'operations', schema } } };
}
