import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainerConfigSchema } from './config.js';
import { torchCommand, torchLauncher } from './torch-command.js';

const TORCH = trainerConfigSchema.shape.trainer.parse({}).torch;

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
    await expect(torchLauncher({ ...TORCH, command }, folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('could not be started') as string,
    });
  });
});

describe('the program that trains with PyTorch on Ray', () => {
  const onRay = { ...TORCH, launcher: 'ray', jobsFolder: '/shared' } as const;

  it('ends with torchrun, which Ray ends, and not with an input that it does not have', () => {
    expect(torchCommand(onRay, folder)).toContain('--end-with-parent');
    expect(torchCommand(onRay, folder)).not.toContain('--end-with-input');
    expect(torchCommand(TORCH, folder)).toContain('--end-with-input');
  });

  it('is refused before any run where no Ray answers', async () => {
    const ray = { dashboard: 'http://127.0.0.1:9', gpus: 0 };
    await expect(torchLauncher({ ...onRay, ray }, folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/127\.0\.0\.1:9.*SEAM_TRAINER_TORCH_RAY_DASHBOARD/) as string,
    });
  });

  it('needs a folder that the nodes of Ray have too', () => {
    const { success, error } = trainerConfigSchema.shape.trainer.safeParse({ torch: { launcher: 'ray' } });
    expect([success, error?.issues[0]?.path]).toEqual([false, ['torch', 'jobsFolder']]);
  });
});

async function launcherOf(program: string): ReturnType<typeof torchLauncher> {
  const file = join(folder, 'program.cjs');
  await writeFile(file, program);
  return torchLauncher({ ...TORCH, command: `${process.execPath} ${file}` }, folder);
}
