/** The tools that a model may call, of all configured servers. Opened once; a server that is lost is opened again when it is called. */
import { type ErrorCode, messageOf, onOneLine, raceAbort, SeamError } from '@seamstream/kernel';
import { forbiddenAddress } from './local-addresses.decide.js';
import { type CheckedTool, checkedTool, type OfferedTool, toolsDigest } from './offered-tool.js';
import { resultText, withoutSecrets } from './result-text.js';
import { type CallAnswer, type ConnectionLimits, ToolConnection } from './tool-connection.js';
import type { ToolServerChoice, ToolServersChoice } from './tool-servers.config.js';

export interface ToolServersSettings {
  readonly servers: ToolServersChoice;
  readonly limits: ConnectionLimits & {
    /** Of one result, as the model reads it. */
    readonly maxResultBytes: number;
  };
}

export type ToolResult =
  /** `isError`: the tool says that it failed, which is for the model to know. */
  | { readonly kind: 'result'; readonly text: string; readonly isError: boolean }
  /** The server did not do what it is there for: nothing about the model. */
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly reason: string;
      readonly retryable: boolean;
      /** Nothing else will be answered either before a person acts. */
      readonly halts: boolean;
    };

/** What a model acts by. */
export interface ToolBox {
  readonly offered: readonly OfferedTool[];
  /** Of what is offered: names, descriptions, arguments. */
  readonly digest: string;
  /** Why this call is not made, the model's own fault; undefined where it is. */
  fault(name: string, args: Readonly<Record<string, unknown>>): string | undefined;
  /** @throws ABORTED by the signal; everything else that goes wrong is in the result */
  call(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolResult>;
}

type Variables = Readonly<Record<string, string | undefined>>;

export class ToolServers implements ToolBox {
  readonly offered: readonly OfferedTool[];
  readonly digest: string;

  private constructor(
    private readonly servers: ReadonlyMap<string, OneServer>,
    private readonly tools: ReadonlyMap<string, CheckedTool>,
    private readonly secrets: readonly string[],
    private readonly maxResultBytes: number,
  ) {
    this.offered = [...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters }));
    this.digest = toolsDigest(this.offered);
  }

  /**
   * Opens every server and finds the allowed tools.
   * @param variables of the process, of which a server is given those that its settings name
   * @throws INVALID_CONFIGURATION for no server, a variable that is not set, a tool that is not there or is there twice;
   * ENDPOINT_UNAVAILABLE for a server that does not answer; ABORTED
   */
  static async open(settings: ToolServersSettings, variables: Variables, signal?: AbortSignal): Promise<ToolServers> {
    const { servers: choices, limits } = settings;
    if (Object.keys(choices).length === 0)
      throw new SeamError(
        'INVALID_CONFIGURATION',
        'Cannot open tools: expected at least one server, got none. Name one with its allowed tools (SEAM_EXECUTOR_TOOLS_SERVERS).',
      );
    const servers = new Map<string, OneServer>();
    const tools = new Map<string, CheckedTool>();
    try {
      for (const [name, choice] of Object.entries(choices)) {
        const server = new OneServer(name, choice, secretsOf(name, choice, variables), limits);
        servers.set(name, server);
        for (const tool of await server.allowed(signal)) {
          const other = tools.get(tool.name);
          if (other !== undefined)
            throw new SeamError(
              'INVALID_CONFIGURATION',
              `Cannot open tools: expected each name once, got ${tool.name} of ${other.server} and of ${name}. Allow one of them.`,
            );
          tools.set(tool.name, tool);
        }
      }
    } catch (error) {
      await Promise.all([...servers.values()].map((server) => server.close()));
      throw error;
    }
    const secrets = [...servers.values()].flatMap((server) => server.secrets);
    return new ToolServers(servers, tools, secrets, limits.maxResultBytes);
  }

  fault(name: string, args: Readonly<Record<string, unknown>>): string | undefined {
    const tool = this.tools.get(name);
    if (tool === undefined) return `there is no tool of this name; there are ${[...this.tools.keys()].join(', ')}`;
    return tool.fault(args) ?? forbiddenAddress(args, this.servers.get(tool.server)?.choice.hosts);
  }

  async call(name: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolResult> {
    const tool = this.tools.get(name);
    const server = tool === undefined ? undefined : this.servers.get(tool.server);
    if (tool === undefined || server === undefined || this.fault(name, args) !== undefined)
      throw new SeamError(
        'INTERNAL',
        `Cannot call tool ${onOneLine(name)}: expected a call that is allowed, got another.`,
      );
    const answer = await server.call(tool, args, signal);
    if (answer.kind === 'failed') return { ...answer, reason: withoutSecrets(answer.reason, this.secrets) };
    const text = resultText(answer.value, this.secrets, this.maxResultBytes);
    return { kind: 'result', text, isError: answer.value.isError === true };
  }

  /** Ends programs and calls that are under way. */
  async close(): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server.close()));
  }
}

type Failure = Extract<ToolResult, { kind: 'failed' }>;

interface Opened {
  readonly connection: ToolConnection;
  readonly tools: readonly CheckedTool[];
}

