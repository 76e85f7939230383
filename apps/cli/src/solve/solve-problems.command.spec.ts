/** Answers to questions, with and without a known answer, of a model whose entry solves what equals 1 and whose executor says 0 without it. */

import { TOPICS } from '@seamstream/events';
import { totalRecords } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

interface Line {
  readonly problemId: string;
  readonly prompt: string;
  readonly entry?: unknown;
  readonly answer: string | null;
  readonly success?: boolean | null;
  readonly reference?: string;
}

const ROWS = [
  { domain: 'sums', prompt: 'What is 0 + 1?', reference: '1', verifier: 'numeric' },
  { prompt: 'What is 1 + 1?', reference: '2', verifier: 'numeric' },
  { prompt: 'What is still secret?' },
  { question: 'How many are one?', answer: 'It is\n#### 1' },
  { question: 'And this?', year: 2026 },
];

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});
const file = (rows: readonly unknown[], name = 'q.jsonl'): void =>
  void world.files.set(name, Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));

describe('seam solve', () => {
  it('answers every question of a file in its order, and judges where a reference says what is right', async () => {
    file(ROWS);
    expect(await world.seam('solve', 'q.jsonl', '--json')).toBe(0);
    const lines = world.takeJson() as Line[];
    expect(lines.map(({ prompt, answer, success }) => [prompt, answer, success])).toEqual([
      ['What is 0 + 1?', '1', true],
      ['What is 1 + 1?', '1', false],
      ['What is still secret?', '1', undefined],
      ['How many are one?', '1', true],
      ['And this?', '1', undefined],
    ]);
    expect(lines[0]!.entry).toEqual({ concepts: ['sums'], strategy: ['add 1'], pitfalls: [] });
    expect(world.takeErrors()).toContain(
      '5 of 5 questions answered by entries of the base model: 2 of 3 with a reference are right.',
    );
  });

  it('records nothing', async () => {
    file(ROWS);
    await world.seam('solve', 'q.jsonl');
    for (const { name } of TOPICS) expect(await totalRecords(world.log, name)).toBe(0);
  });

  it('shows question, entry, answer and verdict to a person', async () => {
    expect(
      await world.seam('solve', '--prompt', 'What is 1 + 1?\u001b[2J', '--reference', '2', '--verifier', 'numeric'),
    ).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^question +What is 1 \+ 1\?\\u001b\[2J\n/);
    expect(shown).toMatch(/\nstrategy +add 1\n/);
    expect(shown).toMatch(/\nanswer +1\n/);
    expect(shown).toMatch(/\nverdict +wrong, the reference is 2 \(/);
  });

  it('asks the executor alone without an entry', async () => {
    expect(await world.seam('solve', '--prompt', 'What?', '--no-entry', '--json')).toBe(0);
    const [line] = world.takeJson() as Line[];
    expect(line).toMatchObject({ answer: '0' });
    expect(line).not.toHaveProperty('entry');
  });

  it('writes the answers to a file that is not there yet', async () => {
    file(ROWS);
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(0);
    expect(world.takeOutput()).toBe('');
    expect(Buffer.from(world.files.get('a.jsonl')!).toString().trim().split('\n')).toHaveLength(5);
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot write a.jsonl: expected no file of that name, got one.');
  });

  it('replaces an existing file with --force', async () => {
    file(ROWS);
    world.files.set('a.jsonl', Buffer.from('mine'));
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(2);
    expect(Buffer.from(world.files.get('a.jsonl')!).toString()).toBe('mine');
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl', '--force')).toBe(0);
    expect(Buffer.from(world.files.get('a.jsonl')!).toString().trim().split('\n')).toHaveLength(5);
  });

  describe('stopped half way', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ prompt: `Question ${index}?` }));
    const asked: string[] = [];
    /** The executor stops what is under way when it is asked this question, and has no answer to another one. */
    const executorThat = (trouble: { stopsAt?: string; failsAt?: string }): void => {
      const { executor } = world.models;
      const answer: typeof executor.answer = async (prompts, options) => {
        asked.push(...prompts.map((prompt) => prompt.split('\n')[0]!));
        if (prompts.some((prompt) => prompt.startsWith(`${trouble.stopsAt}?`))) world.interrupt();
        return (await executor.answer(prompts, options)).map((one, at) =>
          prompts[at]!.startsWith(`${trouble.failsAt}?`)
            ? { status: 'failed' as const, code: 'ENDPOINT_UNAVAILABLE' as const, reason: 'away', retryable: true }
            : one,
        );
      };
      world.models = { ...world.models, executor: { ...executor, answer } };
    };
    const partsOf = (): string[] => [...world.files.keys()].filter((name) => name.endsWith('.part'));
    const whole = async (...options: string[]): Promise<string> => {
      await world.seam('solve', 'q.jsonl', '--out', 'whole.jsonl', '--force', ...options);
      return Buffer.from(world.files.get('whole.jsonl')!).toString();
    };
    beforeEach(() => {
      file(many);
      asked.length = 0;
    });

    it('has what it knew in a part, says so, and resumes from there when it is run again', async () => {
      const expected = await whole();
      const { models } = world;
      executorThat({ stopsAt: 'Question 20' });
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(130);
      const [part] = partsOf();
      expect(world.takeErrors()).toContain(`answers are in ${part}. The same command resumes from there.`);
      const known = Buffer.from(world.files.get(part!)!).toString();
      expect(expected.startsWith(known)).toBe(true);
      expect(known.split('\n').length - 1).toBeGreaterThanOrEqual(16);

      world.models = models;
      executorThat({});
      asked.length = 0;
      // As a process that is killed leaves it.
      world.files.set(part!, Buffer.from(`${known}{"problemId":"cut sho`));
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl', '--json')).toBe(0);
      expect(asked).not.toContain('Question 15?');
      expect(asked.at(-1)).toBe('Question 39?');
      expect(Buffer.from(world.files.get('a.jsonl')!).toString()).toBe(expected);
      expect(world.takeJson()).toMatchObject([{ file: 'a.jsonl', questions: 40, answered: 40 }]);
      expect(world.takeErrors()).toContain('of 40 answers are known from an earlier run: resuming.');
      expect(partsOf()).toEqual([]);
    });

    it('asks once more what failed last', async () => {
      const { models } = world;
      executorThat({ failsAt: 'Question 31', stopsAt: 'Question 20' });
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(130);
      world.models = models;
      executorThat({});
      asked.length = 0;
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(0);
      expect(asked[0]).toBe('Question 31?');
      expect(Buffer.from(world.files.get('a.jsonl')!).toString()).not.toContain('failure');
    });

    it.each([
      ['another seed', ['--seed', 'other']],
      ['without entries', ['--no-entry']],
      ['at another temperature', ['--temperature', '1']],
      ['fewer questions', ['--limit', '30']],
      ['other questions', ['--domain', 'other']],
    ])('resumes nothing of other work: %s', async (_, options) => {
      const { models } = world;
      executorThat({ stopsAt: 'Question 20' });
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(130);
      const before = partsOf();
      world.models = models;
      const expected = await whole(...options);
      expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl', ...options)).toBe(0);
      expect(Buffer.from(world.files.get('a.jsonl')!).toString()).toBe(expected);
      expect(partsOf()).toEqual(before);
    });
  });

  it('refuses what is no question before a model is asked, naming the rows', async () => {
    file([
      ROWS[0],
      { prompt: 5 },
      { prompt: 'x', reference: 5 },
      { text: 'x' },
      { prompt: 'a', problemId: 'p' },
      { prompt: 'b', problemId: 'p' },
    ]);
    expect(await world.seam('solve', 'q.jsonl', '--json')).toBe(2);
    expect(world.takeJson()).toMatchObject([{ error: { code: 'INVALID_INPUT', details: { badRows: 4 } } }]);
    const said = world.takeErrors();
    expect(said).toContain('line 2: prompt: expected a text');
    expect(said).toContain('line 3: reference: expected a text');
    expect(said).toContain('line 4: expected a question: prompt, question or problem');
    expect(said).toContain('line 6: problemId: expected a unique id');
    expect(await world.seam('solve')).toBe(2);
    expect(await world.seam('solve', 'q.jsonl', '--prompt', 'x')).toBe(2);
    expect(await world.seam('solve', '--prompt', ' ')).toBe(2);
  });

  it('gives a question the same id and answer wherever in the file its batch ends', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ prompt: `Question ${index}?` }));
    file(many);
    await world.seam('solve', 'q.jsonl', '--json');
    const all = world.takeJson() as Line[];
    await world.seam('solve', 'q.jsonl', '--json', '--limit', '17');
    expect(world.takeJson()).toEqual(all.slice(0, 17));
    expect(new Set(all.map(({ problemId }) => problemId)).size).toBe(40);
  });
});
