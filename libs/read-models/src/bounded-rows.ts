/**
 * Rows of a fold under names that any writer of a topic chooses: digests, domains. The largest are in memory and in answers, all others in
 * cells, so that a writer of many names fills neither memory nor a page. A row that was let go and is met again is the same row.
 */
import { compareText, sha256 } from '@seamstream/kernel';
import type { Cells } from './cells.js';

/** Of an answer. */
export const MOST_ROWS = 500;
/** Letters of a name; a longer one is known by its digest. */
const LONGEST_NAME = 256;

/** Plain data. */
export interface BoundedRows<Row> {
  readonly rows: Map<string, Row>;
  /** Names that were met. */
  numNames: number;
}

export interface RowKind<Row> {
  /** Of the cells. */
  readonly name: string;
  readonly none: () => Row;
  /**
   * Where no size ever falls, the largest rows are the same in any order of reading. It falls where a more definite verdict names another
   * domain or adapter: a row in its cell may then be larger than the last in an answer, which counts it among the rest until it is met again.
   */
  readonly sizeOf: (row: Row) => number;
}

export const noRows = <Row>(): BoundedRows<Row> => ({ rows: new Map(), numNames: 0 });

/** The row of a name, to be changed in place before the next one is asked for. */
export function rowOf<Row>(bounded: BoundedRows<Row>, cells: Cells, kind: RowKind<Row>, named: string): Row {
  const { rows } = bounded;
  const name = named.length > LONGEST_NAME ? sha256(named) : named;
  const known = rows.get(name);
  if (known !== undefined) return known;
  if (rows.size >= 2 * MOST_ROWS) letGo(rows, cells, kind);
  const cell = cells.get(cellOf(kind, name));
  if (cell === undefined) bounded.numNames++;
  const row = cell === undefined ? kind.none() : (JSON.parse(cell) as Row);
  rows.set(name, row);
  return row;
}

/** The largest rows, by name. */
export function largestRows<Row>({ rows }: BoundedRows<Row>, kind: RowKind<Row>): readonly (readonly [string, Row])[] {
  return bySize(rows, kind)
    .slice(0, MOST_ROWS)
    .sort(([a], [b]) => compareText(a, b));
}

/** The cells of something else, which has names that any writer chooses too. */
export const cellsFor = (cells: Cells, what: string): Cells => ({
  get: (name) => cells.get(`${what} ${name}`),
  set: (name, cell) => cells.set(`${what} ${name}`, cell),
});

function letGo<Row>(rows: Map<string, Row>, cells: Cells, kind: RowKind<Row>): void {
  for (const [name, row] of bySize(rows, kind).slice(MOST_ROWS)) {
    cells.set(cellOf(kind, name), JSON.stringify(row));
    rows.delete(name);
  }
}

const bySize = <Row>(rows: ReadonlyMap<string, Row>, { sizeOf }: RowKind<Row>): [string, Row][] =>
  [...rows].sort(([a, one], [b, other]) => sizeOf(other) - sizeOf(one) || compareText(a, b));

const cellOf = ({ name: kind }: Pick<RowKind<never>, 'name'>, name: string): string => `row ${kind} ${sha256(name)}`;
