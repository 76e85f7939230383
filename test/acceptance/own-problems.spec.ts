/**
 * From a file of one's own to a report, by `npm start` in a terminal as people have it. The problems are the embedded world's, in a file, since
 * the shipped models know no others; rounds are few and small.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type WorldSplit, worldProblems } from '@seamstream/embedded-world';
import { PseudoTerminal } from '@seamstream/testing/pseudo-terminal';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const START = join(root, 'apps/standalone/bin/start.js');
const environment = { PATH: process.env.PATH, TERM: 'xterm-256color' };

/** What this suite reads of report.json. */
interface Report {
  readonly converged: boolean;
  readonly settings: { readonly problems: { readonly digest: string } | null };
  readonly rounds: readonly unknown[];
  readonly domains: readonly { readonly domain: string; readonly problems: number }[];
  readonly measuredOn: { readonly name: string; readonly isHeldOut: boolean };
  readonly commands: readonly string[];
  readonly loopSeconds: number;
  readonly ledger: { readonly published: number; readonly inFlight: number; readonly balanced: boolean };
}

describe('the loop on problems of one’s own', () => {
  let folder: string;
  let data: string;
  let screen: PseudoTerminal | undefined;

  const path = (name: string): string => join(folder, `${name}.jsonl`);
  const file = (name: string, split: WorldSplit, count: number): Promise<void> => {
    const problems = worldProblems({ seed: 'own', split, variant: 'base', count });
    const rows = problems.map(({ domain, prompt, reference, verifier }) => ({ domain, prompt, reference, verifier }));
    return writeFile(path(name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  const options = (...more: string[]): string[] => [START, '--data-dir', data, ...more];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-own-'));
    data = join(folder, 'data');
    await file('train', 'train', 12);
    // No fewer than twelve: on fewer no adapter can be better beyond chance.
    await file('validation', 'validation', 12);
  });
  afterEach(() => screen?.kill());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('says at Ctrl-C how it resumes; resumed so, it ends with a verdict that stays on a terminal of 60 columns and 14 rows, and with the status for it', async () => {
    const own = ['--exit', '--problems', path('train'), '--validation', path('validation'), '--max-rounds', '2'];
    screen = new PseudoTerminal(60, 14, [process.execPath, ...options(...own, '--round-size', '8')], environment);
    await screen.until('problems 8:');
    screen.press('\u0003');
    expect(await screen.ended()).toBe(130);
    expect((await screen.seen()).join('\n')).toContain('Stopped before the end: there is no report.');
    const [, said] = /"seam start (.+?)" resumes from here\./.exec(screen.bytes)!;
    screen = new PseudoTerminal(60, 14, [process.execPath, START, ...said!.split(' ')], environment);
    expect(await screen.ended()).toBe(3);
    const seen = (await screen.seen()).join('\n');
    expect(seen).toContain('NOT CONVERGED');
    expect(screen.bytes).toContain('Ask seam doctor why.');
    expect(seen).toContain(join(data, 'report.html'));
    expect(screen.bytes).toContain("know only the demonstration's words");
    const report = JSON.parse(await readFile(join(data, 'report.json'), 'utf8')) as Report;
    expect(report).toMatchObject({ converged: false, measuredOn: { isHeldOut: false } });
    expect(report.rounds).toHaveLength(2);
    expect(report.ledger).toMatchObject({ published: 16, inFlight: 0, balanced: true });
    expect(report.domains.reduce((sum, { problems }) => sum + problems, 0)).toBe(12);
    expect(report.commands).toEqual([expect.stringContaining(`--problems ${path('train')}`)]);
    expect(report.loopSeconds).toBeGreaterThan(0);
  }, 600_000);

  it('refuses the folder to other problems, by name', async () => {
    await file('other', 'heldOut', 12);
    const other = options('--exit', '--problems', path('other'), '--validation', path('validation'));
    await expect(run(process.execPath, other)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/begun with --problems .*train\.jsonl.*got --problems .*other\.jsonl/),
    });
  });

  it('continues with the folder alone, counts what others publish after the end, and ends at Ctrl-C without a torn picture', async () => {
    screen = new PseudoTerminal(120, 30, [process.execPath, ...options()], environment);
    await screen.until('report: ');
    expect((await screen.seen()).join('\n')).toContain('problems 16:');
    await run(process.execPath, [
      join(root, 'apps/cli/bin/seam.js'),
      '--data-dir',
      data,
      'publish',
      path('validation'),
    ]);
    await screen.until('problems 28:');
    screen.press('\u0003');
    expect(await screen.ended()).toBe(0);
    const seen = await screen.seen();
    expect(seen.filter((line) => line.includes('Seamstream'))).toHaveLength(1);
    expect(seen.join('\n')).toContain('report: ');
    expect(screen.bytes).not.toContain('{"level"');
  }, 600_000);
});
