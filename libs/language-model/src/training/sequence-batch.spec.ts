import { compileGrammar } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import type { ModelConfig } from '../checkpoint/model-config.types.js';
import { batchFeeds, checkSequence, microBatches, trainedRunTokens, withLegalTokens } from './sequence-batch.js';

const tokenizer = Tokenizer.fromJson(
  trainByteLevelBpe(
    ['Mind the carry.', 'List: oak, ash.'].flatMap((text) =>
      Array.from({ length: 6 }, () => JSON.stringify({ concepts: [text, text], strategy: [text] })),
    ),
    500,
    ['<|endoftext|>'],
  ),
);
const list = { type: 'array', items: { type: 'string', minLength: 2, maxLength: 60 }, minItems: 1, maxItems: 3 };
const schema = {
  type: 'object',
  properties: { concepts: list, strategy: list },
  required: ['concepts', 'strategy'],
  additionalProperties: false,
};
const grammar = compileGrammar(schema, tokenizer.vocabulary, (text) => tokenizer.encode(text), { strings: 'plain' });
const config = {
  maxPositions: 64,
  vocabularySize: tokenizer.vocabulary.length,
  heads: 1,
  keyValueHeads: 1,
} as ModelConfig;

/** Drawn under the grammar of ADR 0011, which cut free strings before their closing quotation mark, with the budget that each had. */
const EARLIER: readonly (readonly [maxTokens: number, tokenIds: readonly number[]])[] = [
  [13, [290, 299, 263, 266, 2, 61, 260, 298, 263, 273, 2, 61, 93]],
  [14, [290, 299, 263, 275, 288, 2, 61, 260, 298, 263, 295, 2, 61, 93]],
  [15, [290, 299, 263, 71, 47, 14, 2, 61, 260, 298, 263, 287, 2, 61, 93]],
  [16, [290, 299, 263, 281, 134, 224, 27, 2, 61, 260, 298, 263, 279, 2, 61, 93]],
  [17, [290, 299, 263, 7, 1, 138, 229, 90, 2, 61, 260, 298, 263, 295, 2, 61, 93]],
  [18, [290, 299, 263, 158, 98, 256, 50, 45, 299, 2, 61, 260, 298, 263, 286, 2, 61, 93]],
];

describe('the legal tokens of a recorded sequence', () => {
  it.each(EARLIER)('hold what was written within %d tokens when entries ended in fewer', (maxTokens, tokenIds) => {
    const { width, legal } = legalOf(maxTokens, tokenIds);
    tokenIds.forEach((id, at) => {
      expect(legal[at * width + id]).toBe(1);
    });
  });

  it.each(EARLIER)('are the same as data, of what was written within %d tokens', (maxTokens, tokenIds) => {
    const whole = [1, ...tokenIds];
    const targets = tokenIds.map((_, at) => at + 1);
    const sequence = { tokenIds: whole, targets, schema, continuationStart: 1, maxTokens };
    const spelledOut = withLegalTokens(sequence, () => grammar);
    expect(Object.keys(spelledOut).sort()).toEqual(['allowed', 'targets', 'tokenIds']);
    expect(() => checkSequence(config, spelledOut, 0)).not.toThrow();
    const { legal } = batchFeeds(config, [spelledOut], true, () => grammar);
    expect(legal!.data).toEqual(legalOf(maxTokens, tokenIds).legal);
  });

  it('meets such tokens that the grammar of today would not offer with so few left', () => {
    const [maxTokens, tokenIds] = EARLIER[0]!;
    let state = grammar.start();
    const offered = tokenIds.map((id, at) => {
      const isOffered = grammar.allowedWithin(state, maxTokens - at).ids.includes(id);
      state = grammar.advance(state, id);
      return isOffered;
    });
    expect(offered).toContain(false);
  });

  it('do not hold what no text under the schema continues with', () => {
    expect(() => legalOf(13, [290, 290])).toThrow(/token 290 at 2: expected one that is legal/);
  });

  it('are the same when they come as data as when they follow from the schema', () => {
    const [maxTokens, tokenIds] = EARLIER[5]!;
    const { width, legal } = legalOf(maxTokens, tokenIds);
    const allowed = tokenIds.map((_, at) =>
      [...legal.subarray(at * width, (at + 1) * width).entries()].flatMap(([id, isLegal]) =>
        isLegal === 1 ? [id] : [],
      ),
    );
    const sequence = { tokenIds: [1, ...tokenIds], targets: tokenIds.map((_, at) => at + 1), allowed };
    checkSequence(config, sequence, 0);
    const noGrammar = (): never => {
      throw new Error('no grammar is needed');
    };
    expect(batchFeeds(config, [sequence], true, noGrammar).legal!.data).toEqual(legal);
  });

  it.each([
    ['of another number of targets', { allowed: [[2]] }],
    ['that are no tokens of the model', { allowed: [[2, 1e9], [3]] }],
    ['without the target itself', { allowed: [[7], [3]] }],
    ['next to a schema', { allowed: [[2], [3]], schema, continuationStart: 1 }],
  ])('are refused as data %s', (_, changes) => {
    expect(() => checkSequence(config, { tokenIds: [1, 2, 3], targets: [1, 2], ...changes }, 4)).toThrow(
      /^Cannot train on sequence 4: expected/,
    );
  });
});

