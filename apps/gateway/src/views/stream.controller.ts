/**
 * Changes of read models as server-sent events: a snapshot first, then at most four changes a second. A message's id is the place in the log that
 * it was folded from; a page that comes back with it (Last-Event-ID) gets nothing that it has.
 */
import { Controller, Get, Headers, Inject, Query, Req, Res } from '@nestjs/common';
import { streamQuerySchema } from '@seamstream/gateway-contract';
import { jsonText } from '@seamstream/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access } from '../access/access.js';
import { GatewayWorld } from '../gateway-world.js';
import { endedOf } from '../http/reply-stream.js';
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
    @Inject(Access) private readonly access: Access,
  ) {}

  @Get()
  async stream(
    @Query() query: unknown,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
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
    const gone = endedOf(reply);
    const over = AbortSignal.any([gone, this.world.closing, this.access.untilClosed(request.raw, gone)]);
    const end = (): void => {
      unwatch();
      clearInterval(heartbeat);
      raw.end();
    };
    over.addEventListener('abort', end, { once: true });
    // It ended while the first state was read.
    if (over.aborted) end();
  }
}
