import { checkVerifiable } from './registry.js';
import { Verifiers } from './verifiers.js';

const verifiers = new Verifiers();
afterAll(() => verifiers.close());

const SPEC = { kind: 'grid', version: '1', options: {} };
const TRUTH = '07\n77';
const judged = (text: string) => verifiers.verify(SPEC, { text, finished: true }, TRUTH);

describe('the verifier of grids', () => {
  it.each([
    ['the grid', '07\n77', 'attempt 1 of 1 is right; cells 1.000'],
    ['the grid, and more text of the model', '0 7\n7 7\n\nInput:\n1', 'attempt 1 of 1 is right; cells 1.000'],
    ['the second attempt', 'Attempt 1:\n00\n00\n\nAttempt 2:\n07\n77\n\n', 'attempt 2 of 2 is right; cells 1.000'],
  ])('takes %s', async (_, text, detail) => {
    expect(await judged(text)).toMatchObject({ success: true, detail, figures: { exactMatch: 1, cellAccuracy: 1 } });
  });

  it.each([
    ['a grid with a wrong cell', '07\n70', 'no attempt is right; cells 0.750', 0.75],
    ['a larger grid', '070\n770', 'no attempt is right; cells 0.667', 2 / 3],
    [
      'a third attempt',
      'Attempt 1:\n0\n\nAttempt 2:\n1\n\nAttempt 2:\n07\n77\n\n',
      'no attempt is right; cells 0.250',
      1 / 4,
    ],
    ['no grid', 'No attempt: too-many-steps', 'the response holds no grid', 0],
  ])('refuses %s, and says how many cells agree', async (_, text, detail, cellAccuracy) => {
    expect(await judged(text)).toMatchObject({ success: false, detail, figures: { exactMatch: 0, cellAccuracy } });
  });

  it('refuses a reference that is no grid', () => {
    expect(() => checkVerifiable(SPEC, 'x')).toThrow(/expected a grid, a line per row and a digit per cell/);
    expect(() => checkVerifiable(SPEC, '07\n7')).toThrow(/expected a grid/);
    expect(() => checkVerifiable(SPEC, TRUTH)).not.toThrow();
  });
});
