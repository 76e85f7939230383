import { bytesInMemory } from '@seamstream/datasets';
import { chosenProblems, type ProblemOptions, type ProblemSources } from './evaluation-problems.js';

const READING = { fractions: '0.9,0.05,0.05', splitSeed: '0' };
const ROW = '{"domain":"sums","prompt":"What is 2 + 3?","reference":"5","verifier":"numeric"}\n';

/** @param text of every file */
const sources = (text: string): ProblemSources => ({
  openInput: () => Promise.resolve(bytesInMemory(Buffer.from(text))),
  worldProblems: (set) =>
    Promise.resolve(
      [1, 2].map((n) => ({ problemId: `${set}-${n}` })) as unknown as Awaited<
        ReturnType<ProblemSources['worldProblems']>
      >,
    ),
});
const chosen = (text: string, path: string | undefined, options: Partial<ProblemOptions> = {}) =>
  chosenProblems(sources(text), path, { ...READING, ...options });

describe('The problems of an evaluation', () => {
  it('are those of a file, or of a set of the demonstration', async () => {
    expect(await chosen(ROW + ROW.replace('2 + 3', '4 + 1'), 'f.jsonl', { limit: 1 })).toMatchObject([
      { domain: 'sums', prompt: 'What is 2 + 3?', reference: '5', verifier: { kind: 'numeric' } },
    ]);
    expect(await chosen('', undefined, { set: 'shifted', limit: 1 })).toMatchObject([{ problemId: 'shifted-1' }]);
  });

  it.each<[string, string, string | undefined, Partial<ProblemOptions>]>([
    ['a file and a set', ROW, 'f.jsonl', { set: 'shifted' }],
    ['a form without a file', '', undefined, { dataset: 'gsm8k' }],
    ['a row that cannot be used', `${ROW}{"prompt":1}\n`, 'f.jsonl', {}],
    ['an empty file', '', 'f.jsonl', {}],
  ])('are refused for %s', async (_, text, path, options) => {
    await expect(chosen(text, path, options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
