/** A gateway for specs: on a log in memory, before a stub of the executor's server, with a generator that writes what the spec says. */
import { InMemoryObjectStore } from '@seamstream/object-store';
import { type RunningService, startService } from '@seamstream/service-kit';
import { type FlakyLog, openLog } from '@seamstream/testing';
import { answerProblems, type EntryFor } from '@seamstream/testing/answering-generator';
import { ModelServer } from '@seamstream/testing/model-server';
import { GatewayServer, gatewayConfigSchema, gatewayService } from './app.module.js';
import type { EmbeddedExecutor } from './chat/open-upstreams.js';
import type { HostedStart } from './views/start.controller.js';

interface GatewaySetting {
  readonly behave?: ModelServer['behave'];
  readonly entryFor?: EntryFor;
  /** In place of the stub. */
  readonly embedded?: EmbeddedExecutor;
  /** The run that it is hosted for. */
  readonly start?: HostedStart;
  /** Without an executor but what the settings say. */
  readonly hasUpstream?: boolean;
  /** Of SEAM_GATEWAY_…; without a control arm where absent. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  readonly log?: FlakyLog;
  /** Health and metrics too. */
  readonly serveHttp?: boolean;
  /** Of SEAM_TRACING_…; nothing is traced where it is absent. */
  readonly tracing?: Readonly<Record<string, unknown>>;
}

export interface GatewayUnderTest {
  readonly url: string;
  readonly log: FlakyLog;
  readonly upstream: ModelServer;
  readonly service: RunningService;
  stop(): Promise<void>;
}

export const ENTRY = '{"strategy":"count twice"}';

export async function startGateway({
  behave = () => ({ kind: 'hang' }),
  entryFor = () => ENTRY,
  embedded,
  start,
  hasUpstream = embedded === undefined,
  gateway = {},
  log: given,
  serveHttp = false,
  tracing = {},
}: GatewaySetting = {}): Promise<GatewayUnderTest> {
  const log = given ?? (await openLog());
  const upstream = await ModelServer.start(behave);
  const stopping = new AbortController();
  const answering = answerProblems(log, entryFor, stopping.signal).catch(() => undefined);
  const leave = async (): Promise<void> => {
    stopping.abort();
    await answering;
    await upstream.stop();
  };
  const config = gatewayConfigSchema.parse({
    logging: { level: 'silent' },
    http: { port: 0 },
    tracing,
    gateway: {
      ...{ port: 0, controlShare: 0, experienceWithinMs: 10_000, shutdownGraceMs: 500 },
      ...(hasUpstream ? { upstream: { url: upstream.url, model: 'tiny', revision: 'r1' } } : {}),
      ...gateway,
    },
  });
  const service = await startService(gatewayService({ embedded, start }), {
    config,
    drivers: { log, objects: new InMemoryObjectStore() },
    serveHttp,
  }).catch(async (error: unknown) => {
    await leave();
    throw error;
  });
  return {
    ...{ log, upstream, service },
    url: service.get(GatewayServer).url,
    async stop() {
      await service.close();
      await leave();
    },
  };
}
