/**
 * Whether each row of a square matrix can be given its own column (Hopcroft and Karp 1973, "An n^5/2 algorithm for maximum
 * matchings in bipartite graphs"). Taking the first column that fits, as one might, can take the only column of a later row.
 * @param size rows and columns
 * @param fits whether a column fits a row; asked once for each pair
 */
export function hasPerfectMatching(size: number, fits: (row: number, column: number) => boolean): boolean {
  const columnsOf: number[][] = [];
  for (let row = 0; row < size; row++) {
    const columns: number[] = [];
    for (let column = 0; column < size; column++) if (fits(row, column)) columns.push(column);
    if (columns.length === 0) return false;
    columnsOf.push(columns);
  }
  const rowOf = new Int32Array(size).fill(-1);
  const columnOf = new Int32Array(size).fill(-1);
  const level = new Int32Array(size);
  let matched = 0;
  for (;;) {
    if (!setLevels(columnsOf, rowOf, columnOf, level)) return matched === size;
    const next = new Int32Array(size);
    for (let row = 0; row < size; row++)
      if (columnOf[row] === -1 && augment(row, columnsOf, rowOf, columnOf, level, next)) matched++;
    if (matched === size) return true;
  }
}

/** Levels of rows by alternating paths from the free ones; whether a free column is reached. */
function setLevels(
  columnsOf: readonly number[][],
  rowOf: Int32Array,
  columnOf: Int32Array,
  level: Int32Array,
): boolean {
  let row = 0;
  const queue: number[] = [];
  level.fill(-1);
  for (; row < columnOf.length; row++)
    if (columnOf[row] === -1) {
      level[row] = 0;
      queue.push(row);
    }
  let isReached = false;
  for (let at = 0; at < queue.length; at++) {
    for (const column of columnsOf[queue[at]!]!) {
      const other = rowOf[column]!;
      if (other === -1) isReached = true;
      else if (level[other] === -1) {
        level[other] = level[queue[at]!]! + 1;
        queue.push(other);
      }
    }
  }
  return isReached;
}

/** Gives a free row a column along a shortest alternating path. Without recursion: a path can be as long as there are rows. */
function augment(
  start: number,
  columnsOf: readonly number[][],
  rowOf: Int32Array,
  columnOf: Int32Array,
  level: Int32Array,
  next: Int32Array,
): boolean {
  const path = [start];
  while (path.length > 0) {
    const row = path.at(-1)!;
    const columns = columnsOf[row]!;
    if (next[row]! >= columns.length) {
      level[row] = -1;
      path.pop();
      continue;
    }
    const column = columns[next[row]!]!;
    const other = rowOf[column]!;
    if (other === -1) {
      // The path ends in a free column: each row on it takes the column that it came to.
      for (let taken = column; path.length > 0; ) {
        const last = path.pop()!;
        const before = columnOf[last]!;
        rowOf[taken] = last;
        columnOf[last] = taken;
        taken = before;
      }
      return true;
    }
    next[row]!++;
    if (level[other] === level[row]! + 1) path.push(other);
  }
  return false;
}
