import type { Problem } from '@seamstream/events';
import { experienceIdOf, groupIdOf } from '@seamstream/events';
import {
  domainEntrySchema,
  isFaithful,
  loadPrompts,
  type Prompts,
  parseEntry,
  schemaDigest,
} from '@seamstream/experience';
import type { LanguageModel } from '@seamstream/language-model';
import type { EvaluationSettings } from './arm-entries.js';
import { evaluate, problemSetDigest } from './evaluate.js';
import { LanguageModelExecutor } from './executor.language-model.adapter.js';
import { candidateSeed, type ExplorationSettings, generateExperiences } from './explore.js';
import { FakeExecutor, FakeGenerator, fakeTokenizer } from './models.fake.js';
import type { ExecutorResponse, GeneratorModel } from './models.port.js';
import { executorIdentity, judge, solveProblems } from './solve.js';

/** The engine's class is a generator as it is: a compile-time claim. */
const asGenerator = (model: LanguageModel): GeneratorModel => model;

const SCHEMAS = {
  wood: domainEntrySchema({
    concepts: { words: ['oak', 'ash', 'yew'] },
    strategy: { words: ['add', 'subtract'] },
    pitfalls: { words: ['none'] },
  }),
  herbs: domainEntrySchema({
    concepts: { words: ['mint', 'sage'] },
    strategy: { words: ['once', 'twice'] },
    pitfalls: { words: ['none'] },
  }),
};
/** The same, and concepts are quotes. */
const QUOTING = {
  wood: domainEntrySchema({
    concepts: { words: ['oak', 'ash', 'yew'], quotesBetween: ['', ''] },
    strategy: { words: ['add', 'subtract'] },
    pitfalls: { words: ['none'] },
  }),
  herbs: SCHEMAS.herbs,
};
const entryOf = (concept: string, strategy: string): string =>
  JSON.stringify({ concepts: [concept], strategy: [strategy], pitfalls: ['none'] });
const schemaFor = (domain: string) => SCHEMAS[domain as keyof typeof SCHEMAS];

/** Problems whose statement names the concept; the executor needs to be told it. */
const PROBLEMS: readonly Problem[] = Array.from({ length: 24 }, (_, i) => {
  const domain = i % 3 === 0 ? 'herbs' : 'wood';
  const concept = domain === 'wood' ? ['oak', 'ash', 'yew'][i % 3]! : ['mint', 'sage'][(i / 3) % 2]!;
  return {
    problemId: `p${i}`,
    domain,
    prompt: `Number ${i} asks for ${concept}.`,
    reference: `SECRET${i}`,
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: {},
  };
});
const conceptOf = (text: string): string => /asks for (\w+)/.exec(text)![1]!;
const rightEntry = (text: string): string =>
  entryOf(conceptOf(text), ['mint', 'sage'].includes(conceptOf(text)) ? 'once' : 'add');

/** Right when the entry names the concept that the statement asks for; number 0 is solved without any, unless misled. */
const rule = (prompt: string): string => {
  const number = /Number (\d+)/.exec(prompt)![1]!;
  const entry = /Experience:\n(.*)\nSolution:/.exec(prompt)?.[1];
  const told = entry?.includes(`"${conceptOf(prompt)}"`) ?? false;
  const unaided = number === '0' && (entry === undefined || entry === '');
  return told || unaided ? `so\nAnswer: SECRET${number}` : 'Answer: unknown';
};

const tokenizer = fakeTokenizer([
  ...PROBLEMS.map(({ prompt }) => rightEntry(prompt)),
  ...PROBLEMS.map(({ prompt }) => prompt),
]);
let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});

const sampling = { temperature: 1, topK: 0, topP: 1, maxTokens: 64 };
const exploration = (model: GeneratorModel, changes: Partial<ExplorationSettings> = {}): ExplorationSettings => ({
  model,
  adapter: null,
  prompts,
  groupSize: 4,
  sampling,
  schemaFor,
  ...changes,
});
const requestsOf = (problems: readonly Problem[]) =>
  problems.map((problem) => ({ eventId: `event-${problem.problemId}`, problem }));

