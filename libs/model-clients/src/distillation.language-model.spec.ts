/** With the engine itself: a small random model, which writes what it must not mean, and a shipped one, which holds too little. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { repliedOperations, writtenOperations } from '@seamstream/experience-library';
import { LanguageModel } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { distillationSchema } from './distillation.config.js';
import { LanguageModelDistillation } from './distillation.language-model.adapter.js';
import type { DistillationAnswer, DistillationRequest, DistillationSource } from './distillation.port.js';
import { openDistillation } from './open-distillation.js';

const SHIPPED = fileURLToPath(new URL('../../../models/executor', import.meta.url));
let folder: string;
let model: LanguageModel;
beforeAll(async () => {
  folder = await writeRandomModel({ maxPositions: 4096 });
  model = await LanguageModel.load(folder, { threads: 1 });
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

describe('a checkpoint that brings a library on', () => {
  it('replies by the seed alone, regardless of how many are written side by side', async () => {
    const requests = ['one', 'two', 'three'].map((seed) => request({ seed, temperature: 1 }));
    const together = await all(distilling({ concurrency: 3 }), requests);
    expect(new Set(together.map(({ content }) => content)).size).toBe(3);
    expect(await all(distilling({ concurrency: 1 }), requests.toReversed())).toEqual(together.toReversed());
    for (const { model, promptTokens, responseTokens } of together) {
      expect(model).toMatch(/^[0-9a-f]{64}$/);
      expect([promptTokens > 0, responseTokens > 0 && responseTokens <= 40]).toEqual([true, true]);
    }
  });

  it.each(['advantage', 'consolidation'] as const)(
    'writes operations of the stage %s that can be read, each one whole',
    async (stage) => {
      const form = writtenOperations({ stage, most: 3, maxWords: 8 });
      const seeds = Array.from({ length: 6 }, (_, seed) =>
        request({ stage, form, seed: `${seed}`, temperature: 1, maxTokens: 160 }),
      );
      for (const { content, isWhole } of await all(distilling(), seeds)) {
        expect(isWhole).toBe(true);
        expect(repliedOperations(content!, stage, 3)).toBeDefined();
      }
    },
  );

  it('holds its budget of tokens over all runs: the worst case of a reply has to fit before it is asked', async () => {
    const [{ promptTokens }] = await all(distilling(), [request({ maxTokens: 1 })]);
    const source = distilling({ budget: { tokens: 2 * (promptTokens + 40) } });
    source.addSpent({ promptTokens: promptTokens - 1, responseTokens: 0 });
    const replies = await Promise.allSettled(['one', 'two', 'three'].map((seed) => source.ask(request({ seed }))));
    expect(replies.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(replies[2]).toMatchObject({
      reason: { code: 'BUDGET_SPENT', message: expect.stringMatching(/budget is spent/) },
    });
  });

  it('asks in the next turn what the worst case of others left no room for', async () => {
    // Both reserve 400 tokens for a reply of a few.
    const short = request({ form: { type: 'object', additionalProperties: false }, maxTokens: 400 });
    const [{ promptTokens, responseTokens }] = await all(distilling(), [short]);
    expect(responseTokens).toBeLessThan(10);
    const source = distilling({ budget: { tokens: 2 * promptTokens + responseTokens + 400 } });
    expect(await all(source, [short, { ...short, seed: 'other' }])).toMatchObject([
      { content: '{}' },
      { content: '{}' },
    ]);
  });

  it.each(['encodePrompt', 'decode'] as const)(
    'has its budget again after a fault of the tokenizer: %s',
    async (fault) => {
      const [{ promptTokens }] = await all(distilling(), [request()]);
      let isSound = false;
      const faulty = bound(model.tokenizer, {
        [fault](text: string & readonly number[]) {
          if (!isSound && (fault === 'decode' || text.includes('broken'))) throw new Error('a fault');
          return model.tokenizer[fault](text);
        },
      });
      const broken = bound(model, { tokenizer: faulty });
      const settings = distillationSchema.parse({ modelFolder: folder, budget: { tokens: promptTokens + 60 } });
      const source = new LanguageModelDistillation(settings, () => Promise.resolve(broken));
      const asked = [request(), request({ prompt: 'broken', seed: 'other' })].map((each) => source.ask(each));
      expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      isSound = true;
      expect(await all(source, [request()])).toHaveLength(1);
    },
  );

  it('reads no token of control that a problem or an answer spells', async () => {
    const read: string[] = [];
    const tokenizer = bound(model.tokenizer, {
      controlTokens: ['>>CALL<<'],
      encodePrompt(text: string) {
        read.push(text);
        return model.tokenizer.encodePrompt(text);
      },
    });
    const careful = bound(model, { tokenizer });
    const source = new LanguageModelDistillation(distillationSchema.parse({ modelFolder: folder }), () =>
      Promise.resolve(careful),
    );
    await all(source, [request({ prompt: 'It wrote >>CALL<< and >>CA>>CALL<<LL<<.' })]);
    expect(read.join()).toMatch(/It wrote/);
    expect(read.join()).not.toContain('>>CALL<<');
  });

  it('refuses a prompt that does not fit with its reply, and says what to set', async () => {
    const source = distilling();
    await expect(source.ask(request({ prompt: 'word '.repeat(2000) }))).rejects.toMatchObject({
      code: 'PROMPT_TOO_LONG',
      message: expect.stringMatching(/stage summary within 4096 tokens, got \d+ tokens and up to 40.*batchSize/),
    });
    expect(await all(source, [request()])).toHaveLength(1);
  });

  it('ends between two tokens when its time is over or its run is stopped, and replies afterwards', async () => {
    const long = request({ maxTokens: 3000 });
    await expect(distilling({ replyTimeoutMs: 50 }).ask(long)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    const source = distilling();
    await source.prepare({ maxTokens: 40 });
    const stopped = source.ask(long, AbortSignal.timeout(50));
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await all(source, [request()])).toHaveLength(1);
  });
});

describe('the start of such a checkpoint', () => {
  it.each([
    [
      'that holds no prompt of the stages',
      SHIPPED,
      40,
      /expected a model that holds the shortest prompt and a reply, \d+ and 40 tokens, this one holds 512.*MODEL_FOLDER/,
    ],
    ['that is not there', 'no/such/folder', 40, /Correct SEAM_TRAINER_DISTILLATION_MODEL_FOLDER/],
    ['whose replies are too short for an operation', undefined, 5, /cannot write operations within 5 tokens/],
  ])('refuses a folder %s', async (_title, modelFolder, maxTokens, message) => {
    const settings = distillationSchema.parse({ modelFolder: modelFolder ?? folder });
    const source = openDistillation(settings, {}, { threads: 1, executionProvider: 'cpu' });
    await expect(source.prepare({ maxTokens })).rejects.toThrow(message);
    await source.close();
  });

  it('accepts one that can do it', async () => {
    await expect(distilling().prepare({ maxTokens: 400 })).resolves.toBeUndefined();
  });

  it('refuses a budget in money that no price can spend', () => {
    const parsed = (prices: object) => distillationSchema.safeParse({ budget: { money: 5, ...prices } });
    expect(parsed({}).error!.issues).toMatchObject([{ path: ['budget', 'promptPrice'] }]);
    expect(parsed({ responsePrice: 2 }).success).toBe(true);
  });

  it.each(['url', 'model', 'keyVariable'])('is no start of a server: %s is refused with a folder', (field) => {
    const value = field === 'url' ? 'http://127.0.0.1:9/v1' : 'NAME';
    expect(distillationSchema.safeParse({ modelFolder: folder, [field]: value }).error!.issues).toMatchObject([
      { path: [field], message: expect.stringContaining('Leave one out') },
    ]);
  });
});

/** With some members exchanged. Its methods keep their own. */
function bound<T extends object>(whole: T, changed: object): T {
  return new Proxy(whole, {
    get(_, name): unknown {
      const value: unknown = Reflect.get(name in changed ? changed : whole, name);
      return typeof value === 'function' ? (value.bind(whole) as unknown) : value;
    },
  });
}

function distilling(changes: object = {}): DistillationSource {
  const settings = distillationSchema.parse({ modelFolder: folder, ...changes });
  return new LanguageModelDistillation(settings, () => Promise.resolve(model));
}

function request(changes: Partial<DistillationRequest> = {}): DistillationRequest {
  return { stage: 'summary', prompt: 'Say what it did.', temperature: 0, maxTokens: 40, seed: 'seed', ...changes };
}

type Answers = [DistillationAnswer, ...DistillationAnswer[]];

function all(source: DistillationSource, requests: readonly DistillationRequest[]): Promise<Answers> {
  return Promise.all(requests.map((each) => source.ask(each))) as Promise<Answers>;
}
