import { Random } from '@seamstream/kernel';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { JsonSchema } from './json-schema.types.js';
import { compileGrammar } from './token-grammar.js';
import type { TokenGrammar } from './token-grammar.types.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const SENTENCES = [
  'Mind the carry.',
  'Is the sum (of two) even? Then "halve" it!',
  'List: oak, ash.',
  'Ends in a bracket (here)',
  '`code` first, then 3.14',
  'Über Maß, naïve; 木.',
];
const tokenizer = Tokenizer.fromJson(
  trainByteLevelBpe(
    SENTENCES.flatMap((text) =>
      Array.from({ length: 6 }, () => JSON.stringify({ memory_item: text, next: text, n: 1 })),
    ),
    600,
    ['<|endoftext|>'],
  ),
);

const compile = (schema: JsonSchema): TokenGrammar =>
  compileGrammar(schema, tokenizer.vocabulary, (text) => tokenizer.encode(text));

/** The text of a random hand within a budget. */
function written(grammar: TokenGrammar, random: Random, budget: number): string {
  const ids: number[] = [];
  let state = grammar.start();
  while (!grammar.isComplete(state)) {
    const legal = grammar.allowedWithin(state, budget - ids.length).ids;
    if (legal.length === 0) throw new Error(`nothing is legal after ${tokenizer.decode(ids)}`);
    ids.push(legal[random.int(legal.length)]!);
    state = grammar.advance(state, ids.at(-1)!);
  }
  expect(ids.length).toBeLessThanOrEqual(budget);
  return new TextDecoder('utf-8', { fatal: true }).decode(tokenizer.decodeBytes(ids));
}

function accepts(grammar: TokenGrammar, ids: readonly number[]): boolean {
  let state = grammar.start();
  for (const id of ids) {
    if (!grammar.allowed(state).ids.includes(id)) return false;
    state = grammar.advance(state, id);
  }
  return grammar.isComplete(state);
}

const spells = (schema: JsonSchema, text: string): boolean => {
  const bytes = Tokenizer.fromJson(trainByteLevelBpe([], 256, []));
  return accepts(
    compileGrammar(schema, bytes.vocabulary, (each) => bytes.encode(each)),
    bytes.encode(text),
  );
};

