import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a process of the library has in its environment, as native code sees it: a process that it starts inherits that. */
const PROGRAM = `
import { execFileSync } from 'node:child_process';
import ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
process.stdout.write(execFileSync('/bin/sh', ['-c', 'echo $NVIDIA_TF32_OVERRIDE']));
`;

describe('products on a graphics processor', () => {
  it('are not rounded to TF32', async () => {
    expect(await overrideSeen({})).toBe('0');
  });

  it('are where a setting allows it', async () => {
    expect(await overrideSeen({ NVIDIA_TF32_OVERRIDE: '1' })).toBe('1');
  });
});

async function overrideSeen(environment: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { PATH: process.env.PATH, ...environment },
  });
  return stdout.trim();
}
