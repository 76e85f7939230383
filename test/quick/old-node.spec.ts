/** What somebody sees whose Node is too old, at each of the tree's doors. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const OLD_NODE = new URL('../support/old-node.mjs', import.meta.url).href;

function run(program: string): Promise<{ readonly status: unknown; readonly said: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', OLD_NODE, program, '--help'], { cwd: root }, (error, stdout, stderr) => {
      resolve({ status: error?.code ?? 0, said: `${stdout}${stderr}` });
    });
  });
}

describe('with a Node that is too old', () => {
  it.each([
    ['apps/generator/dist/main.js', 'generator', 'npx node apps/generator/dist/main.js', 78],
    ['apps/executor/dist/main.js', 'executor', 'npx node apps/executor/dist/main.js', 78],
    ['apps/buffer/dist/main.js', 'buffer', 'npx node apps/buffer/dist/main.js', 78],
    ['apps/trainer/dist/main.js', 'trainer', 'npx node apps/trainer/dist/main.js', 78],
    ['apps/standalone/bin/start.js', 'npm start', 'npm start', 70],
    ['apps/cli/bin/seam.js', 'seam', 'npx seam', 70],
  ])('%s says how to run it with another', async (program, name, command, status) => {
    expect(await run(program)).toEqual({
      status,
      said: `${name}: this needs Node 24 or newer, this is 20.20.2. Run it as "${command}", which uses the Node that "npm install" brought.\n`,
    });
  });
});
