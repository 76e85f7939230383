/** The tests that engines/torch has of itself, in Python. */
import { fileURLToPath } from 'node:url';
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
    const env = { OMP_WAIT_POLICY: 'PASSIVE', PYTHONDONTWRITEBYTECODE: '1' };
    const packages = tools.environment.PYTHONPATH!;
    const { status, stdout, stderr } = await python.run('-c', [BESIDES, packages, module!, ...args], {
      cwd: ENGINE,
      env,
    });
    expect([status, status === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  });
});
