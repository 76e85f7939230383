/** Who brings a library on by its replies: any server that speaks OpenAI's chat completions. */
import { operationsJsonSchema } from '@seamstream/experience-library';
import { SeamError, sha256, systemClock } from '@seamstream/kernel';
import {
  type ChatDecoding,
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  DEFAULT_LIMITS,
  EndpointClient,
  type TokenCount,
  worstCase,
} from '@seamstream/openai-endpoint';
import { type DistillationSettings, spendingOf } from './distillation.config.js';
import type { DistillationAnswer, DistillationRequest, DistillationSource } from './distillation.port.js';
import { keyOf } from './open-executor.js';

/** Nothing is asked before the first request. */
export class DistillationClient implements DistillationSource {
  private readonly client: EndpointClient;
  private readonly model: string;

  /**
   * @param environment of the process: the key is in it
   * @throws INVALID_CONFIGURATION without address or model, and for a variable that is not set
   */
  constructor(
    private readonly settings: DistillationSettings,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    const { url, model, keyVariable, concurrency, requestTimeoutMs, budget } = settings;
    if (url === undefined || model === undefined)
      throw new SeamError(
        'INVALID_CONFIGURATION',
        'Cannot bring a library on by a model: expected its address and name in SEAM_TRAINER_DISTILLATION_URL and SEAM_TRAINER_DISTILLATION_MODEL, or its folder in SEAM_TRAINER_DISTILLATION_MODEL_FOLDER. Set what the model needs.',
      );
    this.model = model;
    this.client = new EndpointClient(
      {
        url,
        ...keyOf(keyVariable, 'SEAM_TRAINER_DISTILLATION_KEY_VARIABLE', environment),
        limits: {
          ...{ ...DEFAULT_LIMITS, concurrency, requestTimeoutMs },
          requestsPerMinute: settings.requestsPerMinute ?? null,
          tokensPerMinute: settings.tokensPerMinute ?? null,
        },
        budget: spendingOf(budget),
      },
      { clock: systemClock, chance: Math.random },
    );
  }

  /** A server shows with its first reply what it can. */
  prepare(): Promise<void> {
    return Promise.resolve();
  }

  addSpent(tokens: TokenCount): void {
    this.client.addSpent(tokens);
  }

  /** @throws also ENDPOINT_UNAVAILABLE */
  async ask(
    request: DistillationRequest,
    signal?: AbortSignal,
    onUnread?: (answer: DistillationAnswer) => void,
  ): Promise<DistillationAnswer> {
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
        onUnread: (tokens) => onUnread?.({ content: null, isWhole: false, model: this.model, ...tokens }),
      },
      signal,
    );
    if (result.kind === 'failed') throw new SeamError(result.code, `Cannot bring the library on: ${result.reason}`);
    const [choice] = result.value.choices;
    const isFiltered = choice!.finish_reason === 'content_filter';
    return {
      content: isFiltered ? null : (choice!.message.content ?? null),
      isWhole: choice!.finish_reason === 'stop',
      model: this.model,
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
