/** The rows of a committed version as the bytes of a file. */
import type { EventLog } from '@seamstream/event-log';
import type { ObjectStore } from '@seamstream/object-store';
import { encodeRows, type RowFormat, rowsDigest, shardNameOf } from '@seamstream/success-buffer';
import { readOverview, readRows, selectCommits } from './read-buffer.js';

export interface ExportedRows {
  readonly body: Uint8Array;
  readonly rows: number;
  readonly bufferDigest: string;
  /** Of each shard its name and the version's number; one for a buffer that is in one piece. */
  readonly shards: readonly (readonly [string, number])[];
}

/**
 * Reads the rows of the last version, or of the one with this number; every digest on the way is checked first.
 * @throws NOT_FOUND where there is no such version
 */
export async function exportRows(
  world: { openLog(mode: 'read'): Promise<EventLog>; openObjects(): Promise<ObjectStore> },
  { format, sequence }: { readonly format: RowFormat; readonly sequence?: number | undefined },
): Promise<ExportedRows> {
  const commits = selectCommits(await readOverview(await world.openLog('read')), sequence);
  const rows = await readRows(await world.openObjects(), commits);
  return {
    body: encodeRows(rows, format),
    rows: rows.length,
    bufferDigest: rowsDigest(rows),
    shards: commits.map((one) => [shardNameOf(one), one.sequence]),
  };
}
