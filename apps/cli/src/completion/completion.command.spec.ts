/** The scripts as shells run them: every word that the command line has is completed where it belongs. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { fakeWorld } from '../command-runtime.fake.js';
import { completionScript, SHELLS } from './completion-script.js';

async function scriptFor(shell: string): Promise<string> {
  const world = await fakeWorld();
  expect(await world.seam('completion', shell)).toBe(0);
  return world.takeOutput();
}

/** What bash would offer after each of the lines, the last word being the one under the cursor. */
async function offered(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const script = await scriptFor('bash');
  const asks = lines
    .map((words) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _seam; echo "\${COMPREPLY[*]}"`;
    })
    .join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${asks}`]);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''));
}

/** Commands and long options of a help text. */
async function taught(...path: string[]): Promise<{ commands: string[]; options: string[] }> {
  const world = await fakeWorld();
  await world.seam(...path, '--help');
  const help = world.takeOutput();
  const section = (title: string): string => new RegExp(`\\n${title}:\\n((?: .*\\n)+)`).exec(help)?.[1] ?? '';
  return {
    commands: [...section('Commands').matchAll(/^ {2}([a-z-]+)/gm)].map((match) => match[1]!),
    options: [...`${section('Options')}${section('Global Options')}`.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(
      (match) => match[1]!,
    ),
  };
}

describe('seam completion', () => {
  it('offers in bash all that the help of every command teaches, and nothing of another command', async () => {
    const paths: string[][] = [[]];
    for (const path of paths)
      paths.push(...(await taught(...path)).commands.filter((name) => name !== 'help').map((name) => [...path, name]));
    expect(paths.length).toBeGreaterThan(30);
    const offers = await offered(paths.map((path) => ['seam', ...path, '']));
    for (const [index, path] of paths.entries()) {
      const { commands, options } = await taught(...path);
      expect([path, offers[index]!.filter((word) => word.startsWith('--')).sort()]).toEqual([
        path,
        [...new Set(options)].sort(),
      ]);
      expect([path, offers[index]!.filter((word) => !word.startsWith('-')).sort()]).toEqual([path, commands.sort()]);
    }
  });

  it('knows the command behind values of options, and the values that an option may have', async () => {
    expect(
      await offered([
        ['seam', '--data-dir', 'adapters', 'ledg'],
        ['seam', '--json', 'adapters', 'sho'],
        ['seam', 'buffer', 'export', '--out', 'export', '--format', ''],
        ['seam', 'buffer', 'export', '--out', ''],
        ['seam', 'help', 'adapters', ''],
        ['seam', 'completion', 'bas'],
      ]),
    ).toEqual([['ledger'], ['show'], ['parquet', 'jsonl'], [], expect.any(Array), []]);
  });

  it.each(SHELLS)('is text that %s can read, whatever stands in a summary', (shell) => {
    const command = {
      name: 'seam',
      summary: '',
      options: [{ names: ['--a'], takesValue: true, choices: ["it's"], summary: 'x' }],
      commands: [{ name: 'b', summary: 'it\'s $(touch /tmp/never): `x` \\ "', options: [], commands: [] }],
    };
    const script = completionScript(shell, command);
    expect(script).toContain('b');
    if (shell !== 'fish') execFileSync('bash', ['-n'], { input: script });
  });

  it('refuses another shell', async () => {
    const world = await fakeWorld();
    expect(await world.seam('completion', 'tcsh')).toBe(2);
    expect(world.takeErrors()).toContain('Allowed choices are bash, zsh, fish');
  });
});
