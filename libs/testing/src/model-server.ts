/** An HTTP server in the place of a model's: it answers, or fails in a given way. Behaviour is decided per request. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON; undefined without a body. */
  readonly body: Record<string, unknown> | undefined;
}

export type Behaviour =
  /** `body`: text as it is, anything else as JSON. */
  | {
      readonly kind: 'answer';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  /** Takes the request and says nothing. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  /** Half of the body, then the connection ends. */
  | { readonly kind: 'half'; readonly body: unknown }
  /** A byte of the body every `everyMs`. */
  | { readonly kind: 'drip'; readonly body: unknown; readonly everyMs: number }
  /** As many bytes of white space. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** Server-sent events, each with this data; `end` says how they end: properly, by a closed connection, or never. */
  | {
      readonly kind: 'events';
      readonly data: readonly unknown[];
      readonly everyMs?: number;
      readonly end?: 'done' | 'reset' | 'hang';
    };

/** A chat completion as servers give one. */
export function chatCompletion(
  content: string | null,
  changes: {
    readonly finishReason?: string;
    readonly model?: string;
    readonly fingerprint?: string | null;
    readonly promptTokens?: number;
    readonly responseTokens?: number;
  } = {},
): Record<string, unknown> {
  const promptTokens = changes.promptTokens ?? 9;
  const responseTokens = changes.responseTokens ?? 3;
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: changes.model ?? 'tiny',
    ...(changes.fingerprint === null ? {} : { system_fingerprint: changes.fingerprint ?? 'fp_1' }),
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: changes.finishReason ?? 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: responseTokens,
      total_tokens: promptTokens + responseTokens,
    },
  };
}

/** A chat completion that calls tools, each by its name and arguments (JSON, or a text as it is). */
export function toolCalls(
  calls: readonly (readonly [name: string, args: unknown])[],
  changes: Parameters<typeof chatCompletion>[1] = {},
): Record<string, unknown> {
  const completion = chatCompletion(null, { finishReason: 'tool_calls', ...changes });
  const [choice] = completion.choices as [{ message: Record<string, unknown> }];
  choice.message.tool_calls = calls.map(([name, args], at) => ({
    id: `call_${at}`,
    type: 'function',
    function: { name, arguments: textOf(args) },
  }));
  return completion;
}

export class ModelServer {
  /** Every request so far. */
  readonly seen: SeenRequest[] = [];
  /** Most requests that were under way at once. */
  mostAtOnce = 0;
  private atOnce = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** May be replaced at any time. */
    public behave: (request: SeenRequest) => Behaviour | Promise<Behaviour>,
  ) {}

  /** @param port 0 takes a free one */
  static async start(behave: ModelServer['behave'], port = 0): Promise<ModelServer> {
    const server = createServer();
    const started = new ModelServer(server, behave);
    server.on('connection', (socket) => {
      started.sockets.add(socket);
      socket.once('close', () => started.sockets.delete(socket));
    });
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('error', () => undefined); // the client gave up
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        const text = Buffer.concat(chunks).toString();
        const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
        void started.handle({ method, url, headers, body }, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return started;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Base address as a user writes it. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: SeenRequest, response: ServerResponse): Promise<void> {
    this.seen.push(request);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    response.once('close', () => this.atOnce--);
    const behaviour = await this.behave(request);
    switch (behaviour.kind) {
      case 'hang':
        return;
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'huge':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(' '.repeat(behaviour.bytes));
        return;
      case 'answer':
        response.writeHead(behaviour.status ?? 200, { 'content-type': 'application/json', ...behaviour.headers });
        response.end(textOf(behaviour.body));
        return;
      case 'events':
        await sendEvents(response, behaviour);
        return;
      case 'half':
      case 'drip': {
        const text = textOf(behaviour.body);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
        if (behaviour.kind === 'half') {
          response.write(text.slice(0, text.length >> 1), () => response.socket?.resetAndDestroy());
          return;
        }
        let at = 0;
        const timer = setInterval(() => {
          if (at < text.length) response.write(text[at++]);
          else clearInterval(timer);
        }, behaviour.everyMs);
        response.once('close', () => clearInterval(timer));
      }
    }
  }
}

async function sendEvents(
  response: ServerResponse,
  { data, everyMs = 0, end = 'done' }: Extract<Behaviour, { kind: 'events' }>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const each of data) {
    if (response.destroyed) return;
    response.write(`data: ${textOf(each)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  if (end === 'done') response.end();
  else if (end === 'reset') response.socket?.resetAndDestroy();
}

/** A chat completion as a stream's data, with its use of tokens behind it and the mark of its end. */
export function chatChunks(
  contents: readonly string[],
  {
    finishReason = 'stop',
    usage = true,
    created = 1,
  }: { finishReason?: string; usage?: boolean; created?: number } = {},
): readonly unknown[] {
  const chunk = (delta: Record<string, unknown>, finish: string | null): Record<string, unknown> => ({
    ...{ id: 'upstream-1', object: 'chat.completion.chunk', created, model: 'tiny', system_fingerprint: 'fp_1' },
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(usage ? { usage: null } : {}),
  });
  const total = { prompt_tokens: 9, completion_tokens: contents.length, total_tokens: 9 + contents.length };
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...contents.map((content) => chunk({ content }, null)),
    chunk({}, finishReason),
    ...(usage ? [{ ...chunk({}, null), choices: [], usage: total }] : []),
    '[DONE]',
  ];
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
