import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import type { CommonConfig } from '../config/common-config.js';
import { checkFolder } from './check-folder.js';

/**
 * Opens the configured object store. The one place where its driver is chosen; only the chosen one is loaded.
 * @throws INVALID_CONFIGURATION for a folder that is a file, a missing bucket; otherwise as the driver
 */
export async function openObjectStore(config: Pick<CommonConfig, 'dataFolder' | 'objectStore'>): Promise<ObjectStore> {
  const { driver, folder = join(config.dataFolder, 'objects'), s3 } = config.objectStore;
  if (driver === 'memory') return new InMemoryObjectStore();
  if (driver === 's3') return openS3(s3);
  const setting = config.objectStore.folder === undefined ? 'SEAM_DATA_FOLDER, --data-dir' : 'SEAM_OBJECT_STORE_FOLDER';
  await checkFolder(folder, 'Opening the object store', setting);
  const { FsObjectStore } = await import('@seamstream/object-store-fs');
  return FsObjectStore.open({ folder });
}

async function openS3({ bucket, ...options }: CommonConfig['objectStore']['s3']): Promise<ObjectStore> {
  if (bucket === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Opening the object store: SEAM_OBJECT_STORE_DRIVER is s3, but SEAM_OBJECT_STORE_S3_BUCKET is not set. Name the bucket.',
    );
  }
  const { S3ObjectStore } = await import('@seamstream/object-store-s3');
  return S3ObjectStore.open({ bucket, ...options });
}
