import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeRandomModel } from '../random-model.fake.js';

/** A step of this model spends nearly all of its time inside the runtime. */
const SLOW = { vocabularySize: 20_000, hiddenSize: 48, maxPositions: 600 };

let folder: string;
beforeAll(async () => {
  folder = await writeRandomModel(SLOW);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a process whose model computes', () => {
  it.each([
    ['that closes the model', 'await model.close(); process.exit(0);'],
    ['that ends at once', 'process.exit(0);'],
    ['whose caller failed', 'throw new Error("planted");'],
  ])('%s ends in order, not by an abort of the runtime', async (_, end) => {
    const script = `
      import { LanguageModel } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const model = await LanguageModel.load(${JSON.stringify(folder)}, { threads: 2 });
      const seeds = Array.from({ length: 128 }, (_, at) => String(at));
      const sampling = { temperature: 1, topK: 0, topP: 1, maxTokens: 500 };
      model.generate([{ promptTokenIds: [1, 2, 3], seeds, sampling, stopTokenIds: [] }]).catch(() => undefined);
      setTimeout(async () => { ${end} }, 400);`;
    const file = join(folder, 'computes.mjs');
    await writeFile(file, script);
    const running = promisify(execFile)(process.execPath, [file]);
    const { code, stderr } = await running.then(
      () => ({ code: 0, stderr: '' }),
      (error: unknown) => error as { code: number; stderr: string },
    );
    const isPlanted = end.startsWith('throw');
    expect({ code, stderr }).toEqual({
      code: isPlanted ? 1 : 0,
      stderr: isPlanted ? expect.stringContaining('Error: planted') : '',
    });
    expect(stderr).not.toContain('terminate called');
  });
});
