/** One MCP server: started or connected to, its tools listed and called. This file and the transport of programs alone know the SDK. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, ListToolsResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ListedTool } from './offered-tool.js';
import { ProgramTransport } from './program-transport.js';
import type { ToolServerChoice } from './tool-servers.config.js';

export interface ConnectionLimits {
  /** Longest wait for one answer of the server. Milliseconds. Its start may take 10 s at least. */
  readonly callTimeoutMs: number;
  /** Of one message of the server. */
  readonly maxMessageBytes: number;
}

/** What the server answered to a call. */
export type CallAnswer = ReturnType<typeof CallToolResultSchema.parse>;

/** Where programs are found: this process's own PATH says how it was set up. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** Pages of a list of tools that are read. */
const MOST_PAGES = 16;
/** A program on a busy machine is not slow with its calls. */
const START_MS = 10_000;
/** Longest wait for the answer to a ping. */
const PING_MS = 5000;

export class ToolConnection {
  private isLost = false;

  private constructor(
    private readonly client: Client,
    private readonly limits: ConnectionLimits,
  ) {
    client.onclose = () => {
      this.isLost = true;
    };
  }

  /**
   * Starts the program, or greets the server.
   * @param variables that a program is given, and nothing else
   * @param key of an address; null sends none
   * @throws Error what keeps it from answering
   */
  static async open(
    choice: ToolServerChoice,
    variables: Readonly<Record<string, string>>,
    key: string | null,
    limits: ConnectionLimits,
  ): Promise<ToolConnection> {
    // It offers nothing: a server may ask for no completion, no root and no input of a person.
    const client = new Client({ name: 'seamstream', version: '1' }, { capabilities: {} });
    const transport = 'command' in choice ? programOf(choice, variables, limits) : addressOf(choice, key, limits);
    const connection = new ToolConnection(client, limits);
    try {
      await client.connect(transport, { timeout: Math.max(START_MS, limits.callTimeoutMs) });
    } catch (error) {
      await client.close();
      throw error;
    }
    return connection;
  }

  /** Whether it must be opened again. */
  get lost(): boolean {
    return this.isLost;
  }

  /** All tools. Unlike the SDK's own list, schemas of their results are not compiled: a stranger's schema is no program. */
  async list(): Promise<readonly ListedTool[]> {
    const tools: ListedTool[] = [];
    for (let page = 0, cursor: string | undefined; page < MOST_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.client.request({ method: 'tools/list', params }, ListToolsResultSchema, this.options());
      tools.push(...answer.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  }

  /** @throws Error what the server did not do; whether the signal aborted is the caller's to tell */
  async call(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<CallAnswer> {
    try {
      return await this.client.request(
        { method: 'tools/call', params: { name, arguments: args } },
        CallToolResultSchema,
        this.options(signal),
      );
    } catch (error) {
      // A connection that failed, by an answer too large say, is of no use to later calls.
      if (!(error instanceof McpError) && signal?.aborted !== true) await this.close();
      throw error;
    }
  }

  /** Whether it answers anything at all; one that does not is closed. */
  async isServing(): Promise<boolean> {
    try {
      await this.client.ping({ timeout: Math.min(PING_MS, this.limits.callTimeoutMs) });
      return true;
    } catch {
      await this.close();
      return false;
    }
  }

  /** Ends a program, with what it has started in its process group. */
  async close(): Promise<void> {
    this.isLost = true;
    await this.client.close().catch(() => undefined);
  }

  private options(signal?: AbortSignal): { timeout: number; maxTotalTimeout: number; signal?: AbortSignal } {
    const { callTimeoutMs } = this.limits;
    return {
      timeout: callTimeoutMs,
      maxTotalTimeout: callTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

function programOf(
  { command, args }: Extract<ToolServerChoice, { command: string }>,
  variables: Readonly<Record<string, string>>,
  { maxMessageBytes }: ConnectionLimits,
): Transport {
  return new ProgramTransport({ command, args, variables: { PATH, ...variables }, maxMessageBytes });
}

function addressOf(
  { url }: Extract<ToolServerChoice, { url: string }>,
  key: string | null,
  { callTimeoutMs, maxMessageBytes }: ConnectionLimits,
): Transport {
  const own = new URL(url);
  const transport = new StreamableHTTPClientTransport(own, {
    requestInit: key === null ? {} : { headers: { authorization: `Bearer ${key}` } },
    fetch: async (address, init = {}) => {
      const { origin } = new URL(address);
      if (origin !== own.origin) throw new Error(`an address of another server: ${origin}`);
      // A stream that the server would begin by itself is never read: nothing is expected on it.
      if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
      const late = AbortSignal.timeout(callTimeoutMs);
      const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
      // The call that waits for the rest of it need not wait any longer.
      const close = (): void => void transport.close();
      return bounded(await fetch(address, { ...init, redirect: 'manual', signal }), maxMessageBytes, close);
    },
  });
  return transport;
}

/** The response, whose body fails behind so many bytes. @param onExceeded called then */
function bounded(response: Response, maxBytes: number, onExceeded: () => void): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      bytes += part.length;
      if (bytes <= maxBytes) {
        controller.enqueue(part);
        return;
      }
      controller.error(new RangeError(`an answer of more than ${maxBytes} bytes`));
      onExceeded();
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
