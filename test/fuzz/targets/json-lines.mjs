// Datasets as JSON Lines through every form: each row becomes a problem or is named with what is wrong with it.
import { bytesInMemory, columnsForm, datasetForms, parseColumnMapping, readProblems } from '@seamstream/datasets';
import { damaged, piecesText } from '../damage.mjs';

export const name = 'json-lines';
const ROWS = [
  {
    prompt: 'What is 2+3?',
    reference: '5',
    verifier: { kind: 'numeric' },
    domain: 'sums',
    subject: 'me',
    mode: 'explore',
  },
  { question: 'Janet has 3 ducks.', answer: 'She has <<3=3>>3.\n#### 3' },
  { problem: 'Compute $1+1$.', solution: 'It is $\\boxed{2}$.', level: 'Level 1', type: 'Algebra', answer: '2' },
  { Problem: 'Find n.', Answer: 70, ID: '2024-I-1', Year: 2024 },
  {
    data_source: 'math_dapo',
    prompt: [{ role: 'user', content: 'Solve it. $x=1$' }],
    ability: 'MATH',
    reward_model: { ground_truth: '34', style: 'rule-lighteval/MATH_v2' },
    extra_info: { index: 'a' },
  },
];
const line = (row) => Buffer.from(JSON.stringify(row));
export const seeds = [...ROWS.map(line), Buffer.from(ROWS.map((row) => JSON.stringify(row)).join('\r\n'))];
const forms = [
  ...datasetForms.values(),
  columnsForm(parseColumnMapping('prompt=question,reference=answer'), 'numeric'),
];

/** A row whose text is made of pieces: bytes that are damaged anywhere are seldom JSON still. */
export function mutate(random, all) {
  if (random.int(3) === 0) return damaged(random, all);
  const row = structuredClone(random.pick(ROWS));
  const field = random.pick(Object.keys(row));
  const values = [
    piecesText(random),
    random.int(100),
    null,
    [piecesText(random)],
    { a: piecesText(random) },
    random.float() * 1e300,
  ];
  row[field] = random.pick(values);
  return line(row);
}

export async function run(bytes) {
  for (const form of forms)
    for await (const reading of readProblems(bytesInMemory(Buffer.from(bytes)), { form }))
      if (reading.status === 'faulty' && reading.faults.length === 0) throw new Error('a faulty row without a fault');
}
