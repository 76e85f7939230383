import { lastBoxedAnswer } from './boxed-answer.js';
import { columnsForm, parseColumnMapping } from './columns.form.js';
import type { DatasetForm } from './dataset.types.js';
import { readRow } from './read-problems.js';
import { datasetForms, recognisedForm } from './registry.js';

/** The problem that the form reads, its verifier replaced by one that takes any text where the form's own is not at hand. */
function problemOf(form: DatasetForm, row: unknown, verifier?: string) {
  const reading = readRow(1, row, { form, verifier: verifier === undefined ? undefined : { kind: verifier } });
  if (reading.status !== 'problem') throw new Error(JSON.stringify(reading));
  return reading.problem;
}

function faultOf(form: DatasetForm, row: unknown, verifier?: string): string {
  const reading = readRow(7, row, { form, verifier: verifier === undefined ? undefined : { kind: verifier } });
  if (reading.status !== 'faulty') throw new Error('expected a fault');
  return reading.faults.map((fault) => `${fault.row} ${fault.field}: ${fault.expected}, ${fault.came}`).join('\n');
}

const formNamed = (name: string): DatasetForm => datasetForms.get(name)!;

describe('every form', () => {
  it.each([...datasetForms.values()].map((form) => [form.name, form] as const))(
    '%s reads its own example, and recognises it before any other form does',
    (_, form) => {
      const row: unknown = JSON.parse(form.example);
      expect(form.shape.safeParse(row)).toMatchObject({ success: true });
      expect(recognisedForm(row)?.name).toBe(form.name);
    },
  );

  it('shows what a file has instead of a row', () => {
    for (const form of datasetForms.values()) expect(faultOf(form, [1, 2])).toMatch(/^7 row: .*, \[1,2\]$/);
    expect(recognisedForm('x')).toBeUndefined();
    expect(recognisedForm({ text: 'x' })).toBeUndefined();
  });
});

describe('GSM8K', () => {
  const gsm8k = formNamed('gsm8k');
  const row = (answer: string) => ({ question: 'How much?', answer });

  it.each([
    ['125 * 17 = <<125*17=2125>>2125.\n#### 2,125', '2125'],
    ['It fell.\n#### -5', '-5'],
    ['#### $1,200.50', '1200.50'],
    ['A #### 3 in the text counts for nothing.\n#### 4  \n', '4'],
  ])('takes the number after the last "####" and nothing of the worked solution: %j', (answer, reference) => {
    expect(problemOf(gsm8k, row(answer))).toMatchObject({
      domain: 'gsm8k',
      prompt: 'How much?',
      reference,
      verifier: { kind: 'numeric', version: '1' },
    });
  });

  it('says what a row lacks', () => {
    expect(faultOf(gsm8k, row('just 5'))).toBe('7 answer: a text whose last line is "#### number", "just 5"');
    expect(faultOf(gsm8k, { question: ' ', answer: '#### 5' })).toBe('7 question: a text that is not empty, " "');
    expect(faultOf(gsm8k, { answer: '#### 5' })).toContain('question: a text that is not empty, nothing');
  });
});

describe('the last boxed answer', () => {
  it.each([
    ['so $\\boxed{\\frac{1}{2}}$.', '\\frac{1}{2}'],
    ['first \\boxed{1}, then \\boxed{\\left( 3, \\frac{\\pi}{2} \\right)}', '\\left( 3, \\frac{\\pi}{2} \\right)'],
    ['the set \\boxed{\\{1, \\{2\\}\\}} it is', '\\{1, \\{2\\}\\}'],
    ['\\boxed{\\left\\{ x : x > 2 \\right.}', '\\left\\{ x : x > 2 \\right.'],
    ['$\\boxed 7$', '7'],
    ['$x = \\boxed5.$', '5'],
    ['an older one: \\fbox{12}', '12'],
    ['\\boxed{ \\text{(C)} }', '\\text{(C)}'],
    ['\\boxed{a \\\\ {b}}', 'a \\\\ {b}'],
  ])('of %j is %j', (solution, answer) => {
    expect(lastBoxedAnswer(solution)).toBe(answer);
  });

  it('does not exist without a box, nor where the braces do not close', () => {
    expect(lastBoxedAnswer('the answer is 7')).toBeNull();
    expect(lastBoxedAnswer('\\boxed{1} and then \\boxed{\\frac{1}{2}')).toBeNull();
  });
});