describe('what is computed at once', () => {
  const sequences = [30, 100, 8, 60, 40].map((length) => ({ tokenIds: Array.from({ length }, () => 0), targets: [1] }));
  const runsOf = (isLarge: boolean, executionProvider: 'cpu' | 'cuda', batch = sequences) => {
    const runTokens = trainedRunTokens({ isLarge, executionProvider }, batch);
    return microBatches({ ...config, maxPositions: 128 }, batch, false, runTokens);
  };

  it('is, of a large model, no more than its longest sequence, regardless of the batch', () => {
    expect(runsOf(true, 'cpu')).toEqual([[1], [3], [4, 0], [2]]);
    expect(
      runsOf(
        true,
        'cpu',
        Array.from({ length: 8 }, () => sequences[0]!),
      ),
    ).toHaveLength(8);
  });

  it('is, of a small model or on a graphics processor, all that fits', () => {
    for (const runs of [runsOf(false, 'cpu'), runsOf(true, 'cuda')]) expect(runs).toEqual([[1, 3, 4, 0, 2]]);
  });
});

describe('a sequence that cannot be trained on', () => {
  const sound = { tokenIds: [1, 2, 3, 4], targets: [1, 3], allowed: [[2, 5], [4]] };
  it.each<[string, object]>([
    // Not at a target, where no legal token would be as bad.
    ['a token below 0', { tokenIds: [1, 2, -3, 4] }],
    ['half a token', { tokenIds: [1, 2, 3.5, 4] }],
    ['a token that is no number', { tokenIds: [1, 2, Number.NaN, 4] }],
    ['a token beyond the vocabulary', { tokenIds: [1, 2, config.vocabularySize, 4] }],
    ['one token', { tokenIds: [1] }],
    ['more tokens than positions', { tokenIds: Array.from({ length: config.maxPositions + 1 }, () => 1) }],
    ['half a target', { targets: [1, 2.5] }],
    ['the first token as a target', { targets: [0, 3] }],
    ['a target beyond the end', { targets: [1, 4] }],
    ['a target twice', { targets: [3, 3] }],
    ['targets that fall', { targets: [3, 1] }],
    ['a schema without where it begins', { schema, allowed: undefined }],
    ['a schema and legal tokens', { schema, continuationStart: 1 }],
    ['legal tokens of fewer targets', { allowed: [[2, 5]] }],
    ['a legal token below 0', { allowed: [[2, -1], [4]] }],
    ['half a legal token', { allowed: [[2, 5.5], [4]] }],
    ['a legal token beyond the vocabulary', { allowed: [[2, config.vocabularySize], [4]] }],
    ['a target that is not legal', { allowed: [[2, 5], [5]] }],
  ])('is refused for %s', (_, changes) => {
    expect(() => checkSequence(config, sound, 7)).not.toThrow();
    expect(() => checkSequence(config, { ...sound, ...changes }, 7)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', details: { sequence: 7 } }) as Error,
    );
  });

  it('may hold as many tokens as there are positions, and the vocabulary to its ends', () => {
    const tokenIds = Array.from({ length: config.maxPositions }, (_, at) => (at % 2) * (config.vocabularySize - 1));
    const targets = [1, tokenIds.length - 1];
    const allowed = [[config.vocabularySize - 1], [0, config.vocabularySize - 1]];
    expect(() => checkSequence(config, { tokenIds, targets, allowed }, 0)).not.toThrow();
  });
});

function legalOf(maxTokens: number, tokenIds: readonly number[]): { width: number; legal: Uint8Array } {
  const whole = [1, ...tokenIds];
  const targets = tokenIds.map((_, at) => at + 1);
  const sequence = { tokenIds: whole, targets, schema, continuationStart: 1, maxTokens };
  const { legal } = batchFeeds(config, [sequence], true, () => grammar);
  return { width: config.vocabularySize, legal: legal!.data as Uint8Array };
}
