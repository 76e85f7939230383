/**
 * What a fold remembers of each of many things: problems, groups, dead letters. As text under a name, so that a caller that keeps a fold between two
 * readings can hold them on disk, and memory does not grow with the log.
 */
export interface Cells {
  get(name: string): string | undefined;
  set(name: string, cell: string): void;
}

/** Cells in memory: for who folds a log once. */
export class MemoryCells implements Cells {
  private readonly cells = new Map<string, string>();

  get(name: string): string | undefined {
    return this.cells.get(name);
  }

  set(name: string, cell: string): void {
    this.cells.set(name, cell);
  }
}
