// Answers of models before choice, numeric, json and exact: there is always a verdict, and an empty answer is never right.
import { Verifiers } from '@seamstream/verifiers';
import { damaged, piecesText } from '../damage.mjs';

export const name = 'verifiers';
const verifiers = new Verifiers();
const CASES = [
  { kind: 'exact', reference: 'red blue', options: {} },
  { kind: 'numeric', reference: '1/3', options: {} },
  { kind: 'numeric', reference: '-1,234.5', options: { units: 'ignore', tolerance: '0.1', percent: 'fraction' } },
  { kind: 'choice', reference: 'B', options: {} },
  { kind: 'choice', reference: 'A, C', options: { texts: '["a bird","a plane","a man"]' } },
  { kind: 'json', reference: '{"a":[1,2,{"b":null}]}', options: {} },
  {
    kind: 'json',
    reference: '[[1,"x"],[2,"y"]]',
    options: { arrays: 'unordered', tolerance: '0.5', properties: 'atLeast' },
  },
];
const encode = (text) => Buffer.from(text);
export const seeds = [
  'Answer: red blue',
  'so **Answer:** 0.333',
  '#### -1,234.5 dollars',
  '\\boxed{\\frac{1}{3}}',
  'Answer: (B) because A is too small',
  'The answer is A or B.',
  '```json\n{"a":[1,2,{"b":null}]}\n```',
  'Answer: [[2,"y"],[1,"x"]]',
  'either {"a": 1e400} or {"a": 1e-400}',
  '',
].map(encode);

export const mutate = (random, all) =>
  random.int(3) === 0
    ? damaged(random, all)
    : encode(`${random.pick(['', 'Answer: ', '#### ', '\\boxed{', '```json\n'])}${piecesText(random)}`);

export async function run(bytes) {
  const text = Buffer.from(bytes).toString('utf8');
  for (const { kind, reference, options } of CASES) {
    const verdict = await verifiers.verify({ kind, version: '1', options }, { text, finished: true }, reference);
    if (typeof verdict.success !== 'boolean') throw new Error(`${kind}: no verdict`);
    if (verdict.success && verdict.extractedAnswer === null) throw new Error(`${kind}: right without an answer`);
  }
}
