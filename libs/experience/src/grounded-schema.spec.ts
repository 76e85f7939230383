import { compileGrammar, type JsonSchema } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import fc from 'fast-check';
import { domainEntrySchema, schemaDigest } from './entry.schema.js';
import { misquoteIn } from './faithful.js';
import { groundedSchema, sampledUnder } from './grounded-schema.js';
import { withoutQuoteRules } from './quote-rules.js';

const between = ['for ', ' '] as const;
const WORDS = ['barrel', 'bow', 'deck', 'hull'];
const SCHEMA = domainEntrySchema({
  concepts: {
    words: WORDS.flatMap((word) => [`for ${word} oak`, `for ${word} yew`]),
    minItems: 2,
    quotesBetween: between,
  },
  strategy: { words: ['count', 'weigh'] },
  pitfalls: { words: ['for rotten less', 'for loose more'], minItems: 0, maxItems: 1, quotesBetween: between },
});
/** As it was before it said what is a quote. */
const EARLIER = domainEntrySchema({
  concepts: { words: WORDS.flatMap((word) => [`for ${word} oak`, `for ${word} yew`]), minItems: 2 },
  strategy: { words: ['count', 'weigh'] },
  pitfalls: { words: ['for rotten less', 'for loose more'], minItems: 0, maxItems: 1 },
});
const PROMPT = 'We build a hull with a bow. One board is loose.';
const entryOf = (concepts: readonly string[], pitfalls: readonly string[] = []): string =>
  JSON.stringify({ concepts, strategy: ['count'], pitfalls });

