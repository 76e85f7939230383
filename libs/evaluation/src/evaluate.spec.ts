import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor, PLAN_FIRST } from '@seamstream/environments/testing';
import type { Problem } from '@seamstream/events';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import {
  conceptOf,
  entryOf,
  FakeGenerator,
  PROBLEMS,
  QUOTING,
  rightEntry,
  rule,
  SCHEMAS,
  schemaFor,
  tokenizer,
} from '@seamstream/rollout/testing';
import type { EvaluationSettings } from './arm-entries.js';
import { evaluate, problemSetDigest } from './evaluate.js';

let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});

describe('an evaluation', () => {
  const settingsOf = (changes: Partial<EvaluationSettings> = {}): EvaluationSettings => {
    const generator = new FakeGenerator(tokenizer);
    return {
      arms: ['noExperience', 'wrapperOnly', 'fixedHint', 'otherProblemsEntry', 'untrained', 'trained'],
      environment: new PromptInjection(new FakeExecutor(rule), prompts),
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
      settingsOf({ schemaFor: asQuotes, environment: new PromptInjection(new FakeExecutor(() => ''), prompts) }),
    );
    expect(faithful).toEqual({ quoting: 16, faithful: 8 });
    expect((await evaluate(PROBLEMS, settingsOf())).faithful).toBeNull();
    const { faithful: unasked } = await evaluate(PROBLEMS, settingsOf({ schemaFor: asQuotes, arms: ['untrained'] }));
    expect(unasked).toBeNull();
  });

  it('asks in the environment that it is given, regardless of how an entry acts there', async () => {
    const executor = new FakeExecutor((prompt) =>
      prompt.startsWith('Plan')
        ? `PLAN ${prompt.includes('"concepts":["') ? 'with' : 'without'} a hint`
        : planned(prompt),
    );
    const planned = (prompt: string): string => {
      const number = /Number (\d+)/.exec(prompt)![1]!;
      return prompt.includes('PLAN with a hint') ? `Answer: SECRET${number}` : 'Answer: unknown';
    };
    const { arms } = await evaluate(
      PROBLEMS,
      settingsOf({
        environment: PLAN_FIRST.open(executor, prompts),
        arms: ['noExperience', 'wrapperOnly', 'trained'],
      }),
    );
    expect([arms.noExperience, arms.wrapperOnly, arms.trained].map((arm) => arm!.successes)).toEqual([0, 0, 24]);
    expect(arms.trained!.failed).toBe(0);
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
      settingsOf({ environment: new PromptInjection(executor, prompts), arms: ['noExperience', 'trained'] }),
    );
    // Number 0 is solved alone and cannot be asked with its entry; number 3 the other way round; the other 22 are rescued.
    expect([arms.noExperience!.successes, arms.trained!.successes]).toEqual([1, 23]);
    expect([rescued, broken]).toEqual([1, 0]);
  });

  it('says before anything is measured that one problem has no other problem to exchange entries with', async () => {
    const executor = new FakeExecutor(rule);
    await expect(
      evaluate(
        PROBLEMS.slice(0, 1),
        settingsOf({
          environment: new PromptInjection(executor, prompts),
          arms: ['noExperience', 'otherProblemsEntry'],
        }),
      ),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('leave out otherProblemsEntry'),
    });
    expect(executor.prompts).toEqual([]);
  });

  it('exchanges entries within a domain unless set differently', async () => {
    for (const exchangeWithin of ['domain', 'all'] as const) {
      const executor = new FakeExecutor(rule);
      const generator = new FakeGenerator(tokenizer);
      const adapter = generator.teach('all', rightEntry);
      const { arms } = await evaluate(
        PROBLEMS,
        settingsOf({
          environment: new PromptInjection(executor, prompts),
          generator,
          adapter,
          exchangeWithin,
          arms: ['otherProblemsEntry'],
        }),
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
    await evaluate(
      PROBLEMS,
      settingsOf({
        environment: new PromptInjection(executor, prompts),
        generator,
        adapter: generator.teach('all', rightEntry),
      }),
    );
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
    const { arms } = await evaluate(
      PROBLEMS,
      settingsOf({ arms: ['trained'], environment: new PromptInjection(failing(false), prompts) }),
    );
    expect(arms.trained).toMatchObject({ problems: 23, successes: 23, success: 1, failed: 1 });
    expect(arms.trained!.unjudged).toEqual([{ code: 'PROMPT_TOO_LONG', reason: 'no', problems: 1 }]);
    await expect(
      evaluate(PROBLEMS, settingsOf({ arms: ['trained'], environment: new PromptInjection(failing(true), prompts) })),
    ).rejects.toMatchObject({
      code: 'SESSION_FAILED',
    });
    const spent = new FakeExecutor(() => ({
      status: 'failed',
      code: 'BUDGET_SPENT',
      reason: 'no',
      retryable: false,
      halts: true,
    }));
    await expect(
      evaluate(PROBLEMS, settingsOf({ arms: ['trained'], environment: new PromptInjection(spent, prompts) })),
    ).rejects.toMatchObject({
      code: 'BUDGET_SPENT',
    });
  });

  it('says why problems were not judged, of entries that could not be written too', async () => {
    const executor = new FakeExecutor((prompt) => {
      const number = Number(/Number (\d+)/.exec(prompt)![1]!);
      const reason = number < 3 ? `The prompt has ${100 + number} tokens.` : 'The filter has cut off the answer.';
      return number < 4 ? { status: 'failed', code: 'ENDPOINT_REFUSED', reason, retryable: false } : rule(prompt);
    });
    const { arms } = await evaluate(
      PROBLEMS,
      settingsOf({ environment: new PromptInjection(executor, prompts), arms: ['noExperience'] }),
    );
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
        { code: 'PROMPT_TOO_LONG', reason: expect.stringContaining('expected prompt and entry within'), problems: 2 },
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
          `Cannot evaluate noExperience: the answer to problem ${problems[5]!.problemId} could not be judged\\..*mine`,
        ),
      ),
    });
  });

  it('refuses a set without problems or with one twice', async () => {
    await expect(evaluate([], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(evaluate([PROBLEMS[0]!, PROBLEMS[0]!], settingsOf())).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
