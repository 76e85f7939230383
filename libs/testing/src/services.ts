/** Services on doubles. An entry apart from the index, since it loads the framework. */
import type { EventLog } from '@seamstream/event-log';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import { type RunningService, type ServiceDefinition, startService } from '@seamstream/service-kit';
import type { CommonConfig } from '@seamstream/service-kit/config';

/** Where a service under test runs. */
export interface TestHost<C extends CommonConfig> {
  readonly config: C;
  readonly log: EventLog;
  /** Without it, an empty store. */
  readonly objects?: ObjectStore;
}

let running: RunningService[] = [];

/** Closes everything that {@link startForTest} started. It runs after each test by itself. */
export async function closeServices(): Promise<void> {
  const closing = running;
  running = [];
  await Promise.all(closing.map((service) => service.close()));
}

afterEach(closeServices);

/** Starts a service without HTTP, until the test ends. */
export async function startForTest<C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  { config, log, objects = new InMemoryObjectStore() }: TestHost<C>,
): Promise<RunningService> {
  const service = await startService(definition, { config, drivers: { log, objects }, serveHttp: false });
  running.push(service);
  return service;
}
