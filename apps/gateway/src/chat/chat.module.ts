/** Chat completions: an executor, and what the log says of each request. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from '@seamstream/environments';
import { type EntrySchemas, loadConversationSlot, loadEntrySchemas } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import { keyOf } from '@seamstream/model-clients';
import { EndpointRelay } from '@seamstream/openai-endpoint';
import type { ServiceContext } from '@seamstream/service-kit';
import type { Access } from '../access/access.js';
import type { GatewayConfig } from '../config.js';
import type { GatewayWorld } from '../gateway-world.js';
import { Quotas } from '../quotas/quotas.js';
import { countUse } from '../quotas/use-metrics.js';
import { ResponsesController } from '../responses/responses.controller.js';
import { AnswerChatHandler } from './answer-chat.handler.js';
import { ChatController } from './chat.controller.js';
import { ChatAnswers } from './chat-answers.js';
import { EmbeddingsController } from './embeddings.controller.js';
import { EndAbandonedHandler } from './end-abandoned.handler.js';
import { ExperienceArrivals } from './experience-arrivals.js';
import { ModelsController } from './models.controller.js';
import { MutedDomains } from './muted-domains.js';
import { ChatRecorder } from './record-chat.js';
import { EmbeddedUpstream } from './upstream.embedded.adapter.js';
import { EndpointUpstream } from './upstream.endpoint.adapter.js';
import { Upstream } from './upstream.port.js';
import { UpstreamOrder } from './upstream-order.js';

export interface ChatAssets {
  /** An executor in this process, where no upstream is configured. */
  readonly environment?: Environment;
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
    const upstreams = await openUpstreams(gateway, world, assets.environment, onClose);
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
        ...{ upstreams: order, arrivals, muted, quotas, clock: world.clock, tracing: world.tracing },
        recorder: new ChatRecorder(world.events, schemaFor, gateway.inlineContentBytes),
        onRequest: (arm, result) => answered.inc({ arm, result }),
        onSpent: countUse(metrics, () => access.declared, world.clock),
      },
      { ...gateway, log: await drivers.log.identity() },
    );
    return {
      module: ChatModule,
      controllers: [ChatController, ResponsesController, ModelsController, EmbeddingsController],
      providers: [
        { provide: ChatAnswers, useValue: new ChatAnswers(handler, world, access) },
        { provide: Upstream, useValue: order.first },
      ],
    };
  }
}

/**
 * All executors, in their order.
 * @throws INVALID_CONFIGURATION without one, or with others behind the one in this process
 */
async function openUpstreams(
  { upstream, fallbacks, models, maxConcurrent }: GatewayConfig['gateway'],
  world: GatewayWorld,
  environment: Environment | undefined,
  onClose: ServiceContext<GatewayConfig>['onClose'],
): Promise<readonly Upstream[]> {
  const { url, model, keyVariable, revision, ...limits } = upstream;
  if (url === undefined || model === undefined) {
    if (environment !== undefined && fallbacks.length === 0)
      return [new EmbeddedUpstream(environment, models, () => world.clock.now())];
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot start the gateway: expected the executor that answers, got none. Set SEAM_GATEWAY_UPSTREAM_URL and SEAM_GATEWAY_UPSTREAM_MODEL.',
    );
  }
  const slot = await loadConversationSlot();
  return [{ url, model, keyVariable, revision }, ...fallbacks].map((each, place) => {
    const variable = place === 0 ? 'SEAM_GATEWAY_UPSTREAM_KEY_VARIABLE' : 'SEAM_GATEWAY_FALLBACKS';
    const { key } = keyOf(each.keyVariable, variable, process.env);
    const relay = new EndpointRelay({ url: each.url, key, connections: maxConcurrent, ...limits });
    onClose(() => relay.close());
    return new EndpointUpstream(relay, slot, { model: each.model, aliases: models, revision: each.revision ?? null });
  });
}
