import { join } from 'node:path';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import type { CommonConfig } from '../config/common-config.js';

/** Opens the configured object store. The one place where its driver is chosen. */
export async function openObjectStore(config: Pick<CommonConfig, 'dataFolder' | 'objectStore'>): Promise<ObjectStore> {
  const { driver, folder = join(config.dataFolder, 'objects') } = config.objectStore;
  if (driver === 'memory') return new InMemoryObjectStore();
  const { FsObjectStore } = await import('@seamstream/object-store-fs');
  return FsObjectStore.open({ folder });
}
