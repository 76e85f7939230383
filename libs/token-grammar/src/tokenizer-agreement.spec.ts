/** Small tokenizers of every published kind against transformers: test/golden/make-tokenizers.py, versions in the file. */
import { readFileSync } from 'node:fs';
import { Random } from '@seamstream/kernel';
import type { RawConfig } from '@seamstream/model-files';
import type { TokenizerJson } from '@seamstream/tokenizer';
import { parseTokenizerConfig, Tokenizer } from '@seamstream/tokenizer';
import type { JsonSchema } from './json-schema.types.js';
import { compileGrammar } from './token-grammar.js';

interface Case {
  readonly text: string;
  /** With special tokens recognised, as transformers does it. */
  readonly ids: number[];
  readonly decoded: string;
  /** With split_special_tokens: their spelling is text. */
  readonly plain: number[];
}
interface Golden {
  readonly tokenizers: Readonly<
    Record<
      string,
      {
        readonly json: Partial<TokenizerJson>;
        readonly config: RawConfig;
        readonly prompt: { readonly text: string; readonly ids: number[] };
        readonly cases: Case[];
      }
    >
  >;
}

const { tokenizers } = JSON.parse(
  readFileSync(new URL('../../../test/golden/tokenizers.json', import.meta.url), 'utf8'),
) as Golden;
const jsonOf = (name: string): TokenizerJson =>
  ({ ...(name.startsWith('llama-2') ? tokenizers['llama-2']!.json : {}), ...tokenizers[name]!.json }) as TokenizerJson;

describe.each(Object.keys(tokenizers))('a tokenizer of the form "%s"', (name) => {
  const { config, prompt, cases } = tokenizers[name]!;
  const tokenizer = Tokenizer.fromJson(jsonOf(name), parseTokenizerConfig(config));

  it.each(cases)('encodes and decodes $text as transformers does', ({ text, ids, decoded, plain }) => {
    expect(tokenizer.encode(text)).toEqual(plain);
    expect(tokenizer.encode(text, { specialTokens: true })).toEqual(ids);
    expect(tokenizer.decode(ids)).toBe(decoded);
  });

  it('begins a prompt as transformers does', () => {
    expect(tokenizer.encodePrompt(prompt.text)).toEqual(prompt.ids);
  });

  it('gives back any text, up to what it normalises itself', () => {
    for (const { text } of cases) {
      let expected = text;
      if (name === 'qwen') expected = text.normalize('NFC');
      if (name.startsWith('llama-2')) expected = text.replaceAll('\u2581', ' ');
      if (name === 'llama-2, metaspace') expected = expected.replace(/^ /, '');
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(expected);
    }
  });

  it('continues a text with exactly its bytes', () => {
    for (const { text } of cases.filter((each) => !/[\u2581\u0301]/.test(each.text))) {
      const ids = tokenizer.encode(text, { isContinuation: true });
      expect(Buffer.from(tokenizer.decodeBytes(ids)).toString()).toBe(text);
    }
  });

  it('lets a grammar write JSON with it', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { kind: { enum: ['the cat', 'Zoë'] }, note: { type: 'string', minLength: 1, maxLength: 8 } },
      required: ['kind', 'note'],
      additionalProperties: false,
    };
    const grammar = compileGrammar(schema, tokenizer.vocabulary, (text) =>
      tokenizer.encode(text, { isContinuation: true }),
    );
    for (let seed = 0; seed < 20; seed++) {
      const random = Random.of('walk', String(seed));
      const ids: number[] = [];
      let state = grammar.start();
      while (!grammar.isComplete(state)) {
        const { ids: legal } = grammar.allowed(state);
        ids.push(legal[random.int(legal.length)]!);
        state = grammar.advance(state, ids.at(-1)!);
      }
      const written = JSON.parse(tokenizer.decode(ids)) as { kind: string; note: string };
      expect(['the cat', 'Zoë']).toContain(written.kind);
      expect(written.note.length).toBeGreaterThan(0);
    }
  });

  it('has each byte as a token, and none that spells a special token', () => {
    const singles = new Set(tokenizer.vocabulary.filter((bytes) => bytes.length === 1).map(([byte]) => byte));
    expect(singles.size).toBe(256);
    for (const [spelling, id] of tokenizer.specialTokenIds) {
      expect(tokenizer.vocabulary[id]).toHaveLength(0);
      expect(tokenizer.encode(`${spelling} and${spelling}`)).not.toContain(id);
      expect(tokenizer.encode(spelling, { specialTokens: true })).toEqual([id]);
    }
  });
});

describe('a tokenizer whose merges spell special tokens and bytes', () => {
  // Conversions from SentencePiece take a merge for every token that two others make up.
  it('gives text ordinary tokens all the same', () => {
    const { model, ...rest } = jsonOf('llama-2');
    const vocab: Record<string, number> = { ...model.vocab };
    const add = (token: string): void => {
      vocab[token] ??= Object.keys(vocab).length;
    };
    const merges = [
      ['<', '/'],
      ['s', '>'],
      ['</', 's>'],
      ['<', '0'],
      ['<0', 'x'],
      ['<0x', '0'],
      ['<0x0', 'A'],
      ['<0x0A', '>'],
    ];
    for (const [left, right] of merges) for (const token of [left!, right!, left! + right!]) add(token);
    const tokenizer = Tokenizer.fromJson({ ...rest, model: { ...model, vocab, merges } });
    for (const text of ['</s>', 'a </s><0x0A>', '<0x0A>']) {
      const ids = tokenizer.encode(text);
      expect(ids).not.toContain(tokenizer.specialTokenIds.get('</s>'));
      expect(ids).not.toContain(vocab['<0x0A>']);
      expect(tokenizer.decode(ids)).toBe(text);
    }
  });
});
