import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const support = (name: string): string => join(ROOT, 'test/support', name);

describe('the temporary folder of a spec file', () => {
  it('is its own, below that of the run, and that of the processes that it starts', () => {
    expect(basename(tmpdir())).toMatch(/^temporary-folders-/);
    expect(basename(dirname(tmpdir()))).toMatch(/^seamstream-tests-/);
    const { stdout } = spawnSync(process.execPath, ['-p', 'os.tmpdir()'], { encoding: 'utf8' });
    expect(stdout.trim()).toBe(tmpdir());
  });

  it('goes with the file, also when a test fails before it cleans up', async () => {
    const { status, stderr, left } = await ranWith(`
      const { join } = require('node:path');
      it('leaves a key', () => {
        const file = join(require('node:os').tmpdir(), 'client.key');
        require('node:fs').writeFileSync(file, 'private');
        throw new Error('left ' + file);
      });
    `);
    expect(stderr).toMatch(/left .*seamstream-tests-.*client\.key/);
    expect(status).toBe(1);
    expect(left).toEqual([]);
  });

  it('is reported by name, and removed, when what was made there outlives its file', async () => {
    const { status, stderr, left } = await ranWith(`
      const { dirname, join } = require('node:path');
      it('leaves a key next to its folder', () => {
        require('node:fs').writeFileSync(join(dirname(require('node:os').tmpdir()), 'client.key'), 'private');
      });
    `);
    expect(stderr).toMatch(/Cannot end the suites cleanly: expected nothing in .*, got client\.key\./);
    expect(status).not.toBe(0);
    expect(left).toEqual([]);
  });

  it('of a run that was killed is removed by the next one, and that of a run which is under way is not', async () => {
    // No process has this id: Linux gives none above 2^22.
    const [killed, underWay] = ['seamstream-tests-4194305-a', `seamstream-tests-${process.pid}-b`];
    const { status, left } = await ranWith("it('leaves nothing', () => undefined);", { found: [killed, underWay] });
    expect(status).toBe(0);
    expect(left).toEqual([underWay]);
  });
});

/** Runs jest on one spec file, with the environment of all suites. */
async function ranWith(spec: string, { found = [] }: { readonly found?: readonly string[] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'planted-'));
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  for (const name of found) {
    await mkdir(join(temporary, name));
    await utimes(join(temporary, name), 1_700_000_000, 1_700_000_000);
  }
  await writeFile(join(folder, 'planted.spec.js'), spec);
  const config = {
    rootDir: folder,
    transform: {},
    testEnvironment: support('test-environment.cjs'),
    globalSetup: support('before-all-suites.mjs'),
    globalTeardown: support('after-all-suites.mjs'),
    testMatch: ['<rootDir>/planted.spec.js'],
  };
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...['--experimental-vm-modules', join(ROOT, 'node_modules/jest/bin/jest.js')],
      ...['--config', JSON.stringify(config), '--runInBand', '--cacheDirectory', join(folder, 'cache')],
    ],
    { encoding: 'utf8', cwd: folder, env: { ...process.env, TMPDIR: temporary } },
  );
  return { status, stderr, left: readdirSync(temporary) };
}