describe('exploring a problem', () => {
  it('gives a group of valid entries with everything that a trainer needs, ids and seeds derived from the event', async () => {
    const model = new FakeGenerator(tokenizer);
    const [group] = await generateExperiences(requestsOf(PROBLEMS.slice(0, 1)), exploration(model));
    if (group?.status !== 'explored') throw new Error('not explored');
    expect(group.groupId).toBe(groupIdOf('event-p0'));
    expect(group.candidates.map(({ experienceId }) => experienceId)).toEqual(
      [0, 1, 2, 3].map((i) => experienceIdOf('event-p0', i)),
    );
    for (const [i, candidate] of group.candidates.entries()) {
      expect(parseEntry(candidate.entry, SCHEMAS.herbs).text).toBe(candidate.entry);
      expect(tokenizer.decode(candidate.tokenIds)).toBe(candidate.entry);
      expect(tokenizer.decode(candidate.promptTokenIds)).toBe('Number 0 asks for mint.\nExperience:\n');
      expect(candidate).toMatchObject({
        candidateIndex: i,
        entrySchema: schemaDigest(SCHEMAS.herbs),
        sampling: { ...sampling, seed: candidateSeed('event-p0', i) },
        adapterDigest: null,
        baseModelDigest: model.digest,
        tokenizerDigest: tokenizer.digest,
      });
      for (const values of [candidate.logProbs, candidate.legalMass, candidate.forced])
        expect(values).toHaveLength(candidate.tokenIds.length);
    }
    expect(new Set(group.candidates.map(({ entry }) => entry)).size).toBeGreaterThan(1);
  });

  it('quotes nothing but what its problem says, and names the schema that says what is a quote', async () => {
    const wood = PROBLEMS.filter(({ domain }) => domain === 'wood');
    const schemas = (domain: string) => QUOTING[domain as keyof typeof QUOTING];
    const quoted = async (schemaOf: typeof schemas): Promise<boolean[]> => {
      const groups = await generateExperiences(
        requestsOf(wood),
        exploration(new FakeGenerator(tokenizer), { schemaFor: schemaOf }),
      );
      return groups.flatMap((group) => {
        if (group.status === 'failed') throw new Error(group.reason);
        return group.candidates.map(({ entry, entrySchema }) => {
          expect(entrySchema).toBe(schemaDigest(schemaOf('wood')));
          return isFaithful(entry, QUOTING.wood, group.problem.prompt)!;
        });
      });
    };
    expect(await quoted(schemas)).not.toContain(false);
    // The same model without the rule: a third of its words are right.
    expect((await quoted(schemaFor)).filter(Boolean).length).toBeLessThan(wood.length * 3);
  });

  it('gives a problem the same group whatever it is asked together with', async () => {
    const all = await generateExperiences(requestsOf(PROBLEMS), exploration(new FakeGenerator(tokenizer)));
    const backwards = await generateExperiences(
      requestsOf([...PROBLEMS].reverse()),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(backwards.reverse()).toEqual(all);
    const [alone] = await generateExperiences(
      requestsOf(PROBLEMS.slice(7, 8)),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(alone).toEqual(all[7]);
  });

  it('measures the adapter it used', async () => {
    const model = new FakeGenerator(tokenizer);
    const adapter = model.teach('all', rightEntry);
    const [group] = await generateExperiences(
      requestsOf(PROBLEMS.slice(1, 2)),
      exploration(model, { adapter, groupSize: 1 }),
    );
    expect(group).toMatchObject({ candidates: [{ adapterDigest: adapter.digest, entry: entryOf('ash', 'add') }] });
  });

  it('lets a problem that does not fit fail alone', async () => {
    const long = { ...PROBLEMS[0]!, prompt: 'a b '.repeat(400) };
    const [failed, explored] = await generateExperiences(
      requestsOf([long, PROBLEMS[1]!]),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(failed).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG' });
    expect(explored).toMatchObject({ status: 'explored', problem: { problemId: 'p1' } });
  });
});

describe('solving and judging', () => {
  it('asks with the entry in its slot, with an empty slot or without one', async () => {
    const executor = new FakeExecutor(rule);
    const problem = PROBLEMS[1]!;
    await solveProblems(
      [entryOf('ash', 'add'), '', null].map((entry) => ({ problem, entry })),
      executor,
      prompts,
    );
    expect(executor.prompts).toEqual([
      `${problem.prompt}\nExperience:\n${entryOf('ash', 'add')}\nSolution:`,
      `${problem.prompt}\nExperience:\n\nSolution:`,
      `${problem.prompt}\nSolution:`,
    ]);
  });

  it('judges the part of a response that the template asked to hold the answer', async () => {
    const executor = new FakeExecutor(() => 'Answer: secret1? No.\n<answer>secret2</answer> or Answer: secret3');
    const verdicts = await Promise.all(
      ['plain', 'qwen', 'deepseek'].map(async (template) => {
        const own = await loadPrompts({ template });
        const [answer] = await solveProblems([{ problem: PROBLEMS[2]!, entry: null }], executor, own);
        return judge(PROBLEMS[2]!, answer as ExecutorResponse);
      }),
    );
    expect(verdicts.map(({ extractedAnswer }) => extractedAnswer)).toEqual(['secret3', 'secret2', null]);
    expect(verdicts.map(({ success }) => success)).toEqual([false, true, false]);
  });

  it('rewards a right answer with 1, a wrong or unfinished one with 0', async () => {
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret2', finished: true })).toMatchObject({
      success: true,
      reward: 1,
      extractedAnswer: 'secret2',
    });
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret3', finished: true })).toMatchObject({
      success: false,
      reward: 0,
    });
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret2', finished: false })).toMatchObject({
      success: false,
      reward: 0,
      extractedAnswer: null,
    });
  });

  it('names the executor with its templates', () => {
    expect(executorIdentity(new FakeExecutor(rule), prompts)).toEqual({
      model: 'fake',
      revision: '1',
      decoding: '{}',
      template: prompts.executorTemplate,
    });
  });
});

