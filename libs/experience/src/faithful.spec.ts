import { Random } from '@seamstream/kernel';
import type { JsonSchema } from '@seamstream/token-grammar';
import fc from 'fast-check';
import { checkEntrySchema } from './entry.js';
import { misquoteIn } from './faithful.js';

const entryOf = (facts: unknown, parts: unknown = []): string => JSON.stringify({ facts, parts });
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    facts: { type: 'array', items: { type: 'string', 'x-quotes': { from: 'prompt' } } },
    parts: { type: 'array', items: { type: 'string', 'x-quotes': { from: 'prompt', between: ['“', '”'] } } },
    advice: { type: 'string' },
  },
  required: ['facts', 'parts'],
  additionalProperties: false,
};
const PROMPT = 'Ada has 3.5 litres of paint and cannot buy more. She paints a fence, then a gate, then a fence.';

const faultOf = (entry: string): string | undefined => misquoteIn(entry, SCHEMA, PROMPT)?.fault;

describe('an entry is faithful', () => {
  it.each([
    ['when it quotes words of its problem', entryOf(['3.5 litres', 'she paints'])],
    ['when it quotes a span as often as it stands there', entryOf(['a fence', 'a fence'])],
    ['when parts of its texts are quotes', entryOf([], ['mind “a gate” and “more”'])],
    ['when it quotes all of it', entryOf([PROMPT])],
    ['when its lists are empty', entryOf([])],
    ['with any text where nothing is a quote', JSON.stringify({ facts: [], parts: [], advice: 'unicorns' })],
    ['when two lists quote the same', entryOf(['a gate'], ['“a gate”'])],
  ])('%s', (_, entry) => {
    expect(faultOf(entry)).toBeUndefined();
  });

  it('with any text under a schema without such rules', () => {
    expect(misquoteIn('{"facts":["unicorns"]}', { type: 'object' }, PROMPT)).toBeUndefined();
  });
});

describe('an entry misquotes', () => {
  it.each([
    ['words that are not there', entryOf(['a roof']), 'it quotes "a roof", which is not in the problem'],
    ['words of two places', entryOf(['Ada paints']), 'it quotes "Ada paints", which is not in the problem'],
    ['a part of a word', entryOf(['can']), 'it quotes "can", which is not in the problem'],
    ['a part of a number', entryOf(['3']), 'it quotes "3", which is not in the problem'],
    ['nothing', entryOf(['']), 'it quotes "", which holds neither letter nor digit'],
    ['blanks', entryOf(['  ']), 'it quotes "  ", which holds neither letter nor digit'],
    ['punctuation', entryOf(['.']), 'it quotes ".", which holds neither letter nor digit'],
    [
      'hidden characters',
      entryOf(['a\u200b gate']),
      'it quotes "a\u200b gate", which holds the invisible character U+200B',
    ],
    [
      'one thing twice',
      entryOf(['a gate', 'A  gate']),
      'it quotes "A  gate", which occurs in the problem once and is quoted more often',
    ],
    ['between marks', entryOf([], ['see “a roof”']), 'it quotes "a roof", which is not in the problem'],
    ['the second of two', entryOf([], ['“a gate” “a roof”']), 'it quotes "a roof", which is not in the problem'],
    ['by leaving the quote out', entryOf([], ['a roof']), 'it quotes nothing'],
    ['by leaving the quote open', entryOf([], ['“a gate']), 'a quote has a beginning and no end'],
    ['by what is no text', entryOf([7]), 'it is no text'],
    ['by what is no JSON', '{"facts":', 'it is not JSON'],
    [
      'too often to be read',
      entryOf(Array.from({ length: 300 }, () => 'Ada')),
      'it quotes "Ada", which occurs in the problem once and is quoted more often',
    ],
  ])('%s', (_, entry, fault) => {
    expect(faultOf(entry)).toBe(fault);
  });

  it('and says where', () => {
    expect(misquoteIn(entryOf(['a gate', 'a roof']), SCHEMA, PROMPT)).toEqual({
      path: '#/facts/1',
      quote: 'a roof',
      fault: 'it quotes "a roof", which is not in the problem',
    });
  });
});

/** Of each attack; many by `npm run conformance:quotes`. */
const RUNS = Number(process.env.SEAM_TEST_QUOTES ?? 60);

