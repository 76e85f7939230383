import { loadPrompts, type Prompts, TOOL_CONFIGURATION } from '@seamstream/experience';
import { attemptsText, type Grid, promptText, readPrompt, type ToolConfiguration } from '@seamstream/grid-tasks';
import { innerUpdateSchema, type TrainingText } from '@seamstream/inner-update';
import { sha256 } from '@seamstream/kernel';
import { describeEnvironment } from './environment.contract.js';
import type { AttemptRequest } from './environment.port.js';
import { environmentKind } from './environments.js';
import { adaptedTo, FakeExecutor } from './executor-model.fake.js';
import type { AdaptationRequest, ExecutorAnswer, ExecutorModel } from './executor-model.port.js';
import { type FewShotSettings, fewShotSchema } from './few-shot.config.js';

const KIND = environmentKind('few-shot-lora-update');
const PAIRS = [
  { input: [[1, 2]], output: [[2, 1]] },
  { input: [[3, 4]], output: [[4, 3]] },
];
const INPUT: Grid = [[5, 6]];
const RIGHT: Grid = [[6, 5]];

function configured(families: string, training: Partial<ToolConfiguration['training']> = {}): string {
  return JSON.stringify({
    data_generation: Object.fromEntries(
      ['basic', 'size', 'chain', 'repeat'].map((name) => [`use_${name}_augmentations`, families.includes(name)]),
    ),
    training: { strategy: 'train_using_output_tokens', learning_rate: 0.001, num_train_epochs: 3, ...training },
  });
}

const colourOf = (question: string): Grid => [[Number(/\d/.exec(question)?.[0] ?? 9)]];

describeEnvironment('few-shot-lora-update', KIND, {
  entrySchemas: TOOL_CONFIGURATION,
  fewShot: fewShotSchema.parse({ orders: 1, maxExamples: 10, fixed: configured('repeat') }),
  promptOf: (question) => promptText([{ input: [[1]], output: [[2]] }, ...PAIRS], colourOf(question)),
  asks: (prompt, question) => prompt.endsWith(`\n\nInput:\n${String(colourOf(question))}\nOutput:\n`),
  rule: (prompt, seed) => `${Number.parseInt(sha256(`${prompt}/${seed}`).slice(0, 10), 16)}\n\n`,
  entries: [null, '', configured('size'), configured('')],
});

/** Frozen it repeats the input. Once trained it answers each view with the input reversed, which is right. */
class Trainable extends FakeExecutor {
  readonly trained: AdaptationRequest[] = [];

  constructor(
    private readonly after: (input: Grid, view: number) => string | ExecutorAnswer = mirrored,
    private readonly refusal: string | null = null,
  ) {
    super((prompt) => `${text(readPrompt(prompt)!.input)}\n\n`);
  }

  countTokens(asked: string): number {
    return asked.length;
  }

  adapt(request: AdaptationRequest): ReturnType<NonNullable<ExecutorModel['adapt']>> {
    this.trained.push(request);
    if (this.refusal !== null) return Promise.resolve({ status: 'refused', reason: this.refusal });
    let view = 0;
    const model = new FakeExecutor((prompt) => this.after(readPrompt(prompt)!.input, view++));
    return Promise.resolve(adaptedTo(model));
  }
}

const text = (grid: Grid): string => grid.map((row) => row.join('')).join('\n');
const reversed = (grid: Grid): Grid => (grid.length === 1 ? [grid[0]!.toReversed()] : grid.toReversed());
const mirrored = (input: Grid): string => `${text(reversed(input))}\n\nInput:\n`;

