/**
 * Passes requests of clients to an endpoint as they are, and its answers back as they come. It tries nothing twice: the client does, and
 * sees each try. Nothing is judged but whether there was an answer.
 */
import { SeamError } from '@seamstream/kernel';
import { Agent, request } from 'undici';
import { reasonOf } from './http-exchange.js';

interface RelaySettings {
  /** Base address: `https://host/v1`. */
  readonly url: string;
  /** What authorises; null sends no authorization. Part of no error. */
  readonly key: string | null;
  /** Most requests under way at a time. */
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Longest silence: before the head of an answer, and between two parts of it. */
  readonly silenceMs: number;
  /** A longer answer is cut off. */
  readonly maxAnswerBytes: number;
}

export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Reading it slowly slows the server down. Throws as {@link EndpointRelay.ask}, and LIMIT_EXCEEDED for a too long one. */
  readonly body: AsyncIterable<Buffer>;
}

export class EndpointRelay {
  private readonly agent: Agent;
  private readonly closing = new AbortController();

  constructor(private readonly settings: RelaySettings) {
    const { connections, connectTimeoutMs, silenceMs } = settings;
    this.agent = new Agent({
      connections,
      connect: { timeout: connectTimeoutMs },
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
  }

  /**
   * Redirects are answers like others.
   * @param path below the base address: `chat/completions`
   * @param body JSON text; null asks by GET
   * @throws ENDPOINT_UNAVAILABLE without a connection, ENDPOINT_FAILED where no answer came, ABORTED by the signal
   */
  async ask(path: string, body: string | null, signal: AbortSignal): Promise<RelayedAnswer> {
    const { key, maxAnswerBytes } = this.settings;
    const until = AbortSignal.any([signal, this.closing.signal]);
    try {
      const answer = await request(this.addressOf(path), {
        dispatcher: this.agent,
        method: body === null ? 'GET' : 'POST',
        signal: until,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        body,
      });
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value!]),
      );
      return { status: answer.statusCode, headers, body: this.bounded(answer.body, maxAnswerBytes, until) };
    } catch (error) {
      throw this.faultOf(error, until);
    }
  }

  /** Ends what is under way, which throws ABORTED. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }

  private async *bounded(body: AsyncIterable<Buffer>, most: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > most)
          throw new SeamError('LIMIT_EXCEEDED', `Cannot read the answer: it has more than ${most} bytes.`);
        yield chunk;
      }
    } catch (error) {
      throw this.faultOf(error, signal);
    }
  }

  private faultOf(error: unknown, signal: AbortSignal): unknown {
    if (error instanceof SeamError) return error;
    if (signal.aborted) return new SeamError('ABORTED', 'Cannot ask an endpoint: aborted before its answer ended.');
    const { isUnreachable, reason } = reasonOf(error);
    const { origin, pathname } = new URL(this.settings.url);
    return new SeamError(
      isUnreachable ? 'ENDPOINT_UNAVAILABLE' : 'ENDPOINT_FAILED',
      `Cannot ask endpoint ${origin}${pathname}: ${reason}.`,
    );
  }

  private addressOf(path: string): URL {
    const url = new URL(this.settings.url);
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${path}`;
    return url;
  }
}

/**
 * The data of server-sent events, in their order (https://html.spec.whatwg.org/multipage/server-sent-events.html); comments and other
 * fields are left out, and so is an event that the stream ends in the middle of. An own reader: the packages for it publish their sources
 * under the export condition that this tree resolves its own sources by.
 */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line end.
    const end = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r', rest.length - 2)) + 1;
    if (end === 0) continue;
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/);
    lines.pop(); // what is behind the last line end is empty
    rest = rest.slice(end);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    }
  }
}
