import { tokenWeights } from './token-weights.js';

describe('token weights', () => {
  const sequences = [
    { tokens: 1, weight: 1 },
    { tokens: 3, weight: 1 },
  ];

  it('are equal for all tokens in the token mean', () => {
    expect(tokenWeights(sequences, 'token-mean')).toEqual([1 / 4, 1 / 4]);
  });

  it('share a sequence among its tokens in the sequence mean', () => {
    expect(tokenWeights(sequences, 'sequence-mean')).toEqual([1 / 2, 1 / 6]);
  });

  it.each(['token-mean', 'sequence-mean'] as const)(
    'add up to one over all tokens, also with weights (%s)',
    (average) => {
      const weighted = [
        { tokens: 4, weight: 2 },
        { tokens: 5, weight: 0.5 },
        { tokens: 1, weight: 1 },
      ];
      const total = tokenWeights(weighted, average).reduce((sum, share, i) => sum + share * weighted[i]!.tokens, 0);
      expect(total).toBeCloseTo(1, 12);
    },
  );
});