describe('a tool configuration', () => {
  let prompts: Prompts;
  beforeAll(async () => {
    prompts = await loadPrompts();
  });
  const open = (executor: ExecutorModel, fewShot: Partial<FewShotSettings> = {}) =>
    KIND.open(executor, prompts, {
      innerUpdate: innerUpdateSchema.parse({ rank: 4 }),
      fewShot: fewShotSchema.parse(fewShot),
      entrySchemas: TOOL_CONFIGURATION,
    });
  const attempt = async (
    executor: ExecutorModel,
    request: Partial<AttemptRequest> & { readonly prompt?: string },
    fewShot: Partial<FewShotSettings> = {},
  ) => {
    const { prompt = promptText(PAIRS, INPUT), ...rest } = request;
    const problem = { problemId: 'p', domain: 'd', prompt };
    return (await open(executor, fewShot).attempt([{ problem, entry: configured(''), seeds: ['1'], ...rest }]))[0]!;
  };

  it("trains on the task's own pairs as it says, and never on the test input", async () => {
    const executor = new Trainable();
    await attempt(executor, {});
    await attempt(executor, { entry: configured('size', { strategy: 'train_using_all_tokens' }) });
    const [plain, sized] = executor.trained;
    expect(plain!.settings).toMatchObject({ rank: 4, learningRate: 0.001, epochs: 3, batchSize: 2, maxSteps: 375 });
    for (const { documents } of executor.trained)
      for (const document of documents) expect(textOf(document)).not.toMatch(/56|65/);
    const answers = plain!.documents.map((document) => textOf(document).slice(lossFrom(document)));
    for (const answer of answers) expect(answer).toMatch(/^\d\d\n\n$/);
    expect(sized!.documents.every((document) => lossFrom(document) === 0)).toBe(true);
    expect(sized!.documents.length).toBeGreaterThan(plain!.documents.length);
  });

  it('answers by a vote over turned views, each turned back', async () => {
    expect(await attempt(new Trainable(), {})).toMatchObject([{ text: attemptsText([RIGHT]), finished: true }]);
    const first = new Trainable((input, view) => (view === 0 ? '9\n\n' : mirrored(input)));
    expect(await attempt(first, {})).toMatchObject([{ text: attemptsText([RIGHT, [[9]]]) }]);
    expect(await attempt(first, {}, { views: 'identity', orders: 1 })).toMatchObject([{ text: attemptsText([[[9]]]) }]);
  });

  it('has no vote of an answer that was cut off, or that is no grid', async () => {
    const cut = new Trainable((input) => ({
      ...{ status: 'answered', text: mirrored(input).slice(0, 1), finished: false, promptTokens: 1, responseTokens: 1 },
    }));
    const none = [{ status: 'answered', text: 'No attempt: no answer was a grid.' }];
    expect(await attempt(cut, {})).toMatchObject(none);
    expect(await attempt(new Trainable(() => 'words'), {})).toMatchObject(none);
  });

  it('is the fixed one where it is empty, and trains nothing where there is none', async () => {
    const executor = new Trainable();
    await attempt(executor, { entry: '' }, { fixed: configured('', { num_train_epochs: 7 }) });
    expect(executor.trained.map(({ settings }) => settings.epochs)).toEqual([7]);
    expect(await attempt(executor, { entry: null })).toMatchObject([{ text: attemptsText([INPUT]) }]);
    expect(executor.trained).toHaveLength(1);
  });

  it('trains once a seed, and every seed is another choice of examples', async () => {
    const executor = new Trainable();
    await attempt(executor, { seeds: ['1', '2', '1'], entry: configured('basic') });
    const [one, two, again] = executor.trained;
    expect(executor.trained.map(({ seed }) => seed)).toEqual(['1', '2', '1']);
    expect(again!.documents).toEqual(one!.documents);
    expect(two!.documents).not.toEqual(one!.documents);
  });

  it.each([
    [
      'too many steps',
      { entry: configured('basic size chain repeat', { num_train_epochs: 375 }) },
      /^No attempt: too-many-steps \(expected at most 375/,
    ],
    [
      'an unknown strategy',
      { entry: configured('').replace('output_tokens', 'no_tokens') },
      /^No attempt: unknown-strategy/,
    ],
    ['another entry', { entry: '{"edit":"x"}' }, /^No attempt: invalid-configuration/],
    ['a task with one pair', { prompt: promptText(PAIRS.slice(1), INPUT) }, /^No attempt: no-example/],
  ])('that fails by %s has answered nothing, and is no failure of the machine', async (_, request, said) => {
    const executor = new Trainable();
    expect(await attempt(executor, request)).toMatchObject([
      { status: 'answered', text: expect.stringMatching(said), finished: true },
    ]);
    expect(executor.trained).toHaveLength(0);
  });

  it('has answered nothing where none of its examples fits into the model', async () => {
    expect(await attempt(new Trainable(mirrored, 'no document'), {})).toMatchObject([
      { status: 'answered', text: 'No attempt: no-example (no document).' },
    ]);
  });

  it('is not tried on a problem that is no task on grids', async () => {
    expect(await attempt(new Trainable(), { prompt: 'How many?' })).toMatchObject([
      { status: 'failed', code: 'INVALID_INPUT', reason: expect.stringMatching(/expected pairs of grids/) },
    ]);
  });

  it.each<[string, string | undefined, ExecutorModel, RegExp]>([
    [
      'other entries',
      undefined,
      new Trainable(),
      /got the general ones\. Set SEAM_ENTRY_SCHEMAS to tool-configuration/,
    ],
    [
      'an executor that chats',
      TOOL_CONFIGURATION,
      Object.assign(new Trainable(), { chats: true }),
      /Set SEAM_EXECUTOR_CHAT_TEMPLATE to none/,
    ],
    ['an executor at an endpoint', TOOL_CONFIGURATION, new FakeExecutor(() => ''), /Set SEAM_EXECUTOR_DRIVER/],
  ])('is refused at the start with %s', (_, entrySchemas, executor, message) => {
    const innerUpdate = innerUpdateSchema.parse({});
    expect(() => KIND.open(executor, prompts, { innerUpdate, entrySchemas })).toThrow(message);
  });

  it('is tried in an environment that all settings name', () => {
    const identities = [{}, { orders: 3 }, { views: 'identity' as const }, { fixed: configured('') }].map(
      (fewShot) => open(new Trainable(), fewShot).identity.template,
    );
    expect(new Set(identities).size).toBe(4);
    expect(identities[0]).toBe(open(new Trainable()).identity.template);
  });

  it('has settings that are refused where they cannot be', () => {
    expect(() => fewShotSchema.parse({ fixed: '{}' })).toThrow(/expected a tool configuration/);
    expect(() => fewShotSchema.parse({ orders: 0 })).toThrow();
    expect(() => fewShotSchema.parse({ order: 2 })).toThrow();
  });
});

const textOf = (document: TrainingText): string => (typeof document === 'string' ? document : document.text);
const lossFrom = (document: TrainingText): number => (typeof document === 'string' ? 0 : document.lossFrom);
