import { isSeamError, Random, type SeamError } from '@seamstream/kernel';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema } from './json-schema.types.js';
import { isPlainCodePoint } from './plain-text.js';
import { compileGrammar, type GrammarOptions } from './token-grammar.js';
import type { GrammarState, TokenGrammar } from './token-grammar.types.js';

const ajv = new Ajv2020({ strict: false });

/** A tokenizer that has seen entries like the world's, so that it merges across JSON's punctuation. */
const ENTRIES = [
  '{"concepts":["oak","ash"],"strategy":["add them"],"pitfalls":["none"]}',
  '{"concepts":["mint"],"strategy":["double dose"],"pitfalls":["one taken"]}',
  '{"concepts":["yew","cedar"],"strategy":["find the gap"],"pitfalls":["cracked board"]}',
];
const tokenizer = Tokenizer.fromJson(
  trainByteLevelBpe(
    ENTRIES.flatMap((entry) => Array.from({ length: 4 }, () => entry)),
    330,
    ['<|endoftext|>'],
  ),
);
const ENTRY_SCHEMA = {
  type: 'object',
  properties: {
    concepts: { type: 'array', items: { enum: ['oak', 'ash', 'yew', 'cedar'] }, minItems: 2, maxItems: 2 },
    strategy: { type: 'array', items: { enum: ['add them', 'find the gap'] }, minItems: 1, maxItems: 1 },
    pitfalls: { type: 'array', items: { enum: ['none', 'cracked board'] }, minItems: 1, maxItems: 1 },
  },
  required: ['concepts', 'strategy', 'pitfalls'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const compile = (schema: JsonSchema, by: Tokenizer = tokenizer, options: GrammarOptions = {}): TokenGrammar =>
  compileGrammar(schema, by.vocabulary, (text) => by.encode(text), options);

/** Follows a grammar with a random hand, within a budget if one is given. */
function walk(grammar: TokenGrammar, random: Random, budget?: number): number[] {
  const ids: number[] = [];
  let state = grammar.start();
  while (!grammar.isComplete(state)) {
    const legal =
      budget === undefined ? grammar.allowed(state).ids : grammar.allowedWithin(state, budget - ids.length).ids;
    expect(legal.length).toBeGreaterThan(0);
    const id = legal[random.int(legal.length)]!;
    ids.push(id);
    state = grammar.advance(state, id);
  }
  return ids;
}

function bytesText(vocabulary: readonly Uint8Array[], ids: readonly number[]): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(ids.map((id) => vocabulary[id]!)));
}

function follow(grammar: TokenGrammar, ids: readonly number[]): GrammarState {
  return ids.reduce((state, id) => grammar.advance(state, id), grammar.start());
}

const words = fc.string({ unit: fc.constantFrom(...Array.from('abcdxyz éß木"\\.,:[]{}0129-')), maxLength: 8 });
const scalars = fc.oneof(words, fc.integer({ min: -300, max: 300 }), fc.boolean(), fc.constant(null));
const bounds = (most: number) =>
  fc.tuple(fc.nat(most), fc.nat(most)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const { schema: schemas } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<JsonSchema>({ type: 'boolean' }),
    bounds(6).map(([minLength, maxLength]): JsonSchema => ({ type: 'string', minLength, maxLength })),
    fc
      .tuple(fc.integer({ min: -100000, max: 100000 }), fc.nat(70000))
      .map(([minimum, size]): JsonSchema => ({ type: 'integer', minimum, maximum: minimum + size })),
    fc.array(scalars, { minLength: 1, maxLength: 5 }).map((values): JsonSchema => ({ enum: values })),
    scalars.map((value): JsonSchema => ({ const: value })),
  ),
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    tie('leaf'),
    fc
      .tuple(tie('schema'), bounds(3))
      .map(([items, [minItems, maxItems]]): JsonSchema => ({ type: 'array', items, minItems, maxItems })),
    fc.uniqueArray(fc.tuple(words, tie('schema'), fc.boolean()), { selector: ([name]) => name, maxLength: 4 }).map(
      (properties): JsonSchema => ({
        type: 'object',
        properties: Object.fromEntries(
          properties.filter(([name]) => !/^\d+$/.test(name)).map(([name, schema]) => [name, schema]),
        ),
        required: properties.filter(([name, , isRequired]) => isRequired && !/^\d+$/.test(name)).map(([name]) => name),
        additionalProperties: false,
      }),
    ),
  ),
}));
const rooted = schemas.map(
  (schema): JsonSchema => ({
    type: 'object',
    properties: { value: schema },
    required: ['value'],
    additionalProperties: false,
  }),
);

