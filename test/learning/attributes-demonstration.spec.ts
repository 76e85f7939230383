/** What `npm start` runs, cut short after six rounds: the advice is learned as a function, and not as a list. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AttributesReport } from '../../apps/standalone/src/report/attributes-report.js';

const NOT_CONVERGED = 3;
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the demonstration, cut short after six rounds', () => {
  let folder: string;
  let report: AttributesReport;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-attributes-'));
    report = await demonstration(folder);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('helps with words that were in no training, where a table by their names does not', () => {
    const newWords = rowsOf(report, 'newWords');
    // Seed 3 stood at 70 % of the validation problems after six rounds of a development run, a table of words at 4 % of new words.
    expect(newWords.get('trained')).toBeGreaterThan(0.4);
    expect(newWords.get('word table')).toBeLessThan(0.25);
    expect(rowsOf(report, 'heldOut').get('trained')).toBeGreaterThan(0.4);
  });

  it('gains nothing by an empty entry, a fixed hint or the entry of another problem', () => {
    const heldOut = rowsOf(report, 'heldOut');
    for (const control of ['wrapperOnly', 'fixedHint', 'otherProblemsEntry', 'untrained'])
      expect(heldOut.get(control)).toBeLessThanOrEqual(heldOut.get('noExperience')! + 0.1);
  });

  it('helps another executor too, where one that was trained on the answers can no longer be advised', () => {
    const newWords = rowsOf(report, 'newWords');
    expect(newWords.get('other executor alone')).toBeLessThan(0.1);
    expect(newWords.get('other executor with the entries')).toBeGreaterThan(newWords.get('trained')! - 0.1);
    // Success by references alone would need them to say how they were found.
    expect(newWords.get('executor trained on answers')).toBeGreaterThan(
      newWords.get('executor trained on references')!,
    );
    const obeys = new Map(report.executors.map((each) => [each.name, each.obeys]));
    expect(obeys.get('frozen')).toBeGreaterThan(0.95);
    expect(obeys.get('executor trained on answers')).toBeLessThan(0.9);
  });

  it('says what a success takes, next to a case that is looked up', () => {
    const { rows } = report.timeToCorrect;
    const [own, looked] = ['trained', 'retrieved case'].map((name) => rows.find((row) => row.name === name)!);
    expect(own!.solved).toBeGreaterThan(looked!.solved);
    expect(own!.candidatesTried!.value).toBeLessThan(looked!.candidatesTried!.value);
    expect(looked!.entryMs).toBeLessThan(own!.entryMs!);
  });

  it('is laid next to a table of quoted attributes after the same attempts, and writes no answer into an entry', () => {
    const { points } = report.byAttempts;
    expect(points.map(({ round }) => round)).toEqual([2, 3, 5, 6]);
    expect(points.at(-1)!.attempts).toBe(report.attempts);
    const trained = rowsOf(report, 'newWords').get('trained')!;
    expect(Math.abs(points.at(-1)!.loop.newWords.success - trained)).toBeLessThan(0.05);
    expect(points.at(-1)!.table.newWords.success).toBeGreaterThan(points[0]!.table.newWords.success);
    for (const { leaks } of report.sets) expect(leaks).toMatchObject({ withAnswer: 0 });
  });

  it('shows a problem that only the trained entry solves, and one that it does not solve', () => {
    const { problems, learned, failed, failures } = report.examples;
    expect(problems).toBe(64);
    expect(learned).toMatchObject({
      noExperience: { solved: false },
      untrained: { solved: false },
      trained: { solved: true },
    });
    expect(failed?.trained.solved).toBe(false);
    expect(failures / problems).toBeCloseTo(1 - rowsOf(report, 'heldOut').get('trained')!, 9);
  });

  it('writes entries that quote their problem truly', () => {
    for (const { faithful } of report.sets) expect(faithful).toBeGreaterThanOrEqual(0.98);
  });
});

async function demonstration(folder: string): Promise<AttributesReport> {
  const limits = ['--seed', '3', '--max-rounds', '6', '--held-out', '64'];
  const args = [join(root, 'apps/standalone/bin/start.js'), '--exit', '--json', ...limits, '--data-dir', folder];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 }).catch(
    (cause: unknown) => {
      const error = cause as { readonly code: number; readonly stdout: string; readonly stderr: string };
      if (error.code === NOT_CONVERGED) return error;
      throw new Error(`the demonstration ended with ${error.code}\n${error.stderr}`);
    },
  );
  return JSON.parse(stdout) as AttributesReport;
}

function rowsOf(report: AttributesReport, split: string): ReadonlyMap<string, number> {
  const rows = report.sets.find((set) => set.split === split)?.rows ?? [];
  return new Map(rows.map(({ name, success }) => [name, success]));
}
