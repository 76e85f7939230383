/** Answers to questions, with and without a known answer, of a model whose entry solves what equals 1 and whose executor says 0 without it. */
import { TOPICS } from '@seamstream/events';
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
  { prompt: 'What is nobody telling?' },
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
  it('answers every question of a file in its order, and judges where somebody says what is right', async () => {
    file(ROWS);
    expect(await world.seam('solve', 'q.jsonl', '--json')).toBe(0);
    const lines = world.takeJson() as Line[];
    expect(lines.map(({ prompt, answer, success }) => [prompt, answer, success])).toEqual([
      ['What is 0 + 1?', '1', true],
      ['What is 1 + 1?', '1', false],
      ['What is nobody telling?', '1', undefined],
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
    for (const { name } of TOPICS)
      expect((await world.log.watermarks(name)).reduce((sum, { high }) => sum + high, 0)).toBe(0);
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

  it('replaces a file that is there where it is told to', async () => {
    file(ROWS);
    world.files.set('a.jsonl', Buffer.from('mine'));
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl')).toBe(2);
    expect(Buffer.from(world.files.get('a.jsonl')!).toString()).toBe('mine');
    expect(await world.seam('solve', 'q.jsonl', '--out', 'a.jsonl', '--force')).toBe(0);
    expect(Buffer.from(world.files.get('a.jsonl')!).toString().trim().split('\n')).toHaveLength(5);
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
    expect(said).toContain('line 6: problemId: expected an id of its own');
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
