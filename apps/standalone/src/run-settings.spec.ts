import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldFiles } from './embedded-environment.js';
import {
  assertHosted,
  assertRounds,
  decideSettings,
  loopOf,
  readRunFile,
  settingsOfFolder,
  streamOf,
  type WantedSettings,
  writeRunFile,
} from './run-settings.js';
import { writeWorldFiles } from './world-files.js';

const problems = { path: '/somewhere/train.jsonl', digest: 'a'.repeat(64) };
const defaults: WantedSettings['defaults'] = {
  method: 'experiences',
  seed: 1,
  algorithm: 'curriculum',
  roundSize: 64,
  preset: null,
  problems: null,
  validation: null,
  test: null,
  maxRounds: 16,
  maxShiftedRounds: 10,
};
const at = { now: '2030-01-31T12:00:00.000Z', version: '0.1.0' };
const begun = decideSettings('data', null, { said: { seed: 11 }, defaults: { ...defaults, seed: 11 } }, at);
const again = (said: WantedSettings['said']) => decideSettings('data', begun, { said, defaults }, at);

describe('the settings of a data folder', () => {
  it('are those of its first start, and hold for a start that says nothing', () => {
    expect(begun.settings).toMatchObject({ seed: 11, algorithm: 'curriculum', roundSize: 64 });
    expect(again({})).toBe(begun);
    expect(again({ seed: 11, roundSize: 64 })).toBe(begun);
  });

  it.each([
    [{ seed: 7 }, 'this folder was begun with --seed 11, got --seed 7'],
    [{ algorithm: 'grpo' }, 'begun with --algorithm curriculum, got --algorithm grpo'],
    [{ roundSize: 32 }, 'begun with --round-size 64, got --round-size 32'],
    [{ preset: 'seam-paper' }, 'begun with no SEAM_PRESET, got SEAM_PRESET=seam-paper'],
    [{ problems }, 'begun with no --problems, got --problems /somewhere/train.jsonl (SHA-256 aaaaaaaaaaaa)'],
  ] satisfies [WantedSettings['said'], string][])('refuse %j by name, and say what to do', (said, message) => {
    expect(() => again(said)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', message: expect.stringContaining(message) as string }) as Error,
    );
    expect(() => again(said)).toThrow('choose another folder (--data-dir)');
  });

  it('name every setting that differs', () => {
    expect(() => again({ seed: 7, roundSize: 32 })).toThrow(/--seed 11.*--round-size 64/);
  });

  it('let limits on rounds change, and keep each change', () => {
    const raised = again({ maxRounds: 20 });
    expect(raised.limits.map(({ maxRounds, maxShiftedRounds }) => [maxRounds, maxShiftedRounds])).toEqual([
      [16, 10],
      [20, 10],
    ]);
    expect(decideSettings('data', raised, { said: {}, defaults }, at)).toBe(raised);
  });

  it('take a file for the same by its digest, wherever it lies now', () => {
    const own = decideSettings('data', null, { said: {}, defaults: { ...defaults, problems } }, at);
    expect(decideSettings('data', own, { said: { problems }, defaults }, at)).toBe(own);
    const moved = { path: '/elsewhere/t.jsonl', digest: problems.digest };
    const found = decideSettings('data', own, { said: { problems: moved }, defaults }, at);
    expect(found).toEqual({ ...own, settings: { ...own.settings, problems: moved } });
    expect(decideSettings('data', found, { said: {}, defaults }, at)).toBe(found);
  });

  it('keep the file that the report measures on, which may be another later', () => {
    const test = { path: '/somewhere/test.jsonl', digest: 'c'.repeat(64) };
    const own = decideSettings('data', null, { said: { test }, defaults: { ...defaults, problems } }, at);
    expect(own.test).toEqual(test);
    expect(decideSettings('data', own, { said: {}, defaults }, at)).toBe(own);
    const other = { path: '/somewhere/other.jsonl', digest: 'd'.repeat(64) };
    expect(decideSettings('data', own, { said: { test: other }, defaults }, at).test).toEqual(other);
  });
});

describe('the method of a start', () => {
  it.each([
    ['team', true, 'team'],
    ['team', false, 'rounds'],
    ['attributes', true, 'rounds'],
  ] as const)('%s, driving: %s, is run by the loop of the %s', (method, drive, loop) => {
    expect(loopOf(method, { drive })).toBe(loop);
  });
});

