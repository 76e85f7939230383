import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@seamstream/kernel';
import { type PassageTask, passageOf } from '@seamstream/tasks';
import { detectedForm } from './detected-form.js';
import { bytesInMemory, type FileBytes } from './file-bytes.js';
import { type RowReading, readProblems } from './read-problems.js';

const question = (text: string, answers: readonly string[], more: object = {}) => ({
  ...{ id: text, question: text, answers: answers.map((answer) => ({ text: answer, answer_start: 0 })), ...more },
});
const ADA = {
  title: 'Ada_Lovelace',
  paragraphs: [
    { context: 'Ada was born in 1815.', qas: [question('When?', ['1815', 'in 1815', '1815'])] },
    { context: 'She had an aunt.', qas: [question('Who?', [], { is_impossible: true, plausible_answers: [] })] },
  ],
};
const BEYONCE = {
  title: 'Beyonc%C3%A9',
  paragraphs: [
    {
      context: 'She said "]},{[" \\ twice.',
      qas: [question('How often?', ['twice'], { is_impossible: false }), question('Why?', [], { is_impossible: true })],
    },
  ],
};

describe('a file of SQuAD', () => {
  it.each([
    ['1.1, its version last', { data: [ADA, BEYONCE], version: '1.1' }, 0],
    ['2.0, its version first', { version: 'v2.0', data: [ADA, BEYONCE] }, 0],
    ['in lines', { version: 'v2.0', data: [ADA, BEYONCE] }, 2],
  ])(
    'has a problem a paragraph, with title, all answers and the count of what was left out: %s',
    async (_, document, indent) => {
      const read = await readings(inMemory(JSON.stringify(document, null, indent)));
      expect(read.map(({ row }) => row)).toEqual([1, 3]);
      expect(read.map(taskOf)).toEqual([
        {
          ...{ kind: 'passage', title: 'Ada Lovelace', passage: 'Ada was born in 1815.' },
          questions: [{ question: 'When?', reference: '1815', alternatives: ['in 1815'] }],
        },
        {
          ...{ kind: 'passage', title: 'Beyoncé', passage: 'She said "]},{[" \\ twice.' },
          questions: [{ question: 'How often?', reference: 'twice', alternatives: [] }],
        },
      ]);
      expect(read).toMatchObject([
        {
          problem: { reference: '[["1815","in 1815"]]', verifier: { kind: 'passage', options: { answers: 'squad' } } },
        },
        { problem: { metadata: { dataset: 'squad', unanswerable: '1' } } },
      ]);
    },
  );

  it('is judged, where rows without a judge are read too', async () => {
    const file = inMemory(JSON.stringify({ data: [ADA] }));
    const form = (await detectedForm(file))!;
    expect(await allOf(readProblems(file, { form, ungraded: true }))).toMatchObject([{ status: 'problem', row: 1 }]);
  });

  it('in the plain form is a list of passages', async () => {
    const row = (title: string) => ({ title, context: `${title}.`, questions: [{ question: 'Who?', answer: title }] });
    const read = await readings(inMemory(JSON.stringify([row('Ada'), row('Bob')])));
    expect(read.map(taskOf)).toMatchObject([{ title: 'Ada', questions: [{ reference: 'Ada' }] }, { title: 'Bob' }]);
  });

  it('names row and reason of what is faulty, and reads the others', async () => {
    const faulty = { title: 'X', paragraphs: [{ context: 'C.', qas: [{ question: 'Q?', answers: ['a'] }] }, 7] };
    const read = await readings(inMemory(JSON.stringify({ data: [ADA, faulty, { title: 'Y' }, BEYONCE] })));
    const faults = read.flatMap((each) => (each.status === 'faulty' ? each.faults : []));
    expect(faults.map(({ row, field }) => [row, field])).toEqual([
      [3, 'qas.0.answers.0'],
      [4, 'row'],
      [5, 'data'],
    ]);
    expect(read.filter(({ status }) => status === 'problem').map(({ row }) => row)).toEqual([1, 6]);
  });

  it.each([
    ['[{"a":1},{"a"', 'a list with its end'],
    ['[{"a":1} {"b":2},3]', 'JSON'],
    ['[{"__proto__":1}]', 'no field with the name __proto__'],
    ['[,]', 'JSON'],
  ])('%s is refused at its place', async (text, expected) => {
    const form = (await detectedForm(inMemory(JSON.stringify([{ context: '', questions: [] }]))))!;
    const read = await allOf(readProblems(inMemory(text), { form }));
    expect(
      read.flatMap((each) => (each.status === 'faulty' ? each.faults.map((fault) => fault.expected) : [])),
    ).toContain(expected);
  });

  it('is read alike at any place where a piece of it ends', async () => {
    const random = Random.of('pieces');
    const filler = Array.from({ length: 40 }, (_, at) => ({
      title: `T${at}`,
      paragraphs: [
        { context: `${'é"\\ ,]}[{'.repeat(random.int(9000))}.`, qas: [question(`Q${at}?`, [`${random.int(100)}`])] },
      ],
    }));
    const text = JSON.stringify({ data: filler });
    expect(Buffer.byteLength(text)).toBeGreaterThan(1 << 20);
    const read = await readings(inMemory(text));
    expect(read.map((each) => taskOf(each).passage)).toEqual(filler.map(({ paragraphs }) => paragraphs[0]!.context));
  });

  const folder = process.env.SEAM_TEST_SQUAD;
  (folder === undefined ? it.skip : it)('is read whole as published', async () => {
    const path = join(folder!, 'passages.json');
    expect(existsSync(path)).toBe(true);
    const published = JSON.parse(readFileSync(path, 'utf8')) as {
      title: string;
      context: string;
      questions: { answer: string }[];
    }[];
    const read = await readings(bytesInMemory(readFileSync(path)));
    const stated = read
      .map(taskOf)
      .map(({ title, passage, questions }) => [title, passage, questions.map(({ reference }) => reference)]);
    expect(stated).toEqual(
      published.map(({ title, context, questions }) => [title, context, questions.map(({ answer }) => answer)]),
    );
  });
});

async function readings(file: FileBytes): Promise<RowReading[]> {
  const form = await detectedForm(file);
  if (form === undefined) throw new Error('Cannot read the file: expected a known form, got none. Look at its rows.');
  return allOf(readProblems(file, { form }));
}
async function allOf(rows: AsyncIterable<RowReading>): Promise<RowReading[]> {
  const read: RowReading[] = [];
  for await (const row of rows) read.push(row);
  return read;
}
function inMemory(text: string): FileBytes {
  return bytesInMemory(Buffer.from(text));
}
function taskOf(reading: RowReading): PassageTask {
  if (reading.status !== 'problem') throw new Error(JSON.stringify(reading));
  return passageOf(reading.problem.task!)!;
}
