import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import type { GradedProblem } from '@seamstream/events';
import { domainEntrySchema, loadPrompts, type Prompts } from '@seamstream/experience';
import type { GeneratorModel } from '@seamstream/rollout';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { CONTROL_ROWS, type ControlsStudySettings, studyControls } from './controls-study.js';
import { chooseFixedHints } from './fixed-hints.js';
import { type TimeToCorrectSettings, timeToCorrect } from './time-to-correct.js';

/**
 * Twelve problems whose answers are their numbers. The executor solves number 0 alone; with an entry it answers what the
 * entry's concept says, "own" meaning the right number.
 */
const PROBLEMS: readonly GradedProblem[] = Array.from({ length: 12 }, (_, i) => ({
  problemId: `p${i}`,
  domain: i < 6 ? 'low' : 'high',
  prompt: `Item number ${i} is asked for.`,
  reference: `${1000 + i}`,
  verifier: { kind: 'numeric', version: '1', options: {} },
  metadata: {},
}));
const NUMBERS = PROBLEMS.map(({ reference }) => reference);
const schema = domainEntrySchema({
  concepts: { words: ['own', 'none', ...NUMBERS] },
  strategy: { words: ['add'] },
  pitfalls: { words: ['care'] },
});
const entryOf = (concept: string): string =>
  JSON.stringify({ concepts: [concept], strategy: ['add'], pitfalls: ['care'] });
const indexOf = (text: string): number => Number(/number (\d+)/.exec(text)![1]!);

const rule = (prompt: string): string => {
  const own = NUMBERS[indexOf(prompt)]!;
  const concept = /"concepts":\["([^"]*)"\]/.exec(prompt)?.[1];
  if (concept === undefined) return `Answer: ${own === '1000' ? own : 0}`;
  return `Answer: ${concept === 'own' ? own : concept === 'none' ? 0 : concept}`;
};

const tokenizer = fakeTokenizer([...PROBLEMS.map(({ prompt }) => prompt), ...NUMBERS.map(entryOf)]);
let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});

const settingsOf = (changes: Partial<ControlsStudySettings> = {}): ControlsStudySettings => ({
  rows: CONTROL_ROWS,
  environment: new PromptInjection(new FakeExecutor(rule), prompts),
  generator: new FakeGenerator(tokenizer),
  adapter: null,
  prompts,
  schemaFor: () => schema,
  maxEntryTokens: 64,
  maxAloneTokens: 96,
  seed: 'study',
  nowMs: () => 0,
  ...changes,
});
const rowsWithout = (...left: string[]) => CONTROL_ROWS.filter((row) => !left.includes(row));

