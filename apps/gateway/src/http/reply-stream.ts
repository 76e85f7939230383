/** Sends frames of server-sent events as fast as the client reads them. */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

export interface ReplyStreamOptions {
  /** A comment is sent after so much silence, so that no proxy takes the connection for dead. */
  readonly keepAliveMs: number;
  /** A client that reads nothing for so long is gone. */
  readonly stalledMs: number;
}

/** Aborts when the connection closes before the answer has ended. On the response: a request closes when its body is read. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  if (raw.destroyed) gone.abort();
  return gone.signal;
}

/** Aborts when the connection closes, for any reason. */
export function endedOf({ raw }: FastifyReply): AbortSignal {
  const ended = new AbortController();
  raw.once('close', () => ended.abort());
  if (raw.destroyed) ended.abort();
  return ended.signal;
}

/**
 * Begins with the first frame, so that a failure before it has a status. Frames are read to their end also where the client is gone: what
 * makes them learns it by {@link goneOf}.
 */
export async function sendFrames(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  frames: AsyncIterable<string>,
  { keepAliveMs, stalledMs }: ReplyStreamOptions,
): Promise<void> {
  const { raw } = reply;
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    timer = setInterval(() => {
      if (raw.writableLength === 0) raw.write(': keep-alive\n\n');
    }, keepAliveMs);
  };
  try {
    for await (const frame of frames) {
      if (timer === undefined) begin();
      if (raw.destroyed) continue;
      if (!raw.write(frame)) await drained(reply, stalledMs);
    }
  } finally {
    clearInterval(timer);
    if (timer !== undefined) raw.end();
  }
}

async function drained({ raw }: FastifyReply, stalledMs: number): Promise<void> {
  const late = AbortSignal.timeout(stalledMs);
  await Promise.race([once(raw, 'drain', { signal: late }), once(raw, 'close', { signal: late })]).catch(() => {
    raw.destroy();
  });
}
