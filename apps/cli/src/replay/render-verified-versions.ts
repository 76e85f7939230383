import { count, shortId } from '@seamstream/kernel';
import type { VerifiedVersion } from '@seamstream/operations/buffer';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';

export function renderVerifiedVersions(versions: readonly VerifiedVersion[], style: Style): string {
  const hasShards = new Set(versions.map(({ shard }) => shard)).size > 1;
  const table = renderTable(
    [
      ...(hasShards ? [{ title: 'SHARD' }] : []),
      { title: 'VERSION', align: 'right' },
      { title: 'ROWS', align: 'right' },
      { title: 'RECORDED' },
      { title: 'REPLAYED' },
      { title: '' },
    ],
    versions.map(({ shard, sequence, rows, recordedDigest, replayedDigest, equal }) => [
      ...(hasShards ? [shard] : []),
      String(sequence),
      count(rows),
      shortId(recordedDigest),
      shortId(replayedDigest),
      equal ? style.green('equal') : style.red('DIFFERENT'),
    ]),
    style,
  );
  const different = versions.filter(({ equal }) => !equal).length;
  return different === 0
    ? `${table}The log gives every version of the buffer again.\n`
    : `${table}${different} of ${versions.length} versions differ: records are missing, or the rules are not those that made them.\n`;
}
