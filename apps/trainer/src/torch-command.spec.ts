import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { torchLauncher } from './torch-command.js';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'torch-command-'))));
afterEach(() => rm(folder, { recursive: true }));

describe('the program that trains with PyTorch', () => {
  it('is taken where it reports its version', async () => {
    await expect(launcherOf(`process.exit(process.argv.at(-1) === '--version' ? 0 : 2)`)).resolves.toBeDefined();
  });

  it('is refused before any run where it does not start, with what it says', async () => {
    await expect(
      launcherOf('console.error("No module named seamstream_torch"); process.exit(1)'),
    ).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/No module named seamstream_torch.*SEAM_TRAINER_TORCH_COMMAND/) as string,
    });
  });

  it('is refused before any run where it is not there', async () => {
    const command = join(folder, 'torchrun');
    await expect(torchLauncher({ command, processes: 1, options: '' }, folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('could not be started') as string,
    });
  });
});

async function launcherOf(program: string): ReturnType<typeof torchLauncher> {
  const file = join(folder, 'program.cjs');
  await writeFile(file, program);
  return torchLauncher({ command: `${process.execPath} ${file}`, processes: 1, options: '' }, folder);
}
