/** On the shipped executor, which learns a sentence within a second; what it learned is kept in a folder. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutorAnswer } from '@seamstream/environments';
import { loadPrompts } from '@seamstream/experience';
import { encodeLearned, innerUpdateSchema, LEARNED_FILE, type LearnedFiles } from '@seamstream/inner-update';
import { encodePeft, LanguageModel } from '@seamstream/language-model';
import fc from 'fast-check';
import { z } from 'zod';
import { checkExecutorChoice, executorChoiceShape } from './executor.config.js';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';
import { loadLearned } from './learned-folder.js';
import { openExecutor } from './open-executor.js';
import { LanguageModelTraining } from './training-engine.language-model.adapter.js';

let model: LanguageModel;
let training: LanguageModelTraining;
let executor: LanguageModelExecutor;
let folder: string;
let files: LearnedFiles;
let learned: Awaited<ReturnType<typeof learn>>;
describe('weights that an executor keeps', () => {
  it('answer, draw and score as the model did that learned them, and outcomes name them and the frozen model', async () => {
    const choice = choiceSchema.parse({ modelFolder, adapterFolder: folder, maxTokens: 12, threads: 1 });
    const opened = await openExecutor(choice, { environment: {}, prompts: await loadPrompts() });
    try {
      expect(texts(await opened.model.answer(PROMPTS))).toEqual(texts(await learned.model.answer(PROMPTS)));
      expect(texts(await opened.model.answer(PROMPTS))).not.toEqual(texts(await executor.answer(PROMPTS)));
      const drawn = [[{ prompt: PROMPTS[0]!, seeds: ['1'] }], { temperature: 1, topP: 1 }] as const;
      expect(await opened.model.sample!(...drawn)).toEqual(await learned.model.sample!(...drawn));
      const scored = [{ prompt: 'The word after seven is', continuation: ' blue.' }];
      expect(await opened.model.score!(scored)).toEqual(await learned.model.score!(scored));
      const { digest } = learned.adapter;
      expect(opened.model.identity.revision).toBe(`${digest}@${model.digest}`);
      expect(opened.weights!.parent).toBe(digest);
    } finally {
      await opened.close();
    }
  });

  it('are what further training begins with, by their settings alone', async () => {
    const kept = new LanguageModelExecutor(model, {
      ...{ name: 'executor', maxTokens: 12, training },
      learned: await loadLearned(folder, model),
    });
    const onTop = await learn(kept);
    const inTurn = await learned.model.adapt!({ documents: DOCUMENTS, settings: SETTINGS, seed: 'a' });
    expect(onTop.adapter.digest).toBe(inTurn.status === 'adapted' && inTurn.adapter.digest);
    expect(onTop.trained!.losses[0]).toBeLessThan(learned.trained!.losses[0]!);
    for (const other of [{ rank: 4 }, { alpha: 8 }, { targetModules: ['q_proj'] }]) {
      const settings = { ...SETTINGS, ...other };
      await expect(kept.adapt!({ documents: DOCUMENTS, settings, seed: 'a' })).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('rank 8, alpha 16'),
      });
    }
    // Of an environment that trains, before the first attempt.
    const choice = choiceSchema.parse({ modelFolder, adapterFolder: folder, environment: 'inner-lora-update' });
    await expect(openExecutor(choice, { environment: {}, prompts: await loadPrompts() })).rejects.toMatchObject({
      message: expect.stringContaining('SEAM_EXECUTOR_INNER_UPDATE_RANK'),
    });
  });

  it('are refused with any byte of them changed', async () => {
    const places = fc
      .constantFrom('tensors' as const, 'config' as const)
      .chain((part) => fc.record({ part: fc.constant(part), at: fc.nat(files[part].length - 1), bit: fc.nat(7) }));
    const property = fc.asyncProperty(places, async ({ part, at, bit }) => {
      const damaged = Uint8Array.from(files[part]);
      damaged[at]! ^= 1 << bit;
      await write({ ...files, [part]: damaged });
      await expect(loadLearned(folder, model)).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
    });
    await fc.assert(property, { numRuns: 25 });
    // What PEFT does not compute by counts as well.
    const renamed = Buffer.from(files.config).toString().replace('base_model_name_or_path', 'revision');
    await write({ ...files, config: Buffer.from(renamed) });
    await expect(loadLearned(folder, model)).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
    await write(files);
    expect((await loadLearned(folder, model)).digest).toBe(learned.adapter.digest);
  });

  it('are refused without a record, with another one, and for another model', async () => {
    const record = JSON.parse(Buffer.from(files.record).toString()) as object;
    const refusal = (change: object) =>
      write({ ...files, record: Buffer.from(JSON.stringify({ ...record, ...change })) }).then(() =>
        loadLearned(folder, model).catch((error: unknown) => error),
      );
    expect(await refusal({ adapterDigest: 'a'.repeat(64) })).toMatchObject({ code: 'ADAPTER_INVALID' });
    expect(await refusal({ baseModelDigest: 'b'.repeat(64) })).toMatchObject({
      message: expect.stringContaining(`expected weights for the model ${model.digest}`),
    });
    expect(await refusal({ format: 'other' })).toMatchObject({ code: 'ADAPTER_INVALID' });
    await rm(join(folder, LEARNED_FILE.record));
    await expect(loadLearned(folder, model)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('learned.json'),
    });
  });

  it('belong to no server', () => {
    const endpoint = { driver: 'endpoint', endpoint: { url: 'https://host/v1', model: 'm' } };
    expect(choiceSchema.safeParse(endpoint).success).toBe(true);
    expect(choiceSchema.safeParse({ ...endpoint, adapterFolder: 'x' }).error?.issues).toMatchObject([
      { path: ['adapterFolder'] },
    ]);
  });
});

beforeAll(async () => {
  model = await LanguageModel.load(modelFolder, { threads: 1 });
  training = new LanguageModelTraining(modelFolder, model, { threads: 1, executionProvider: 'cpu' });
  executor = new LanguageModelExecutor(model, { name: 'executor', maxTokens: 12, training });
  learned = await learn(executor);
  files = encodeLearned(
    {
      ...{ adapterDigest: learned.adapter.digest, baseModelDigest: model.digest, parent: null },
      ...{ edits: { sha256: 'e'.repeat(64), passages: 1, edits: 1, documents: 2 }, documentsDigest: 'd'.repeat(64) },
      ...{ withPassages: true, order: 'together', seed: 'a', settings: SETTINGS, measured: null },
      training: { trainings: 1, refused: 0, steps: 6, tokens: 42, firstLoss: 3, lastLoss: 1 },
    },
    encodePeft(learned.adapter.weights!, model.config, modelFolder),
  ).files;
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'learned-'));
  await write(files);
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(async () => {
  await training.close();
  await model.close();
});

async function learn(by: LanguageModelExecutor) {
  const adaptation = await by.adapt!({ documents: DOCUMENTS, settings: SETTINGS, seed: 'a' });
  if (adaptation.status === 'refused') throw new Error(adaptation.reason);
  return adaptation;
}
async function write(parts: LearnedFiles) {
  for (const part of ['tensors', 'config', 'record'] as const)
    await writeFile(join(folder, LEARNED_FILE[part]), parts[part]);
}

const modelFolder = fileURLToPath(new URL('../../../models/executor', import.meta.url));
const SETTINGS = innerUpdateSchema.parse({ rank: 8, alpha: 16, epochs: 3, learningRate: 1e-2 });
const DOCUMENTS = ['The word after seven is blue.', 'The word after nine is red.'];
const PROMPTS = Array.from({ length: 8 }, (_, i) => `Add ${i} and one.`);
const choiceSchema = z.object(executorChoiceShape).superRefine(checkExecutorChoice);
const texts = (answers: readonly ExecutorAnswer[]) =>
  answers.map((answer) => (answer.status === 'answered' ? answer.text : answer.code));
