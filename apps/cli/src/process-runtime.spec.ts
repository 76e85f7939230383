import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldFiles, writeWorldFiles } from '@seamstream/standalone';
import type { CommandRuntime } from './command-runtime.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { processShell } from './process-runtime.js';

describe('the process as a world', () => {
  const shell = processShell();
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'process-runtime-'));
    file = join(folder, 'data');
    await writeFile(file, 'mine');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function refusal(dataDir: string, act: (runtime: CommandRuntime) => Promise<unknown>): Promise<unknown> {
    try {
      await shell.withRuntime({ dataDir }, async (runtime) => {
        await act(runtime);
        return EXIT.ok;
      });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  it.each<[string, (file: string) => string, (runtime: CommandRuntime) => Promise<unknown>]>([
    ['to make a log in it', (path) => path, (runtime) => runtime.openLog('create')],
    ['to read its log', (path) => path, (runtime) => runtime.openLog('read')],
    ['to make a log below it', (path) => join(path, 'below'), (runtime) => runtime.openLog('create')],
    ['to read its objects', (path) => path, (runtime) => runtime.openObjects()],
  ])('takes a data folder that is a file for bad input: %s', async (_, dataDir, act) => {
    const error = await refusal(dataDir(file), act);
    expect(error).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(`got the file ${file}\\. Name another folder \\(SEAM_DATA_FOLDER, --data-dir\\)`),
    });
    expect(exitCodeOf(error)).toBe(2);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });

  it('names a malformed model folder with its setting', async () => {
    const modelFolder = join(folder, 'model');
    process.env.SEAM_GENERATOR_MODEL_FOLDER = modelFolder;
    try {
      for (const act of ['openModels', 'openBaseModel'] as const) {
        const error = await refusal(folder, (runtime) => runtime[act]());
        expect(error).toMatchObject({
          code: 'CHECKPOINT_INVALID',
          message: expect.stringContaining(
            `Correct SEAM_GENERATOR_MODEL_FOLDER, or the folder that it names: ${modelFolder}.`,
          ),
        });
        expect(exitCodeOf(error)).toBe(2);
      }
    } finally {
      delete process.env.SEAM_GENERATOR_MODEL_FOLDER;
    }
  });

  it('reads the settings of a folder whose services were hosted without rounds', async () => {
    const modelOf = async (): Promise<string | undefined> => {
      let settings: Awaited<ReturnType<CommandRuntime['settings']>> = [];
      expect(await refusal(folder, async (runtime) => (settings = await runtime.settings()))).toBeUndefined();
      const found = settings.find(({ name }) => name === 'SEAM_GENERATOR_MODEL_FOLDER');
      return `${found?.source}: ${String(found?.value)}`;
    };
    expect(await modelOf()).toMatch(/^default: .*models\/generator-base$/);
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    expect(await modelOf()).toMatch(/^the data folder .*models\/attributes\/generator-base$/);
    await rm(worldFiles(folder).world);
    expect(await modelOf()).toMatch(/^the data folder .*models\/generator-base$/);
  });

  it('measures on problems of the world that the folder was begun in', async () => {
    const domainOf = async (): Promise<string | undefined> => {
      let domain: string | undefined;
      const read = async (runtime: CommandRuntime): Promise<unknown> =>
        (domain = (await runtime.worldProblems('held-out'))[0]?.domain);
      expect(await refusal(folder, read)).toBeUndefined();
      return domain;
    };
    expect(await domainOf()).toBe('timber');
    await writeWorldFiles(folder, { method: 'attributes', seed: 3 });
    expect(await domainOf()).toBe('lathe');
    expect(await refusal(folder, (runtime) => runtime.worldProblems('shifted'))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('judges by the model that the settings of the executor name', async () => {
    const problems = [{ verifier: { kind: 'judge', version: '1', options: { question: 'Where?' } } }];
    const judging = (runtime: CommandRuntime) =>
      runtime.openVerifiers().then((verifiers) => verifiers.assertCanJudge(problems));
    expect(await refusal(folder, judging)).toMatchObject({ code: 'INVALID_CONFIGURATION' });
    process.env.SEAM_EXECUTOR_JUDGE_URL = 'http://127.0.0.1:9/v1';
    process.env.SEAM_EXECUTOR_JUDGE_MODEL = 'judge';
    try {
      expect(await refusal(folder, judging)).toBeUndefined();
    } finally {
      delete process.env.SEAM_EXECUTOR_JUDGE_URL;
      delete process.env.SEAM_EXECUTOR_JUDGE_MODEL;
    }
  });

  it.each([
    ['read', '--from'],
    ['create', '--to'],
  ] as const)('takes a file for no log to copy (%s)', async (mode, option) => {
    const error = await refusal(join(folder, 'other'), (runtime) =>
      runtime.openLogAt({ driver: 'lmdb', folder: file }, mode),
    );
    expect(error).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(`got the file ${file}. Name another folder (${option})`),
    });
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});
