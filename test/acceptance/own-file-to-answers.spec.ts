/**
 * From a file of one's own to answers: the six commands of the README as they stand there, on files of the embedded world, which the shipped models
 * know. What people fill in (words of a question, an adapter's digest) is filled in here, and the loop is short.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type WorldSplit, worldProblems } from '@seamstream/embedded-world';
import { PseudoTerminal } from '@seamstream/testing/pseudo-terminal';
import { cellsOf } from '../../apps/cli/src/terminal/text.js';

jest.setTimeout(900_000);

const root = fileURLToPath(new URL('../..', import.meta.url));
const SEAM = join(root, 'apps/cli/bin/seam.js');
const START = join(root, 'apps/standalone/bin/start.js');
/** Enough for two runs that make an adapter. */
const SHORT = ['--algorithm', 'sft', '--round-size', '24', '--max-rounds', '3'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'seam-six-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('takes the six commands of the README, and each does what its remark says', async () => {
  const [question] = await write('train', 'train', 72);
  await write('validation', 'validation', 16);
  await write('test', 'heldOut', 16);
  const asked = worldProblems({ seed: 'new', split: 'heldOut', variant: 'base', count: 4 });
  const rows = asked.map(({ domain, prompt }) => ({ domain, prompt }));
  await writeFile(join(folder, 'new.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const commands = await documented('Your own problems');
  expect(commands).toHaveLength(6);
  const [inspect, loop, show, evaluate, promote, solve] = commands.map(programOf);

  const inspected = await run(inspect!);
  expect(inspected).toMatchObject({ code: 0, out: expect.stringContaining('72 of 72 lines') });

  // 3: it did not converge, and says so; what it learned is in the log.
  const looped = await run(loop!);
  expect([0, 3]).toContain(looped.code);

  const shown = await run(show!.map((word) => (word === 'words of a question' ? question! : word)));
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/now +(solved|not solved)/) });
  expect(shown.out).toContain('Group of ');

  const versionsNow = async (): Promise<{ served: string | null; versions: Version[] }> =>
    JSON.parse((await run([SEAM, '--data-dir', 'mine', 'adapters', '--json'])).out) as {
      served: string | null;
      versions: Version[];
    };
  const { served, versions } = await versionsNow();
  const other = versions.findLast(({ adapterDigest }) => adapterDigest !== served)!.adapterDigest;
  const filled = (words: readonly string[]): string[] =>
    words.map((word) => (word === '4f3a90c1' ? other.slice(0, 8) : word));

  const evaluated = await run(filled(evaluate!));
  expect(evaluated).toMatchObject({ code: 0, err: expect.stringContaining('recorded as ') });
  expect(await run(filled(promote!))).toMatchObject({ code: 0, out: expect.stringContaining('promoted ') });
  expect(await versionsNow()).toMatchObject({ served: other });

  expect(await run(solve!)).toMatchObject({ code: 0, err: expect.stringContaining('4 of 4 questions answered') });
  const answers = (await readFile(join(folder, 'answers.jsonl'), 'utf8')).trim().split('\n');
  expect(answers.map((line) => (JSON.parse(line) as { prompt: string }).prompt)).toEqual(
    rows.map(({ prompt }) => prompt),
  );

  for (const columns of [60, 200]) {
    for (const args of [
      ['show', question!],
      ['adapters'],
      ['runs'],
      ['ledger'],
      ['runs', 'show', 'last'],
      ['solve', '--help'],
    ]) {
      const screen = new PseudoTerminal(
        columns,
        400,
        [process.execPath, SEAM, '--data-dir', join(folder, 'mine'), ...args],
        {
          PATH: process.env.PATH,
          TERM: 'xterm-256color',
        },
      );
      expect(await screen.ended()).toBe(0);
      const wide = (await screen.seen()).filter((line) => cellsOf(line) > columns);
      expect([columns, args[0], wide]).toEqual([columns, args[0], []]);
    }
  }
});

/** The commands of a section's first block, without their remarks, as words. */
async function documented(section: string): Promise<readonly (readonly string[])[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, block = ''] = /```sh\n(.*?)```/s.exec(readme.slice(readme.indexOf(`## ${section}`))) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) =>
      Array.from(line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) => quoted ?? word!),
    );
}

function programOf(words: readonly string[]): string[] {
  const [first, second, third] = words;
  if (first === 'npx' && second === 'seam') return [SEAM, ...words.slice(2)];
  if (first === 'npm' && second === 'start' && third === '--') return [START, ...words.slice(3), ...SHORT];
  throw new Error(`expected "npx seam …" or "npm start -- …", got ${words.join(' ')}`);
}

async function run(
  args: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

async function write(name: string, split: WorldSplit, count: number, seed = 'own'): Promise<readonly string[]> {
  const rows = worldProblems({ seed, split, variant: 'base', count }).map(
    ({ domain, prompt, reference, verifier }) => ({ domain, prompt, reference, verifier: verifier.kind }),
  );
  await writeFile(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return rows.map(({ prompt }) => prompt);
}

interface Version {
  readonly adapterDigest: string;
  readonly status: string;
}
