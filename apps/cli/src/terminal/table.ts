import type { Style } from './style.js';
import { cellsOf, cut, wrapped } from './text.js';

export interface Column {
  readonly title: string;
  /** Numbers stand right, words left (the default). */
  readonly align?: 'left' | 'right';
}

const GAP = 2;

/** A last column of words that is to be wrapped has at least so many cells. */
const LEAST_LAST = 20;

/**
 * A table as lines of text: titles, then the rows, columns two spaces apart, nothing drawn around them (so that `grep`
 * and `awk` can read it too). Every row has as many cells as there are columns. Where a terminal is too narrow for it, the words of
 * its last column are wrapped, and where that does not do, each row is a paragraph of names and values.
 */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const widths = columns.map((column, index) =>
    Math.max(cellsOf(column.title), ...rows.map((row) => cellsOf(row[index] ?? ''))),
  );
  const begin = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const last = Math.min(widths.at(-1) ?? 0, style.columns - begin);
  const isWrappable = columns.at(-1)?.align !== 'right' && last >= LEAST_LAST;
  if (last < (widths.at(-1) ?? 0) && !isWrappable) return renderParagraphs(columns, rows, style);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        if (index === columns.length - 1 && cellsOf(cell) > last) return wrapped(cell, style.columns, begin);
        const padding = ' '.repeat((widths[index] ?? 0) - cellsOf(cell));
        return columns[index]?.align === 'right' ? padding + cell : cell + padding;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const titles = line(columns.map((column) => column.title));
  return `${[style.bold(titles), ...rows.map(line)].join('\n')}\n`;
}

function renderParagraphs(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  if (rows.length === 0) return `${wrapped(style.bold(columns.map(({ title }) => title).join('  ')), style.columns)}\n`;
  return rows
    .map((row) =>
      renderFacts(
        columns.flatMap(({ title }, index): [string, string][] => (row[index] ? [[title, row[index]]] : [])),
        style,
      ),
    )
    .join('\n');
}

/** Lines of "name  value", values aligned; on a narrow terminal values are wrapped, and names have half of it at most. */
export function renderFacts(facts: readonly (readonly [string, string])[], style: Style): string {
  const most = Math.floor(style.columns / 2);
  const names = facts.map(([name]) => cut(name, most));
  const longest = Math.max(...names.map(cellsOf));
  return facts
    .map(([, value], index) => {
      const name = names[index]!;
      const padding = ' '.repeat(longest - cellsOf(name));
      return `${style.dim(`${name}${padding}`)}${' '.repeat(GAP)}${wrapped(value, style.columns, longest + GAP)}\n`;
    })
    .join('');
}
