/**
 * Cells on disk: what changed is in memory, everything else in files of which a newer one hides what an older one says. Files of like size are
 * merged, so that there are about as many as the number of cells has binary digits, and a cell is rewritten as often.
 */
import { rmSync } from 'node:fs';
import { newId } from '@seamstream/kernel';
import type { Cells } from '@seamstream/read-models';
import { CellFile, type CellFileFacts, type Entry, writeCellFile } from './cell-file.js';

export class KeptCells implements Cells {
  private readonly changed = new Map<string, string>();
  /** Written here, and named by no snapshot yet. */
  private readonly own = new Set<string>();

  /** @param files oldest first */
  constructor(
    private readonly folder: string | null,
    private readonly files: CellFile[] = [],
  ) {}

  /** @throws DamagedSnapshot; what the file system throws */
  static open(folder: string, files: readonly CellFileFacts[]): KeptCells {
    const opened: CellFile[] = [];
    try {
      for (const facts of files) opened.push(CellFile.open(folder, facts));
      return new KeptCells(folder, opened);
    } catch (error) {
      for (const file of opened) file.close();
      throw error;
    }
  }

  /** Cells in memory that are in no file. */
  get numChanged(): number {
    return this.changed.size;
  }

  /** @throws DamagedSnapshot */
  get(name: string): string | undefined {
    const changed = this.changed.get(name);
    if (changed !== undefined) return changed;
    for (let at = this.files.length - 1; at >= 0; at--) {
      const cell = this.files[at]!.get(name);
      if (cell !== undefined) return cell;
    }
    return undefined;
  }

  set(name: string, cell: string): void {
    this.changed.set(name, cell);
  }

  /** Writes what changed into a file, with the newest files as long as they are no larger. @throws DamagedSnapshot; what the file system throws */
  spill(): readonly CellFileFacts[] {
    if (this.changed.size > 0 && this.folder !== null) {
      const merging: CellFile[] = [];
      let cells = this.changed.size;
      let kept = this.files.length;
      for (; kept > 0 && this.files[kept - 1]!.facts.cells <= cells; kept--) {
        merging.push(this.files[kept - 1]!);
        cells += this.files[kept - 1]!.facts.cells;
      }
      const sorted = [...this.changed].sort(([a], [b]) => (a < b ? -1 : 1));
      const name = `${newId()}.cells`;
      this.own.add(name);
      const facts = writeCellFile(
        this.folder,
        name,
        merging.length === 0 ? sorted : merged([sorted, ...merging.map((file) => file.entries())]),
      );
      this.files.splice(kept, this.files.length, CellFile.open(this.folder, facts));
      this.changed.clear();
      for (const file of merging) this.release(file);
    }
    return this.files.map(({ facts }) => facts);
  }

  /** A snapshot names the files now. */
  published(): void {
    this.own.clear();
  }

  close(): void {
    for (const file of this.files.splice(0)) this.release(file);
    for (const name of this.own) this.delete(name);
  }

  private release(file: CellFile): void {
    file.close();
    if (this.own.has(file.facts.file)) this.delete(file.facts.file);
  }

  private delete(name: string): void {
    this.own.delete(name);
    if (this.folder !== null) rmSync(`${this.folder}/${name}`, { force: true });
  }
}

/** @param sources newest first; of equal names the newest counts */
function* merged(sources: readonly Iterable<Entry>[]): Generator<Entry> {
  const heads = sources.map((source) => {
    const entries = source[Symbol.iterator]();
    return { entries, head: entries.next() };
  });
  for (;;) {
    let first: Entry | undefined;
    for (const { head } of heads)
      if (head.done !== true && (first === undefined || head.value[0] < first[0])) first = head.value;
    if (first === undefined) return;
    yield first;
    for (const each of heads)
      if (each.head.done !== true && each.head.value[0] === first[0]) each.head = each.entries.next();
  }
}
