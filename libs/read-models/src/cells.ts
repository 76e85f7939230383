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

/** The cell of a group of which every candidate was met. */
const ALL_MET = '*';

/**
 * Notes a candidate of a group. Groups of which all candidates were met take one character each.
 * @returns whether it is met for the first time
 */
export function meetCandidate(
  cells: Cells,
  {
    groupId,
    candidateIndex,
    groupSize,
  }: { readonly groupId: string; readonly candidateIndex: number; readonly groupSize: number },
): boolean {
  const cell = cells.get(groupId);
  if (cell === ALL_MET) return false;
  const met = cell === undefined ? [] : (JSON.parse(cell) as number[]);
  if (met.includes(candidateIndex)) return false;
  met.push(candidateIndex);
  cells.set(groupId, met.length < groupSize ? JSON.stringify(met) : ALL_MET);
  return true;
}
