import { layExample, sequenceOf } from './example.js';

const sampled = (promptTokenIds: number[]) =>
  ({ promptTokenIds, tokenIds: [7, 8, 9], forced: [false, true, false] }) as unknown as Parameters<
    typeof layExample
  >[1];

describe('an example', () => {
  it('is trained on every token that was a choice, at its place after the prompt', () => {
    expect(layExample('e', sampled([1, 2]), { type: 'object' }, 5)).toEqual({
      ...{ exampleId: 'e', tokenIds: [1, 2, 7, 8, 9], targets: [2, 4] },
      ...{ continuationStart: 2, schema: { type: 'object' }, maxTokens: 5 },
    });
  });

  it('without a prompt is not trained on its first token, which nothing predicts', () => {
    expect(layExample('e', sampled([]), undefined)).toEqual({
      ...{ exampleId: 'e', tokenIds: [7, 8, 9], targets: [2], continuationStart: 0 },
    });
  });

  it('becomes a sequence whose budget matters under a schema alone', () => {
    const free = layExample('e', sampled([1]), undefined, 5);
    expect(sequenceOf(free, 0.5)).toEqual({ tokenIds: [1, 7, 8, 9], targets: [1, 3], weights: [0.5, 0.5] });
    const bound = layExample('e', sampled([1]), { type: 'object' }, 5);
    expect(sequenceOf(bound, 0.5)).toEqual({
      ...{ tokenIds: [1, 7, 8, 9], targets: [1, 3], weights: [0.5, 0.5] },
      ...{ schema: { type: 'object' }, continuationStart: 1, maxTokens: 5 },
    });
  });
});
