import { join } from 'node:path';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import type { CommonConfig } from '../config/common-config.js';

/**
 * Opens the configured log and creates what topics are missing. The one place where a log driver is chosen. With a schema
 * registry its records are in Confluent's framing; INCOMPATIBLE_SCHEMA when the registry refuses a schema.
 */
export async function openEventLog(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'schemaRegistry' | 'logging'>,
): Promise<EventLog> {
  const { driver, folder = join(config.dataFolder, 'log') } = config.eventLog;
  const log = driver === 'lmdb' ? await openLmdb(folder) : new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  if (config.schemaRegistry.url === undefined) return log;
  try {
    const { frameEventLog } = await import('./framed-event-log.driver.js');
    return await frameEventLog(log, config.schemaRegistry.url, config);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** The native addon is loaded by whoever chose it only. */
async function openLmdb(folder: string): Promise<EventLog> {
  const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
  return LmdbEventLog.open({ folder });
}
