/** What the system writes on a machine with several users is its own user's alone. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const seam = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const PROBLEM = {
  problemId: 'p-1',
  domain: 'sums',
  prompt: '1 + 1?',
  reference: '2',
  verifier: { kind: 'numeric', version: '1' },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('Files', () => {
  it('of log, keys and folders are readable by their owner alone, under any umask', () => {
    writeFileSync(join(folder, 'problems.jsonl'), JSON.stringify(PROBLEM));
    expect(openHanded('publish', 'problems.jsonl')).toMatchObject({ status: 0 });
    expect(openHanded('keys', 'generate', 'trainer', '--may', 'adapters')).toMatchObject({ status: 0 });
    const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path !== 'problems.jsonl',
    );
    expect(written.length).toBeGreaterThan(4);
    const open = written.filter((path) => (statSync(join(folder, path)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});

/** As a process whose user lets everybody read and write what it makes. */
function openHanded(...args: readonly string[]) {
  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'umask 000; exec "$0" "$@"', process.execPath, seam, '--data-dir', join(folder, 'data'), ...args],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, stderr };
}