class OneServer {
  readonly secrets: readonly string[];
  private opening: Promise<Opened> | undefined;
  private opened: Opened | undefined;
  /** Of the allowed tools, as they were found first. */
  private found: string | undefined;
  private isClosed = false;

  constructor(
    private readonly name: string,
    readonly choice: ToolServerChoice,
    private readonly given: Readonly<Record<string, string>>,
    private readonly limits: ConnectionLimits,
  ) {
    this.secrets = Object.values(given);
  }

  /** @throws INVALID_CONFIGURATION, ENDPOINT_UNAVAILABLE, ABORTED */
  async allowed(signal?: AbortSignal): Promise<readonly CheckedTool[]> {
    try {
      const { tools } = await this.connected(signal);
      return tools;
    } catch (error) {
      if (error instanceof SeamError) throw error;
      throw new SeamError('ENDPOINT_UNAVAILABLE', this.reason('open', error), { cause: error });
    }
  }

  async call(
    { name }: CheckedTool,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<{ readonly kind: 'answered'; readonly value: CallAnswer } | Failure> {
    let opened: Opened;
    try {
      opened = await this.connected(signal);
    } catch (error) {
      if (error instanceof SeamError && (error.code === 'ABORTED' || this.isClosed)) throw aborted();
      if (error instanceof SeamError)
        return { kind: 'failed', code: error.code, reason: error.message, retryable: false, halts: true };
      const reason = this.reason('open', error);
      return { kind: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason, retryable: true, halts: false };
    }
    try {
      return { kind: 'answered', value: await opened.connection.call(name, args, signal) };
    } catch (error) {
      if (signal?.aborted === true || this.isClosed) throw aborted();
      const reason = this.reason(`call tool ${name} of`, error);
      // Is it this call, or the server, which would hold up all others?
      if (opened.connection.lost || (await opened.connection.isServing()))
        return { kind: 'failed', code: 'ENDPOINT_FAILED', reason, retryable: true, halts: false };
      const also = `${reason} Nor does it answer a ping.`;
      return { kind: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason: also, retryable: true, halts: false };
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { opening } = this;
    this.opening = undefined;
    await opening?.then(({ connection }) => connection.close()).catch(() => undefined);
  }

  /** The server, opened again where it was lost: one opening for all callers, so that none's signal ends it. */
  private async connected(signal?: AbortSignal): Promise<Opened> {
    if (this.isClosed) throw aborted();
    if (this.opened?.connection.lost === true) {
      this.opened = undefined;
      this.opening = undefined;
    }
    if (this.opening === undefined) {
      const opening = this.open();
      this.opening = opening;
      opening.then(
        (opened) => (this.opened = opened),
        () => {
          // The next caller tries again.
          if (this.opening === opening) this.opening = undefined;
        },
      );
    }
    return raceAbort(signal, this.opening, `tool server ${this.name}`);
  }

  /** @throws INVALID_CONFIGURATION for a tool that is not there; CONFLICT where the server has other tools than at first */
  private async open(): Promise<Opened> {
    const connection = await ToolConnection.open(this.choice, ...this.means(), this.limits);
    try {
      const tools = this.checked(await connection.list());
      const digest = toolsDigest(tools);
      this.found ??= digest;
      if (digest === this.found) return { connection, tools };
      throw new SeamError(
        'CONFLICT',
        `Cannot use tool server ${this.name}: it offers other tools than at the start, or describes them in other words. The executor of a log is frozen: restore the server, or begin a new log.`,
      );
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private means(): [Readonly<Record<string, string>>, string | null] {
    return 'command' in this.choice ? [this.given, null] : [{}, Object.values(this.given)[0] ?? null];
  }

  private checked(listed: Awaited<ReturnType<ToolConnection['list']>>): readonly CheckedTool[] {
    return this.choice.tools.map((name) => {
      const found = listed.find((tool) => tool.name === name);
      if (found !== undefined) return checkedTool(this.name, found);
      const known = onOneLine(listed.map((tool) => tool.name).join(', ')).slice(0, 500) || 'none';
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot offer tool ${name}: expected a tool of server ${this.name} (${known}), got another name. Correct the allowed ones.`,
      );
    });
  }

  private reason(what: string, error: unknown): string {
    return `Cannot ${what} tool server ${this.name}: ${onOneLine(withoutSecrets(messageOf(error), this.secrets)).slice(0, 500)}.`;
  }
}

function aborted(): SeamError {
  return new SeamError('ABORTED', 'Cannot call a tool: aborted before it answered.');
}

/** The values that a server's settings name, by their variables. @throws INVALID_CONFIGURATION for one that is not set */
function secretsOf(name: string, choice: ToolServerChoice, variables: Variables): Readonly<Record<string, string>> {
  const named = 'command' in choice ? choice.variables : choice.keyVariable === undefined ? [] : [choice.keyVariable];
  return Object.fromEntries(
    named.map((variable) => {
      const value = (variables[variable] ?? '').trim();
      if (value !== '') return [variable, value];
      throw new SeamError(
        'INVALID_CONFIGURATION',
        `Cannot open tool server ${name}: expected a value in the environment variable ${variable}, which is not set or empty. Set it, or take it out of the server's settings.`,
      );
    }),
  );
}
