import { join } from 'node:path';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import type { KafkaEventLogOptions } from '@seamstream/event-log-kafka';
import { TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { CommonConfig } from '../config/common-config.js';
import { createServiceLogger } from '../service-logger.js';

/**
 * Opens the configured log and creates what topics are missing. The one place where a log driver is chosen. With a schema
 * registry its records are in Confluent's framing; INCOMPATIBLE_SCHEMA when the registry refuses a schema.
 */
export async function openEventLog(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'schemaRegistry' | 'logging'>,
): Promise<EventLog> {
  const { driver, folder = join(config.dataFolder, 'log') } = config.eventLog;
  const log =
    driver === 'memory'
      ? new InMemoryEventLog()
      : driver === 'kafka'
        ? await openKafka(config.eventLog.kafka, config.logging.level)
        : await openLmdb(folder);
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  // Subjects bear the names that other clients of the cluster know.
  return withRegistry(log, config, driver === 'kafka' ? config.eventLog.kafka.prefix : '');
}

/**
 * The log with its records in the framing of the configured schema registry, under subjects with this prefix of topics;
 * `null`: for reading only, nothing is registered. Without a registry the log itself. Closes the log when it throws.
 */
export async function withRegistry(
  log: EventLog,
  config: Pick<CommonConfig, 'schemaRegistry' | 'logging'>,
  topicPrefix: string | null,
): Promise<EventLog> {
  if (config.schemaRegistry.url === undefined) return log;
  try {
    const { frameEventLog } = await import('./framed-event-log.driver.js');
    return await frameEventLog(log, config.schemaRegistry.url, config, topicPrefix);
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function openKafka(settings: CommonConfig['eventLog']['kafka'], logLevel: string): Promise<EventLog> {
  const { KafkaEventLog } = await import('@seamstream/event-log-kafka');
  return KafkaEventLog.open(kafkaOptions(settings, logLevel));
}

/** The settings as the driver of Kafka takes them. INVALID_CONFIGURATION without a broker. */
export function kafkaOptions(
  { brokers, tls, sasl, ...options }: CommonConfig['eventLog']['kafka'],
  logLevel: string,
): KafkaEventLogOptions {
  if (brokers === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Opening the event log on Kafka: SEAM_EVENT_LOG_KAFKA_BROKERS is not set. Name some brokers (host:port,host:port).',
    );
  }
  const { enabled, ...files } = tls;
  const { mechanism, username, password } = sasl;
  const logger = createServiceLogger('kafka', logLevel);
  return {
    ...options,
    brokers,
    security: {
      ...(enabled ? { tls: files } : {}),
      ...(username === undefined || password === undefined ? {} : { sasl: { mechanism, username, password } }),
    },
    // What the client cannot mend reaches us as an error; its own lines, of any level, are for whoever looks into it.
    log: ({ level, message, broker }) => logger.debug({ broker, level }, message),
  };
}

/** The native addon is loaded by whoever chose it only. */
async function openLmdb(folder: string): Promise<EventLog> {
  const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
  return LmdbEventLog.open({ folder });
}
