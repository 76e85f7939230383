import { Random } from '@seamstream/kernel';
import { compileGrammar } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import { checkEntrySchema, entryText, parseEntry } from './entry.js';
import { DEFAULT_ENTRY_SCHEMA, domainEntrySchema, schemaDigest } from './entry.schema.js';

const TIMBER = domainEntrySchema({
  concepts: { words: ['oak', 'ash', 'yew'], minItems: 2 },
  strategy: { words: ['add them', 'find the gap'] },
  pitfalls: { words: ['none', 'cracked board'] },
});
const ENTRY = '{"concepts":["oak","ash"],"strategy":["add them"],"pitfalls":["none"]}';

describe('an entry', () => {
  it('has one text for every spacing and order', () => {
    const loose = ' { "pitfalls": ["none"], "strategy": ["add\\u0020them"],\n "concepts": ["oak", "ash"] } ';
    expect(parseEntry(loose, TIMBER).text).toBe(ENTRY);
    expect(entryText(JSON.parse(loose), TIMBER)).toBe(ENTRY);
    expect(parseEntry(ENTRY, TIMBER).value).toEqual({
      concepts: ['oak', 'ash'],
      strategy: ['add them'],
      pitfalls: ['none'],
    });
  });

  it.each<[string, string, RegExp]>([
    ['text that is not JSON', '{"concepts":', /not JSON/],
    ['a word of another domain', ENTRY.replace('oak', 'mint'), /at #\/concepts\/0 it must be equal to one of/],
    ['a missing field', '{"concepts":["oak","ash"],"strategy":["add them"]}', /required property 'pitfalls'/],
    ['a field too many', ENTRY.replace('}', ',"answer":"7"}'), /must NOT have additional properties/],
    ['too few words', ENTRY.replace(',"ash"', ''), /at #\/concepts it must NOT have fewer than 2 items/],
    ['a list for the whole', '[]', /must be object/],
    ['more characters than any entry has', `"${'x'.repeat(20000)}"`, /20002 characters/],
  ])('is refused with %s', (_, text, message) => {
    expect(() => parseEntry(text, TIMBER)).toThrow(message);
    expect(() => parseEntry(text, TIMBER)).toThrow(expect.objectContaining({ code: 'ENTRY_INVALID' }) as Error);
  });

  it.each([
    ['a zero-width space', '\u200b'],
    ['a right-to-left override', '\u202e'],
    ['an escape', '\u001b'],
    ['a line end', '\n'],
    ['a tag character', '\u{e0041}'],
  ])('is refused with %s in its text', (_, character) => {
    const text = JSON.stringify({ concepts: [`oak${character}`], strategy: ['add them'], pitfalls: [] });
    expect(() => parseEntry(text, DEFAULT_ENTRY_SCHEMA)).toThrow(
      /at #\/concepts\/0 it holds the invisible character U\+/,
    );
  });

  it('as sampled under the grammar always parses, also from an untrained hand, and is canonical already', () => {
    const tokenizer = Tokenizer.fromJson(trainByteLevelBpe([ENTRY, ENTRY], 300, ['<|endoftext|>']));
    for (const schema of [DEFAULT_ENTRY_SCHEMA, TIMBER]) {
      const grammar = compileGrammar(schema, tokenizer.vocabulary, (text) => tokenizer.encode(text), {
        strings: 'plain',
      });
      for (let seed = 0; seed < 60; seed++) {
        const random = Random.of('entry', seed);
        const ids: number[] = [];
        let state = grammar.start();
        while (!grammar.isComplete(state)) {
          const legal = grammar.allowedWithin(state, 200 - ids.length).ids;
          ids.push(legal[random.int(legal.length)]!);
          state = grammar.advance(state, ids.at(-1)!);
        }
        expect(ids.length).toBeLessThanOrEqual(200);
        const text = tokenizer.decode(ids);
        expect(parseEntry(text, schema).text).toBe(text);
      }
    }
  });
});

describe('line breaks and tabs in an entry', () => {
  const lines = (strings: Readonly<Record<string, unknown>>) => ({
    type: 'object',
    properties: { first: { type: 'string' }, code: { type: 'string', ...strings } },
  });
  const PATTERNED = lines({ pattern: '^[a-z\\n\\t]*$' });

  it('are read where a pattern of the schema lets them, and where the grammar writes them', () => {
    const text = JSON.stringify({ first: 'a', code: 'one\n\ttwo' });
    expect(parseEntry(text, PATTERNED).text).toBe(text);
    const tokenizer = Tokenizer.fromJson(trainByteLevelBpe([], 256, []));
    const grammar = compileGrammar(PATTERNED, tokenizer.vocabulary, (each) => tokenizer.encode(each), {
      strings: 'plain',
    });
    let state = grammar.start();
    for (const id of tokenizer.encode(text)) state = grammar.advance(state, id);
    expect(grammar.isComplete(state)).toBe(true);
  });

  it.each([
    ['a string without a pattern', PATTERNED, { first: 'a\nb', code: 'one' }],
    ['a string next to one that may hold them', PATTERNED, { first: 'a\tb', code: 'one\ntwo' }],
    ['a length alone', lines({ maxLength: 9 }), { code: 'one\ntwo' }],
    ['a name', PATTERNED, { 'a\nb': 1 }],
  ])('are refused in %s', (_, schema, value) => {
    expect(() => parseEntry(JSON.stringify(value), schema)).toThrow(/holds the invisible character U\+000[9A]/);
  });
});

describe('an entry schema', () => {
  it.each([
    ['draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'null' }] }],
    ['2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'null' }] }],
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'null' }] }],
  ])('of %s reads entries by the rules of its draft', (_, schema) => {
    checkEntrySchema(schema);
    expect(parseEntry('[null,1]', schema).text).toBe('[null,1]');
    expect(() => parseEntry('[1]', schema)).toThrow(/must be null/);
  });

  it('is refused where entries under it could not be checked', () => {
    const earlier = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'string' };
    expect(() => checkEntrySchema(earlier)).toThrow(/expected a schema of draft 7, 2019-09 or 2020-12/);
  });

  it('has a digest that depends on its words and on the order of its fields', () => {
    const other = domainEntrySchema({
      concepts: { words: ['oak'] },
      strategy: { words: ['a'] },
      pitfalls: { words: ['b'] },
    });
    expect(schemaDigest(TIMBER)).toBe(schemaDigest(JSON.parse(JSON.stringify(TIMBER)) as typeof TIMBER));
    expect(schemaDigest(other)).not.toBe(schemaDigest(TIMBER));
  });

  it('needs different words in every field', () => {
    const words = { concepts: { words: ['oak'] }, strategy: { words: ['a'] }, pitfalls: { words: ['b'] } };
    expect(() => domainEntrySchema({ ...words, strategy: { words: [] } })).toThrow(/strategy/);
    expect(() => domainEntrySchema({ ...words, pitfalls: { words: ['b', 'b'] } })).toThrow(/pitfalls/);
  });
});
