import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const seam = (folder: string, ...args: string[]) =>
  run(process.execPath, [join(root, 'apps/cli/bin/seam.js'), ...args, '--data-dir', folder], { cwd: root });

describe('the demonstration of a library, cut short after five rounds', () => {
  let folder: string;
  let report: Report;
  let code: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-library-'));
    const { stdout, ...ended } = await run(
      process.execPath,
      // biome-ignore format: one option per pair reads best
      [join(root, 'apps/standalone/bin/start.js'), '--method', 'library', '--exit', '--json', '--seed', '1', '--data-dir', folder,
       '--max-rounds', '5', '--held-out', '128'],
      { cwd: root, maxBuffer: 1 << 26 },
    ).catch((cause: unknown) => cause as { stdout: string; code: number });
    code = 'code' in ended ? ended.code : 0;
    report = JSON.parse(stdout) as Report;
  }, 900_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('solves more with the library than with any control, beyond chance', () => {
    for (const [name, { libraryAhead }] of report.study.rows)
      if (name !== 'library') expect(libraryAhead!.interval95[0]).toBeGreaterThan(0);
    expect(report.items).toBeLessThanOrEqual(100);
    expect(report.ledger.balanced).toBe(true);
  });

  it('says by its exit status whether all that it is to show holds', () => {
    expect(code).toBe(report.converged ? 0 : 3);
  });

  it('changes no weight: every entry names the one base model', () => {
    expect(report.weights.recorded).toEqual([report.weights.digest]);
  });

  it('makes the served library again from the log, to the same digest', async () => {
    const { stdout } = await seam(folder, 'replay', '--verify-adapter', report.served!);
    expect(stdout).toContain('The log gives this adapter again.');
  });

  it('exports the library, and imports it with the same ids and texts', async () => {
    const file = join(folder, 'library.json');
    await seam(folder, 'library', 'export', 'served', '--output', file);
    const texts = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
    expect(Object.keys(texts)).toHaveLength(report.items);
    const { stdout } = await seam(folder, 'library', 'import', file, '--json');
    const { digest } = JSON.parse(stdout) as { digest: string };
    const shown = await seam(folder, 'library', 'show', digest.slice(0, 12), '--json');
    const { items } = JSON.parse(shown.stdout) as { items: { id: string; text: string }[] };
    expect(Object.fromEntries(items.map(({ id, text }) => [id, text]))).toEqual(texts);
  });
});

/** What this suite reads of report.json. */
interface Report {
  readonly study: {
    readonly rows: readonly (readonly [
      string,
      { readonly success: number; readonly libraryAhead: { readonly interval95: readonly [number, number] } | null },
    ])[];
  };
  readonly items: number;
  readonly weights: { readonly digest: string; readonly recorded: readonly string[] };
  readonly ledger: { readonly balanced: boolean };
  readonly served: string | null;
  readonly converged: boolean;
}