describe('a study of controls', () => {
  it('counts what entries rescue and break, with intervals of paired differences', async () => {
    const generator = new FakeGenerator(tokenizer);
    // Right for 1 … 6, misleading for the others; the executor alone solves 0.
    const adapter = generator.teach('half', (text) =>
      entryOf(indexOf(text) >= 1 && indexOf(text) <= 6 ? 'own' : 'none'),
    );
    const study = await studyControls(PROBLEMS, settingsOf({ generator, adapter, rows: ['noExperience', 'trained'] }));
    expect(study.rows.trained).toMatchObject({ problems: 12, successes: 6, rescued: 6, broken: 1 });
    expect(study.rows.trained?.lift?.value).toBeCloseTo(5 / 12, 12);
    const [low, high] = study.rows.trained!.lift!.interval95;
    // 6 rescued, 1 broken, 5 alike: Newcombe's method 10.
    expect(low).toBeGreaterThan(-1 / 12);
    expect(low).toBeLessThan(4 / 12);
    expect(high).toBeGreaterThan(6 / 12);
    expect(study.rows.trained?.trainedAhead).toBeNull();
    expect(study.rows.noExperience).toMatchObject({ rescued: 0, broken: 0, lift: { value: 0, interval95: [0, 0] } });
    expect(study.rows.noExperience?.trainedAhead?.value).toBeCloseTo(5 / 12, 12);
    expect(Object.keys(study.rows)).toEqual(['noExperience', 'trained']);
  });

  it('finds entries that give the answer away: with it taken out they help no more, and chance gives none', async () => {
    const generator = new FakeGenerator(tokenizer);
    const leaking = generator.teach('leak', (text) => entryOf(NUMBERS[indexOf(text)]!));
    const study = await studyControls(
      PROBLEMS,
      settingsOf({ generator, adapter: leaking, rows: rowsWithout('generatorAlone') }),
    );
    expect(study.leaks).toEqual({
      entries: 12,
      withAnswer: 12,
      statedByProblem: 0,
      byChance: 0,
      solvedWith: 12,
      solvedWithout: 0,
    });
    expect(study.rows.trained?.success).toBe(1);
    expect(study.rows.answerRemoved?.success).toBe(0);
    // Read as an answer, the entry is one already.
    expect(study.rows.entryAlone?.success).toBe(1);
    expect(study.rows.otherProblemsEntry?.success).toBe(0);
  });

  it('finds no leak in entries that help without holding the answer', async () => {
    const generator = new FakeGenerator(tokenizer);
    const honest = generator.teach('honest', () => entryOf('own'));
    const study = await studyControls(
      PROBLEMS,
      settingsOf({ generator, adapter: honest, rows: rowsWithout('generatorAlone') }),
    );
    expect(study.leaks).toMatchObject({ entries: 12, withAnswer: 0, byChance: 0 });
    expect(study.rows.answerRemoved?.success).toBe(1);
    expect(study.rows.entryAlone?.success).toBe(0);
    // One entry fits all problems: another's is as good, so the content for this problem is worth nothing.
    expect(study.rows.otherProblemsEntry?.trainedAhead?.value).toBe(0);
    expect(study.rows.otherProblemsEntry?.trainedAhead?.interval95[0]).toBeLessThan(-0.1);
  });

  it('asks the generator to solve by itself, with the tokens of entry and response together', async () => {
    const asked: number[] = [];
    const generator: GeneratorModel = {
      digest: 'weights',
      config: { maxPositions: 500 },
      tokenizer,
      generate: (requests) =>
        Promise.resolve(
          requests.map(({ promptTokenIds, sampling, schema: under }) => {
            expect(under).toBeUndefined();
            asked.push(sampling.maxTokens);
            const tokenIds = tokenizer.encode(
              `Answer: ${indexOf(tokenizer.decode(promptTokenIds)) < 3 ? NUMBERS[1] : 0}`,
            );
            const each = (value: number): number[] => tokenIds.map(() => value);
            return [
              {
                tokenIds,
                logProbs: each(0),
                legalMass: each(1),
                forced: each(0).map(() => false),
                finishReason: 'completed' as const,
              },
            ];
          }),
        ),
    };
    const study = await studyControls(PROBLEMS, settingsOf({ generator, rows: ['noExperience', 'generatorAlone'] }));
    expect(study.rows.generatorAlone).toMatchObject({ successes: 1, rescued: 1, broken: 1 });
    expect(new Set(asked)).toEqual(new Set([96]));
    expect(study.leaks).toBeNull();
  });

  it('says nothing of a row in which no problem was judged', async () => {
    const generator = new FakeGenerator(tokenizer);
    const adapter = generator.teach('x', () => entryOf('own'));
    // Without a letter or a digit a reference cannot be looked for in an entry, so no entry is read as an answer.
    const marks = PROBLEMS.map((each) => ({ ...each, reference: '?', verifier: { ...each.verifier, kind: 'exact' } }));
    const rows = ['noExperience', 'trained', 'entryAlone'] as const;
    const study = await studyControls(marks, settingsOf({ generator, adapter, rows }));
    expect(study.rows.entryAlone).toMatchObject({
      problems: 0,
      failed: 12,
      rescued: null,
      broken: null,
      lift: null,
      trainedAhead: null,
    });
    expect(study.rows.trained).toMatchObject({ rescued: 0, broken: 0, lift: { value: 0 } });
  });

  it('is repeatable with any batches', async () => {
    const generator = new FakeGenerator(tokenizer);
    const adapter = generator.teach('x', () => entryOf('own'));
    const rows = rowsWithout('generatorAlone');
    const whole = await studyControls(PROBLEMS, settingsOf({ generator, adapter, rows, candidates: 2 }));
    expect(
      await studyControls(PROBLEMS, settingsOf({ generator, adapter, rows, candidates: 2, batchSize: 5 })),
    ).toEqual(whole);
  });
});

