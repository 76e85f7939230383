import { isWritten, type JsonSchema } from '@seamstream/language-model';
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

  it('writes every faithful entry, and of the others those alone that say one thing twice', () => {
    const text = fc.constantFrom(...WORDS.flatMap((word) => [`for ${word} oak`, `for ${word} yew`]));
    const pitfall = fc.constantFrom([], ['for rotten less'], ['for loose more']);
    const statement = fc.array(fc.constantFrom(...WORDS, 'rotten', 'loose', 'bowl', 'and'), { maxLength: 6 });
    fc.assert(
      fc.property(text, text, pitfall, statement, (one, other, pitfalls, words) => {
        const prompt = words.join(' ');
        fc.pre(WORDS.some((word) => words.includes(word)));
        const entry = entryOf([one, other], pitfalls);
        const isNarrow = isWritten(groundedSchema(SCHEMA, prompt), entry);
        const misquote = misquoteIn(entry, SCHEMA, prompt);
        if (misquote === undefined) expect(isNarrow).toBe(true);
        if (isNarrow && misquote !== undefined) expect(misquote.fault).toContain('quoted more often');
      }),
      { numRuns: 500 },
    );
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
