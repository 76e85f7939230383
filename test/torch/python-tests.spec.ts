/** The tests that engines/torch has of itself, in Python. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { pythonWith, pythonWithTransformers } from '@seamstream/dev-servers';
import { fetched } from '../real-model/fetched.js';

jest.setTimeout(1_800_000);

const PYTEST = ['pytest==9.2.0', 'ruff==0.17.6'];
const ENGINE = fileURLToPath(new URL('../../engines/torch', import.meta.url));
/** Runs a module with packages of another folder besides its own. */
const BESIDES = `
import runpy, sys
sys.path.append(sys.argv.pop(1))
sys.argv.pop(0)
runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
`;

const needed = await fetched('PyTorch, transformers or pytest', async () => ({
  python: await pythonWithTransformers(),
  tools: await pythonWith(PYTEST),
}));

(needed === undefined ? describe.skip : describe)('the engine on PyTorch', () => {
  it.each([
    ['passes its own tests', ['pytest']],
    ['keeps the rules of its linter', ['ruff', 'check', '--no-cache', '.']],
    ['is formatted', ['ruff', 'format', '--no-cache', '--check', '.']],
  ])('%s', async (_, [module, ...args]) => {
    const { python, tools } = needed!;
    // With one thread equal runs have equal bits; with two, on a machine that is busy, they did not (docs/experiments/LOG.md).
    const env = { OMP_NUM_THREADS: '1', OMP_WAIT_POLICY: 'PASSIVE', PYTHONDONTWRITEBYTECODE: '1' };
    const packages = tools.environment.PYTHONPATH!;
    const { status, stdout, stderr } = await python.run('-c', [BESIDES, packages, module!, ...args], {
      cwd: ENGINE,
      env,
    });
    expect([status, status === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  });

  it('is installed by pip from its folder, with its command', async () => {
    const { python } = needed!;
    const folder = await mkdtemp(join(tmpdir(), 'torch-installed-'));
    try {
      // A copy: what is built is left next to the sources.
      await cp(ENGINE, join(folder, 'engine'), { recursive: true });
      const target = join(folder, 'packages');
      const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--target', target];
      const installed = await python.run('-m', ['pip', 'install', ...options, join(folder, 'engine')]);
      expect([installed.status, installed.stderr]).toEqual([0, expect.anything()]);
      const packages = [target, python.environment.PYTHONPATH].filter((path) => path !== undefined).join(delimiter);
      const environment = { ...python.environment, PYTHONPATH: packages };
      const command = join(target, 'bin/seamstream-torch');
      const { stdout } = await promisify(execFile)(command, ['--version'], { env: { ...process.env, ...environment } });
      expect(stdout).toMatch(/^seamstream-torch \d+\.\d+\.\d+\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