describe('the time to the first correct answer', () => {
  const settings = (changes: Partial<TimeToCorrectSettings> = {}): TimeToCorrectSettings => {
    let now = 0;
    const { environment, generator, prompts: templates, schemaFor, maxEntryTokens, seed } = settingsOf();
    return {
      environment,
      generator,
      prompts: templates,
      schemaFor,
      maxEntryTokens,
      seed,
      candidates: 3,
      nowMs: () => (now += 6_000),
      ...changes,
    };
  };

  it('counts candidates and tokens until one is right, and all of them where none is', async () => {
    // Alone, the executor's second draw is right for the first four problems; nothing else ever is.
    const executor = new FakeExecutor((prompt, seed) =>
      seed.endsWith('/1') && indexOf(prompt) < 4 ? `Answer: ${NUMBERS[indexOf(prompt)]}` : 'Answer: 0',
    );
    const result = await timeToCorrect(
      PROBLEMS,
      { kind: 'alone', drawing: { temperature: 1, topP: 1 } },
      settings({ environment: new PromptInjection(executor, prompts) }),
    );
    expect(result).toMatchObject({ candidates: 3, problems: 12, solved: 4 / 12, firstCorrect: [0, 4 / 12, 0] });
    // Four problems took two candidates, eight took three.
    expect(result.candidatesTried?.value).toBeCloseTo(32 / 12, 12);
    // 'Answer: 0' has 9 characters, the right ones 12: 9 + 12 for four problems, 3 · 9 for eight.
    expect(result.tokens?.value).toBeCloseTo((4 * 21 + 8 * 27) / 12, 12);
    // Six seconds between the two looks at the clock, for 32 candidates.
    expect(result.seconds?.value).toBeCloseTo(6 / 12, 12);
  });

  it('says nothing where no problem could be asked', async () => {
    const executor = new FakeExecutor(() => ({
      status: 'failed',
      code: 'PROMPT_TOO_LONG',
      reason: 'too long',
      retryable: false,
    }));
    expect(
      await timeToCorrect(
        PROBLEMS,
        { kind: 'entries', adapter: null },
        settings({ environment: new PromptInjection(executor, prompts) }),
      ),
    ).toMatchObject({
      problems: 0,
      candidatesTried: null,
      tokens: null,
      seconds: null,
    });
  });

  it('tries texts that need no model in their order, and the last again where there are no more', async () => {
    const asked: string[] = [];
    const executor = new FakeExecutor((prompt) => {
      asked.push(prompt);
      return prompt.includes('HINT-2') && indexOf(prompt) < 4 ? `Answer: ${NUMBERS[indexOf(prompt)]}` : 'Answer: 0';
    });
    const result = await timeToCorrect(
      PROBLEMS,
      { kind: 'texts', texts: ({ prompt }) => (indexOf(prompt) < 6 ? ['HINT-1', 'HINT-2'] : []) },
      settings({ environment: new PromptInjection(executor, prompts) }),
    );
    expect(result).toMatchObject({ solved: 4 / 12, firstCorrect: [0, 4 / 12, 0] });
    // Two problems try the second text twice; six have none, and are asked without an entry.
    expect(asked.filter((prompt) => prompt.includes('HINT-2'))).toHaveLength(6 + 2);
    expect(asked.filter((prompt) => prompt.includes('HINT-'))).toHaveLength(6 + 6 + 2);
    // No model wrote them: only answers count.
    expect(result.tokens?.value).toBeCloseTo((4 * 21 + 8 * 27) / 12, 12);
  });

  it('counts the tokens of entries too, and asks no solved problem again', async () => {
    const generator = new FakeGenerator(tokenizer);
    const adapter = generator.teach('all', () => entryOf('own'));
    const executor = new FakeExecutor(rule);
    const result = await timeToCorrect(
      PROBLEMS,
      { kind: 'entries', adapter },
      settings({ generator, environment: new PromptInjection(executor, prompts) }),
    );
    expect(result).toMatchObject({
      solved: 1,
      firstCorrect: [1, 0, 0],
      candidatesTried: { value: 1 },
    });
    expect(executor.prompts).toHaveLength(12);
    const entryTokens = tokenizer.encode(entryOf('own')).length;
    expect(result.tokens?.value).toBeCloseTo(entryTokens + 'Answer: 1000'.length, 12);
  });
});

describe('the strongest fixed hint', () => {
  it('is per domain the written entry that solves most other problems', async () => {
    const generator = new FakeGenerator(tokenizer);
    // Of the entries for the first three problems of a domain, the second helps everywhere.
    const adapter = generator.teach('mixed', (text) => entryOf(indexOf(text) % 3 === 1 ? 'own' : 'none'));
    const hints = await chooseFixedHints(PROBLEMS, settingsOf({ generator, adapter }));
    expect([...hints]).toEqual([
      ['low', entryOf('own')],
      ['high', entryOf('own')],
    ]);
  });

  it('wins nothing by the problem that it was written for, and a single problem gives none', async () => {
    const generator = new FakeGenerator(tokenizer);
    const executor = new FakeExecutor(rule);
    // Each solves one problem: the first entry its own, the second another.
    const adapter = generator.teach('leak', (text) => entryOf(NUMBERS[indexOf(text) === 1 ? 5 : indexOf(text)]!));
    const hintsOf = (problems: readonly GradedProblem[]) =>
      chooseFixedHints(
        problems,
        settingsOf({ generator, environment: new PromptInjection(executor, prompts), adapter }),
      );
    expect([...(await hintsOf(PROBLEMS.slice(0, 6)))]).toEqual([['low', entryOf(NUMBERS[5]!)]]);
    expect([...new Set(executor.prompts.map(indexOf))]).toEqual([3, 4, 5]);
    expect([...(await hintsOf([PROBLEMS[1]!, PROBLEMS[5]!]))]).toEqual([['low', entryOf(NUMBERS[5]!)]]);
    expect([...(await hintsOf(PROBLEMS.slice(0, 1)))]).toEqual([]);
  });
});
