/** LMDB as a bare program uses it: what event-log.bench.mjs compares with. */
import { open } from 'lmdb';

export function openRaw(folder) {
  const root = open({ path: folder, noSubdir: false, mapSize: 64 * 1024 ** 3, overlappingSync: false });
  return { root, records: root.openDB({ name: 'records', encoding: 'binary', keyEncoding: 'uint32' }) };
}
