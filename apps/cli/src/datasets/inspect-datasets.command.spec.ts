import { VERL_PARQUET } from '@seamstream/testing/verl-parquet';
import { fakeWorld } from '../command-runtime.fake.js';

const TRAIN = [
  { problem: 'What is $1/2 + 1/4$?', level: 'Level 1', type: 'Algebra', solution: '$\\boxed{\\frac{3}{4}}$' },
  { problem: 'What is $2+1$?', level: 'Level 1', type: 'Algebra', solution: '$\\boxed{3}$' },
  { problem: 'What is 2 + 1 ?', level: 'Level 2', type: 'Algebra', solution: '$\\boxed{4}$' },
  { problem: 'No box', level: 'Level 2', type: 'Algebra', solution: '5' },
];

describe('seam datasets inspect', () => {
  it('says what is in each file, how it read it, and which questions are in two of them', async () => {
    const world = await fakeWorld();
    world.files.set('train.jsonl', Buffer.from(TRAIN.map((row) => JSON.stringify(row)).join('\n')));
    world.files.set('dapo.parquet', VERL_PARQUET);
    const paths = ['train.jsonl', 'dapo.parquet'];
    expect(await world.seam('datasets', 'inspect', '--verifier', 'exact', ...paths, '--json')).toBe(0);
    const [{ files }] = world.takeJson() as [{ files: unknown[] }];
    expect(files).toMatchObject([
      {
        file: 'train.jsonl',
        dataset: 'math',
        rows: 4,
        problems: 3,
        badRows: 1,
        faults: [{ row: 4, field: 'solution' }],
        domains: { math: 3 },
        verifiers: { 'exact@1': 3 },
        answers: { 'whole number': 2, fraction: 1 },
        within: { exact: 1, near: 0, conflictingAnswers: 1, examples: [{ row: 3, otherRow: 2 }] },
        across: [{ other: 'dapo.parquet', exact: 2, conflictingAnswers: 1 }],
      },
      {
        file: 'dapo.parquet',
        dataset: 'dapo',
        rows: 3,
        problems: 3,
        domains: { dapo: 3 },
        answers: { 'whole number': 3 },
        within: { exact: 0 },
        across: [{ other: 'train.jsonl', exact: 1, examples: [{ row: 2, otherFile: 0, otherRow: 2 }] }],
      },
    ]);

    expect(await world.seam('datasets', 'inspect', '--verifier', 'exact', ...paths)).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain('problems              3 of 4 lines, 1 that cannot be used\n');
    expect(output).toContain('answers               whole number 2, fraction 1\n');
    expect(output).toContain('also in dapo.parquet  2 questions the same (1 with another answer), 0 nearly the same\n');
    expect(output).toContain('  line 4: solution: expected a worked solution');
    expect(output).toContain('  line 3: the question of line 2, with another answer\n');
    expect(output).toContain('  line 2: the question of row 2 of dapo.parquet\n');
    expect(output).toContain('  row 2: the question of line 2 of train.jsonl\n');
  });

  it('lists a row whose prompt no generator would tokenize', async () => {
    const world = await fakeWorld();
    const rows = ['x'.repeat(131_073), 'What is 1 + 1?'].map((prompt) => ({ prompt, reference: '2' }));
    world.files.set('p.jsonl', Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')));
    expect(await world.seam('datasets', 'inspect', 'p.jsonl')).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain('1 of 2 lines, 1 that cannot be used');
    expect(output).toContain('line 1: prompt: expected a text of at most 131072 characters, got 131073 characters');
  });

  it('counts the rows of one JSON document', async () => {
    const world = await fakeWorld();
    const row = { title: 'Ada', context: 'Ada was born in 1815.', questions: [{ question: 'When?', answer: '1815' }] };
    world.files.set('passages.json', Buffer.from(JSON.stringify([row, { ...row, questions: [] }])));
    expect(await world.seam('datasets', 'inspect', 'passages.json')).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain('problems   1 of 2 rows, 1 that cannot be used\n');
    expect(output).toContain('  row 2: questions: expected 1 to 100 questions that have an answer');
  });

  it('says that no question is in two of several files, and nothing of one file alone', async () => {
    const world = await fakeWorld();
    world.files.set('a.jsonl', Buffer.from('{"prompt":"What is two and three?","reference":"x"}'));
    world.files.set('b.jsonl', Buffer.from('{"prompt":"Who wrote the letter that was never sent?","reference":"y"}'));
    await world.seam('datasets', 'inspect', 'a.jsonl', 'b.jsonl');
    expect(world.takeOutput()).toMatch(/\nNo question is in two of these files\.\n$/);
    await world.seam('datasets', 'inspect', 'a.jsonl');
    expect(world.takeOutput()).not.toContain('No question is in two');
  });

  it('refuses a file that is named as Parquet and is something else, in one sentence', async () => {
    const world = await fakeWorld();
    for (const [name, body] of [
      ['x.parquet', '\u0000noise\n'],
      ['y.PARQUET', ''],
    ] as const) {
      world.files.set(name, Buffer.from(body));
      expect(await world.seam('datasets', 'inspect', name)).toBe(2);
      expect(world.takeErrors()).toContain(`Cannot read ${name} as Parquet: expected a file that begins with PAR1`);
    }
  });

  it('takes a file of which nothing can be used for bad input, and says why next to the report', async () => {
    const world = await fakeWorld();
    world.files.set('good.jsonl', Buffer.from('{"prompt":"A?","reference":"x"}'));
    world.files.set('table.csv', Buffer.from('question,answer\nA?,x\n'));
    world.files.set('empty.jsonl', Buffer.from('\n'));
    expect(await world.seam('datasets', 'inspect', 'good.jsonl', 'table.csv', 'empty.jsonl')).toBe(2);
    expect(world.takeOutput()).toMatch(/problems +1 of 1 line\n[^]*problems +0 of 2 lines, 2 that cannot be used\n/);
    expect(world.takeErrors()).toBe(
      'Cannot inspect table.csv (as seam): expected problems, got 2 lines that cannot be used. Name another file, or say what its rows look like (--dataset, --columns).\n' +
        'Cannot inspect empty.jsonl (as seam): expected problems, got a file without a single line. Name another file, or say what its rows look like (--dataset, --columns).\n',
    );
    expect(await world.seam('datasets', 'inspect', 'table.csv', '--json')).toBe(2);
    expect(world.takeJson()).toMatchObject([
      { files: [{ problems: 0, badRows: 2, faults: [{ row: 1 }, { row: 2 }] }] },
    ]);
    expect(world.takeErrors()).toContain('Cannot inspect table.csv (as seam): expected problems');
  });

  it('reads a part of a file, and every file as the options say', async () => {
    const world = await fakeWorld();
    world.files.set('p.jsonl', Buffer.from('{"q":"A?","a":"x"}\n{"q":"B?","a":"y"}'));
    const mapping = ['--columns', 'prompt=q,reference=a'];
    expect(
      await world.seam('datasets', 'inspect', ...mapping, '--split', 'test', '--fractions', '1,0,0', 'p.jsonl'),
    ).toBe(0);
    expect(world.takeOutput()).toMatch(/problems +0 of 2 lines, 2 in other parts\n/);
    expect(await world.seam('datasets', 'inspect', 'nowhere.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('nowhere.jsonl: there is no such file');
  });
});
