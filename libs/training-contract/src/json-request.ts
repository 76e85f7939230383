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

const TIMEOUT_MS = 30_000;
const SAID_CHARACTERS = 2_000;
/** Other states of the server than a refusal: not there, slow, in conflict with another request, too many. */
const PASSING = new Set([404, 408, 409, 429]);

/** The answer; undefined for 404. @throws RequestRefused, and other errors for what may pass */
export async function jsonRequest({ method, url, body, headers, authorities }: JsonRequest): Promise<unknown> {
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        method,
        headers: { accept: 'application/json', ...(body === undefined ? {} : JSON_BODY), ...headers },
        timeout: TIMEOUT_MS,
        ...(authorities === undefined ? {} : { ca: authorities }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    request.once('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  if (status === 404) return undefined;
  if (status >= 200 && status < 300) return text === '' ? null : (JSON.parse(text) as unknown);
  const message = `${method} ${url} was answered with ${status}: ${text.slice(-SAID_CHARACTERS).trim()}`;
  throw status >= 400 && status < 500 && !PASSING.has(status) ? new RequestRefused(message) : new Error(message);
}

const JSON_BODY = { 'content-type': 'application/json' };