describe('a schema narrowed to a problem', () => {
  it('lists the texts whose quotes stand there, and is free of the rules', () => {
    expect(groundedSchema(SCHEMA, PROMPT)).toEqual({
      ...SCHEMA,
      properties: {
        concepts: {
          type: 'array',
          items: { enum: ['for bow oak', 'for bow yew', 'for hull oak', 'for hull yew'] },
          minItems: 2,
          maxItems: 2,
          'x-at-most': [
            { texts: ['for bow oak', 'for bow yew'], times: 1 },
            { texts: ['for hull oak', 'for hull yew'], times: 1 },
          ],
        },
        strategy: { type: 'array', items: { enum: ['count', 'weigh'] }, minItems: 1, maxItems: 1 },
        pitfalls: { type: 'array', items: { enum: ['for loose more'] }, minItems: 0, maxItems: 1 },
      },
    });
  });

  it('leaves a list empty of which nothing stands there, and whole where something must be written', () => {
    const { properties } = groundedSchema(SCHEMA, 'Nothing of that.') as { properties: Record<string, object> };
    expect(properties.pitfalls).toMatchObject({ minItems: 0, maxItems: 0 });
    expect(properties.concepts).toEqual((EARLIER.properties as Record<string, object>).concepts);
  });

  it('is the schema itself where it has no rules, and one object for problems that leave the same', () => {
    expect(groundedSchema(EARLIER, PROMPT)).toBe(EARLIER);
    expect(groundedSchema(SCHEMA, `${PROMPT} Again.`)).toBe(groundedSchema(SCHEMA, PROMPT));
    expect(withoutQuoteRules(SCHEMA)).toEqual(EARLIER);
    expect(schemaDigest(withoutQuoteRules(SCHEMA))).toBe(schemaDigest(EARLIER));
  });

  it('narrows one text and a tuple, and drops nothing else', () => {
    const rule = { 'x-quotes': { from: 'prompt' } };
    const schema: JsonSchema = {
      type: 'array',
      prefixItems: [
        { enum: ['bow', 'deck'], ...rule, title: 'Thing' },
        { const: 'deck', ...rule },
      ],
      minItems: 2,
      items: false,
    };
    expect(groundedSchema(schema, PROMPT)).toEqual({
      ...schema,
      prefixItems: [{ enum: ['bow'], title: 'Thing' }, { const: 'deck' }],
    });
  });

  it('writes what is faithful and nothing else, as long as anything can be', () => {
    const tokenizer = Tokenizer.fromJson(trainByteLevelBpe([JSON.stringify(SCHEMA)], 400, ['<|endoftext|>']));
    const encode = (text: string): number[] => tokenizer.encode(text, { isContinuation: true });
    const isWrittenBy = (schema: JsonSchema, text: string): boolean => {
      const grammar = compileGrammar(schema, tokenizer.vocabulary, encode, { strings: 'plain' });
      let state = grammar.start();
      for (const id of encode(text)) {
        if (!grammar.allowed(state).ids.includes(id)) return false;
        state = grammar.advance(state, id);
      }
      return grammar.isComplete(state);
    };
    const text = fc.constantFrom(...WORDS.flatMap((word) => [`for ${word} oak`, `for ${word} yew`]));
    const pitfall = fc.constantFrom([], ['for rotten less'], ['for loose more']);
    const statement = fc.array(fc.constantFrom(...WORDS, 'rotten', 'loose', 'bowl', 'and'), { maxLength: 6 });
    let faithful = 0;
    fc.assert(
      fc.property(text, text, pitfall, statement, (one, other, pitfalls, words) => {
        fc.pre(words.filter((word) => WORDS.includes(word)).length >= 2);
        const prompt = words.join(' ');
        const entry = entryOf([one, other], pitfalls);
        const isTrue = misquoteIn(entry, SCHEMA, prompt) === undefined;
        if (isTrue) faithful++;
        expect(isWrittenBy(groundedSchema(SCHEMA, prompt), entry)).toBe(isTrue);
      }),
      { numRuns: Number(process.env.SEAM_TEST_QUOTES ?? 400) },
    );
    expect(faithful).toBeGreaterThan(20);
  });

  it('limits no list that could not be filled then, none whose texts quote several things, and none that is long', () => {
    const listOf = (items: object, minItems: number, maxItems: number): JsonSchema => ({
      type: 'array',
      items,
      minItems,
      maxItems,
    });
    const rule = { 'x-quotes': { from: 'prompt' } };
    const words = { enum: ['bow', 'hull'], ...rule };
    expect(groundedSchema(listOf(words, 2, 2), PROMPT)).toHaveProperty('x-at-most');
    expect(groundedSchema(listOf(words, 2, 2), 'a bow')).not.toHaveProperty('x-at-most');
    expect(groundedSchema(listOf(words, 1, 1), PROMPT)).not.toHaveProperty('x-at-most');
    expect(groundedSchema(listOf(words, 0, 5), PROMPT)).not.toHaveProperty('x-at-most');
    const counted = { ...words, 'x-quotes': { from: 'prompt', countUpTo: 5 } };
    expect(groundedSchema(listOf(counted, 0, 5), PROMPT)).toHaveProperty('x-at-most');
    expect(groundedSchema(listOf(counted, 0, 6), PROMPT)).not.toHaveProperty('x-at-most');
    const pairs = { enum: ['<bow> <hull>', '<hull>'], 'x-quotes': { from: 'prompt', between: ['<', '>'] } };
    expect(groundedSchema(listOf(pairs, 1, 2), PROMPT)).not.toHaveProperty('x-at-most');
    expect(groundedSchema(listOf({ type: 'string', ...rule }, 1, 2), PROMPT)).not.toHaveProperty('x-at-most');
  });
});

describe('the schema that a recorded entry was sampled under', () => {
  const faithful = entryOf(['for bow oak', 'for hull oak']);
  const untrue = entryOf(['for bow oak', 'for deck oak']);

  it('is the narrowed one where the record names the schema with its rules', () => {
    const written = { prompt: PROMPT, entry: faithful, entrySchema: schemaDigest(SCHEMA) };
    expect(sampledUnder(written, SCHEMA)).toBe(groundedSchema(SCHEMA, PROMPT));
  });

  it('is the schema without rules where the record names that: earlier logs are learned from as they were', () => {
    const written = { prompt: PROMPT, entry: faithful, entrySchema: schemaDigest(EARLIER) };
    expect(sampledUnder(written, SCHEMA)).toEqual(EARLIER);
    expect(sampledUnder(written, EARLIER)).toBe(EARLIER);
  });

  it('follows from the entry where the record names none', () => {
    expect(sampledUnder({ prompt: PROMPT, entry: faithful }, SCHEMA)).toBe(groundedSchema(SCHEMA, PROMPT));
    expect(sampledUnder({ prompt: PROMPT, entry: untrue }, SCHEMA)).toEqual(EARLIER);
  });
});
