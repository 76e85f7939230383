/** Requests of JSON to a cluster's own interface. Not by `fetch`: Ray refuses what looks like a browser, and Node's fetch does. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM of the authorities that the server's certificate may come from; Node's own when absent. */
  readonly authorities?: string;
}

/** The server understood, and says no: asking again changes nothing. */
export class RequestRefused extends Error {}

/** Of a request, its answer read to the end. */
const WITHIN_MS = 30_000;
/** Beyond any list of jobs and pods. */
const ANSWER_BYTES = 16 * 2 ** 20;
const SAID_CHARACTERS = 2_000;
/** Other states of the server than a refusal: not there, slow, in conflict with another request, too many. */
const PASSING = new Set([404, 408, 409, 429]);

/** The answer; undefined for 404. @throws RequestRefused, and other errors for what may pass */
export async function jsonRequest(asked: JsonRequest, withinMs = WITHIN_MS): Promise<unknown> {
  const text = await successOf(asked, withinMs, (chunks, sizeBytes) => {
    if (sizeBytes > ANSWER_BYTES) throw new Error(`expected at most ${ANSWER_BYTES} bytes as the answer, got more`);
    return chunks;
  });
  return text === undefined ? undefined : text === '' ? null : (JSON.parse(text) as unknown);
}

/** The end of an answer of any length, as text; undefined for 404. @throws as {@link jsonRequest} */
export function requestedEnd(asked: JsonRequest, lastBytes: number, withinMs = WITHIN_MS): Promise<string | undefined> {
  return successOf(asked, withinMs, (chunks, sizeBytes) =>
    sizeBytes > 2 * lastBytes ? [Buffer.concat(chunks).subarray(-lastBytes)] : chunks,
  );
}

/** What is kept of the parts of an answer that have come. Throws where they are too many. */
type Keep = (chunks: Buffer[], sizeBytes: number) => Buffer[];

async function successOf(asked: JsonRequest, withinMs: number, keep: Keep): Promise<string | undefined> {
  const { status, text } = await answerOf(asked, withinMs, keep);
  if (status === 404) return undefined;
  if (status >= 200 && status < 300) return text;
  const message = `${asked.method} ${asked.url} was answered with ${status}: ${text.slice(-SAID_CHARACTERS).trim()}`;
  throw status >= 400 && status < 500 && !PASSING.has(status) ? new RequestRefused(message) : new Error(message);
}

function answerOf(
  { method, url, body, headers, authorities }: JsonRequest,
  withinMs: number,
  keep: Keep,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        method,
        headers: { accept: 'application/json', ...(body === undefined ? {} : JSON_BODY), ...headers },
        ...(authorities === undefined ? {} : { ca: authorities }),
      },
      (response) => {
        let chunks: Buffer[] = [];
        let sizeBytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          sizeBytes += chunk.byteLength;
          try {
            const kept = keep(chunks, sizeBytes);
            if (kept !== chunks) sizeBytes = kept.reduce((sum, { byteLength }) => sum + byteLength, 0);
            chunks = kept;
          } catch (error) {
            request.destroy(error as Error);
          }
        });
        response.once('error', reject);
        // Cut off in the middle without an error.
        response.once('close', () => reject(new Error('the answer ended before its end')));
        response.once('end', () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    // Of the whole: a server that sends a byte now and then is never silent.
    const deadline = setTimeout(() => request.destroy(new Error(`no answer within ${withinMs} ms`)), withinMs);
    request.once('close', () => clearTimeout(deadline));
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const JSON_BODY = { 'content-type': 'application/json' };
