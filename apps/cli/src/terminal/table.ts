import type { Style } from './style.js';

export interface Column {
  readonly title: string;
  /** Numbers stand right, words left (the default). */
  readonly align?: 'left' | 'right';
}

/** Screen cells of a text; escapes of a style take none. */
function width(text: string): number {
  return Array.from(text.replace(/\u001b\[[0-9;]*m/g, '')).length;
}

/**
 * A table as lines of text: titles, then the rows, columns two spaces apart, nothing drawn around them (so that `grep`
 * and `awk` can read it too). Every row has as many cells as there are columns.
 */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string {
  const widths = columns.map((column, index) =>
    Math.max(width(column.title), ...rows.map((row) => width(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        const padding = ' '.repeat((widths[index] ?? 0) - width(cell));
        return columns[index]?.align === 'right' ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  const titles = line(columns.map((column) => column.title));
  return `${[style.bold(titles), ...rows.map(line)].join('\n')}\n`;
}

/** Lines of "name  value", values aligned. */
export function renderFacts(facts: readonly (readonly [string, string])[], style: Style): string {
  const longest = Math.max(...facts.map(([name]) => width(name)));
  return facts.map(([name, value]) => `${style.dim(name.padEnd(longest))}  ${value}\n`).join('');
}
