import type { EventLog } from '@seamstream/event-log';
import { eventSchemas, learnSchema } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { ConfluentSchemaRegistry, FramedEventLog, KnownSchemas } from '@seamstream/schema-registry';
import type { CommonConfig } from '../config/common-config.js';
import { createServiceLogger } from '../service-logger.js';

/** Registers the events' schemas under topics with this prefix (`null`: none) and puts their framing before the log. */
export async function frameEventLog(
  log: EventLog,
  url: string,
  { schemaRegistry, logging }: Pick<CommonConfig, 'schemaRegistry' | 'logging'>,
  topicPrefix: string | null,
): Promise<EventLog> {
  const registry = new ConfluentSchemaRegistry({ ...schemaRegistry, url });
  const events =
    topicPrefix === null ? [] : eventSchemas().map((event) => ({ ...event, topic: topicPrefix + event.topic }));
  const schemas = await KnownSchemas.register(events, { registry, learn: learnSchema, clock: systemClock });
  const logger = createServiceLogger('schema-registry', logging.level);
  return new FramedEventLog({
    log,
    schemas,
    onWait: ({ code, message }, waitMs) =>
      logger.warn({ code, reason: message, waitMs }, 'records wait for the schema registry'),
  });
}
