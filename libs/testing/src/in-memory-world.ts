import { type EventLog, InMemoryLogStorage } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import type { InMemoryObjects } from '@seamstream/object-store';
import { FlakyLog } from './flaky-log.js';

/** What outlives a service: the records and the objects. Logs and object stores opened on it share them, as processes share servers. */
export interface World {
  readonly storage: InMemoryLogStorage;
  readonly objects: InMemoryObjects;
}

/** An empty world. */
export const newWorld = (): World => ({ storage: new InMemoryLogStorage(), objects: new Map() });

/** Creates every topic. @param partitions of each topic; without it, as many as each topic has in production */
export async function withTopics<Log extends EventLog>(log: Log, partitions?: number): Promise<Log> {
  await log.createTopics(TOPICS.map((topic) => ({ name: topic.name, partitions: partitions ?? topic.partitions })));
  return log;
}

/** A log with all topics on a world's records; without a world, on none. */
export async function openLog({ storage }: Pick<World, 'storage'> = newWorld()): Promise<FlakyLog> {
  return withTopics(new FlakyLog({ storage }));
}