const names = fc.constantFrom('a', 'b', 'name', 'the key', 'é"');
const { schema: schemas } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<JsonSchema>(
      {},
      { type: 'null' },
      { type: ['string', 'null'], maxLength: 4 },
      { type: 'number' },
      { type: 'number', minimum: -1.5, exclusiveMaximum: 12.25 },
      { type: 'number', exclusiveMinimum: 0, maximum: 0.001 },
      { type: 'integer', multipleOf: 7, minimum: -100 },
      { type: 'integer', exclusiveMinimum: -3, maximum: 1e6 },
      { type: 'string', pattern: '^[a-c]{2,}\\d$' },
      { type: 'string', pattern: 'x|y', minLength: 3, maxLength: 9 },
      { type: 'string', pattern: '^\\p{Lu}[^\\n]*\\.$' },
      { enum: ['a', 1, null, { a: [1] }] },
      { enum: ['a', 'bb', 12, 123], type: 'integer' },
      { $ref: '#/$defs/tree' },
      { $ref: '#/$defs/tree', maxProperties: 1 },
    ),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
    tie('schema').map((inner): JsonSchema => ({ allOf: [{ description: 'both' }, inner] })),
    fc.tuple(fc.array(tie('schema'), { maxLength: 2 }), fc.nat(3)).map(
      ([prefixItems, minItems]): JsonSchema => ({
        type: 'array',
        ...(prefixItems.length > 0 ? { prefixItems } : {}),
        items: { type: 'boolean' },
        minItems,
      }),
    ),
    fc
      .tuple(
        fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
        fc.subarray(['a', 'b', 'other']),
        fc.option(tie('schema')),
      )
      .map(
        ([properties, required, additional]): JsonSchema => ({
          type: 'object',
          properties,
          required,
          patternProperties: { '^o': { type: ['string', 'boolean'] } },
          ...(additional === null ? {} : { additionalProperties: additional }),
        }),
      ),
  ),
}));
const $defs = {
  tree: {
    type: 'object',
    properties: { value: { type: 'integer' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    required: ['value'],
    additionalProperties: false,
  },
};

describe('a grammar of a JSON Schema', () => {
  it('lets a random hand write only what the schema allows, within its budget, for schemas of many keywords', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), (schema, seed) => {
        const whole = { ...schema, $defs };
        const grammar = compile(whole);
        const validate = ajv.compile(whole);
        for (let walk = 0; walk < 3; walk++) {
          const budget = grammar.minTokensToComplete(grammar.start()) + walk * 12;
          const text = written(grammar, Random.of(seed, walk), budget);
          if (!validate(JSON.parse(text))) throw new Error(`${text} ${JSON.stringify(validate.errors)}`);
        }
      }),
      { numRuns: 6 },
    );
  });

  it('accepts the canonical tokens of natural sentences, with any ending', () => {
    const grammar = compile({
      type: 'object',
      properties: { memory_item: { type: 'string' }, next: { type: 'string' }, n: { type: 'integer' } },
    });
    for (const memory_item of SENTENCES) {
      for (const next of SENTENCES) {
        const text = JSON.stringify({ memory_item, next, n: 12 });
        expect([text, accepts(grammar, tokenizer.encode(text))]).toEqual([text, true]);
      }
    }
    expect(tokenizer.vocabulary.some((bytes) => Buffer.from(bytes).toString() === '.","')).toBe(true);
  });

  it('writes line breaks, tabs and escapes where the schema lets it, and plain text where it is asked to', () => {
    const text: JsonSchema = { type: 'object', properties: { s: { type: 'string' } } };
    const said = JSON.stringify({ s: 'a\n\t"\\\u0001\u200b' });
    expect(spells(text, said)).toBe(true);
    expect(spells({ ...text, properties: { s: { pattern: '^[^\\n]*$' } } }, said)).toBe(false);
    const plain = (schema: JsonSchema): TokenGrammar =>
      compileGrammar(schema, tokenizer.vocabulary, (each) => tokenizer.encode(each), { strings: 'plain' });
    const lines = tokenizer.encode(JSON.stringify({ s: 'a\nb' }));
    expect(accepts(plain(text), lines)).toBe(false);
    expect(accepts(plain({ ...text, properties: { s: { type: 'string', pattern: '^[a-z\\n]*$' } } }), lines)).toBe(
      true,
    );
  });

  it('ends a number that is the whole text with a line feed', () => {
    expect(spells({ type: 'integer' }, '12\n')).toBe(true);
    expect(spells({ type: 'integer' }, '12')).toBe(false);
  });

  it('nests as deep as the budget lets it', () => {
    const list: JsonSchema = {
      $ref: '#/$defs/list',
      $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
    };
    expect(spells(list, '['.repeat(200) + ']'.repeat(200))).toBe(true);
    expect(spells(list, '['.repeat(200) + ']'.repeat(199))).toBe(false);
  });

  it.each<[JsonSchema, string, boolean]>([
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, 'null', true],
    [{ dependentRequired: { a: ['b'] } }, '{"a":1}', false],
    [{ dependentRequired: { a: ['b'] } }, '{"a":1,"b":2}', true],
    [{ properties: { a: {}, b: {} }, dependentRequired: { a: ['b'] } }, '{"a":1,"b":2}', true],
    [{ properties: { a: {} }, unevaluatedProperties: false }, '{"b":1}', false],
    [{ type: 'object', properties: { a: {} } }, '{"a":1,"b":2}', true],
    [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'null' } }, '{"b":2}', false],
    [{ type: 'string', format: 'date' }, '"2024-02-29"', true],
    [{ type: 'string', format: 'date' }, '"2023-02-29"', false],
    [{ type: 'string', format: 'uri' }, '"file:///a/b.js#c"', true],
    [{ type: 'string', format: 'uri' }, '"http:///a"', false],
    [{ type: 'string', format: 'uri' }, '"file:///a b"', false],
    [
      { $schema: 'http://json-schema.org/draft-04/schema#', items: [{ type: 'null' }], type: 'array' },
      '[null,1]',
      true,
    ],
    [{ propertyNames: { maxLength: 2 }, type: 'object' }, '{"abc":1}', false],
    [
      { anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }], unevaluatedProperties: false },
      '{"a":1,"b":2}',
      true,
    ],
  ])('%j: %s is legal: %s', (schema, text, isLegal) => {
    expect(spells(schema, text)).toBe(isLegal);
  });
});
