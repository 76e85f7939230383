// A copy of the tree in a temporary folder, in which a fault may be planted: a run that is killed leaves none behind.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The tracked files and the untracked ones that git does not ignore, tracked there; packages are linked, workspaces are the copy's own.
 * The copy is removed when the process ends.
 */
export function copyTree(root) {
  const copy = mkdtempSync(join(tmpdir(), 'seam-mutants-'));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\n').filter(Boolean))
    cpSync(join(root, file), join(copy, file), { recursive: true });
  // The package is made of what git tracks.
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
  ])
    execFileSync('git', args, { cwd: copy });
  const packages = join(root, 'node_modules');
  mkdirSync(join(copy, 'node_modules/@seamstream'), { recursive: true });
  for (const name of readdirSync(packages))
    if (name !== '@seamstream') symlinkSync(join(packages, name), join(copy, 'node_modules', name));
  for (const name of readdirSync(join(packages, '@seamstream')))
    symlinkSync(readlinkSync(join(packages, '@seamstream', name)), join(copy, 'node_modules/@seamstream', name));
  return copy;
}
