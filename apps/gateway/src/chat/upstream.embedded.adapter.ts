/** The executor in this process: an environment answers in one piece, greedily. Of chat completions it can do text. */
import type { Environment, SessionModel } from '@seamstream/environments';
import { conversationTemplate, type ExecutorIdentity } from '@seamstream/events';
import type { ChatAnswer, ChatChunk, ChatRequest } from '@seamstream/gateway-contract';
import { canonicalJson, SeamError } from '@seamstream/kernel';
import { mostTokensOf } from './most-tokens.decide.js';
import { type ConversationRequest, Upstream, type UpstreamAnswer } from './upstream.port.js';

/** What a model that completes text cannot do: ignored, it would be a wrong answer. */
const UNSUPPORTED = ['tools', 'tool_choice', 'functions', 'function_call', 'logprobs', 'audio'] as const;

export class EmbeddedUpstream extends Upstream {
  override readonly models: readonly string[];

  constructor(
    private readonly environment: Environment,
    aliases: readonly string[],
    private readonly nowMs: () => number,
    /** The same environment over the model of a session. */
    private readonly environmentOf: (model: SessionModel) => Environment = () => environment,
  ) {
    super();
    this.models = [environment.identity.model, ...aliases];
  }

  /** As of every gateway, and never compared with the executor's service: feedback alone judges its answers. */
  override identityFor(request: ChatRequest): ExecutorIdentity {
    const { identity } = this.environment;
    const mostTokens = mostTokensOf(request);
    const decoding =
      mostTokens === undefined ? identity.decoding : canonicalJson({ answer: identity.decoding, mostTokens });
    return { ...identity, decoding, template: conversationTemplate(identity.template) };
  }

  override async ask(
    { request, problem, entry, seed, model }: ConversationRequest,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer> {
    assertText(request);
    const environment = model === null ? this.environment : this.environmentOf(model);
    const [attempt] = await environment.attempt([{ problem, entry, seeds: [seed] }], {
      signal,
      mostTokens: mostTokensOf(request),
    });
    const given = attempt![0]!;
    if (given.status === 'failed') throw new SeamError(given.code, given.reason);
    const { text, finished, promptTokens, responseTokens } = given;
    const head = { id: '', created: Math.floor(this.nowMs() / 1000), model: this.models[0] };
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: responseTokens,
      total_tokens: promptTokens + responseTokens,
    };
    const finish = finished ? 'stop' : 'length';
    if (request.stream === true) return { kind: 'parts', parts: partsOf(head, text, finish, usage) };
    const message = { role: 'assistant', content: text, refusal: null };
    const answer: ChatAnswer = {
      ...{ ...head, object: 'chat.completion' },
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage,
    };
    return { kind: 'whole', answer };
  }

  override passOn(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

async function* partsOf(
  head: Readonly<Record<string, unknown>>,
  content: string,
  finish: string,
  usage: Readonly<Record<string, number>>,
): AsyncGenerator<ChatChunk> {
  const part = (delta: Record<string, unknown>, finishReason: string | null): ChatChunk => ({
    ...{ ...head, object: 'chat.completion.chunk', usage: null },
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  });
  yield part({ role: 'assistant', content: '' }, null);
  yield part({ content }, null);
  yield part({}, finish);
  yield { ...head, object: 'chat.completion.chunk', choices: [], usage };
}

function assertText(request: ChatRequest): void {
  const asked = UNSUPPORTED.find((name) => {
    const value = request[name];
    return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
  });
  const isOther = request.messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => type !== 'text'),
  );
  const format = request.response_format as { type?: unknown } | null | undefined;
  const fault =
    asked ??
    (isOther ? 'messages' : undefined) ??
    ((format?.type ?? 'text') === 'text' ? undefined : 'response_format');
  if (fault === undefined) return;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot answer with ${fault}: expected text, which is what this executor can do. Leave it out, or configure an executor behind an endpoint.`,
    { details: { param: fault } },
  );
}
