/** One exchange with a server, without any judgement: the response, or that there was none. */
import { messageOf, SeamError } from '@seamstream/kernel';
import { Agent, request } from 'undici';
import type { EndpointLimits } from './endpoint-settings.js';

export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** As the header came. */
      readonly retryAfter: string | null;
      /** As the header came. */
      readonly location: string | null;
      readonly body: string;
    }
  /** No connection: the server did not see the request. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The request was sent, or may have been, and no whole answer came. */
  | { readonly kind: 'broken'; readonly reason: string; readonly isLate?: true };

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly key: string | null;
  /** JSON text. */
  readonly body: string | null;
}

/** What undici and the system say when there was no connection yet. */
const NO_CONNECTION: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Connections to a server: at most `concurrency`, kept open between requests. */
export class Connections {
  private readonly agent: Agent;
  /** Connections that are open. */
  private numOpen = 0;

  constructor(private readonly limits: EndpointLimits) {
    this.agent = new Agent({
      connections: limits.concurrency,
      connect: { timeout: limits.connectTimeoutMs },
      // The exchange has one time limit; undici's two defaults of 300 s would cut long answers off.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.agent.on('connect', () => this.numOpen++);
    this.agent.on('disconnect', () => this.numOpen--);
  }

  /**
   * Redirects are answers like others.
   * @param withinMs longest time for the whole answer
   * @throws ABORTED by the signal, and nothing else
   */
  async exchange({ method, url, key, body }: Outgoing, signal: AbortSignal, withinMs: number): Promise<Exchange> {
    const { maxAnswerBytes } = this.limits;
    const late = AbortSignal.timeout(Math.ceil(withinMs));
    try {
      const answer = await request(url, {
        dispatcher: this.agent,
        method,
        signal: AbortSignal.any([late, signal]),
        headers: {
          accept: 'application/json',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        body,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxAnswerBytes) {
          return { kind: 'broken', reason: `its answer has more than ${maxAnswerBytes} bytes` };
        }
        chunks.push(chunk);
      }
      return {
        kind: 'answered',
        status: answer.statusCode,
        retryAfter: textOf(answer.headers['retry-after']),
        location: textOf(answer.headers.location),
        body: Buffer.concat(chunks).toString('utf8'),
      };
    } catch (error) {
      if (signal.aborted) throw new SeamError('ABORTED', 'Cannot ask an endpoint: aborted before there was an answer.');
      if (late.aborted) {
        const within = `within ${Math.ceil(withinMs)} ms`;
        // A time that is shorter than that of connecting ends before undici says so.
        if (this.numOpen === 0) return { kind: 'unreachable', reason: `no connection ${within}` };
        return { kind: 'broken', reason: `no whole answer came ${within}`, isLate: true };
      }
      const { isUnreachable, reason } = reasonOf(error);
      return { kind: isUnreachable ? 'unreachable' : 'broken', reason };
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Why an exchange failed, and whether there was no connection: then the server did not see the request. */
export function reasonOf(error: unknown): { readonly isUnreachable: boolean; readonly reason: string } {
  const code = codeOf(error);
  const reason = `${messageOf(error)}${code === '' || messageOf(error).includes(code) ? '' : ` (${code})`}`;
  return { isUnreachable: NO_CONNECTION.includes(code) || isTlsRefusal(code), reason };
}

function textOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

/** The first code among an error and what it wraps: several addresses of a host make an AggregateError. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error) && (typeof error !== 'object' || error === null)) return '';
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return [cause, ...(errors ?? [])].map((each) => codeOf(each)).find((each) => each !== '') ?? '';
}

/** A certificate that does not hold: what OpenSSL says, in Node's names. */
function isTlsRefusal(code: string): boolean {
  return /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_VERIFY/.test(code);
}
