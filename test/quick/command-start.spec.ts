/** What a command loads before it does anything: processor time that every call of `seam` costs. Counted in modules, not by a clock. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const seam = fileURLToPath(new URL('../../apps/cli/bin/seam.js', import.meta.url));
const HOOK = new URL('../support/loaded-packages.mjs', import.meta.url).href;
const FRAMEWORK = /^(@nestjs\/.*|rxjs|fastify|reflect-metadata|prom-client)$/;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seam-start-'));
  writeFileSync(join(folder, 'p.jsonl'), '{"prompt":"What is 2 + 3?","reference":"5"}\n');
  loadedBy('publish', 'p.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('A command', () => {
  it.each([
    [['--version']],
    [['--help']],
    [['completion', 'bash']],
    [['status']],
    [['ledger']],
    [['runs']],
    [['show', 'What']],
    [['adapters']],
    [['buffer']],
    [['tail', 'problems']],
    [['dead-letters', 'list']],
    [['config', '--changed']],
    [['publish', '--dry-run', 'p.jsonl']],
    [['datasets', 'inspect', 'p.jsonl']],
  ])('that runs no service loads no framework of services: %j', (args) => {
    expect(loadedBy(...args).filter((name) => FRAMEWORK.test(name))).toEqual([]);
  });

  it('loads what it needs, and nothing of the others', () => {
    expect(loadedBy('--version').filter((name) => name.startsWith('libs/'))).toEqual(['libs/kernel']);
    const ledger = loadedBy('--data-dir', 'data', '--json', 'ledger');
    expect(ledger).toContain('libs/read-models');
    const others = [
      'libs/verifiers',
      'libs/language-model',
      'libs/datasets',
      'apps/standalone',
      'hyparquet',
      'cli-progress',
    ];
    for (const other of others) expect(ledger).not.toContain(other);
  });
});

/** Names of the packages and workspaces that a command has loaded when it ends. */
function loadedBy(...args: readonly string[]): readonly string[] {
  const { stderr, status } = spawnSync(process.execPath, ['--import', HOOK, seam, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([args, status, stderr]).toEqual([args, 0, expect.stringMatching(/^loaded: /m)]);
  return /^loaded: (.*)$/m.exec(stderr)![1]!.split(' ');
}