describe("a log's rounds", () => {
  const recorded = { streams: new Set(['11']), roundSize: 64, algorithms: new Set(['sft', 'grpo']) };

  it('may be continued with the settings that they were published with', () => {
    expect(() => assertRounds('data', begun.settings, recorded)).not.toThrow();
    const none = { streams: new Set<string>(), roundSize: 0, algorithms: new Set<string>() };
    expect(() => assertRounds('data', { ...begun.settings, seed: 3 }, none)).not.toThrow();
  });

  it.each([
    [{ seed: 7 }, 'its log holds rounds of --method experiences --seed 11, got --method experiences --seed 7'],
    [{ roundSize: 32 }, 'its log holds rounds of --round-size 64, got --round-size 32'],
    [{ algorithm: 'grpo' }, 'its log holds runs of sft, got --algorithm grpo'],
    [{ problems }, 'its log holds rounds of --method experiences --seed 11, got --problems'],
  ])('refuse %j though no file says what the folder was begun with', (other, message) => {
    expect(() => assertRounds('data', { ...begun.settings, ...other }, recorded)).toThrow(message);
  });

  it.each([
    [
      'attributes',
      1,
      ['11'],
      'its log holds rounds of --method experiences --seed 11, got --method attributes --seed 1',
    ],
    ['attributes', 1, ['attributes/3'], 'its log holds rounds of --method attributes --seed 3'],
    ['library', 1, ['self-edits/1'], 'its log holds rounds of --method self-edits'],
    ['attributes', 3, ['attributes/3'], null],
    ['experiences', 1, ['11'], null],
    ['library', 1, ['library/2'], null],
    ['attributes', 1, [`file/${'a'.repeat(64)}/1`], null],
    ['attributes', 1, [], null],
  ] as const)(
    'are served by models that know their world: --method %s --seed %s on %j',
    (method, seed, streams, message) => {
      const host = (): void => assertHosted('data', { ...begun.settings, method, seed }, new Set<string>(streams));
      if (message === null) expect(host).not.toThrow();
      else expect(host).toThrow(message);
    },
  );

  it('of a file belong to that file and seed', () => {
    const own = { ...begun.settings, problems };
    const streams = new Set([streamOf(own)]);
    expect(() => assertRounds('data', own, { ...recorded, streams })).not.toThrow();
    expect(() => assertRounds('data', begun.settings, { ...recorded, streams })).toThrow('of a file with SHA-256 aaaa');
  });
});

describe('run.json', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-settings-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('holds what was written, for services too; without it nothing is known', async () => {
    expect(await readRunFile(folder)).toBeNull();
    expect(await settingsOfFolder(folder)).toBeUndefined();
    await writeRunFile(folder, begun);
    expect(await readRunFile(folder)).toEqual(begun);
    expect(await settingsOfFolder(folder)).toEqual({
      method: 'experiences',
      seed: 11,
      roundSize: 64,
      algorithm: 'curriculum',
    });
  });

  it('is not needed where services were only hosted: the world says of what it was made', async () => {
    await writeWorldFiles(folder, { method: 'familiar-attributes', seed: 7 });
    const hosted = { method: 'familiar-attributes', seed: 7, roundSize: 64, algorithm: 'curriculum' };
    expect(await settingsOfFolder(folder)).toEqual(hosted);
    // Earlier releases did not.
    await rm(worldFiles(folder).world);
    expect(await settingsOfFolder(folder)).toEqual({ ...hosted, method: 'experiences', seed: 1 });
    await writeFile(worldFiles(folder).world, '{"method":"dreams"}');
    await expect(settingsOfFolder(folder)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });

  it.each(['', '{', '{"format":2}', '[]', '{"settings":{"seed":"\\u001b[41m"}}'])(
    'that holds %j is refused by name, in a line that can be read',
    async (text) => {
      await writeFile(join(folder, 'run.json'), text);
      await expect(readRunFile(folder)).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringMatching(/^Cannot read [^\n]*run\.json: expected [^\n{]*(at format)?[^\n]*$/),
      });
      await expect(readRunFile(folder)).rejects.not.toThrow(/"code":|\u001b/);
    },
  );

  it('of a release that kept no test file is read', async () => {
    await writeFile(join(folder, 'run.json'), JSON.stringify({ ...begun, test: undefined }));
    expect(await readRunFile(folder)).toEqual({ ...begun, test: null });
  });
});
