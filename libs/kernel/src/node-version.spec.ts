import { readFileSync } from 'node:fs';
import { onSupportedNode } from './node-version.js';

/** Runs a program on a Node of this version. */
async function on(node: string) {
  const process = {
    versions: { node },
    said: '',
    stderr: { write: (text: string) => (process.said += text) },
    exitCode: 0,
  };
  let hasRun = false;
  await onSupportedNode(process, { name: 'trainer', command: 'npx node main.js', exitCode: 78 }, async () => {
    hasRun = true;
  });
  return { hasRun, said: process.said, exitCode: process.exitCode };
}

describe('a program on a Node', () => {
  it('that is new enough runs', async () => {
    for (const node of ['24.0.0', '24.21.0', '100.1.0']) {
      expect(await on(node)).toEqual({ hasRun: true, said: '', exitCode: 0 });
    }
  });

  it('that is too old says which one it wants, which came, and what to do, and does not run', async () => {
    expect(await on('20.20.2')).toEqual({
      hasRun: false,
      said: 'trainer: this needs Node 24 or newer, this is 20.20.2. Run it as "npx node main.js", which uses the Node that "npm install" brought.\n',
      exitCode: 78,
    });
  });

  it('wants the one that the package asks for', async () => {
    const root = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    const oldest = Number(/^>=(\d+)$/.exec(root.engines.node)![1]);
    expect((await on(`${oldest}.0.0`)).hasRun).toBe(true);
    expect((await on(`${oldest - 1}.99.0`)).hasRun).toBe(false);
  });
});
