import { editEntry, loadPrompts, type Prompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { passagePrompt } from '@seamstream/tasks';
import { describeEnvironment } from './environment.contract.js';
import type { AttemptRequest } from './environment.port.js';
import { environmentKind } from './environments.js';
import { adaptedTo, FakeExecutor } from './executor-model.fake.js';
import type { AdaptationRequest, ExecutorModel } from './executor-model.port.js';
import { repeatedAnswers } from './repeated-answers.js';

const KIND = environmentKind('inner-lora-update');
const promptOf = (...questions: string[]): string =>
  passagePrompt({
    kind: 'passage',
    title: 'Ada',
    passage: 'Ada was born in 1815. She wrote a program.',
    questions: questions.map((question) => ({ question, reference: null, alternatives: [] })),
  });
const EDIT = editEntry('Ada wrote the first program.\nShe was born in 1815.');

describeEnvironment('inner-lora-update', KIND, {
  entrySchemas: 'self-edit/implications',
  promptOf,
  entries: [null, '', EDIT, editEntry('Ada lived.')],
});

/** Knows what it was trained on: repeats the documents that share a word with a question. */
class Trainable extends FakeExecutor {
  readonly trained: AdaptationRequest[] = [];

  constructor(private readonly refusal: string | null = null) {
    super((prompt) => `Answer: frozen, asked ${prompt.length > 0}`);
  }

  countTokens(text: string): number {
    return text.length;
  }

  adapt(request: AdaptationRequest): ReturnType<NonNullable<ExecutorModel['adapt']>> {
    this.trained.push(request);
    if (this.refusal !== null) return Promise.resolve({ status: 'refused', reason: this.refusal });
    const model = new FakeExecutor((prompt) => {
      this.prompts.push(prompt);
      return `Answer: ${request.documents.length}\nmore text`;
    });
    return Promise.resolve(adaptedTo(model));
  }
}

describe('a self-edit', () => {
  let prompts: Prompts;
  beforeAll(async () => {
    prompts = await loadPrompts();
  });
  type Tried = Partial<AttemptRequest> & { readonly prompt?: string; readonly editFilters?: 'on' };
  const attempt = async (executor: ExecutorModel, request: Tried) => {
    const { prompt = promptOf('When was Ada born?', 'What did she write?'), editFilters, ...rest } = request;
    const environment = KIND.open(executor, prompts, {
      innerUpdate: innerUpdateSchema.parse({ rank: 4 }),
      ...{ entrySchemas: 'self-edit/implications', editFilters },
    });
    const problem = { problemId: 'p', domain: 'd', prompt };
    return (await environment.attempt([{ problem, entry: EDIT, seeds: ['1'], ...rest }]))[0]!;
  };

  it('is trained on with the passage as the last document; an empty one is the passage alone', async () => {
    const executor = new Trainable();
    await attempt(executor, {});
    await attempt(executor, { entry: '' });
    const passage = 'Ada\nAda was born in 1815. She wrote a program.';
    expect(executor.trained.map(({ documents }) => documents)).toEqual([
      ['Ada\nAda wrote the first program.', 'Ada\nShe was born in 1815.', passage],
      [passage],
    ]);
    expect(executor.trained[0]!.settings.rank).toBe(4);
  });

  it('answers each question without the passage, on a line of its number', async () => {
    const executor = new Trainable();
    const [answer] = await attempt(executor, {});
    expect(answer).toMatchObject({ status: 'answered', text: '1: 3\n2: 3' });
    expect(executor.prompts).toHaveLength(2);
    expect(executor.prompts.join()).not.toContain('wrote a program');
    expect(executor.prompts[0]).toContain('When was Ada born?');
    expect(executor.prompts[0]).not.toContain('What did she write?');
  });

  it('trains once a seed, and not at all without an entry', async () => {
    const executor = new Trainable();
    await attempt(executor, { seeds: ['1', '2', '3'] });
    expect(executor.trained.map(({ seed }) => seed)).toEqual(['1', '2', '3']);
    await attempt(executor, { entry: null });
    expect(executor.trained).toHaveLength(3);
  });

  it('has greedy answers of several trainings at temperature 0; where nothing is trained they would be equal, and are refused', async () => {
    const executor = new Trainable();
    const settings = { rollouts: 3, temperature: 0, topP: 1 };
    // A trained model that draws no answers.
    const adapt = executor.adapt.bind(executor);
    executor.adapt = async (request) => {
      const trained = await adapt(request);
      return trained.status === 'refused'
        ? trained
        : adaptedTo({ answer: (...asked) => trained.model.answer(...asked) });
    };
    const choice = { innerUpdate: innerUpdateSchema.parse({ rank: 4 }), entrySchemas: 'self-edit/implications' };
    const environment = repeatedAnswers(KIND.open(executor, prompts, choice), settings);
    const problem = { problemId: 'p', domain: 'd', prompt: promptOf('When was Ada born?') };
    const [answers] = await environment.attempt([{ problem, entry: EDIT, seeds: ['1'] }]);
    expect(answers).toMatchObject(Array(3).fill({ status: 'answered', text: '1: 3' }));
    expect(new Set(executor.trained.map(({ seed }) => seed)).size).toBe(3);
    const prompted = environmentKind('prompt-injection').open(executor, prompts, choice);
    expect(() => repeatedAnswers(prompted, settings)).toThrow(/whose answers would be equal\. Use one rollout/);
  });

  it('that makes a training impossible has answered nothing, and is no failure of the machine', async () => {
    const refused = { reason: 'untrainable', detail: 'too many steps' };
    expect(await attempt(new Trainable('too many steps'), {})).toMatchObject([
      { status: 'answered', text: '', refused },
    ]);
  });

  it('that filters refuse is not trained on and says why, once for all seeds; a fit one and the passage alone are', async () => {
    const executor = new Trainable();
    const tried = { editFilters: 'on', seeds: ['1', '2'] } as const;
    const short = await attempt(executor, { ...tried, entry: editEntry('Ada lived.') });
    expect(short.map((answer) => answer.status === 'answered' && answer.refused)).toEqual([
      { reason: 'too_short', detail: 'tokens 10' },
      { reason: 'too_short', detail: 'tokens 10' },
    ]);
    const loop = await attempt(executor, { ...tried, entry: editEntry('Ada wrote the first. '.repeat(30)) });
    expect(loop[0]).toMatchObject({ text: '', refused: { reason: 'gibberish' } });
    expect(executor.trained).toEqual([]);
    for (const entry of [EDIT, '']) expect(await attempt(executor, { ...tried, entry })).toHaveLength(2);
    expect(executor.trained).toHaveLength(4);
    await attempt(executor, { entry: editEntry('Ada lived.') });
    expect(executor.trained).toHaveLength(5);
  });

  it.each([
    ['another entry', { entry: '{"memory_item":"x"}' }, 'ENTRY_INVALID', /same SEAM_ENTRY_SCHEMAS/],
    ['a problem without a passage', { prompt: 'How many?' }, 'INVALID_INPUT', /expected a passage with questions/],
  ])('is not tried with %s', async (_, request, code, reason) => {
    expect(await attempt(new Trainable(), request)).toEqual([
      { status: 'failed', code, reason: expect.stringMatching(reason), retryable: false },
    ]);
  });

  it.each<[string, string | undefined, ExecutorModel, RegExp]>([
    ['other entries', undefined, new Trainable(), /expected entries that are self-edits, got the general ones/],
    ['other named entries', 'memory-item', new Trainable(), /got memory-item\. Set SEAM_ENTRY_SCHEMAS/],
    ['an executor at an endpoint', 'self-edit/facts', new FakeExecutor(() => ''), /Set SEAM_EXECUTOR_DRIVER/],
  ])('is refused at the start with %s', (_, entrySchemas, executor, message) => {
    const open = () => KIND.open(executor, prompts, { innerUpdate: innerUpdateSchema.parse({}), entrySchemas });
    expect(open).toThrow(message);
  });

  it('is tried in an environment that kind, settings and templates name', () => {
    const identityOf = (entrySchemas: string, rank: number, editFilters?: 'on' | 'off') => {
      const innerUpdate = innerUpdateSchema.parse({ rank });
      return KIND.open(new Trainable(), prompts, { innerUpdate, entrySchemas, editFilters }).identity.template;
    };
    const told = [
      identityOf('self-edit/facts', 4),
      identityOf('self-edit/facts', 8),
      identityOf('self-edit/rewrite', 4),
      identityOf('self-edit/facts', 4, 'on'),
    ];
    expect(new Set(told).size).toBe(4);
    expect(identityOf('self-edit/facts', 4, 'off')).toBe(told[0]);
  });
});
