import { trainByteLevelBpe } from './byte-level-bpe.js';
import { isLinearPattern, PUBLISHED_PATTERNS } from './published-patterns.js';
import { Tokenizer } from './tokenizer.js';
import type { TokenizerJson } from './tokenizer-json.js';

const SOUND = trainByteLevelBpe(['one two'], 270, ['<|end|>']);

type Changes = Partial<Record<keyof TokenizerJson, unknown>>;
const changed = (changes: Changes): unknown => ({ ...SOUND, ...changes });
const model = (changes: Record<string, unknown>): unknown => changed({ model: { ...SOUND.model, ...changes } });
const normalizers = (count: number, normalizer: unknown): unknown =>
  changed({ normalizer: { type: 'Sequence', normalizers: Array.from({ length: count }, () => normalizer) } });
const split = (pattern: unknown): unknown =>
  changed({ pre_tokenizer: { type: 'Split', pattern, behavior: 'Isolated' } });
const nested = (depth: number): unknown => {
  let component: unknown = { type: 'ByteLevel' };
  for (let level = 0; level < depth; level++) component = { type: 'Sequence', pretokenizers: [component] };
  return component;
};

function refusalOf(json: unknown): unknown {
  try {
    return Tokenizer.fromJson(json);
  } catch (error) {
    return error;
  }
}

describe('a tokenizer.json', () => {
  it.each<[string, unknown, RegExp]>([
    ['is no object', [1], /the file is \[1\]: expected an object/],
    ['has a model that is a number', changed({ model: 3 }), /model is 3: expected an object/],
    ['has ids that are no integers', model({ vocab: { a: 1.5 } }), /gives "a" the id 1.5/],
    ['has negative ids', model({ vocab: { a: -1 } }), /the id -1/],
    ['has ids out of range', model({ vocab: { a: 2 ** 31 } }), /the id 2147483648: expected 0 to 4194303/],
    ['has ids that are texts', model({ vocab: { a: '1' } }), /the id "1"/],
    ['has no tokens', model({ vocab: {}, merges: [] }), /has 0 tokens/],
    ['has merges of one token', model({ merges: [['a']] }), /model.merges\[0\] is \["a"\]: expected two tokens/],
    ['has merges of both forms', model({ merges: [['a', 'b'], 'a b'] }), /model.merges\[1\] is "a b"/],
    ['has merges that are numbers', model({ merges: [1] }), /model.merges\[0\] is 1/],
    ['adds tokens that are not tokens', changed({ added_tokens: [null] }), /added_tokens\[0\] is null/],
    [
      'adds tokens without ids',
      changed({ added_tokens: [{ content: 'x' }] }),
      /added_tokens\[0\] has the id undefined/,
    ],
    ['adds an empty token', changed({ added_tokens: [{ id: 1, content: '' }] }), /added_tokens\[0\].content is ""/],
    ['adds tokens in no list', changed({ added_tokens: 'x' }), /added_tokens is "x": expected a list/],
    [
      'doubles a text 22 times',
      normalizers(22, { type: 'Replace', pattern: { String: 'a' }, content: 'aa' }),
      /4194304 times as long/,
    ],
    [
      'puts a text between all characters',
      normalizers(1, { type: 'Replace', pattern: { Regex: 'a*' }, content: 'a'.repeat(99) }),
      /100 times/,
    ],
    ['replaces nothing', normalizers(1, { type: 'Replace', pattern: { String: '' }, content: 'a' }), /a pattern is ""/],
    ['replaces by no text', normalizers(1, { type: 'Replace', pattern: { String: 'a' }, content: 3 }), /content 3/],
    ['has a pattern of two kinds', split({ String: 'a', Regex: 'a' }), /a pattern is \{"String":"a","Regex":"a"\}/],
    ['has a pattern that is a number', split(3), /a pattern is 3: expected an object/],
    [
      'nests components without end',
      changed({ pre_tokenizer: nested(50_000) }),
      /pre_tokenizer is nested more than 16 deep/,
    ],
    ['has a list of thousands of components', normalizers(1000, { type: 'Strip' }), /normalizer has 1000 parts/],
  ])('that %s is refused with its reason', (_, json, message) => {
    expect(refusalOf(json)).toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(message) as string,
      details: { file: 'tokenizer.json' },
    });
  });

  it.each<[string, unknown, RegExp]>([
    [
      'a regular expression that backtracks',
      split({ Regex: '(a+)+$' }),
      /the regular expression "\(a\+\)\+\$", which is not a published/,
    ],
    ['one that is quadratic', split({ Regex: '\\s+$' }), /the regular expression/],
    [
      'one in a normalizer',
      normalizers(1, { type: 'Replace', pattern: { Regex: '(a|a)*b' }, content: '' }),
      /the regular expression/,
    ],
    [
      'a pre-tokenizer that steps by nothing',
      changed({ pre_tokenizer: { type: 'FixedLength', length: 0 } }),
      /pre_tokenizer of type "FixedLength"/,
    ],
    ['an unknown normalizer', changed({ normalizer: { type: 'constructor' } }), /normalizer of type "constructor"/],
    ['endings of words', model({ end_of_word_suffix: '</w>' }), /end_of_word_suffix "<\/w>"/],
    ['another model', model({ type: 'Unigram' }), /expected a BPE model/],
  ])('with %s is refused as one that is not computed', (_, json, message) => {
    expect(refusalOf(json)).toMatchObject({
      code: 'UNSUPPORTED_MODEL',
      message: expect.stringMatching(message) as string,
    });
  });

  it('leaves out what its vocabulary cannot spell, as the tokenizers library does', () => {
    const vocab = Object.fromEntries(Object.entries(SOUND.model.vocab).filter(([token]) => token !== 'ñ'));
    const tokenizer = Tokenizer.fromJson(model({ vocab, merges: [] }));
    // 0xF1 begins characters beyond the tables that are in use.
    const ids = tokenizer.encode('a\u{40000}b');
    expect(ids).toHaveLength(2 + 3);
    expect(ids.every(Number.isInteger)).toBe(true);
  });
});

