/** The executors that answer: servers in their order, or one in this process. */
import {
  type Environment,
  type ExecutorModel,
  PromptInjection,
  type SessionModel,
  sessionEnvironment,
  type TrainableExecutor,
  trainableExecutor,
} from '@seamstream/environments';
import { loadConversationSlot, loadPrompts } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import { executorChoiceShape, keyOf, openExecutor } from '@seamstream/model-clients';
import { EndpointRelay } from '@seamstream/openai-endpoint';
import type { ServiceContext } from '@seamstream/service-kit';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import type { GatewayWorld } from '../gateway-world.js';
import { EmbeddedUpstream } from './upstream.embedded.adapter.js';
import { EndpointUpstream } from './upstream.endpoint.adapter.js';
import type { Upstream } from './upstream.port.js';

/** An executor in this process. */
export interface EmbeddedExecutor {
  readonly environment: Environment;
  /** What sessions train, and how the result is asked; absent where entries act by another training. */
  readonly sessions?:
    | { readonly executor: ExecutorModel; readonly environmentOf: (model: SessionModel) => Environment }
    | undefined;
}

export interface OpenedUpstreams {
  readonly upstreams: readonly Upstream[];
  /** What sessions train; undefined: there are none. */
  readonly trainable: TrainableExecutor | undefined;
}

type Settings = GatewayConfig['gateway'];

/**
 * @param given by a host, where nothing else is configured
 * @throws INVALID_CONFIGURATION without an executor, with others behind the one in this process, and for sessions of one that cannot learn
 */
export async function openUpstreams(
  gateway: Settings,
  world: GatewayWorld,
  given: EmbeddedExecutor | undefined,
  onClose: ServiceContext<GatewayConfig>['onClose'],
): Promise<OpenedUpstreams> {
  const { upstream, fallbacks, models, sessions, checkpoint } = gateway;
  if (upstream.url !== undefined && upstream.model !== undefined)
    return { upstreams: await serversOf(gateway, upstream.url, upstream.model, onClose), trainable: undefined };
  const embedded = checkpoint.modelFolder === undefined ? given : await loaded(checkpoint, onClose);
  if (embedded === undefined || fallbacks.length > 0)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot start the gateway: expected the executor that answers, got none. Set SEAM_GATEWAY_UPSTREAM_URL and SEAM_GATEWAY_UPSTREAM_MODEL, or SEAM_GATEWAY_CHECKPOINT_MODEL_FOLDER.',
    );
  const trainable = sessions.every === 0 ? undefined : trainableOf(embedded);
  const now = (): number => world.clock.now();
  return {
    upstreams: [new EmbeddedUpstream(embedded.environment, models, now, embedded.sessions?.environmentOf)],
    trainable,
  };
}

function trainableOf({ environment, sessions }: EmbeddedExecutor): TrainableExecutor {
  if (sessions !== undefined) return trainableExecutor(sessions.executor, 'have sessions at the gateway');
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot have sessions at the gateway: expected an executor that is asked with the entry in its prompt, got ${environment.identity.template}. Set SEAM_EXECUTOR_ENVIRONMENT to prompt-injection, or SEAM_GATEWAY_SESSIONS_EVERY to 0.`,
  );
}

async function loaded(
  { templatesFolder, ...choice }: Settings['checkpoint'],
  onClose: ServiceContext<GatewayConfig>['onClose'],
): Promise<EmbeddedExecutor> {
  const prompts = await loadPrompts({ template: choice.template, ownTemplates: templatesFolder });
  const { model } = await openExecutor(z.object(executorChoiceShape).parse(choice), {
    ...{ environment: process.env, prompts, folderSetting: 'SEAM_GATEWAY_CHECKPOINT_MODEL_FOLDER' },
  }).then((opened) => {
    onClose(() => opened.close());
    return opened;
  });
  return {
    environment: new PromptInjection(model, prompts),
    sessions: { executor: model, environmentOf: sessionEnvironment(model, prompts) },
  };
}

async function serversOf(
  {
    upstream: { keyVariable, revision, url: _url, model: _model, ...limits },
    fallbacks,
    models,
    maxConcurrent,
  }: Settings,
  url: string,
  model: string,
  onClose: ServiceContext<GatewayConfig>['onClose'],
): Promise<readonly Upstream[]> {
  const slot = await loadConversationSlot();
  return [{ url, model, keyVariable, revision }, ...fallbacks].map((each, place) => {
    const variable = place === 0 ? 'SEAM_GATEWAY_UPSTREAM_KEY_VARIABLE' : 'SEAM_GATEWAY_FALLBACKS';
    const { key } = keyOf(each.keyVariable, variable, process.env);
    const relay = new EndpointRelay({ url: each.url, key, connections: maxConcurrent, ...limits });
    onClose(() => relay.close());
    return new EndpointUpstream(relay, slot, { model: each.model, aliases: models, revision: each.revision ?? null });
  });
}
