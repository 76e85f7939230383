import { join } from 'node:path';
import { type EventLog, InMemoryEventLog } from '@seamstream/event-log';
import { TOPICS } from '@seamstream/events';
import type { CommonConfig } from '../config/common-config.js';

/** Opens the configured log and creates what topics are missing. The one place where a log driver is chosen. */
export async function openEventLog(config: Pick<CommonConfig, 'dataFolder' | 'eventLog'>): Promise<EventLog> {
  const { driver, folder = join(config.dataFolder, 'log') } = config.eventLog;
  const log = driver === 'lmdb' ? await openLmdb(folder) : new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  return log;
}

/** The native addon is loaded by whoever chose it only. */
async function openLmdb(folder: string): Promise<EventLog> {
  const { LmdbEventLog } = await import('@seamstream/event-log-lmdb');
  return LmdbEventLog.open({ folder });
}
