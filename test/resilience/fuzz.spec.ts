/** Every target of the fuzzer for a few seconds, with the same damage in every run. 16 s each with other damage: .ci/run; longer: npm run fuzz -- --seconds 180 --seed 3. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FUZZ = fileURLToPath(new URL('../fuzz/', import.meta.url));
const SECONDS = process.env.SEAM_TEST_FUZZ_SECONDS ?? '4';

describe('readers of what strangers wrote', () => {
  it('neither hang nor crash on damaged input, and refuse it by errors of known codes', async () => {
    const settings = ['--seconds', SECONDS, '--jobs', '2', '--json'];
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [`${FUZZ}run.mjs`, ...settings], { maxBuffer: 1 << 26 }, (_, stdout) =>
        resolve(stdout),
      ),
    );
    const reports = JSON.parse(output) as {
      target: string;
      inputs: number;
      faults: { kind: string; what: string; file: string }[];
    }[];
    expect(reports).toHaveLength(readdirSync(`${FUZZ}targets`).length);
    expect(
      reports.flatMap(({ target, faults }) => faults.map(({ kind, what, file }) => ({ target, kind, what, file }))),
    ).toEqual([]);
    for (const { target, inputs } of reports) expect({ target, isRun: inputs > 10 }).toEqual({ target, isRun: true });
  }, 900_000);
});