/** All single bytes plus random longer tokens, encoded by the longest match: not a BPE, but it gives back any text. */
const randomVocabularies = fc
  .array(
    fc.oneof(
      fc
        .string({ unit: fc.constantFrom(...Array.from('ab01-"{}[]:, \\é木')), minLength: 2, maxLength: 4 })
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 2, maxLength: 3 }),
    ),
    { maxLength: 60 },
  )
  .map((extra) => {
    const vocabulary: Uint8Array[] = [
      new Uint8Array(0),
      ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
      ...extra,
    ];
    const idOf = new Map(vocabulary.map((bytes, id) => [Buffer.from(bytes).toString('latin1'), id]));
    const encode = (text: string): number[] => {
      const bytes = Buffer.from(text).toString('latin1');
      const ids: number[] = [];
      for (let at = 0; at < bytes.length; ) {
        let length = Math.min(16, bytes.length - at);
        while (!idOf.has(bytes.slice(at, at + length))) length--;
        ids.push(idOf.get(bytes.slice(at, at + length))!);
        at += length;
      }
      return ids;
    };
    return { vocabulary, encode };
  });

describe('a grammar over tokens', () => {
  it('lets every random walk end in compact JSON that validates, for any schema and any vocabulary', () => {
    fc.assert(
      fc.property(rooted, randomVocabularies, fc.nat(), (schema, { vocabulary, encode }, seed) => {
        const grammar = compileGrammar(schema, vocabulary, encode);
        const validate = ajv.compile(schema);
        for (let walkNumber = 0; walkNumber < 5; walkNumber++) {
          const text = bytesText(vocabulary, walk(grammar, Random.of(seed, walkNumber)));
          const value: unknown = JSON.parse(text);
          if (!validate(value)) throw new Error(`${text} ${JSON.stringify(validate.errors)}`);
          expect(JSON.stringify(value)).toBe(text);
        }
      }),
      { numRuns: 6 },
    );
  });

  it('ends within any budget from the one on that it says is enough', () => {
    fc.assert(
      fc.property(rooted, randomVocabularies, fc.nat(), fc.nat(12), (schema, { vocabulary, encode }, seed, extra) => {
        const grammar = compileGrammar(schema, vocabulary, encode);
        const least = grammar.minTokensToComplete(grammar.start());
        expect(walk(grammar, Random.of(seed), least).length).toBeLessThanOrEqual(least);
        expect(walk(grammar, Random.of(seed), least + extra).length).toBeLessThanOrEqual(least + extra);
      }),
      { numRuns: 6 },
    );
  });

  it('writes values without free parts in exactly the tokens of their whole text', () => {
    const grammar = compile(ENTRY_SCHEMA);
    for (let seed = 0; seed < 50; seed++) {
      const ids = walk(grammar, Random.of(seed));
      expect(ids).toEqual(tokenizer.encode(bytesText(tokenizer.vocabulary, ids)));
    }
    const awkward: JsonSchema = {
      type: 'object',
      properties: {
        'a.b': { type: 'array', items: { enum: ['(oak', 'oak)', '', "'s", ' ash', 'ash '] }, minItems: 0, maxItems: 3 },
        n: { enum: [1, 12, 123, true, null, 'none'] },
        c: { const: 'x' },
        m: { type: 'integer', minimum: -3, maximum: 110 },
      },
      required: ['n'],
      additionalProperties: false,
    };
    const other = compile(awkward);
    for (let seed = 0; seed < 300; seed++) {
      const ids = walk(other, Random.of(seed));
      expect(ids).toEqual(tokenizer.encode(bytesText(tokenizer.vocabulary, ids)));
    }
  });

  it('does so for awkward words under any merges that a tokenizer has learned from such values', () => {
    const awkwardWords = fc.string({ unit: fc.constantFrom(...Array.from('abcx \'".,:[]{}09é木\\\\')), maxLength: 6 });
    const leaf = fc.array(awkwardWords, { minLength: 1, maxLength: 3 }).map((values): JsonSchema => ({ enum: values }));
    const field = fc.oneof(
      leaf,
      fc
        .record({ items: leaf, minItems: fc.nat(1), maxItems: fc.integer({ min: 1, max: 2 }) })
        .map((array): JsonSchema => ({ type: 'array', ...array })),
    );
    const finite = fc.dictionary(
      awkwardWords.map((word) => `${word}k`),
      field,
      { minKeys: 1, maxKeys: 3 },
    );
    const bytes = Tokenizer.fromJson(trainByteLevelBpe([], 256, []));
    fc.assert(
      fc.property(finite, fc.nat(150), (properties, merges) => {
        const schema: JsonSchema = {
          type: 'object',
          properties,
          required: Object.keys(properties),
          additionalProperties: false,
        };
        const byBytes = compile(schema, bytes);
        const values = Array.from({ length: 30 }, (_, i) => bytes.decode(walk(byBytes, Random.of(i))));
        const learned = Tokenizer.fromJson(trainByteLevelBpe(values, 260 + merges, []));
        const grammar = compile(schema, learned);
        for (let i = 0; i < 15; i++) {
          const ids = walk(grammar, Random.of('canonical', i));
          expect(ids).toEqual(learned.encode(learned.decode(ids)));
        }
      }),
      // A fixed seed: where alternatives multiply beyond the limit (not in these) tokens may differ.
      { numRuns: 12, seed: 20 },
    );
  });

  it('leaves only real choices open: one per enumerated value, everything else is forced', () => {
    const grammar = compile(ENTRY_SCHEMA);
    let state = grammar.start();
    const choices: number[] = [];
    while (!grammar.isComplete(state)) {
      for (const id of grammar.forcedRun(state)) state = grammar.advance(state, id);
      const { ids } = grammar.allowed(state);
      if (ids.length === 0) break;
      expect(grammar.forcedRun(state)).toEqual([]);
      choices.push(ids.length);
      state = grammar.advance(state, ids[0]!);
    }
    expect(grammar.isComplete(state)).toBe(true);
    expect(choices.reduce((product, count) => product * count, 1)).toBe(4 * 4 * 2 * 2);
  });

  it('reaches every value of a small schema', () => {
    const grammar = compile(ENTRY_SCHEMA);
    const texts = new Set<string>();
    const visit = (state: GrammarState, ids: readonly number[]): void => {
      if (grammar.isComplete(state)) texts.add(bytesText(tokenizer.vocabulary, ids));
      for (const id of grammar.allowed(state).ids) visit(grammar.advance(state, id), [...ids, id]);
    };
    visit(grammar.start(), []);
    expect(texts.size).toBe(64);
  });

  it('accepts a plain string in any tokens, escapes and characters of several bytes included, and nothing hidden', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { s: { type: 'string', minLength: 1, maxLength: 12 } },
      required: ['s'],
      additionalProperties: false,
    };
    const grammar = compile(schema, tokenizer, { strings: 'plain' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 14 }), (content) => {
        const text = JSON.stringify({ s: content });
        const inside = tokenizer.encode(text.slice('{"s":"'.length, -2));
        const ids = [...tokenizer.encode('{"s":"'), ...inside, ...tokenizer.encode('"}')];
        const isLegal =
          Array.from(content).every((character) => isPlainCodePoint(character.codePointAt(0)!)) &&
          Array.from(content).length <= 12;
        let accepted = true;
        try {
          accepted = grammar.isComplete(follow(grammar, ids));
        } catch (error) {
          if (!isSeamError(error, 'INVALID_INPUT')) throw error;
          accepted = false;
        }
        expect(accepted).toBe(isLegal);
      }),
      { numRuns: 80 },
    );
  });

  it('counts the length of a string in code points', () => {
    const grammar = compile({ type: 'string', minLength: 2, maxLength: 2 });
    expect(
      grammar.isComplete(
        follow(grammar, [...tokenizer.encode('"'), ...tokenizer.encode('👍é'), ...tokenizer.encode('"')]),
      ),
    ).toBe(true);
    expect(() =>
      follow(grammar, [...tokenizer.encode('"'), ...tokenizer.encode('👍'), ...tokenizer.encode('"')]),
    ).toThrow(/not allowed/);
  });

  it('spells the integers of a large range and no others', () => {
    const grammar = compile({
      type: 'object',
      properties: { n: { type: 'integer', minimum: -1203, maximum: 9_007_199_254_740_991 } },
      required: ['n'],
      additionalProperties: false,
    });
    const accepts = (text: string): boolean => {
      try {
        const singles = Array.from(text).flatMap((character) => tokenizer.encode(character));
        return grammar.isComplete(
          follow(grammar, [...tokenizer.encode('{"n":'), ...singles, ...tokenizer.encode('}')]),
        );
      } catch {
        return false;
      }
    };
    for (const text of ['0', '7', '-1', '-1203', '-999', '1203', '9007199254740991', '1000000'])
      expect([text, accepts(text)]).toEqual([text, true]);
    for (const text of [
      '',
      '-',
      '-0',
      '00',
      '01',
      '-1204',
      '-2000',
      '9007199254740992',
      '10000000000000000',
      '1.5',
      '1e3',
    ])
      expect([text, accepts(text)]).toEqual([text, false]);
  });

  it('interns states: the same place is the same object, whichever walk led there', () => {
    const grammar = compile(ENTRY_SCHEMA);
    const path = (concept: string): number[] =>
      tokenizer.encode(`{"concepts":["${concept}","ash"],"strategy":["add them`);
    expect(follow(grammar, path('oak'))).toBe(follow(grammar, path('cedar')));
    expect(grammar.allowed(follow(grammar, path('oak')))).toBe(grammar.allowed(follow(grammar, path('yew'))));
  });

  it.each<[string, string, unknown]>([
    ['uniqueItems', '#/properties/a', { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }],
    ['contains', '#', { type: 'array', contains: { const: 1 } }],
    ['not', '#/items', { type: 'array', items: { not: { required: ['a'] } } }],
    ['if', '#', { if: { required: ['a'] }, then: { required: ['b'] } }],
    [
      'oneOf',
      '#',
      {
        oneOf: [
          { type: 'string', minLength: 2 },
          { type: 'string', maxLength: 3 },
        ],
      },
    ],
    ['pattern', '#/properties/a~1b', { type: 'object', properties: { 'a/b': { type: 'string', pattern: '^(?!x)' } } }],
    ['format', '#', { type: 'string', format: 'hostname' }],
    ['multipleOf', '#', { type: 'number', multipleOf: 0.01 }],
    ['$ref', '#', { $ref: 'https://example.com/other.json' }],
    ['$ref', '#', { $ref: '#/$defs/missing' }],
    ['$dynamicRef', '#', { $dynamicRef: '#node' }],
    ['$schema', '#', { $schema: 'https://example.com/dialect' }],
    ['type', '#', { type: 'blue' }],
    ['enum', '#', { enum: [] }],
    ['minLength', '#', { type: 'string', minLength: -1 }],
    ['', '#', { type: 'integer', minimum: 4, maximum: 3 }],
    ['', '#', { type: 'object', required: ['b'], additionalProperties: false }],
  ])('refuses %s at %s by name', (keyword, path, schema) => {
    let thrown: unknown;
    try {
      compile(schema as JsonSchema);
    } catch (error) {
      thrown = error;
    }
    expect(isSeamError(thrown, 'UNSUPPORTED_JSON_SCHEMA')).toBe(true);
    expect((thrown as SeamError).details).toEqual({ keyword, path });
  });

  describe('over a vocabulary that lacks single bytes', () => {
    const without = (...missing: number[]): Uint8Array[] =>
      tokenizer.vocabulary.map((bytes) =>
        bytes.length === 1 && missing.includes(bytes[0]!) ? new Uint8Array(0) : bytes,
      );
    const encode = (text: string): number[] => tokenizer.encode(text);

    it('offers nothing that could not be ended, and every walk ends in valid JSON', () => {
      const schema: JsonSchema = { type: 'string', minLength: 1, maxLength: 4 };
      // Lead bytes that texts rarely need, a letter, and one that ends characters.
      for (const missing of [[0xf1, 0xf3], [0x78], [0x80, 0xa9], [0xbf, 0x5c]]) {
        const vocabulary = [...without(...missing), Buffer.from('é'), Uint8Array.of(0xf1), Uint8Array.of(0x80, 0x80)];
        if (missing.includes(0xf1)) vocabulary.splice(-2, 1, Buffer.from('\u{50000}'));
        const grammar = compileGrammar(schema, vocabulary, encode);
        for (let seed = 0; seed < 200; seed++) {
          const text = bytesText(vocabulary, walk(grammar, Random.of('missing', missing.join(), seed), 30));
          expect(Array.from(JSON.parse(text) as string).length).toBeGreaterThan(0);
        }
      }
    });

    it('refuses a string that it cannot write at all', () => {
      const vocabulary = tokenizer.vocabulary.map((bytes) =>
        bytes.length === 1 && bytes[0] === 0x22 ? bytes : new Uint8Array(0),
      );
      expect(() => compileGrammar({ type: 'string', minLength: 1, maxLength: 3 }, vocabulary, encode)).toThrow(
        /no tokens to spell what the schema needs/,
      );
    });
  });
});
