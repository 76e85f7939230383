/** Libraries for a terminal. Texts of a library come from strangers: control characters are shown as escapes. */
import type { LibraryDiff, LibraryItem } from '@seamstream/experience-library';
import { count, onOneLine, shortId } from '@seamstream/kernel';
import type { HistoryStep, ListedLibrary, PublishedLibrary } from '@seamstream/operations/library';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { minuteOf, percent } from '../terminal/text.js';

/** The newest last, as they were published. */
export function renderLibraries(libraries: readonly ListedLibrary[], style: Style): string {
  if (libraries.length === 0) return 'No library in this log. Make one: seam train contrast, or seam library import.\n';
  const columns = [
    { title: 'VERSION', align: 'right' as const },
    ...['DIGEST', 'MADE FROM', 'PUBLISHED', 'STATUS'].map((title) => ({ title })),
    ...['ITEMS', 'SUCCESS', 'PARENT'].map((title) => ({ title, align: 'right' as const })),
    { title: 'CHANGES' },
    { title: 'WHY' },
  ];
  const rows = libraries.map((library) => {
    const { version, digest, parent, publishedAtMs, status, items, maxItems, changes, evaluation, reason } = library;
    const made = Object.entries(changes).flatMap(([operation, times]) =>
      times === 0 ? [] : [`${operation} ${count(times)}`],
    );
    return [
      ...[String(version), shortId(digest), parent === null ? 'empty' : shortId(parent), minuteOf(publishedAtMs)],
      ...[status, maxItems === null ? count(items) : `${count(items)}/${count(maxItems)}`],
      ...[percent(evaluation?.success), percent(evaluation?.parentSuccess)],
      ...[made.join(', '), onOneLine(reason ?? '–')],
    ];
  });
  return renderTable(columns, rows, style);
}

export function renderLibrary({ library, version }: PublishedLibrary, style: Style): string {
  const { items, parent, baseModelDigest } = library;
  const rows = items.map(({ id, domain, field, text, provenance }) =>
    [id, domain ?? 'all', field ?? 'any', String(provenance.groups.length), provenance.operation, text].map(onOneLine),
  );
  const columns = [
    { title: 'ID' },
    { title: 'DOMAIN' },
    { title: 'FIELD' },
    { title: 'GROUPS', align: 'right' as const },
    { title: 'BY' },
    { title: 'TEXT' },
  ];
  return [
    `library ${version.adapterDigest}, ${version.status}: ${count(items.length)} items for base model ${shortId(baseModelDigest)}, made from ${parent === null ? 'the empty library' : shortId(parent)}\n`,
    items.length === 0 ? '' : renderTable(columns, rows, style),
  ].join('');
}

const lineOf = (sign: string, { id, domain, text }: LibraryItem): string =>
  onOneLine(`${sign} ${id}${domain === null ? '' : ` (${domain})`} ${text}`);

export function renderDiff({ added, removed, changed }: LibraryDiff): string {
  const lines = [
    ...removed.map((item) => lineOf('-', item)),
    ...changed.flatMap(({ before, after }) =>
      before.text === after.text ? [lineOf('~', after)] : [lineOf('-', before), lineOf('+', after)],
    ),
    ...added.map((item) => lineOf('+', item)),
  ];
  return lines.length === 0 ? 'No item differs.\n' : `${lines.join('\n')}\n`;
}

export function renderHistory(steps: readonly HistoryStep[]): string {
  return steps
    .map(({ digest, publishedAtMs, status, items, changes }) =>
      [
        `${shortId(digest)}  ${minuteOf(publishedAtMs)}  ${status}, ${count(items)} items`,
        ...changes.map(({ operation, id, before, after, reason }) =>
          onOneLine(
            `  ${operation} ${id}: ${[before, after].filter((text) => text !== null && text !== '').join(' → ')} (${reason})`,
          ),
        ),
      ].join('\n'),
    )
    .join('\n')
    .concat('\n');
}