describe('MATH', () => {
  const math = formNamed('math');

  it('is read as competition_math has it', () => {
    const row = {
      problem: 'What is $1/2+1/4$?',
      level: 'Level 3',
      type: 'Counting & Probability',
      solution: 'We add: $\\boxed{\\frac{3}{4}}$.',
    };
    expect(problemOf(math, row, 'exact')).toMatchObject({
      domain: 'math',
      prompt: 'What is $1/2+1/4$?',
      reference: '\\frac{3}{4}',
      metadata: { dataset: 'math', level: '3', subject: 'Counting & Probability' },
    });
    expect(math.shape.parse(row).verifier).toEqual({ kind: 'math' });
  });

  it('is read as MATH-500 has it, its answer from the column', () => {
    const row = {
      problem: 'Convert the point.',
      solution: 'no box here',
      answer: '\\left( 3, \\frac{\\pi}{2} \\right)',
      subject: 'Precalculus',
      level: 2,
      unique_id: 'test/precalculus/1.json',
    };
    expect(problemOf(math, row, 'exact')).toMatchObject({
      reference: '\\left( 3, \\frac{\\pi}{2} \\right)',
      metadata: { level: '2', subject: 'Precalculus', sourceId: 'test/precalculus/1.json' },
    });
  });

  it('refuses a solution without an answer', () => {
    expect(faultOf(math, { problem: 'x', solution: 'so it is 3', level: 'Level 1' }, 'exact')).toBe(
      '7 solution: a worked solution with its answer in \\boxed{…}, or a column answer, "so it is 3"',
    );
  });
});

describe('AIME', () => {
  const aime = formNamed('aime');

  it('is read in the forms that it is published in', () => {
    const url = 'https://artofproblemsolving.com/wiki/index.php/2024_AIME_II_Problems/Problem_4';
    expect(problemOf(aime, { id: 60, problem: 'P?', solution: '…', answer: '025', url })).toMatchObject({
      domain: 'aime',
      prompt: 'P?',
      reference: '25',
      verifier: { kind: 'numeric' },
      metadata: { sourceId: '60', year: '2024', part: 'II', number: '4' },
    });
    expect(problemOf(aime, { ID: '2024-I-12', Problem: 'P?', Solution: '…', Answer: 385 })).toMatchObject({
      reference: '385',
      metadata: { sourceId: '2024-I-12', year: '2024', part: 'I', number: '12' },
    });
    expect(problemOf(aime, { question: 'P?', answer: '0' }).reference).toBe('0');
    expect(problemOf(aime, { problem: 'P?', answer: null, solution: 'so $\\boxed{007}$' }).reference).toBe('7');
    expect(problemOf(aime, { problem: 'P?', answer: 27.0 }).reference).toBe('27');
  });

  it.each(['1000', '-3', '2.5', 'x', ''])('refuses the answer %j, which no AIME problem has', (Answer) => {
    expect(faultOf(aime, { Problem: 'P?', Answer })).toContain('7 Answer: a whole number from 0 to 999');
  });

  it('names both columns where both are wrong', () => {
    expect(faultOf(aime, { other: 1 })).toMatch(/^7 problem: .*, nothing\n7 answer: .*, nothing$/);
  });
});

const instructed = (question: string): string => {
  const { prompt } = JSON.parse(formNamed('dapo').example) as { prompt: [{ content: string }] };
  return prompt[0].content.replace('What is 2 + 3?', question);
};
const verlRow = (prompt: unknown, changes: object = {}) => ({
  data_source: 'math_dapo',
  prompt,
  ability: 'MATH',
  reward_model: { ground_truth: '-34', style: 'rule-lighteval/MATH_v2' },
  extra_info: { index: '9a9b6eb4' },
  ...changes,
});

describe('DAPO', () => {
  const dapo = formNamed('dapo');

  it('takes the question out of the chat and the instruction off it', () => {
    const problem = problemOf(dapo, verlRow([{ role: 'user', content: instructed('Find $n$.\n\nIt is an integer.') }]));
    expect(problem).toMatchObject({
      domain: 'dapo',
      prompt: 'Find $n$.\n\nIt is an integer.',
      reference: '-34',
      verifier: { kind: 'numeric' },
      metadata: { dataset: 'math_dapo', ability: 'MATH', sourceId: '9a9b6eb4' },
    });
  });

  it('leaves a question without the instruction as it is, and takes it as a text too', () => {
    expect(problemOf(dapo, verlRow('Find $n$.')).prompt).toBe('Find $n$.');
    const other = 'Solve the following math problem step by step. What is 2?';
    expect(problemOf(dapo, verlRow([{ role: 'user', content: other }])).prompt).toBe(other);
  });
});

