import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What this suite reads of report.json. */
interface Report {
  readonly study: {
    readonly arms: Readonly<Record<string, { readonly accuracy: { readonly value: number } }>>;
    readonly differences: readonly {
      readonly one: string;
      readonly other: string;
      readonly accuracy: { readonly value: number; readonly interval95: readonly [number, number] };
    }[];
  };
  readonly iterations: readonly { readonly attempts: number; readonly status: string }[];
  readonly ledger: Readonly<Record<'published' | 'inFlight' | 'deadLettered', number>> & { readonly balanced: boolean };
  readonly executor: { readonly unchanged: boolean };
  readonly served: string | null;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the demonstration of self-edits, cut short after two rounds', () => {
  let folder: string;
  let report: Report;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-self-edits-'));
    const { stdout } = await run(
      process.execPath,
      // biome-ignore format: one option per pair reads best
      [join(root, 'apps/standalone/bin/start.js'), '--method', 'self-edits', '--exit', '--json', '--seed', '1', '--data-dir', folder,
       '--max-rounds', '2', '--held-out', '96'],
      { cwd: root, maxBuffer: 1 << 26 },
    ).catch((cause: unknown) => cause as { stdout: string });
    report = JSON.parse(stdout) as Report;
  }, 600_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('learns to write edits that teach more than those of the base model, and these more than the passage', () => {
    const beyondChance = (one: string, other: string): boolean =>
      report.study.differences.find((each) => each.one === one && each.other === other)!.accuracy.interval95[0] > 0;
    expect(beyondChance('after', 'passage')).toBe(true);
    expect(beyondChance('before', 'passage')).toBe(true);
    const { nothing, passage, before, after } = report.study.arms;
    expect(after!.accuracy.value).toBeGreaterThan(before!.accuracy.value);
    expect(passage!.accuracy.value).toBeGreaterThan(nothing!.accuracy.value);
  });

  it('serves an adapter of the writer, and leaves the executor as it was', () => {
    expect(report.iterations.some(({ status }) => status === 'promoted')).toBe(true);
    expect(report.served).not.toBeNull();
    expect(report.executor.unchanged).toBe(true);
    expect(report.ledger).toMatchObject({ balanced: true, published: 96, inFlight: 0, deadLettered: 0 });
  });

  it('writes a page with every arm', async () => {
    const page = await readFile(join(folder, 'report.html'), 'utf8');
    for (const arm of ['no training', 'passage alone', 'edits before training', 'edits after training'])
      expect(page).toContain(arm);
  });

  it('makes the served adapter again from the log, to the same digest', async () => {
    const seam = join(root, 'apps/cli/bin/seam.js');
    const args = ['replay', '--verify-adapter', report.served!, '--data-dir', folder];
    const { stdout } = await run(process.execPath, [seam, ...args], { cwd: root });
    expect(stdout).toContain('The log gives this adapter again.');
  });
});
