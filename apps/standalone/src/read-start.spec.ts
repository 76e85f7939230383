import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStartOptions, type StartOptions } from './config.js';
import { worldFiles } from './embedded-environment.js';
import { readStart, type Start } from './read-start.js';
import { writeRunFile } from './run-settings.js';
import { writeWorldFiles } from './world-files.js';

describe('a start on files of one’s own', () => {
  let folder: string;
  const path = (name: string): string => join(folder, `${name}.jsonl`);
  const write = (name: string, ...numbers: number[]): Promise<void> =>
    writeFile(
      path(name),
      numbers
        .map((n) => `${JSON.stringify({ domain: 'sums', prompt: `What is ${n} + ${n}?`, reference: `${2 * n}` })}\n`)
        .join(''),
    );
  const start = (...argv: string[]): Promise<Start> =>
    readStart(readStartOptions(['--data-dir', folder, ...argv]) as StartOptions, {});
  /** A folder that was begun with all three files. */
  const begin = async (): Promise<Start> => {
    const begun = await start('--problems', path('train'), '--validation', path('validation'), '--test', path('test'));
    await writeRunFile(folder, begun.run);
    return begun;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-start-'));
    await write('train', 1, 2, 3);
    await write('validation', 101, 102);
    await write('test', 201, 202);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('measures on its test file on every later start, too', async () => {
    const { run } = await begin();
    const later = await start();
    expect(later.run).toEqual(run);
    expect(later.own?.test?.path).toBe(path('test'));
    await write('other', 301, 302, 303);
    const other = await start('--test', path('other'));
    expect(other.own?.test?.problems).toHaveLength(3);
    expect(other.run.test?.path).toBe(path('other'));
  });

  it('refuses a test file that has changed, until it is named again', async () => {
    await begin();
    await write('test', 201, 202, 203);
    await expect(start()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/begun with --test .*test\.jsonl .* the file has changed/),
    });
    expect((await start('--test', path('test'))).own?.test?.problems).toHaveLength(3);
  });

  it('only hosts services without any of its files', async () => {
    const { run } = await begin();
    for (const name of ['train', 'validation', 'test']) await rm(path(name));
    expect(await start('--no-drive')).toMatchObject({ own: null, run });
    await expect(start()).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('--problems'),
    });
  });

  it('finds a file where it lies now, for the services as well', async () => {
    await begin();
    for (const name of ['train', 'validation']) await rename(path(name), path(`moved-${name}`));
    const moved = ['--problems', path('moved-train'), '--validation', path('moved-validation')];
    const { run, own } = await start(...moved);
    expect(run.settings.validation?.path).toBe(path('moved-validation'));
    expect(own?.problems.path).toBe(path('moved-train'));
    await writeRunFile(folder, run);
    expect((await start()).own?.validation.path).toBe(path('moved-validation'));
  });

  it('brings new words where there are some alone, and says so elsewhere', async () => {
    const own = ['--problems', path('train'), '--validation', path('validation')];
    const shifted = (...argv: string[]): Promise<Start> => start(...argv, '--max-shifted-rounds', '3');
    expect((await shifted('--method', 'experiences')).run.limits).toMatchObject([{ maxShiftedRounds: 3 }]);
    expect((await shifted()).run).toMatchObject({
      settings: { method: 'attributes' },
      limits: [{ maxShiftedRounds: 3 }],
    });
    for (const method of ['team', 'attribute-pairs'])
      await expect(shifted('--method', method)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(
          'Cannot use --max-shifted-rounds 3: expected --method experiences, attributes',
        ),
      });
    await expect(shifted(...own)).rejects.toMatchObject({ message: expect.stringContaining('got --problems') });
    expect((await start(...own, '--max-shifted-rounds', '0')).run.settings.method).toBe('experiences');
  });

  it('resumes with the method of the folder', async () => {
    const { run } = await start('--method', 'library');
    await writeRunFile(folder, run);
    expect((await start()).run).toEqual(run);
    await expect(start('--method', 'attributes')).rejects.toMatchObject({
      message: expect.stringContaining('begun with --method library, got --method attributes'),
    });
  });

  it('continues in the world that its services were hosted in, and in that of earlier releases', async () => {
    expect((await start('--no-drive')).run.settings.method).toBe('attributes');
    await writeWorldFiles(folder, { method: 'self-edits', seed: 7 });
    const hosted = { method: 'self-edits', seed: 7, algorithm: 'rest-em', roundSize: 48 };
    expect((await start()).run.settings).toMatchObject(hosted);
    expect((await start('--no-drive', '--seed', '8')).run.settings).toMatchObject({ ...hosted, seed: 8 });
    expect((await start('--method', 'attributes')).run.settings).toMatchObject({ method: 'attributes', seed: 1 });
    const own = await start('--problems', path('train'), '--validation', path('validation'));
    expect(own.run.settings).toMatchObject({ method: 'experiences', seed: 1 });
    await rm(worldFiles(folder).world);
    expect((await start('--no-drive')).run.settings.method).toBe('experiences');
  });

  it('measures on as many problems as is usual for the method of the folder, unless it is said', async () => {
    const { run, heldOut } = await start('--method', 'team');
    expect(heldOut).toBe(512);
    await writeRunFile(folder, run);
    expect((await start()).heldOut).toBe(512);
    expect((await start('--held-out', '24')).heldOut).toBe(24);
  });

  it.each([
    [['--problems'], 'expected --problems and --validation, got only --problems'],
    [['--validation'], 'got only --validation'],
    [['--test'], 'Cannot use --test: expected it together with --problems, got it alone'],
  ])('wants %j with what belongs to it', async ([option], message) => {
    await expect(start(option!, path('train'))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });
});
