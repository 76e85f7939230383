/** The scripts as shells run them: every word that the command line has is completed where it belongs. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PseudoTerminal } from '@seamstream/testing/pseudo-terminal';
import { fakeWorld } from '../command-runtime.fake.js';
import { completionScript, SHELLS } from './completion-script.js';

const isThere = { bash: true, zsh: has('zsh'), fish: has('fish') };

type Offers = (lines: readonly (readonly string[])[]) => Promise<string[][]>;

const run = async (shell: string, script: string): Promise<string> =>
  (await promisify(execFile)(shell, ['-c', script], { maxBuffer: 2 ** 24 })).stdout;

/** A line that divides answers. */
const DIVIDER = 'NEXT-LINE';
const answersIn = (stdout: string): string[][] =>
  stdout
    .split(`${DIVIDER}\n`)
    .slice(0, -1)
    .map((answer) => answer.split('\n').filter((line) => line !== ''));

/**
 * What a shell would offer after each of the lines, the last word being the one under the cursor. fish is asked itself. Of zsh's completion the
 * functions that offer words are replaced by such as print them; in a terminal it is asked below.
 */
const offered: Readonly<Record<(typeof SHELLS)[number], Offers>> = {
  bash: offeredByBash,
  async zsh(lines) {
    const asks = lines.map(
      (words) =>
        `words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length}; _seam; print -r -- ${DIVIDER}`,
    );
    const stubs = `compdef() { : }; _files() { : }; compadd() { shift; print -rl -- "$@" }
_describe() { local -a all; all=("\${(@P)2}"); print -rl -- "\${(@)all%%:*}" }`;
    const answers = answersIn(await run('zsh', `${stubs}\n${await scriptFor('zsh')}\n${asks.join('\n')}`));
    return answers.map((answer, index) => answer.filter((word) => word.startsWith(lines[index]!.at(-1)!)));
  },
  async fish(lines) {
    const asks = lines.map((words) => `complete -C '${words.join(' ')}'; echo ${DIVIDER}`);
    const empty = mkdtempSync(join(tmpdir(), 'seam-fish-'));
    try {
      const script = `${await scriptFor('fish')}\ncd ${empty}\n${asks.join('\n')}`;
      const answers = answersIn(await run('fish', script));
      return answers.map((answer) => answer.map((line) => line.split('\t')[0]!));
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  },
};

describe('seam completion', () => {
  const itIn = (shell: (typeof SHELLS)[number]): typeof it => (isThere[shell] ? it : it.skip);

  for (const shell of SHELLS)
    itIn(shell)(
      `offers in ${shell} all that the help of every command teaches, and nothing of another command`,
      async () => {
        const paths: string[][] = [[]];
        for (const path of paths)
          paths.push(
            ...(await taught(...path)).commands.filter((name) => name !== 'help').map((name) => [...path, name]),
          );
        expect(paths.length).toBeGreaterThan(30);
        const begun = (word: string): Promise<string[][]> =>
          offered[shell](paths.map((path) => ['seam', ...path, word]));
        // Before a dash fish shows no options.
        const options = shell === 'fish' ? await begun('-') : [];
        const offers = (await begun('')).map((words, index) => [...words, ...(options[index] ?? [])]);
        for (const [index, path] of paths.entries()) {
          const { commands, options } = await taught(...path);
          expect([path, offers[index]!.filter((word) => word.startsWith('--')).sort()]).toEqual([
            path,
            [...new Set(options)].sort(),
          ]);
          expect([path, offers[index]!.filter((word) => !word.startsWith('-')).sort()]).toEqual([
            path,
            commands.sort(),
          ]);
        }
      },
    );

  for (const shell of SHELLS)
    itIn(shell)(
      `knows in ${shell} the command behind values of options, and the values that an option may have`,
      async () => {
        const answers = await offered[shell]([
          ['seam', '--data-dir', 'adapters', 'ledg'],
          ['seam', '--json', 'adapters', 'sho'],
          ['seam', 'buffer', 'export', '--out', 'export', '--format', ''],
          ['seam', 'buffer', 'export', '--out', ''],
          ['seam', 'help', 'adapters', ''],
          ['seam', 'completion', 'bas'],
        ]);
        expect(answers.map((answer) => [...answer].sort())).toEqual([
          ['ledger'],
          ['show'],
          ['jsonl', 'parquet'],
          [],
          expect.any(Array),
          [],
        ]);
      },
    );

  it.each(SHELLS)('is text that %s can read, with any text in a summary', (shell) => {
    const command = {
      name: 'seam',
      summary: '',
      options: [{ names: ['--a'], takesValue: true, choices: ["it's"], summary: 'x' }],
      commands: [{ name: 'b', summary: 'it\'s $(touch /tmp/never): `x` \\ "', options: [], commands: [] }],
    };
    const script = completionScript(shell, command);
    expect(script).toContain('b');
    if (shell !== 'fish') execFileSync('bash', ['-n'], { input: script });
    const file = join(mkdtempSync(join(tmpdir(), 'seam-script-')), 'script');
    writeFileSync(file, script);
    if (isThere[shell]) execFileSync(shell, ['-n', file]);
    rmSync(dirname(file), { recursive: true });
  });

  itIn('zsh')('completes in zsh in a terminal, read at its start or loaded from a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'seam-zsh-'));
    const script = await scriptFor('zsh');
    writeFileSync(join(folder, '_seam'), script);
    const ways = {
      read: `autoload -Uz compinit; compinit -u -D; source ${folder}/_seam`,
      loaded: `fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D`,
    };
    try {
      for (const start of Object.values(ways)) {
        writeFileSync(join(folder, '.zshrc'), `PS1='ready> '\ncd ${folder}\n${start}\n`);
        const terminal = new PseudoTerminal(120, 40, ['zsh', '-i'], { ...process.env, ZDOTDIR: folder, TERM: 'xterm' });
        try {
          await terminal.until('ready>');
          terminal.press('seam --data-dir x adap\t');
          await terminal.until('seam --data-dir x adapters');
          terminal.press('roll\t--b\t');
          await terminal.until('seam --data-dir x adapters rollback --by');
          terminal.press('\u0015seam buffer export --format par\t');
          await terminal.until('seam buffer export --format parquet');
          terminal.press('\u0015seam adapters \t');
          await terminal.until('who was trained from whom');
          // A command that has commands takes no file.
          expect((await terminal.seen()).join('\n')).not.toContain('_seam');
        } finally {
          terminal.kill();
          await terminal.ended();
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('refuses another shell', async () => {
    const world = await fakeWorld();
    expect(await world.seam('completion', 'tcsh')).toBe(2);
    expect(world.takeErrors()).toContain('Allowed choices are bash, zsh, fish');
  });
});

async function scriptFor(shell: string): Promise<string> {
  const world = await fakeWorld();
  expect(await world.seam('completion', shell)).toBe(0);
  return world.takeOutput();
}

/** Whether there is a shell on this machine; bash always is. */
function has(shell: string): boolean {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) process.stderr.write(`SKIPPED: completion in ${shell}, which is not installed.\n`);
  return isThere;
}

async function offeredByBash(lines: readonly (readonly string[])[]): Promise<string[][]> {
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
