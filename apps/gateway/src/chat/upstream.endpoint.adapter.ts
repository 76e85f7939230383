/** The executor as another party's server: requests pass through, with the entry in the system's message and the executor's model. */
import { conversationTemplate, type ExecutorIdentity } from '@seamstream/events';
import type { ConversationSlot } from '@seamstream/experience';
import {
  type ChatChunk,
  type ChatRequest,
  chatAnswerSchema,
  chatChunkSchema,
  type ErrorBody,
  errorBodySchema,
} from '@seamstream/gateway-contract';
import { canonicalJson, type ErrorCode, SeamError } from '@seamstream/kernel';
import { type EndpointRelay, eventData, type RelayedAnswer } from '@seamstream/openai-endpoint';
import { withBlock } from './conversation.decide.js';
import { type ConversationRequest, type PassedOn, Upstream, type UpstreamAnswer } from './upstream.port.js';

export interface EndpointUpstreamSettings {
  /** As the server calls it. */
  readonly model: string;
  /** Further names that clients may use. */
  readonly aliases: readonly string[];
  /** What answers record as its revision; null: what each reports. */
  readonly revision: string | null;
}

/** Headers of a refusal that say when to come again, and what is left of a limit. */
const ABOUT_WAITING = /^(retry-after(-ms)?|x-should-retry|x-ratelimit-.+)$/;
/** What decides an answer besides the messages: part of the executor's identity as the client set it. */
const DECODING = [
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'reasoning_effort',
  'response_format',
] as const;

export class EndpointUpstream extends Upstream {
  override readonly models: readonly string[];

  constructor(
    private readonly relay: EndpointRelay,
    private readonly slot: ConversationSlot,
    private readonly settings: EndpointUpstreamSettings,
  ) {
    super();
    this.models = [settings.model, ...settings.aliases];
  }

  override identityFor(request: ChatRequest, fingerprint: string | null): ExecutorIdentity {
    const decoding = Object.fromEntries(
      DECODING.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]] as const])),
    );
    return {
      model: this.settings.model,
      revision: this.settings.revision ?? fingerprint ?? 'unreported',
      template: conversationTemplate(this.slot.digest),
      decoding: canonicalJson(decoding),
    };
  }

  override async ask({ request, entry }: ConversationRequest, signal: AbortSignal): Promise<UpstreamAnswer> {
    const { messages } = request;
    const body = {
      ...request,
      model: this.settings.model,
      messages: entry === null ? messages : withBlock(messages, this.slot.blockOf(entry)),
      // What an answer cost is always asked: servers stay silent about streams otherwise.
      ...(request.stream === true ? { stream_options: { ...request.stream_options, include_usage: true } } : {}),
    };
    const answer = await this.relay.ask('chat/completions', JSON.stringify(body), signal);
    if (answer.status !== 200) return refusal(answer.status, answer.headers, await wholeBody(answer));
    if (request.stream === true) return { kind: 'parts', parts: partsOf(answer) };
    const parsed = chatAnswerSchema.safeParse(asJson(await wholeBody(answer)));
    if (!parsed.success) throw unreadable('no chat completion');
    return { kind: 'whole', answer: parsed.data };
  }

  override async passOn(path: string, body: string, signal: AbortSignal): Promise<PassedOn> {
    const answer = await this.relay.ask(path, body, signal);
    const text = await wholeBody(answer);
    if (answer.status !== 200) {
      const { status, headers, body: error } = refusal(answer.status, answer.headers, text);
      return { status, headers, body: Buffer.from(JSON.stringify(error)) };
    }
    return { status: 200, headers: {}, body: text };
  }
}

async function* partsOf({ body, headers }: RelayedAnswer): AsyncGenerator<ChatChunk> {
  if (headers['content-type']?.includes('text/event-stream') !== true) throw unreadable('no stream of events');
  for await (const data of eventData(body)) {
    if (data === '[DONE]') return;
    const value = asJson(Buffer.from(data));
    const part = chatChunkSchema.safeParse(value);
    if (!part.success) throw unreadable('a part that is no chunk');
    if (part.data.error !== undefined && part.data.error !== null) {
      const said = errorBodySchema.shape.error.partial().safeParse(part.data.error);
      throw new SeamError(
        'ENDPOINT_FAILED',
        `Cannot finish the answer: expected its end from the executor, got an error: ${said.data?.message ?? 'it reported an error'}`,
      );
    }
    yield part.data;
  }
}

async function wholeBody({ body }: RelayedAnswer): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

function asJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function unreadable(came: string): SeamError {
  return new SeamError(
    'ENDPOINT_FAILED',
    `Cannot read the executor's answer: expected a chat completion, got ${came}.`,
  );
}

/** What the server refused, as the client may read it. A key that it refuses, and a model that it lacks, are the operator's. */
function refusal(
  status: number,
  headers: RelayedAnswer['headers'],
  body: Buffer,
): Extract<UpstreamAnswer, { kind: 'refused' }> {
  const said = errorBodySchema.partial().safeParse(asJson(body));
  const ours = status === 401 || status === 403 || status === 404 || status < 400;
  const error = ours ? undefined : said.data?.error;
  return {
    kind: 'refused',
    status: ours ? 502 : status,
    serverStatus: status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => ABOUT_WAITING.test(name))),
    body: { error: error ?? defaultError(status) },
    code: codeOf(status),
  };
}

function defaultError(status: number): ErrorBody['error'] {
  const message = `The executor answered with status ${status}.`;
  return { message, type: 'server_error', param: null, code: 'upstream_refused' };
}

function codeOf(status: number): ErrorCode {
  if (status === 429 || status === 503 || status === 529) return 'ENDPOINT_UNAVAILABLE';
  return status >= 500 || status < 400 ? 'ENDPOINT_FAILED' : 'ENDPOINT_REFUSED';
}
