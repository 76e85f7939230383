/** Chat completions: an executor, and what the log says of each request. */
import { type DynamicModule, Module } from '@nestjs/common';
import { type EntrySchemas, loadEntrySchemas } from '@seamstream/experience';
import type { ServiceContext } from '@seamstream/service-kit';
import type { Access } from '../access/access.js';
import type { GatewayConfig } from '../config.js';
import type { GatewayWorld } from '../gateway-world.js';
import { Quotas } from '../quotas/quotas.js';
import { countUse } from '../quotas/use-metrics.js';
import { AnswerChatHandler } from './answer-chat.handler.js';
import { ChatController } from './chat.controller.js';
import { ChatAnswers } from './chat-answers.js';
import { ChatSessionsController } from './chat-sessions.controller.js';
import { ChatSessions } from './chat-sessions.js';
import { EmbeddingsController } from './embeddings.controller.js';
import { EndAbandonedHandler } from './end-abandoned.handler.js';
import { ExperienceArrivals } from './experience-arrivals.js';
import { ModelsController } from './models.controller.js';
import { MutedDomains } from './muted-domains.js';
import { type EmbeddedExecutor, openUpstreams } from './open-upstreams.js';
import { ChatRecorder } from './record-chat.js';
import { Upstream } from './upstream.port.js';
import { UpstreamOrder } from './upstream-order.js';

export interface ChatAssets {
  /** An executor in this process, where no other one is configured. */
  readonly embedded?: EmbeddedExecutor | undefined;
  readonly schemaFor?: EntrySchemas;
}

@Module({})
export class ChatModule {
  static async forRoot(
    { config, drivers, metrics, onClose, endsWith }: ServiceContext<GatewayConfig>,
    world: GatewayWorld,
    access: Access,
    quotas: Quotas,
    assets: ChatAssets,
  ): Promise<DynamicModule> {
    const { gateway } = config;
    const { upstreams, trainable } = await openUpstreams(gateway, world, assets.embedded, onClose);
    const sessions = new ChatSessions(gateway.sessions, trainable, world);
    onClose(() => sessions.close());
    const failedTries = metrics.counter(
      'seam_upstream_failures_total',
      'Tries of an executor that gave no answer, by its place in the order (0 is the first) and by the error.',
      ['place', 'code'],
    );
    const order = new UpstreamOrder(upstreams, world.clock, (place, code) =>
      failedTries.inc({ place: String(place), code }),
    );
    const [arrivals, reading] = await ExperienceArrivals.open(drivers.log, world.ending);
    endsWith(reading);
    const [muted, following] = await MutedDomains.open(drivers.log, world.ending);
    endsWith(following);
    const abandoned = new EndAbandonedHandler(drivers.log, world.clock, gateway);
    const ending = abandoned.run(world.closing, (error) =>
      world.logger.warn({ err: error }, 'requests of gateways that died could not be looked for'),
    );
    onClose(() => ending);
    const schemaFor = assets.schemaFor ?? (await loadEntrySchemas(config.entrySchemas));
    const answered = metrics.counter('seam_chat_requests_total', 'Chat requests by arm and by their result.', [
      'arm',
      'result',
    ]);
    const handler = new AnswerChatHandler(
      {
        ...{ upstreams: order, arrivals, muted, quotas, sessions, clock: world.clock, tracing: world.tracing },
        recorder: new ChatRecorder(world.events, schemaFor, gateway.inlineContentBytes),
        onRequest: (arm, result) => answered.inc({ arm, result }),
        onParts: (seconds) => world.requests.observeParts(seconds),
        onSpent: countUse(metrics, () => access.declared, world.clock),
      },
      { ...gateway, log: await drivers.log.identity() },
    );
    return {
      module: ChatModule,
      controllers: [ChatController, ChatSessionsController, ModelsController, EmbeddingsController],
      providers: [
        { provide: ChatAnswers, useValue: new ChatAnswers(handler, world, access) },
        { provide: ChatSessions, useValue: sessions },
        { provide: Upstream, useValue: order.first },
      ],
      exports: [ChatAnswers],
    };
  }
}
