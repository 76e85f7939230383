import { join } from 'node:path';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import type { KafkaEventLogOptions } from '@seamstream/event-log-kafka';
import { TOPICS } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { SchemaRegistry } from '@seamstream/schema-registry';
import type { CommonConfig } from '../config/common-config.js';
import { createServiceLogger } from '../service-logger.js';
import { checkFolder } from './check-folder.js';
import { signingOf, withSignatures } from './signed-event-log.driver.js';

/**
 * What opening may make. `create`: an empty log and what topics are missing. `append`: what topics are missing in a log that
 * is there. `read`: nothing, neither topics nor schemas.
 */
export type LogMode = 'read' | 'append' | 'create';

/**
 * Opens the configured log. The one place where a log driver is chosen. With a schema registry its records are in
 * Confluent's framing; INCOMPATIBLE_SCHEMA when the registry refuses a schema. NOT_FOUND when `read` or `append` finds none of
 * the topics: that is another cluster, prefix or folder than the services have. INVALID_CONFIGURATION for a folder that is a
 * file.
 */
export async function openEventLog(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'schemaRegistry' | 'signatures' | 'logging'>,
  mode: LogMode = 'create',
): Promise<EventLog> {
  const signing = await signingOf(config);
  return withSignatures(await openUnsignedLog(config, mode), signing, config.logging.level);
}

/** The log with every record that is in it, believed or not. Otherwise as {@link openEventLog}. */
export async function openUnsignedLog(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'schemaRegistry' | 'logging'>,
  mode: LogMode,
): Promise<EventLog> {
  const { driver, kafka } = config.eventLog;
  const folder = driver === 'lmdb' ? await logFolder(config) : undefined;
  const log =
    folder !== undefined
      ? await openLmdb(folder, mode)
      : driver === 'kafka'
        ? await openKafka(kafka, config.logging.level)
        : new InMemoryEventLog();
  const place =
    driver === 'kafka'
      ? `at ${kafka.brokers?.join(',')} with the prefix "${kafka.prefix}" (SEAM_EVENT_LOG_KAFKA_BROKERS, …_PREFIX)`
      : folder !== undefined
        ? `in ${folder} (SEAM_DATA_FOLDER, SEAM_EVENT_LOG_FOLDER)`
        : 'in memory, where another process sees nothing (SEAM_EVENT_LOG_DRIVER)';
  await withTopics(log, mode, place);
  // Subjects bear the names that other clients of the cluster know.
  return withRegistry(log, config, mode === 'read' ? null : driver === 'kafka' ? kafka.prefix : '');
}

/** The folder of the driver lmdb's log. @throws INVALID_CONFIGURATION where that is a file */
export async function logFolder({
  dataFolder,
  eventLog,
}: Pick<CommonConfig, 'dataFolder' | 'eventLog'>): Promise<string> {
  const { folder = join(dataFolder, 'log') } = eventLog;
  const setting = eventLog.folder === undefined ? 'SEAM_DATA_FOLDER, --data-dir' : 'SEAM_EVENT_LOG_FOLDER';
  await checkFolder(folder, 'open the event log', setting);
  return folder;
}

/**
 * Makes the system's topics that the log lacks, as far as the mode allows. A topic that is there stays as it is: how many
 * partitions it has is its operator's choice. Closes the log when it throws: an open one keeps the process alive.
 */
export async function withTopics(log: EventLog, mode: LogMode, place: string): Promise<void> {
  try {
    const existing = new Set((await log.topics()).map(({ name }) => name));
    const missing = TOPICS.filter(({ name }) => !existing.has(name));
    if (mode !== 'create' && missing.length === TOPICS.length) {
      throw new SeamError(
        'NOT_FOUND',
        `Cannot open the event log: expected topics (${TOPICS.map(({ name }) => name).join(', ')}), got none of them ${place}. Correct the settings, or create the topics: a service or "seam publish" does.`,
        { details: { place } },
      );
    }
    if (mode !== 'read' && missing.length > 0)
      await log.createTopics(missing.map(({ name, partitions }) => ({ name, partitions })));
  } catch (error) {
    await log.close();
    throw error;
  }
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
      'Cannot open the event log on Kafka: expected brokers in SEAM_EVENT_LOG_KAFKA_BROKERS, got none. Name some (host:port,host:port).',
    );
  }
  const { enabled, ...files } = tls;
  const { mechanism, username, password, minIterations } = sasl;
  const logger = createServiceLogger('kafka', logLevel);
  return {
    ...options,
    brokers,
    security: {
      ...(enabled ? { tls: files } : {}),
      ...(username === undefined || password === undefined
        ? {}
        : { sasl: { mechanism, username, password, minIterations } }),
    },
    // A fault that the client cannot mend reaches us as an error. Its own lines, of any level, are for debugging only.
    log: ({ level, message, broker, isOwn }) =>
      isOwn ? logger[level](message) : logger.debug({ broker, level }, message),
  };
}

/** The native addon is loaded only where the configuration chooses this driver. */
async function openLmdb(folder: string, mode: LogMode): Promise<EventLog> {
  const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
  return LmdbEventLog.open({ folder, readOnly: mode === 'read' });
}

/** The configured schema registry, and the prefix of the topics in its subjects; undefined where there is none. */
export async function openSchemaRegistry({
  eventLog,
  schemaRegistry,
}: Pick<CommonConfig, 'eventLog' | 'schemaRegistry'>): Promise<
  { readonly registry: SchemaRegistry; readonly topicPrefix: string } | undefined
> {
  const { url } = schemaRegistry;
  if (url === undefined) return undefined;
  const { ConfluentSchemaRegistry } = await import('@seamstream/schema-registry');
  return {
    registry: new ConfluentSchemaRegistry({ ...schemaRegistry, url }),
    topicPrefix: eventLog.driver === 'kafka' ? eventLog.kafka.prefix : '',
  };
}