describe('verl', () => {
  const verl = formNamed('verl');
  const chat = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How much? Output the final answer after "####".' },
  ];

  it('takes the message as it stands, or the bare question that the row brings and the message contains', () => {
    expect(problemOf(verl, verlRow(chat)).prompt).toBe('How much? Output the final answer after "####".');
    expect(problemOf(verl, verlRow(chat, { extra_info: { question: 'How much?' } })).prompt).toBe('How much?');
    expect(problemOf(verl, verlRow(chat, { extra_info: { question: 'How far?' } })).prompt).toContain('How much?');
    expect(problemOf(verl, verlRow([{ role: 'user', content: instructed('N?') }])).prompt).toContain('step by step');
  });

  it('makes domain and verifier of source and ability', () => {
    const read = (changes: object) => verl.shape.parse(verlRow(chat, changes));
    expect(read({ data_source: 'openai/gsm8k' })).toMatchObject({
      domain: 'openai-gsm8k',
      verifier: { kind: 'numeric' },
    });
    expect(read({ data_source: 'DigitalLearningGmbH/MATH-lighteval' }).verifier.kind).toBe('math');
    expect(read({ data_source: 'nq', ability: 'qa' }).verifier.kind).toBe('exact');
    expect(read({ data_source: 'nq', ability: null, extra_info: null }).metadata).toEqual({ dataset: 'nq' });
  });

  it('refuses a conversation, and a row without an answer', () => {
    const faults = faultOf(verl, verlRow([...chat, ...chat], { reward_model: { style: 'rule' } }));
    expect(faults).toContain('7 prompt: chat messages with one of the role user, or a text');
    expect(faults).toContain('7 reward_model.ground_truth: the answer as a text or a number, nothing');
  });
});

describe('columns by a mapping', () => {
  const read = (mapping: string, row: unknown) => readRow(7, row, { form: columnsForm(parseColumnMapping(mapping)) });

  it('are found by name or by a dotted path, numbers as text, metadata under their new names', () => {
    const row = { q: { text: 'How?' }, answers: [{ value: 12 }], 'a.b': 'kept', tags: ['x'], topic: 'Number Theory' };
    expect(
      read('prompt=q.text,reference=answers.0.value,domain=topic,metadata.of=a.b,metadata.tags=tags', row),
    ).toMatchObject({
      status: 'problem',
      problem: {
        prompt: 'How?',
        reference: '12',
        domain: 'Number-Theory',
        verifier: { kind: 'exact', version: '1' },
        metadata: { of: 'kept' },
      },
    });
  });

  it('are named with their content where they do not fit', () => {
    expect(read('prompt=q,reference=a', { q: '', a: ['x', 'y'] })).toEqual({
      status: 'faulty',
      row: 7,
      faults: [
        { row: 7, field: 'q', expected: 'a text that is not empty', came: '""' },
        { row: 7, field: 'a', expected: 'the answer: a text, a number or a truth value', came: '["x","y"]' },
      ],
    });
  });

  it.each([
    ['prompt=q', 'a column for prompt and one for reference'],
    ['prompt=q,reference=a,prompt=b', 'each target once'],
    ['prompt=q,reference=a,answer=b', 'targets of prompt, reference'],
    ['prompt', 'target=column, separated by commas'],
  ])('cannot be mapped by %j', (mapping, expected) => {
    expect(() => parseColumnMapping(mapping)).toThrow(expected);
  });
});

describe('a row that no problem can be made of', () => {
  const seam = formNamed('seam');

  it('names the verifier that does not exist, and the reference that it cannot judge by', () => {
    expect(faultOf(seam, { prompt: 'x', reference: 'y', verifier: 'oracle' })).toMatch(
      /^7 verifier: a verifier that exists: exact@1, .*, "oracle"$/,
    );
    expect(faultOf(seam, { prompt: 'x', reference: 'five', verifier: 'numeric' })).toContain(
      '7 reference: what its verifier can judge by',
    );
  });

  it('may be too large in any kind of file', () => {
    expect(faultOf(seam, { prompt: 'é'.repeat(131_072), reference: 'y' })).toBe(
      '7 row: a problem of at most 262144 bytes, 262145 bytes',
    );
  });

  it.each([
    ['seam', (prompt: string) => ({ prompt, reference: 'y' })],
    ['gsm8k', (question: string) => ({ question, answer: '#### 5' })],
  ])('has a prompt beyond the characters that a generator tokenizes, to the character (%s)', (name, row) => {
    expect(problemOf(formNamed(name), row('x'.repeat(131_072))).prompt).toHaveLength(131_072);
    expect(faultOf(formNamed(name), row('x'.repeat(131_073)))).toBe(
      '7 prompt: a text of at most 131072 characters, 131073 characters',
    );
  });

  it('has such a prompt without a judge too', () => {
    const reading = readRow(7, { prompt: 'x'.repeat(131_073) }, { form: seam, ungraded: true });
    expect(reading).toMatchObject({ status: 'faulty', faults: [{ field: 'prompt', came: '131073 characters' }] });
  });
});
