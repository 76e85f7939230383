import type { EventOf } from '@seamstream/events';
import { compareText, count, onOneLine, plural } from '@seamstream/kernel';
import type { BufferOverview } from '@seamstream/operations/buffer';
import { newestVersions, shardNameOf } from '@seamstream/success-buffer/shards';
import type { Style } from '../terminal/style.js';
import { renderFacts, renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';

export function renderOverview(overview: BufferOverview, style: Style): string {
  const newest = newestVersions(overview.commits);
  if (newest.length === 0)
    return 'The buffer has no version yet. It commits one when a round of problems is complete.\n';
  const rejected = Object.entries(overview.rejected).sort(([, a], [, b]) => b - a);
  const rows = newest.reduce((sum, version) => sum + version.rows, 0);
  const facts = renderFacts(
    [
      ...newest.flatMap((version) => factsOf(version)),
      ['admitted', plural(overview.admitted, 'time')],
      ['rejected', rejected.map(([reason, times]) => `${reason} ${count(times)}`).join(', ') || 'none'],
    ],
    style,
  );
  const strata = newest
    .flatMap(({ rowsPerStratum }) => Object.entries(rowsPerStratum))
    .sort(([a], [b]) => compareText(a, b));
  const table = renderTable(
    [{ title: 'STRATUM' }, { title: 'ROWS', align: 'right' }, { title: 'SHARE', align: 'right' }],
    strata.map(([stratum, own]) => [onOneLine(stratum), count(own), percent(own / rows)]),
    style,
  );
  return `${facts}\n${table}`;
}

function factsOf(version: EventOf<'BufferCommitted'>): [string, string][] {
  const { sequence, rows, bufferDigest, manifestKey, meta, shards } = version;
  return [
    ...(shards === 1 ? [] : [['shard', shardNameOf(version)] satisfies [string, string]]),
    ['version', `${sequence} of ${new Date(meta.occurredAt).toISOString()}`],
    ['rows', count(rows)],
    ['digest', bufferDigest],
    ['manifest', onOneLine(manifestKey)],
  ];
}
