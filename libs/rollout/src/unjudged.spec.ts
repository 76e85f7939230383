import { groupUnjudged } from './unjudged.js';

const tooLong = (tokens: number) => ({ code: 'PROMPT_TOO_LONG', reason: `it has ${tokens} tokens, 512 fit` }) as const;
const refused = { code: 'ENDPOINT_REFUSED', reason: 'no credit' } as const;

describe('what was not judged', () => {
  it('is grouped by reasons that differ in figures only, however long those are, the most frequent first', () => {
    expect(groupUnjudged([refused, tooLong(9), tooLong(1234), tooLong(56)])).toEqual([
      { ...tooLong(9), problems: 3 },
      { ...refused, problems: 1 },
    ]);
  });

  it('adds groups up, and keeps codes apart', () => {
    const other = { ...tooLong(9), code: 'INVALID_INPUT' } as const;
    expect(groupUnjudged([{ ...refused, problems: 2 }, tooLong(1), refused, other])).toEqual([
      { ...refused, problems: 3 },
      { ...tooLong(1), problems: 1 },
      { ...other, problems: 1 },
    ]);
  });
});