describe('an evaluation', () => {
  const settingsOf = (changes: Partial<EvaluationSettings> = {}): EvaluationSettings => {
    const generator = new FakeGenerator(tokenizer);
    return {
      arms: ['noExperience', 'wrapperOnly', 'fixedHint', 'otherProblemsEntry', 'untrained', 'trained'],
      executor: new FakeExecutor(rule),
      generator,
      adapter: generator.teach('all', rightEntry),
      prompts,
      schemaFor,
      maxEntryTokens: 64,
      seed: 's',
      ...changes,
    };
  };

  it('measures every arm on the same problems, with rescued and broken against no experience', async () => {
    const { arms, rescued, broken, problems } = await evaluate(PROBLEMS, settingsOf());
    expect(problems).toBe(24);
    expect(arms.noExperience).toMatchObject({ successes: 1, problems: 24, success: 1 / 24 });
    expect(arms.wrapperOnly!.successes).toBe(1);
    expect(arms.fixedHint!.successes).toBe(0);
    expect(arms.trained).toMatchObject({
      successes: 24,
      success: 1,
      perDomain: { herbs: { problems: 8, successes: 8 }, wood: { problems: 16, success: 1 } },
    });
    expect(arms.untrained!.successes).toBeLessThan(24);
    expect(rescued).toBeCloseTo(23 / 24, 12);
    expect(broken).toBe(0);
    expect(arms.trained!.interval95[0]).toBeCloseTo(0.862, 3); // 24 of 24
  });

  it('counts how many of the adapter entries quote their problem truly, however right its answers are', async () => {
    const asQuotes = (domain: string) => (domain === 'wood' ? QUOTING.wood : SCHEMAS.herbs);
    expect((await evaluate(PROBLEMS, settingsOf({ schemaFor: asQuotes }))).faithful).toEqual({
      quoting: 16,
      faithful: 16,
    });
    const untrue = PROBLEMS.map((problem, i) =>
      i % 3 === 1 ? { ...problem, prompt: `Number ${i} asks for nothing.` } : problem,
    );
    const { faithful } = await evaluate(
      untrue,
      settingsOf({ schemaFor: asQuotes, executor: new FakeExecutor(() => '') }),
    );
    expect(faithful).toEqual({ quoting: 16, faithful: 8 });
    expect((await evaluate(PROBLEMS, settingsOf())).faithful).toBeNull();
    const { faithful: unasked } = await evaluate(PROBLEMS, settingsOf({ schemaFor: asQuotes, arms: ['untrained'] }));
    expect(unasked).toBeNull();
  });

  it('counts as broken what the executor solves alone and not with the entry', async () => {
    const generator = new FakeGenerator(tokenizer);
    const misled = generator.teach('wrong', (text) =>
      conceptOf(text) === 'mint' ? entryOf('sage', 'once') : rightEntry(text),
    );
    const { rescued, broken } = await evaluate(
      PROBLEMS,
      settingsOf({ generator, adapter: misled, arms: ['noExperience', 'trained'] }),
    );
    expect(broken).toBeCloseTo(1 / 24, 12);
    expect(rescued).toBeCloseTo(20 / 24, 12);
  });

  it('counts as neither what could not be judged without an entry, or with it', async () => {
    const executor = new FakeExecutor((prompt) => {
      const isAlone = !prompt.includes('"');
      const number = Number(/Number (\d+)/.exec(prompt)![1]!);
      const isFailing = isAlone ? number === 3 : number === 0;
      return isFailing ? { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'no', retryable: false } : rule(prompt);
    });
    const { arms, rescued, broken } = await evaluate(
      PROBLEMS,
      settingsOf({ executor, arms: ['noExperience', 'trained'] }),
    );
    // Number 0 is solved alone and cannot be asked with its entry; number 3 the other way round; the other 22 are rescued.
    expect([arms.noExperience!.successes, arms.trained!.successes]).toEqual([1, 23]);
    expect([rescued, broken]).toEqual([1, 0]);
  });

  it('says before anything is measured that one problem has nobody to exchange entries with', async () => {
    const executor = new FakeExecutor(rule);
    await expect(
      evaluate(PROBLEMS.slice(0, 1), settingsOf({ executor, arms: ['noExperience', 'otherProblemsEntry'] })),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('leave out otherProblemsEntry'),
    });
    expect(executor.prompts).toEqual([]);
  });

  it('exchanges entries within a domain unless told otherwise', async () => {
    for (const exchangeWithin of ['domain', 'all'] as const) {
      const executor = new FakeExecutor(rule);
      const generator = new FakeGenerator(tokenizer);
      const adapter = generator.teach('all', rightEntry);
      const { arms } = await evaluate(
        PROBLEMS,
        settingsOf({ executor, generator, adapter, exchangeWithin, arms: ['otherProblemsEntry'] }),
      );
      const crossed = executor.prompts.filter(
        (prompt) => /asks for (mint|sage)/.test(prompt) !== /"(mint|sage)"/.test(prompt),
      ).length;
      expect(crossed > 0).toBe(exchangeWithin === 'all');
      expect(arms.otherProblemsEntry!.successes).toBeLessThan(24);
    }
  });

  it('is repeatable, and independent of the batch size', async () => {
    const whole = await evaluate(PROBLEMS, settingsOf());
    expect(await evaluate(PROBLEMS, settingsOf({ batchSize: 5 }))).toEqual(whole);
  });

  it('never shows the reference to a model', async () => {
    const executor = new FakeExecutor(rule);
    const generator = new FakeGenerator(tokenizer);
    await evaluate(PROBLEMS, settingsOf({ executor, generator, adapter: generator.teach('all', rightEntry) }));
    const seen = [
      ...executor.prompts,
      ...generator.requests.map(({ promptTokenIds }) => tokenizer.decode(promptTokenIds)),
    ];
    expect(seen.length).toBeGreaterThan(24 * 7);
    for (const text of seen) expect(text).not.toContain('SECRET');
  });

  it('names its set by all that the problems say: one other answer, wording, judge or order is another set', () => {
    const digest = problemSetDigest(PROBLEMS);
    const changed = (change: Partial<Problem>) => PROBLEMS.map((each, i) => (i === 7 ? { ...each, ...change } : each));
    const others = [
      changed({ reference: 'SECRET' }),
      changed({ prompt: 'Number 7 asks for nothing.' }),
      changed({ domain: 'herbs' }),
      changed({ verifier: { kind: 'exact', version: '1', options: { caseSensitive: 'true' } } }),
      changed({ problemId: 'another' }),
      PROBLEMS.toReversed(),
      PROBLEMS.slice(1),
      [],
    ];
    expect(problemSetDigest(structuredClone(PROBLEMS))).toBe(digest);
    expect(new Set([digest, ...others.map(problemSetDigest)]).size).toBe(others.length + 1);
  });

  it('reports progress per arm', async () => {
    const seen: string[] = [];
    await evaluate(
      PROBLEMS,
      settingsOf({
        arms: ['noExperience'],
        batchSize: 10,
        onProgress: (arm, done, total) => seen.push(`${arm} ${done}/${total}`),
      }),
    );
    expect(seen).toEqual(['noExperience 10/24', 'noExperience 20/24', 'noExperience 24/24']);
  });

  it('leaves out what could not be asked instead of calling it unsolved, and stops where asking again might help', async () => {
    const failing = (retryable: boolean) =>
      new FakeExecutor((prompt) =>
        prompt.includes('Number 3 ')
          ? { status: 'failed', code: retryable ? 'SESSION_FAILED' : 'PROMPT_TOO_LONG', reason: 'no', retryable }
          : rule(prompt),
      );
    const { arms } = await evaluate(PROBLEMS, settingsOf({ arms: ['trained'], executor: failing(false) }));
    expect(arms.trained).toMatchObject({ problems: 23, successes: 23, success: 1, failed: 1 });
    expect(arms.trained!.unjudged).toEqual([{ code: 'PROMPT_TOO_LONG', reason: 'no', problems: 1 }]);
    await expect(evaluate(PROBLEMS, settingsOf({ arms: ['trained'], executor: failing(true) }))).rejects.toMatchObject({
      code: 'SESSION_FAILED',
    });
    const spent = new FakeExecutor(() => ({
      status: 'failed',
      code: 'BUDGET_SPENT',
      reason: 'no',
      retryable: false,
      halts: true,
    }));
    await expect(evaluate(PROBLEMS, settingsOf({ arms: ['trained'], executor: spent }))).rejects.toMatchObject({
      code: 'BUDGET_SPENT',
    });
  });

  it('says why problems were not judged, of entries that could not be written too', async () => {
    const executor = new FakeExecutor((prompt) => {
      const number = Number(/Number (\d+)/.exec(prompt)![1]!);
      const reason = number < 3 ? `The prompt has ${100 + number} tokens.` : 'The filter has cut off the answer.';
      return number < 4 ? { status: 'failed', code: 'ENDPOINT_REFUSED', reason, retryable: false } : rule(prompt);
    });
    const { arms } = await evaluate(PROBLEMS, settingsOf({ executor, arms: ['noExperience'] }));
    expect(arms.noExperience!.failed).toBe(4);
    expect(arms.noExperience!.unjudged).toEqual([
      { code: 'ENDPOINT_REFUSED', reason: 'The prompt has 100 tokens.', problems: 3 },
      { code: 'ENDPOINT_REFUSED', reason: 'The filter has cut off the answer.', problems: 1 },
    ]);
    const unwritable = await evaluate(
      PROBLEMS.slice(0, 2),
      settingsOf({ arms: ['otherProblemsEntry', 'trained'], maxEntryTokens: 10_000 }),
    );
    for (const { unjudged } of Object.values(unwritable.arms)) {
      expect(unjudged).toMatchObject([
        { code: 'PROMPT_TOO_LONG', reason: expect.stringContaining("The generator's prompt has"), problems: 2 },
      ]);
    }
  });

  it('ends where a verifier cannot tell, naming the problem', async () => {
    const problems = PROBLEMS.map((problem, i) =>
      i === 5 ? { ...problem, verifier: { kind: 'http', version: '1', options: { endpoint: 'mine' } } } : problem,
    );
    await expect(evaluate(problems, settingsOf({ arms: ['noExperience'] }))).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(
        new RegExp(
          `Evaluating noExperience: the answer to problem ${problems[5]!.problemId} could not be judged\\..*mine`,
        ),
      ),
    });
  });

  it('refuses a set without problems or with one twice', async () => {
    await expect(evaluate([], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(evaluate([PROBLEMS[0]!, PROBLEMS[0]!], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('a language model as executor', () => {
  const end = 0;
  /** Repeats the last word of its prompt, says its seed where it is to draw, then ends. */
  const echo = (maxPositions = 60) => {
    const asked: number[] = [];
    const settings: unknown[] = [];
    const model: GeneratorModel = {
      digest: 'weights',
      config: { maxPositions },
      tokenizer,
      generate: (requests) => {
        asked.push(requests.length);
        settings.push(...requests.map(({ sampling }) => sampling));
        return Promise.resolve(
          requests.map(({ promptTokenIds, seeds, sampling: { maxTokens, temperature } }) =>
            seeds.map((seed) => {
              const word = tokenizer.decode(promptTokenIds).split(' ').at(-1);
              const ids = [...tokenizer.encode(` ${word}${temperature === 0 ? '' : seed}`), end];
              const tokenIds = ids.slice(0, maxTokens);
              return {
                tokenIds,
                logProbs: tokenIds.map(() => 0),
                legalMass: tokenIds.map(() => 1),
                forced: tokenIds.map(() => false),
                finishReason: ids.length > maxTokens ? ('length' as const) : ('completed' as const),
              };
            }),
          ),
        );
      },
    };
    return { model, asked, settings };
  };

  it('answers in order, computes equal prompts once, and leaves the end token out of the text', async () => {
    const { model, asked } = echo();
    const executor = new LanguageModelExecutor(model, { name: 'echo', maxTokens: 20 });
    const answers = await executor.answer(['say oak', 'say ash', 'say oak']);
    expect(answers.map((answer) => (answer.status === 'answered' ? answer.text : ''))).toEqual([
      ' oak',
      ' ash',
      ' oak',
    ]);
    expect(answers[0]).toMatchObject({ finished: true, promptTokens: tokenizer.encode('say oak').length });
    expect(asked).toEqual([2]);
    expect(executor.identity).toEqual({
      model: 'echo',
      revision: 'weights',
      decoding: '{"maxTokens":20,"temperature":0,"topK":0,"topP":1}',
    });
  });

  it('draws an answer per seed where an evaluation asks for it; its identity stays the greedy one', async () => {
    const { model, asked, settings } = echo();
    const executor = new LanguageModelExecutor(model, { name: 'echo', maxTokens: 20 });
    const answers = await executor.sample(
      [
        { prompt: 'say oak', seeds: ['1', '2'] },
        { prompt: `say ${'oak '.repeat(60)}`, seeds: ['1', '2'] },
      ],
      { temperature: 0.7, topP: 0.9 },
    );
    expect(answers[0]!.map((answer) => answer.status === 'answered' && answer.text)).toEqual([' oak1', ' oak2']);
    expect(answers[1]).toMatchObject([{ code: 'PROMPT_TOO_LONG' }, { code: 'PROMPT_TOO_LONG' }]);
    expect(asked).toEqual([1]);
    expect(settings).toEqual([{ temperature: 0.7, topK: 0, topP: 0.9, maxTokens: 20 }]);
    expect(executor.identity.decoding).toBe('{"maxTokens":20,"temperature":0,"topK":0,"topP":1}');
  });

  it('says when a response is cut off, and lets a prompt that does not fit fail alone', async () => {
    const maxTokens = tokenizer.encode(' oak').length + 1;
    const executor = new LanguageModelExecutor(echo(20 + maxTokens).model, { name: 'echo', maxTokens });
    const [cut, long, whole] = await executor.answer(['say zzzzzz', 'x '.repeat(40), 'say oak']);
    expect(cut).toMatchObject({ status: 'answered', finished: false });
    expect(long).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG', retryable: false });
    expect(whole).toMatchObject({ status: 'answered', finished: true });
  });

  it('refuses to run with other weights than the frozen ones', () => {
    expect(
      () => new LanguageModelExecutor(echo().model, { name: 'echo', maxTokens: 2, expectedDigest: 'other' }),
    ).toThrow(/expected the frozen weights other, the model has weights/);
    expect(asGenerator).toBeDefined();
  });
});
