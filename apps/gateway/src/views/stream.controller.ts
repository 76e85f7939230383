/**
 * Changes of read models as server-sent events: a snapshot first, then at most four changes a second. A message's id is the place in the log that
 * it was folded from; a page that comes back with it (Last-Event-ID) gets nothing that it has.
 */
import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { streamQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import type { FastifyReply } from 'fastify';
import { GatewayWorld } from '../gateway-world.js';
import { type LiveChange, LiveViews, positionId } from './live-views.js';

/** A comment, so that proxies and page see that the connection is alive. */
const HEARTBEAT_MS = 15_000;
/** What a slow reader may owe: it gets the newest state later, and none of those in between. */
const MOST_WAITING_BYTES = 1 << 20;

@Controller('api/stream')
export class StreamController {
  constructor(
    @Inject(GatewayWorld) private readonly world: GatewayWorld,
    @Inject(LiveViews) private readonly live: LiveViews,
  ) {}

  @Get()
  async stream(
    @Query() query: unknown,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const known = lastEventId ?? streamQuerySchema.parse(query).after;
    // What can fail fails as an answer, before the stream begins.
    const first = await this.live.change();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      // Set on the reply by hooks, which a hijacked answer does not send by itself.
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    raw.write('retry: 1000\n\n');
    const tell = (kind: 'snapshot' | 'change', change: LiveChange): void => {
      if (raw.writableLength > MOST_WAITING_BYTES) return;
      raw.write(`event: ${kind}\nid: ${positionId(change.position)}\ndata: ${jsonText(change)}\n\n`);
    };
    if (known === positionId(first.position)) raw.write(': nothing new\n\n');
    else tell('snapshot', first);
    const unwatch = this.live.watch((change) => tell('change', change));
    const heartbeat = setInterval(() => raw.write(': alive\n\n'), HEARTBEAT_MS).unref();
    const end = (): void => void raw.end();
    this.world.closing.addEventListener('abort', end, { once: true });
    // The response's end: a request is over as soon as it is read.
    raw.once('close', () => {
      unwatch();
      clearInterval(heartbeat);
      this.world.closing.removeEventListener('abort', end);
    });
    // It ended while the first state was read.
    if (raw.destroyed || this.world.closing.aborted) end();
  }
}