describe('regular expressions of tokenizers', () => {
  const simple = ['\\s+', '[0-9]', ' {2,}', '\\p{N}{1,3}', '[^\\s]', '\\n', ' ', '[\\r\\n]*'];
  const pieces = [
    ' ',
    '\t',
    '\n',
    'a',
    'A',
    '\u4e00',
    '\u0301',
    '1',
    '.',
    "'",
    " '",
    'aA',
    ' \n',
    '\r',
    'a ',
    "'s",
    '!a',
    '/',
    '\ud800',
  ];

  it.each(simple)('that are one class of characters are linear: %s', (pattern) => {
    expect(isLinearPattern(pattern)).toBe(true);
  });

  it.each(['(a+)+', 'a+b', 'a+a+', '[a]+?', '\\s+$', '(?=a)', 'a{99999}', '.*', '[a', ''])(
    'that are more are not taken: %s',
    (pattern) => {
      expect(isLinearPattern(pattern)).toBe(false);
    },
  );

  it.each([...PUBLISHED_PATTERNS, ...simple])('take steps in proportion to a text of any worst piece: %s', (source) => {
    expect(Tokenizer.fromJson(split({ Regex: source }))).toBeDefined();
    const pattern = new RegExp(source, 'gu');
    // Processor time, not wall time: sixteen times the text takes about sixteen times as long, where it is quadratic 256 times.
    const cost = (length: number): number => {
      const before = process.cpuUsage();
      for (const piece of pieces) {
        let read = 0;
        const text = `${piece.repeat(length / piece.length)}x`;
        for (const match of text.matchAll(pattern)) read += match[0].length;
        expect(read).toBeLessThanOrEqual(text.length);
      }
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cost(2 ** 10);
    const short = Math.max(2000, cost(2 ** 12));
    expect(cost(2 ** 16) / short).toBeLessThan(96);
  });
});