/** Ways to make a false quote of a true one, as one would who is paid for quotes. */
const ATTACKS: Readonly<Record<string, (quote: string, random: Random) => string>> = {
  'another word in it': (quote) => `${quote} unicorn`,
  'a word of it exchanged': (quote) => quote.replace(/[a-z]+$/i, 'unicorn'),
  'a letter more': (quote) => `${quote}s`,
  'its last letter cut off': (quote) => quote.slice(0, -1),
  'a zero-width space in it': (quote) => `${quote.slice(0, 1)}\u200b${quote.slice(1)}`,
  'a word joiner in it': (quote) => `${quote.slice(0, -1)}\u2060${quote.slice(-1)}`,
  'a direction mark around it': (quote) => `\u202e${quote}\u202c`,
  'a letter that looks alike': (quote) =>
    quote.replace(/[aeo]/i, (letter) => ({ a: 'а', e: 'е', o: 'о' })[letter.toLowerCase()]!),
  'its words in another order': (quote) => quote.split(' ').reverse().join(' '),
  'a word left out': (quote) => quote.split(' ').toSpliced(1, 1).join(' '),
  'blanks in a word': (quote) => quote.replace(/([a-z])([a-z]+)$/i, '$1 $2'),
  'its blanks left out': (quote) => quote.replaceAll(' ', ''),
};

describe('a quote that was true', () => {
  // Words of two letters and more, each once: every attack on three of them in a row is false.
  const WORDS = [
    'boat',
    'lemon',
    'stone',
    'apple',
    'house',
    'ocean',
    'rope',
    'candle',
    'meadow',
    'parrot',
    'violet',
    'garden',
  ];

  it.each(Object.entries(ATTACKS))('is false with %s', (_, attack) => {
    fc.assert(
      fc.property(fc.shuffledSubarray(WORDS, { minLength: 4 }), fc.nat(), fc.nat(), (words, at, seed) => {
        const start = at % (words.length - 2);
        const quote = words.slice(start, start + 3).join(' ');
        const prompt = `${words.join(' ')}.`;
        expect(misquoteIn(entryOf([quote]), SCHEMA, prompt)).toBeUndefined();
        const false_ = attack(quote, Random.of('attack', seed));
        expect(false_).not.toBe(quote);
        expect(misquoteIn(entryOf([false_]), SCHEMA, prompt)).toBeDefined();
        expect(misquoteIn(entryOf([], [`“${quote}” and “${false_}”`]), SCHEMA, prompt)).toBeDefined();
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a rule for quotes', () => {
  const texts = { type: 'string' };
  const rule = { from: 'prompt' };
  const ruled = { ...texts, 'x-quotes': rule };

  it.each<[string, JsonSchema]>([
    ['of the root', ruled],
    ['in lists in lists', { type: 'array', items: { type: 'array', prefixItems: [ruled, texts], items: false } }],
    ['of listed texts', { enum: ['a b'], 'x-quotes': { from: 'prompt', between: ['', ' '] } }],
    ['of one text', { const: 'a', 'x-quotes': rule }],
    ['that is but a name of a property, or a value', { properties: { 'x-quotes': texts }, enum: [{ 'x-quotes': 7 }] }],
  ])('is read: %s', (_, schema) => {
    expect(() => checkEntrySchema(schema)).not.toThrow();
  });

  it.each<[string, JsonSchema, string]>([
    ['from elsewhere', { ...texts, 'x-quotes': { from: 'answer' } }, 'at #: expected {"from": "prompt"}'],
    ['in short', { ...texts, 'x-quotes': 'prompt' }, 'got "prompt"'],
    ['with a word that is not known', { ...texts, 'x-quotes': { ...rule, fuzzy: true } }, 'got the unknown "fuzzy"'],
    ['with one mark', { ...texts, 'x-quotes': { ...rule, between: ['"'] } }, 'with "between": [before, after]'],
    ['that counts in lists of no length', { ...texts, 'x-quotes': { ...rule, countUpTo: 0 } }, '"countUpTo" of 1 to 8'],
    ['that counts in long lists', { ...texts, 'x-quotes': { ...rule, countUpTo: 9 } }, '"countUpTo" of 1 to 8'],
    ['that counts in half a list', { ...texts, 'x-quotes': { ...rule, countUpTo: 2.5 } }, '"countUpTo" of 1 to 8'],
    ['of numbers', { type: 'integer', 'x-quotes': rule }, 'expected a schema of texts'],
    ['of texts and others', { enum: ['a', 1], 'x-quotes': rule }, 'expected a schema of texts'],
    [
      'of a choice',
      { anyOf: [ruled, texts] },
      'at #/anyOf/0: expected to be reached from the root by properties, items',
    ],
    ['of a definition', { $defs: { fact: ruled }, $ref: '#/$defs/fact' }, 'at #/$defs/fact'],
    [
      'of other properties',
      { type: 'object', additionalProperties: { properties: { a: ruled } } },
      'at #/additionalProperties/properties/a',
    ],
  ])('is refused: %s', (_, schema, message) => {
    expect(() => checkEntrySchema(schema)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) as string }) as Error,
    );
  });
});
