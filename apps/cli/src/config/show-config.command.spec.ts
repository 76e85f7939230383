import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fakeWorld } from '../command-runtime.fake.js';

const SEAM = fileURLToPath(new URL('../../bin/seam.js', import.meta.url));

describe('seam config', () => {
  it('shows each setting with its value and its source, all or those that begin so', async () => {
    const world = await fakeWorld();
    world.settings = [
      { name: 'SEAM_HTTP_PORT', value: 9000, source: 'environment' },
      { name: 'SEAM_TRAINER_SEED', value: 'a\u001b[41m', source: 'default' },
      { name: 'SEAM_TRAINER_TOKEN', value: '***', source: 'environment' },
      { name: 'SEAM_TRAINER_PRESET', value: null, source: 'default' },
    ];
    expect(await world.seam('config', 'seam_trainer')).toBe(0);
    expect(
      world
        .takeOutput()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['SETTING', 'FROM', 'VALUE'],
      ['SEAM_TRAINER_SEED', 'default', 'a\\u001b[41m'],
      ['SEAM_TRAINER_TOKEN', 'environment', '***'],
      ['SEAM_TRAINER_PRESET', 'default', '–'],
      [''],
    ]);
    expect(await world.seam('config', '--changed', '--json')).toBe(0);
    expect(world.takeJson()).toEqual([{ settings: [world.settings[0], world.settings[2]] }]);
    expect(await world.seam('config', 'SEAM_NOTHING')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot find the setting SEAM_NOTHING: expected one that begins so');
  });

  it('reads the process: option, environment, default; secrets hidden; an unknown setting is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'seam-config-'));
    const seam = (more: Record<string, string>) =>
      promisify(execFile)(process.execPath, [SEAM, '--data-dir', folder, 'config', '--json'], {
        env: { PATH: process.env.PATH, SEAM_DATA_FOLDER: '/elsewhere', SEAM_SCHEMA_REGISTRY_USERNAME: 'ann', ...more },
      });
    const { stdout } = await seam({
      SEAM_SCHEMA_REGISTRY_PASSWORD: 'hunter2',
      SEAM_GENERATOR_GROUP_SIZE: '3',
      SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: '7',
      SEAM_PRESET: 'seam-paper',
    });
    const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; source: string }[] };
    const shown = (name: string) => settings.find((each) => each.name === name);
    expect(shown('SEAM_DATA_FOLDER')).toMatchObject({ value: folder, source: '--data-dir' });
    expect(shown('SEAM_GENERATOR_GROUP_SIZE')).toMatchObject({ value: 3, source: 'environment' });
    expect(shown('SEAM_BUFFER_COMMIT_EVERY_PROBLEMS')).toMatchObject({ value: 7, source: 'environment' });
    expect(shown('SEAM_SCHEMA_REGISTRY_PASSWORD')).toMatchObject({ value: '***', source: 'environment' });
    expect(shown('SEAM_PRESET')).toMatchObject({ value: 'seam-paper', source: 'environment' });
    expect(shown('SEAM_TRAINER_ALGORITHM')).toMatchObject({ value: 'grpo', source: 'SEAM_PRESET=seam-paper' });
    expect(shown('SEAM_LOGGING_LEVEL')).toMatchObject({ source: 'default' });
    expect(stdout).not.toContain('hunter2');
    await expect(seam({ SEAM_SCHEMA_REGISTRY_PASSWORD: 'x', SEAM_TRAINER_ALGORITM: 'grpo' })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SEAM_TRAINER_ALGORITM: no such setting (did you mean SEAM_TRAINER_ALGORITHM?)'),
    });
    await rm(folder, { recursive: true });
  });
});
