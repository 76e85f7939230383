import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { InMemoryObjectStore, type ObjectStore } from '@seamstream/object-store';
import type { S3Bucket } from '@seamstream/object-store-s3';
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
  await checkFolder(folder, 'open the object store', setting);
  const { FsObjectStore } = await import('@seamstream/object-store-fs');
  return FsObjectStore.open({ folder });
}

/**
 * The bucket that the configuration names, which need not exist. Asks no server yet.
 * @throws INVALID_CONFIGURATION where the objects are in no bucket
 */
export async function openBucket({ objectStore }: Pick<CommonConfig, 'objectStore'>): Promise<S3Bucket> {
  const { driver, s3 } = objectStore;
  if (driver !== 's3')
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot open the bucket: expected SEAM_OBJECT_STORE_DRIVER s3, got ${driver}, which has no bucket. Set it.`,
    );
  const { S3Bucket } = await import('@seamstream/object-store-s3');
  return S3Bucket.at(withBucket(s3));
}

async function openS3(settings: CommonConfig['objectStore']['s3']): Promise<ObjectStore> {
  const options = withBucket(settings);
  const { S3ObjectStore } = await import('@seamstream/object-store-s3');
  return S3ObjectStore.open(options);
}

function withBucket<T extends { readonly bucket?: string | undefined }>(settings: T): T & { readonly bucket: string } {
  const { bucket } = settings;
  if (bucket !== undefined) return { ...settings, bucket };
  throw new SeamError(
    'INVALID_CONFIGURATION',
    'Cannot open the object store: SEAM_OBJECT_STORE_DRIVER is s3, but SEAM_OBJECT_STORE_S3_BUCKET is not set. Name the bucket.',
  );
}
