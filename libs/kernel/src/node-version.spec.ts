import { readFileSync } from 'node:fs';
import { onSupportedNode } from './node-version.js';

describe('a program on a Node', () => {
  it('that is new enough runs there, regardless of the Node that the installation brought', async () => {
    for (const node of ['24.0.0', '24.21.0', '100.1.0']) {
      expect(await on(node, 3)).toEqual({ hasRun: true, handedOver: [], said: '', exitCode: 0 });
    }
  });

  it('that is too old is run by the one that the installation brought, and ends as that ends', async () => {
    expect(await on('20.20.2', 3)).toEqual({
      hasRun: false,
      handedOver: [['main.js', '--all']],
      said: '',
      exitCode: 3,
    });
  });

  it('that is too old says which one it wants, which it got, and what to do, where no other was brought', async () => {
    expect(await on('20.20.2', null)).toEqual({
      hasRun: false,
      handedOver: [],
      said: 'trainer: Cannot run: expected Node 24 or newer, got 20.20.2. Install Node 24; on Linux x64 "npm install" brings it.\n',
      exitCode: 78,
    });
  });

  it('wants the one that the package asks for', async () => {
    const root = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    const oldest = Number(/^>=(\d+)$/.exec(root.engines.node)![1]);
    expect((await on(`${oldest}.0.0`, null)).hasRun).toBe(true);
    expect((await on(`${oldest - 1}.99.0`, null)).hasRun).toBe(false);
  });
});

/** Runs a program on a Node of this version; the installation brought another one where a status is given that it ends with. */
async function on(node: string, brought: number | null) {
  const process = {
    versions: { node },
    argv: ['/usr/bin/node', 'main.js', '--all'],
    said: '',
    stderr: { write: (text: string) => (process.said += text) },
    exitCode: 0,
  };
  let hasRun = false;
  const handedOver: (readonly string[])[] = [];
  const other = {
    run: async (words: readonly string[]) => {
      handedOver.push(words);
      return brought!;
    },
  };
  const run = async (): Promise<void> => {
    hasRun = true;
  };
  await onSupportedNode(process, { name: 'trainer', exitCode: 78 }, run, brought === null ? null : other);
  return { hasRun, handedOver, said: process.said, exitCode: process.exitCode };
}
