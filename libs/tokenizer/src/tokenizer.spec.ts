import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { trainByteLevelBpe } from './byte-level-bpe.js';
import { Tokenizer } from './tokenizer.js';
import type { TokenizerJson } from './tokenizer-json.js';

const JSON_FILE = trainByteLevelBpe(
  ['{"concepts":["oak","ash"]} the total is 12, isn\'t it?', 'Zoë zählt Bäume: 木'],
  320,
  ['<|endoftext|>'],
);
const tokenizer = Tokenizer.fromJson(JSON_FILE);

describe('the tokenizer', () => {
  it('gives back any well-formed text exactly, spaces and line ends included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
    );
    for (const text of ['  a  b \n\n c\t', '\ufeffmark', '👩‍👩‍👧 ok', '', "don't 'll"])
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });

  it('splits at what Unicode calls white space, as transformers does, and not at what JavaScript adds', () => {
    const spaced = Tokenizer.fromJson(
      trainByteLevelBpe(
        Array.from({ length: 8 }, () => '\n\n\n'),
        300,
        [],
      ),
    );
    const pieces = (text: string): string[] =>
      spaced.encode(text).map((id) => Buffer.from(spaced.vocabulary[id]!).toString('hex'));
    expect(pieces('\n\n\n')).toEqual(['0a0a0a']);
    expect(pieces('\n\n\n\u0085')).toEqual(['0a0a0a', 'c2', '85']);
    // A character that is no white space: the last of a run before it stands alone.
    expect(pieces('\n\n\n\ufeff')).toEqual(['0a0a', '0a', 'ef', 'bb', 'bf']);
  });

  it('encodes a lone surrogate as the replacement character, since it has no UTF-8', () => {
    expect(tokenizer.decode(tokenizer.encode('a\ud800b'))).toBe('a\ufffdb');
  });

  it('treats the spelling of a special token in a text as characters unless asked to recognise it', () => {
    const text = 'a<|endoftext|>b';
    expect(tokenizer.encode(text)).not.toContain(0);
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
    expect(tokenizer.encode(text, { specialTokens: true })).toEqual([
      ...tokenizer.encode('a'),
      0,
      ...tokenizer.encode('b'),
    ]);
  });

  it('knows the raw bytes of every token; a special token has none', () => {
    expect(tokenizer.vocabulary).toHaveLength(tokenizer.vocabularySize);
    expect(tokenizer.vocabulary[0]).toHaveLength(0);
    const singles = new Set(tokenizer.vocabulary.filter((bytes) => bytes.length === 1).map((bytes) => bytes[0]));
    expect(singles.size).toBe(256);
    const text = 'Zoë: 木';
    expect(Buffer.concat(tokenizer.encode(text).map((id) => tokenizer.vocabulary[id]!)).toString()).toBe(text);
  });

  it('shows bytes that end inside a character as the replacement character', () => {
    const ids = tokenizer.encode('→');
    expect(ids.length).toBeGreaterThan(1);
    expect(tokenizer.decode(ids.slice(0, -1))).toContain('\ufffd');
  });

  it('has a digest of its content, for any order of the keys in the file', () => {
    const reordered = {
      ...JSON_FILE,
      model: { ...JSON_FILE.model, vocab: Object.fromEntries(Object.entries(JSON_FILE.model.vocab).reverse()) },
    };
    expect(Tokenizer.fromJson(reordered).digest).toBe(tokenizer.digest);
    expect(Tokenizer.fromJson({ ...JSON_FILE, added_tokens: [] }).digest).not.toBe(tokenizer.digest);
  });

  it('has the same vocabulary whether a file adds no tokens by null, by an empty list or not at all', () => {
    const { added_tokens, ...without } = JSON_FILE;
    expect(added_tokens).toBeDefined();
    const adding = (none: Partial<TokenizerJson>) => Tokenizer.fromJson({ ...without, ...none }).vocabulary;
    expect(adding({ added_tokens: null })).toEqual(adding({}));
    expect(adding({ added_tokens: [] })).toEqual(adding({}));
  });

  it('refuses a tokenizer that is not a byte-level BPE', () => {
    const metaspace = { ...JSON_FILE, decoder: { type: 'Metaspace' } } as TokenizerJson;
    expect(() => Tokenizer.fromJson(metaspace)).toThrow(/ByteLevel/);
    expect(() => Tokenizer.fromJson({})).toThrow(/BPE/);
  });

  it('loads tokenizer.json from a model folder and says what is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
    await expect(Tokenizer.load(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { file: 'tokenizer.json' },
    });
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(JSON_FILE));
    expect((await Tokenizer.load(folder)).digest).toBe(tokenizer.digest);
  });
});
