/**
 * The embedded log after a power cut. LMDB writes the pages of a commit, makes them durable, then writes the page that names
 * them; until that is durable, any part of the others may have reached the disk. So a file after a cut is the one of the last
 * acknowledged commit with some of the next one's pages, or sectors of them, in it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '@seamstream/kernel';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const CHILD = fileURLToPath(new URL('../support/power-cut.child.mjs', import.meta.url));
const COMMITS = 24;
const PAGE = 4096;
const SECTOR = 512;
/** Pages 0 and 1 name what is valid. */
const META_PAGES = 2;

interface Found {
  readonly commits?: number;
  readonly goesOn?: boolean;
  readonly code?: string;
}

let folder: string;
const state = (commit: number): Buffer => readFileSync(join(folder, `state-${commit}.mdb`));

function child(...args: readonly string[]): { readonly lines: readonly Found[]; readonly signal: string | null } {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [CHILD, ...args], { encoding: 'utf8' });
  if (status !== 0 && signal === null) throw new Error(`the child ended with ${status}: ${stderr}`);
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Found);
  return { lines, signal };
}

/** What each of the files holds; one that ends the process by a signal has that for a code. */
function check(files: readonly Buffer[]): readonly Found[] {
  const paths = files.map((bytes, index) => {
    const path = join(folder, `cut-${index}.mdb`);
    writeFileSync(path, bytes);
    return path;
  });
  const found: Found[] = [];
  while (found.length < paths.length) {
    const { lines, signal } = child('check', ...paths.slice(found.length));
    found.push(...lines);
    if (signal !== null) found.push({ code: signal });
  }
  for (const path of paths) rmSync(path);
  return found;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'power-cuts-'));
  child('write', folder);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

it('R20: for any part of an unfinished commit on the disk, all acknowledged ones are there, and the log continues', () => {
  const random = Random.of('R20');
  const cuts = Array.from({ length: FULL ? 1_000 : 60 }, () => {
    const commit = random.int(COMMITS);
    const [before, after] = [state(commit), state(commit + 1)];
    // The file may have grown already: what was not written reads as zeros.
    const cut = Buffer.alloc(random.int(2) === 0 ? before.length : Math.max(before.length, after.length));
    before.copy(cut);
    const unit = random.int(2) === 0 ? PAGE : SECTOR;
    for (let at = META_PAGES * PAGE; at < Math.min(after.length, cut.length); at += unit) {
      if (random.int(2) === 0) after.copy(cut, at, at, at + unit);
    }
    return { commit, cut };
  });
  const found = check(cuts.map(({ cut }) => cut));
  expect(found).toEqual(cuts.map(({ commit }) => ({ commits: commit, goesOn: true })));
}, 600_000);

/** How a log says that its file is damaged. LMDB itself checks nothing: where its own pages are gone, writing may end the process. */
const REFUSALS = ['LOG_CORRUPT', 'SIGABRT'];

it('R18: a file that lost its end has lost nothing, or does not continue: it never shows less as if that were all', () => {
  const whole = state(COMMITS);
  const step = FULL ? 1 : 128;
  const cuts = Array.from({ length: PAGE / step }, (_, index) => whole.subarray(0, whole.length - 1 - index * step));
  const isSound = ({ commits, goesOn, code }: Found): boolean =>
    code === undefined ? commits === COMMITS && goesOn === true : REFUSALS.includes(code);
  expect(check(cuts).filter((found) => !isSound(found))).toEqual([]);
}, 1_200_000);
