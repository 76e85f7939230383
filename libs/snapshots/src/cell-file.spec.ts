import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CellFile, DamagedSnapshot, type Entry, writeCellFile } from './cell-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-cells-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entries: readonly Entry[] = Array.from(
  { length: 900 },
  (_, n): Entry => [`name ${String(n).padStart(4, '0')} ä😀`, `cell ${'x'.repeat(n % 50)} ${n}`],
);

describe('A file of cells', () => {
  it('gives each cell by its name, all in their order, and none for other names', () => {
    const file = CellFile.open(folder, writeCellFile(folder, 'f', entries));
    for (const [name, cell] of entries) expect(file.get(name)).toBe(cell);
    expect([...file.entries()]).toEqual(entries);
    for (const name of ['', 'name', 'name 0001', 'zzz']) expect(file.get(name)).toBeUndefined();
    file.close();
    const empty = CellFile.open(folder, writeCellFile(folder, 'e', []));
    expect([empty.get('a'), ...empty.entries()]).toEqual([undefined]);
    empty.close();
  });

  it('gives no cell of which a byte is another one', () => {
    const facts = writeCellFile(folder, 'f', entries);
    const whole = readFileSync(join(folder, 'f'));
    // Every byte of the index, and some of the blocks.
    for (let at = 0; at < whole.length; at += at < facts.dataBytes ? 97 : 1) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1;
      writeFileSync(join(folder, 'f'), damaged);
      expect(() => {
        const file = CellFile.open(folder, facts);
        try {
          expect([...file.entries()]).toHaveLength(entries.length);
        } finally {
          file.close();
        }
      }).toThrow(DamagedSnapshot);
    }
  });
});
