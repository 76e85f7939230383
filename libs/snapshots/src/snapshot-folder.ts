/**
 * The snapshots of one read model in a folder: the newest counts, and it names the files of its cells.
 *
 *   000000000007.snapshot     SHA-256 of what follows, line break, JSON
 *   0190….cells               see cell-file.ts
 *
 * A snapshot is written under another name and then linked to the next number, which fails where another process was faster: of two at once one
 * is kept whole. Nothing is flushed to the disk: what a power failure leaves behind shows in its digests.
 */
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { newId, sha256, systemClock } from '@seamstream/kernel';
import { type CellFileFacts, DamagedSnapshot } from './cell-file.js';
import { KeptCells } from './kept-cells.js';

/** Grows with every change of what is written. */
const FORMAT = 1;
const SNAPSHOT = /^(\d{12})\.snapshot$/;
/** A file that no snapshot names may belong to a process at work; after a day its process is gone. */
const ABANDONED_MS = 24 * 3600 * 1000;
const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/** What a snapshot is of: where any of it differs, it is another's. */
export interface SnapshotSubject {
  /** The log's identity. */
  readonly log: string;
  /** Whose records are believed. */
  readonly view: string;
  /** Digest of the code that folds. */
  readonly code: string;
}

/** How far one partition was folded. */
export interface FoldedPlace {
  readonly topic: string;
  readonly partition: number;
  /** First offset that the log held. */
  readonly low: number;
  /** The next offset to fold. */
  next: number;
  /** The last record that was folded, and its digest; null where there was none. */
  last: { readonly offset: number; readonly digest: string } | null;
}

export interface Snapshot {
  readonly places: readonly FoldedPlace[];
  /** Records that it was folded from, and how many of them were no events. */
  readonly records: number;
  readonly unreadable: number;
  /** The fold's state without its cells. */
  readonly state: object;
}

/** Why a snapshot is not used. */
export type PassedOver =
  | 'there is none'
  | 'it is damaged'
  | 'it is of another log'
  | 'it is of another release'
  | 'other keys are believed'
  | 'the log was cut'
  | 'from scratch'
  | 'there is no place for it'
  | 'others may write its folder';

interface Written extends SnapshotSubject {
  readonly format: number;
  readonly places: readonly FoldedPlace[];
  readonly records: number;
  readonly unreadable: number;
  readonly files: readonly CellFileFacts[];
  /** Base64 of what v8 serialises: maps, sets and bytes stay what they are. */
  readonly state: string;
}

export class SnapshotFolder {
  private generation = 0;

  constructor(
    readonly folder: string,
    private readonly subject: SnapshotSubject,
  ) {}

  /** The newest snapshot that is whole, with its cells opened; or why there is none to use. Never throws. */
  load(): { readonly snapshot: Snapshot; readonly cells: KeptCells } | PassedOver {
    try {
      mkdirSync(this.folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
      const { uid, mode } = statSync(this.folder);
      // Its bytes are taken for what this program wrote.
      if (uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0) return 'others may write its folder';
    } catch {
      return 'there is no place for it';
    }
    let why: PassedOver = 'there is none';
    // Another process may replace a snapshot while it is being read: then the next look finds its successor.
    for (let look = 0; look < 3; look++) {
      const numbers = this.numbers();
      this.generation = numbers[0] ?? 0;
      for (const number of numbers) {
        const loaded = this.loadNumber(number);
        if (typeof loaded !== 'string') return loaded;
        why = loaded;
      }
      if (why !== 'it is damaged') return why;
    }
    return why;
  }

  /**
   * Keeps a fold as the newest snapshot.
   * @returns false where another process was faster, or nothing can be written. Never throws for that.
   * @throws DamagedSnapshot where the files that the cells lie in are damaged
   */
  keep({ state, ...snapshot }: Snapshot, cells: KeptCells): boolean {
    const temporary = `${this.folder}/${newId()}.writing`;
    try {
      const files = cells.spill();
      const written: Written = {
        format: FORMAT,
        ...this.subject,
        ...snapshot,
        files,
        state: serialize(state).toString('base64'),
      };
      const body = JSON.stringify(written);
      writeFileSync(temporary, `${sha256(body)}\n${body}`, { mode: OWNER_ONLY, flag: 'wx' });
      if ((this.numbers()[0] ?? 0) > this.generation) return false;
      linkSync(temporary, this.path(this.generation + 1));
      this.generation++;
      cells.published();
      this.sweep(new Set(files.map(({ file }) => file)));
      return true;
    } catch (error) {
      if (error instanceof DamagedSnapshot) throw error;
      return false;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  private loadNumber(number: number): { readonly snapshot: Snapshot; readonly cells: KeptCells } | PassedOver {
    let cells: KeptCells | undefined;
    try {
      const text = this.textOf(number);
      const body = text.slice(65);
      if (text.slice(0, 65) !== `${sha256(body)}\n`) return 'it is damaged';
      const written = JSON.parse(body) as Written;
      if (written.format !== FORMAT || written.code !== this.subject.code) return 'it is of another release';
      if (written.log !== this.subject.log) return 'it is of another log';
      if (written.view !== this.subject.view) return 'other keys are believed';
      cells = KeptCells.open(this.folder, written.files);
      const { places, records, unreadable } = written;
      const state = deserialize(Buffer.from(written.state, 'base64')) as object;
      return { snapshot: { places, records, unreadable, state }, cells };
    } catch {
      cells?.close();
      return 'it is damaged';
    }
  }

  private textOf(number: number): string {
    const fd = openSync(this.path(number), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(fd, 'utf8');
    } finally {
      closeSync(fd);
    }
  }

  /** Of the snapshots, the newest first. */
  private numbers(): readonly number[] {
    return readdirSync(this.folder)
      .flatMap((name) => SNAPSHOT.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a);
  }

  private path(number: number): string {
    return `${this.folder}/${String(number).padStart(12, '0')}.snapshot`;
  }

  /** Deletes what the newest snapshot replaces. @param named files that it names */
  private sweep(named: ReadonlySet<string>): void {
    const [newest, ...older] = this.numbers();
    if (newest !== this.generation) return;
    const replaced = new Set(older.flatMap((number) => this.filesNamedBy(number)));
    for (const name of readdirSync(this.folder)) {
      const isOlder = Number(SNAPSHOT.exec(name)?.[1] ?? newest) < newest;
      const isReplaced = replaced.has(name) && !named.has(name);
      const isTemporary = /\.(cells|writing)$/.test(name) && !named.has(name);
      if (isOlder || isReplaced || (isTemporary && this.isAbandoned(name)))
        rmSync(`${this.folder}/${name}`, { force: true });
    }
  }

  private filesNamedBy(number: number): readonly string[] {
    try {
      return (JSON.parse(this.textOf(number).slice(65)) as Written).files.map(({ file }) => file);
    } catch {
      return [];
    }
  }

  private isAbandoned(name: string): boolean {
    const { mtimeMs } = lstatSync(`${this.folder}/${name}`, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    return systemClock.now() - mtimeMs > ABANDONED_MS;
  }
}
