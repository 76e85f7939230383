/** Self-edits by a teacher: any server that speaks OpenAI's chat completions, one request per edit. */
import { asData } from '@seamstream/experience';
import { canonicalJson, sha256, systemClock } from '@seamstream/kernel';
import {
  type BudgetSettings,
  type ChatCompletion,
  type ChatDecoding,
  chatCompletionSchema,
  chatRequest,
  chatUsage,
  DEFAULT_LIMITS,
  EndpointClient,
  type EndpointResult,
  type Spending,
  worstCase,
} from '@seamstream/openai-endpoint';
import {
  type EditOutcome,
  type EditRequest,
  type EditWriter,
  type EditWriterIdentity,
  type WritingOptions,
  writerMessages,
} from '@seamstream/self-edits';
import { keyOf } from './open-executor.js';

export interface TeacherSettings {
  /** Base address: `https://host/v1`. */
  readonly url: string;
  /** As the server calls it. */
  readonly model: string;
  /** Name of the environment variable that holds the key; without it no authorization is sent. */
  readonly keyVariable?: string | undefined;
  /** Requests under way at a time. */
  readonly concurrency?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Most tokens of requests and edits together. */
  readonly budgetTokens?: number | undefined;
  readonly maxTokensField?: ChatDecoding['maxTokensField'] | undefined;
  /** Longest time for an edit, in milliseconds. */
  readonly timeoutMs: number;
}

const NO_MONEY: Omit<BudgetSettings, 'tokens'> = { money: null, promptPrice: 0, responsePrice: 0 };
/** So many edits for each request that may be under way: a slow one keeps few others waiting. */
const EDITS_PER_CONNECTION = 4;

/**
 * A teacher. Nothing is asked before the first edit.
 * @param environment of the process: the key is in it
 * @throws INVALID_CONFIGURATION for a variable that is not set
 */
export function openTeacher(
  settings: TeacherSettings,
  environment: Readonly<Record<string, string | undefined>>,
): EndpointEditWriter {
  const { url, keyVariable, concurrency = DEFAULT_LIMITS.concurrency, timeoutMs } = settings;
  const client = new EndpointClient(
    {
      url,
      ...keyOf(keyVariable, '--key-variable', environment),
      limits: {
        ...DEFAULT_LIMITS,
        concurrency,
        requestsPerMinute: settings.requestsPerMinute ?? null,
        tokensPerMinute: settings.tokensPerMinute ?? null,
        requestTimeoutMs: timeoutMs,
        patienceMs: timeoutMs,
        // Tries are the caller's to count, so that each has the same time.
        attempts: 1,
      },
      budget: { ...NO_MONEY, tokens: settings.budgetTokens ?? null },
    },
    { clock: systemClock, chance: Math.random },
  );
  return new EndpointEditWriter(client, settings);
}

export class EndpointEditWriter implements EditWriter {
  readonly identity: EditWriterIdentity;
  readonly batch: number;

  constructor(
    private readonly client: EndpointClient,
    private readonly settings: TeacherSettings,
  ) {
    const { url, model, concurrency = DEFAULT_LIMITS.concurrency, maxTokensField = 'max_tokens' } = settings;
    const { origin, pathname } = new URL(url);
    this.identity = {
      source: `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`,
      model,
      adapter: null,
      form: sha256(canonicalJson({ maxTokensField })),
    };
    this.batch = EDITS_PER_CONNECTION * concurrency;
  }

  get spent(): Spending {
    return this.client.spent;
  }

  /** The time of a request begins when it is sent; limits of the endpoint may make it wait before. */
  async write(requests: readonly EditRequest[], { signal, onOutcome }: WritingOptions): Promise<void> {
    const ended = await Promise.allSettled(
      requests.map(async (request, index) => onOutcome(index, outcomeOf(await this.ask(request, signal)))),
    );
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private ask(
    { kind, passage, sampling, seed }: EditRequest,
    signal: AbortSignal | undefined,
  ): Promise<EndpointResult<ChatCompletion>> {
    const { model, maxTokensField = 'max_tokens' } = this.settings;
    const messages = writerMessages(kind, passage);
    const decoding: ChatDecoding = {
      ...{ temperature: sampling.temperature, topP: sampling.topP, maxTokens: sampling.maxTokens },
      ...{ maxTokensField, seed: seedNumber(seed), stop: [], extraBody: {} },
    };
    return this.client.ask(
      {
        method: 'POST',
        path: 'chat/completions',
        body: chatRequest(model, messages, decoding),
        schema: chatCompletionSchema,
        worst: worstCase(
          messages.map(({ content }) => content),
          sampling.maxTokens,
        ),
        usage: chatUsage,
      },
      signal,
    );
  }
}

function outcomeOf(result: EndpointResult<ChatCompletion>): EditOutcome {
  if (result.kind === 'failed') {
    const { code, reason, retryable, halts } = result;
    return { status: 'failed', code, reason, retryable, ...(halts ? { halts } : {}) };
  }
  const [choice] = result.value.choices;
  const refused = (reason: string): EditOutcome => ({
    status: 'failed',
    code: 'ENDPOINT_REFUSED',
    reason,
    retryable: false,
  });
  if (choice?.finish_reason === 'content_filter') return refused("the endpoint's filter has cut off the edit");
  const { content, refusal } = choice!.message;
  if (typeof content !== 'string' && typeof refusal === 'string') return refused('the model refused to write it');
  // What a teacher writes becomes training text: control tokens and characters that a reader cannot see are no part of it.
  const text = asData((content ?? '').replaceAll(/\r\n?/g, '\n')).trim();
  return text === ''
    ? { status: 'failed', code: 'ENDPOINT_FAILED', reason: 'the edit is blank', retryable: true }
    : { status: 'written', text };
}

/** A seed as OpenAI wants one: a whole number, of 31 bits since not all servers take more. */
function seedNumber(seed: string): number {
  return Number.parseInt(sha256(seed).slice(0, 8), 16) >>> 1;
}
