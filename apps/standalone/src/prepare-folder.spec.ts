import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareFolder } from './prepare-folder.js';

const MODULE = new URL('../dist/prepare-folder.js', import.meta.url).href;
/** Who owns nothing here; root may write wherever it likes. */
const NOBODY = 65_534;

describe('the data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made with those that it lies in, and nothing is left in it', async () => {
    await prepareFolder(join(folder, 'a', 'b'));
    await prepareFolder(join(folder, 'a', 'b'));
    expect(await readdir(join(folder, 'a', 'b'))).toEqual([]);
  });

  it('that this user may not write is reported in a sentence that says what to do', async () => {
    await chmod(folder, 0o555);
    const program = `import { prepareFolder } from ${JSON.stringify(MODULE)};
      ${process.getuid?.() === 0 ? `process.setuid(${NOBODY});` : ''}
      await prepareFolder(process.argv[1]).catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder]);
    expect(stdout).toBe(
      `INVALID_CONFIGURATION Cannot keep log, objects and reports in ${folder}: expected a folder that can be written, got EACCES (this user may not do that there). Name another folder (--data-dir), or change its rights.\n`,
    );
  });

  it('cannot be where the system keeps its files', async () => {
    await expect(prepareFolder('/proc/1/seam')).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/expected a folder that can be written, got E[A-Z]+ \(/),
    });
  });
});
