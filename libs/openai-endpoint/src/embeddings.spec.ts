import fc from 'fast-check';
import { cosine, embeddingsTask } from './embeddings.js';

const answer = (data: unknown): unknown => ({ data, usage: { prompt_tokens: 3 } });
const read = (texts: readonly string[], data: unknown) => embeddingsTask('m', texts).schema.safeParse(answer(data));

describe('embeddings', () => {
  it('are in the order of the texts, in any order of the answer', () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    expect(read(['a', 'b'], data).data?.vectors).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it.each([
    ['too few', [{ index: 0, embedding: [1] }]],
    [
      'two of one text',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      'one of another text',
      [
        { index: 0, embedding: [1] },
        { index: 2, embedding: [1] },
      ],
    ],
    [
      'of two lengths',
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    ],
    [
      'empty',
      [
        { index: 0, embedding: [] },
        { index: 1, embedding: [] },
      ],
    ],
  ])('that are %s are no answer', (_what, data) => {
    expect(read(['a', 'b'], data).success).toBe(false);
  });

  it('have the cosine that a definition by angles gives, and 0 without a direction', () => {
    const angle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
    const length = fc.double({ min: 0.1, max: 100, noNaN: true });
    fc.assert(
      fc.property(angle, angle, length, length, (a, b, long, longer) => {
        const vector = (at: number, by: number): number[] => [by * Math.cos(at), by * Math.sin(at)];
        expect(cosine(vector(a, long), vector(b, longer))).toBeCloseTo(Math.cos(a - b), 9);
      }),
    );
    expect(cosine([0, 0], [1, 1])).toBe(0);
  });
});
