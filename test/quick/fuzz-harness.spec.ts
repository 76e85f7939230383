/** The fuzzer itself: it finds what it is for, and says nothing of a sound reader. Its targets run in test/resilience/fuzz.spec.ts. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(`../fuzz/${path}`, import.meta.url));

interface Report {
  readonly target: string;
  readonly inputs: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly faults: readonly { readonly kind: string; readonly what: string; readonly file: string }[];
}

describe('the fuzzer', () => {
  let found: string;
  beforeAll(async () => {
    found = await mkdtemp(join(tmpdir(), 'found-'));
  });
  afterAll(() => rm(found, { recursive: true }));

  it('finds hangs, unknown errors and unhandled rejections, keeps their inputs, and passes a sound reader', async () => {
    const settings = [
      '--targets',
      at('planted'),
      '--found',
      found,
      '--inputs',
      '150',
      '--hangMs',
      '250',
      '--jobs',
      '2',
      '--json',
    ];
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, [at('run.mjs'), ...settings], (error, stdout) =>
        resolve({ code: error?.code ?? 0, output: stdout }),
      ),
    );
    const reports = JSON.parse(output) as Report[];
    const of = (name: string) => reports.find(({ target }) => target === name)!;
    expect(code).toBe(1);
    expect(reports.map(({ target }) => target)).toEqual(['fault', 'hang', 'rejection', 'sound']);
    expect(of('sound')).toMatchObject({
      inputs: 150,
      faults: [],
      refused: { MALFORMED_RECORD: expect.any(Number) as number },
    });
    const [hang] = of('hang').faults;
    expect(hang?.kind).toBe('hang');
    expect((await readFile(hang!.file)).includes(0)).toBe(true);
    expect(of('fault').faults[0]).toMatchObject({
      kind: 'fault',
      what: expect.stringContaining('SyntaxError') as string,
    });
    expect(of('rejection').faults[0]?.what).toContain('no caller waits');
    expect((await readFile(of('rejection').faults[0]!.file)).length).toBeGreaterThan(5);
  });
});
