import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fewShotOf } from '@seamstream/tasks';
import { ARC_FORM } from './arc.form.js';
import { detectedForm } from './detected-form.js';
import { bytesInMemory, type FileBytes } from './file-bytes.js';
import { type ReadingSettings, type RowReading, readProblems } from './read-problems.js';

const pair = (input: number, output: number) => ({ input: [[input]], output: [[output]] });
const ONE = { id: 'swap', train: [pair(1, 2), pair(3, 4)], test: [pair(5, 6)] };
const TWO = { train: [pair(1, 2)], test: [pair(3, 4), pair(5, 6)] };

describe('a file of ARC', () => {
  it.each([
    ['a task on one line', JSON.stringify(ONE), [1]],
    ['a task over several lines', JSON.stringify(ONE, null, 2), [1]],
    ['a line each', [ONE, TWO, ONE].map((task) => JSON.stringify(task)).join('\n'), [1, 2, 3, 4]],
    ['a list', JSON.stringify([TWO, TWO], null, 1), [1, 2, 3, 4]],
  ])('has a problem for each test input: %s', async (_, text, rows) => {
    const read = await readings(inMemory(text));
    expect(read.map(({ row }) => row)).toEqual(rows);
    expect(read.map(({ status }) => status)).toEqual(rows.map(() => 'problem'));
  });

  it('states each problem as examples with a query, with its output as what is right', async () => {
    const [one, two, three] = await readings(inMemory([ONE, TWO].map((task) => JSON.stringify(task)).join('\n')));
    expect(one).toMatchObject({
      problem: {
        domain: 'arc',
        prompt: 'Input:\n1\nOutput:\n2\n\nInput:\n3\nOutput:\n4\n\nInput:\n5\nOutput:\n',
        reference: '6',
        verifier: { kind: 'grid', version: '1', options: {} },
        metadata: { dataset: 'arc', task: 'swap' },
      },
    });
    expect(taskOf(one!)).toEqual({
      kind: 'few_shot',
      examples: [
        { input: '1', output: '2' },
        { input: '3', output: '4' },
      ],
      query: '5',
    });
    const [second, third] = [problemOf(two!), problemOf(three!)];
    expect([second, third].map(({ reference }) => reference)).toEqual(['4', '6']);
    expect([second, third].map(({ metadata }) => [metadata.testInput, metadata.testInputs])).toEqual([
      ['1', '2'],
      ['2', '2'],
    ]);
    expect(second.metadata.task).toMatch(/^[0-9a-f]{16}$/);
    expect(third.metadata.task).toBe(second.metadata.task);
  });

  it.each([
    [
      'a cell that is no colour',
      { ...TWO, test: [pair(3, 4), pair(5, 10)] },
      2,
      'test.1.output.0.0',
      'a colour, 0 to 9',
    ],
    [
      'rows of two lengths',
      { ...ONE, train: [{ input: [[1], [2, 3]], output: [[1]] }] },
      1,
      'train.0.input',
      'rows of one length',
    ],
    ['no pair', { ...ONE, train: [] }, 1, 'train', '1 to 100 pairs'],
    ['no test input', { ...ONE, test: [] }, 1, 'test', '1 to 100 test inputs'],
    ['an output that is kept secret', { ...ONE, test: [{ input: [[5]] }] }, 1, 'test.0.output', 'a list of rows'],
  ])('names row and field of %s', async (_, task, row, field, expected) => {
    const read = await readings(inMemory(JSON.stringify(task)));
    const faults = read.flatMap((reading) => (reading.status === 'faulty' ? reading.faults : []));
    expect(faults).toEqual([expect.objectContaining({ row, field, expected })]);
    expect(read.filter(({ status }) => status === 'problem')).toHaveLength(read.length - 1);
  });

  it('has problems without a judge only where outputs are secret and that is asked for', async () => {
    const file = inMemory([{ ...ONE, test: [{ input: [[5]] }] }, ONE].map((task) => JSON.stringify(task)).join('\n'));
    expect((await readings(file, { ungraded: true })).map(({ status }) => status)).toEqual(['ungraded', 'problem']);
  });

  it('that ends within its task is faulty, and so is one with text behind it', async () => {
    const text = JSON.stringify(ONE, null, 2);
    for (const broken of [text.slice(0, -2), `${text}\n{`])
      expect(await readings(inMemory(broken), { form: ARC_FORM })).toMatchObject([{ status: 'faulty', row: 1 }]);
  });

  const folder = process.env.SEAM_TEST_ARC ?? '';
  const isThere = existsSync(folder);
  if (!isThere) process.stderr.write('SKIPPED: ARC as published. Name the folder of its tasks in SEAM_TEST_ARC.\n');

  (isThere ? it : it.skip)('is read as published, all tasks of it', async () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    let problems = 0;
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      const { test } = JSON.parse(text) as { readonly test: readonly unknown[] };
      const read = await readings(inMemory(text));
      expect(read.map(({ status }) => status)).toEqual(test.map(() => 'problem'));
      problems += read.length;
    }
    expect(problems).toBeGreaterThan(names.length);
  });
});

const inMemory = (text: string): FileBytes => bytesInMemory(Buffer.from(text));

async function readings(file: FileBytes, settings: Partial<ReadingSettings> = {}): Promise<RowReading[]> {
  const form = settings.form ?? (await detectedForm(file))!;
  const read: RowReading[] = [];
  for await (const reading of readProblems(file, { ...settings, form })) read.push(reading);
  return read;
}

function problemOf(reading: RowReading) {
  if (reading.status !== 'problem') throw new Error(`no problem, but ${reading.status}`);
  return reading.problem;
}

const taskOf = (reading: RowReading) => fewShotOf(problemOf(reading).task!);
