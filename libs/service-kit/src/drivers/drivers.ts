import type { EventLog } from '@seamstream/event-log';
import type { ObjectStore } from '@seamstream/object-store';
import type { CommonConfig } from '../config/common-config.js';
import { openEventLog } from './event-log.driver.js';
import { openObjectStore } from './object-store.driver.js';

/** The world that a service works on; services in one process share them. */
export interface Drivers {
  readonly log: EventLog;
  readonly objects: ObjectStore;
}

export async function openDrivers(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'schemaRegistry' | 'signatures' | 'logging' | 'objectStore'>,
): Promise<Drivers> {
  const log = await openEventLog(config);
  try {
    return { log, objects: await openObjectStore(config) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

export async function closeDrivers({ log, objects }: Drivers): Promise<void> {
  await log.close();
  await objects.close();
}
