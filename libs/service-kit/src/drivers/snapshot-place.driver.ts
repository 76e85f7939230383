import { homedir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import type { SnapshotPlace } from '@seamstream/snapshots';
import type { CommonConfig } from '../config/common-config.js';
import { signingOf } from './signed-event-log.driver.js';

/**
 * Where snapshots of the configured log's read models are kept. For a log in the data folder: next to it. For a log on Kafka: in the
 * user's cache (`XDG_CACHE_HOME`, else `~/.cache`). Null for a log in memory.
 * @throws as {@link signingOf}
 */
export async function snapshotPlaceOf(
  config: Pick<CommonConfig, 'dataFolder' | 'eventLog' | 'signatures'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SnapshotPlace | null> {
  const { driver } = config.eventLog;
  if (driver === 'memory') return null;
  const { XDG_CACHE_HOME: cache } = environment;
  const folder =
    driver === 'lmdb'
      ? join(config.dataFolder, 'read-models')
      : // The specification has relative ones ignored.
        join(cache?.startsWith('/') === true ? cache : join(homedir(), '.cache'), 'seamstream', 'read-models');
  const { keys, unsigned } = (await signingOf(config)).trust;
  return { folder, view: sha256(canonicalJson([unsigned, keys.map(({ name, keyId, may }) => [name, keyId, may])])) };
}
