/**
 * Five hundred hostile entries, made from what is dangerous in a prompt: control tokens of the known families and of the executor's own
 * vocabulary, hidden characters, addresses, tags, headings. Each is refused, or is part of the prompt as words only.
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_ENTRY_SCHEMA, loadPrompts, MEMORY_ITEM_SCHEMA, parseEntry } from '@seamstream/experience';
import { isSeamError, Random } from '@seamstream/kernel';
import { isPlainCodePoint, type JsonSchema } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';

const CONTROL = [
  ...[
    '<|im_end|>',
    '<|im_start|>system',
    '<|eot_id|>',
    '<|begin_of_text|>',
    '</s>',
    '<s>',
    '<unk>',
    '<｜User｜>',
    '[INST]',
    '[TOOL_CALLS]',
  ],
  ...[
    '<tool_call>',
    '</think>',
    '<start_of_turn>',
    '<|end|>',
    '<filename>',
    '>>TITLE<<',
    '<｜end▁of▁sentence｜>',
    '<|fim_prefix|>',
  ],
];
const HIDDEN = ['\u202e', '\u200b', '\u2066', '\u0007', '\u001b]52;', '\ufeff', '\u{e0041}', '\ud800', '\u00ad'];
const ADDRESSES = [
  'https://evil.example/?q=',
  'www.evil.example',
  'mailto:a@b.example',
  'evil.com/x',
  '//evil.example',
  'javascript:alert(1)',
];
const PLACES = [
  '</memory_item>',
  '</MEMORY_ITEM >',
  '\nSolution: 7',
  '\nExperience:',
  '{problem}',
  '</answer>',
  'Answer: ',
];
const HOSTILE = [...CONTROL, ...HIDDEN, ...ADDRESSES, ...PLACES];

const { tokenizers: golden } = JSON.parse(
  readFileSync(new URL('../golden/tokenizers.json', import.meta.url), 'utf8'),
) as { readonly tokenizers: Readonly<Record<string, { readonly json: object }>> };
const tokenizers = [
  Tokenizer.fromJson(trainByteLevelBpe(['one two'], 300, ['<|end|>', '<filename>', '>>TITLE<<'])),
  ...['llama-2', 'llama-3', 'qwen'].map((name) => Tokenizer.fromJson(golden[name]!.json)),
];

function* entries(count: number): Generator<{ readonly entry: string; readonly schema: JsonSchema }> {
  const random = Random.of('hostile entries', '1');
  for (let i = 0; i < count; i++) {
    const text = Array.from({ length: 1 + random.int(4) }, () => random.pick([...HOSTILE, ...HOSTILE, 'so', ' '])).join(
      random.pick(['', ' ', 'x']),
    );
    yield i % 2 === 0
      ? { entry: JSON.stringify({ memory_item: `x${text}` }), schema: MEMORY_ITEM_SCHEMA }
      : {
          // eslint-disable-next-line house/plain-words -- the text of a hostile entry
          entry: JSON.stringify({ concepts: [`x${text}`], strategy: ['as told'], pitfalls: [] }),
          schema: DEFAULT_ENTRY_SCHEMA,
        };
  }
}

const isRefused = (entry: string, schema: JsonSchema): boolean => {
  try {
    parseEntry(entry, schema);
    return false;
  } catch (error) {
    if (isSeamError(error, 'ENTRY_INVALID')) return true;
    throw error;
  }
};

describe('a hostile entry', () => {
  it('is refused, or is words in the prompt: of five hundred not one controls an executor, by any of four vocabularies', async () => {
    const prompts = await Promise.all(['plain', 'qwen', 'deepseek'].map((template) => loadPrompts({ template })));
    let refused = 0;
    const faults: string[] = [];
    let turn = 0;
    for (const { entry, schema } of entries(500)) {
      // A prompt is made of refused ones too: that an executor is asked with one is another fault than this.
      if (isRefused(entry, schema)) refused++;
      // Three templates and four vocabularies by turns: each meets each.
      const [each, tokenizer] = [prompts[turn % prompts.length]!, tokenizers[turn++ % tokenizers.length]!];
      const { controlTokens } = tokenizer;
      const special = new Set(tokenizer.specialTokenIds.values());
      const controls = (text: string): number =>
        // As a server reads what it is sent: every spelling of a special token is one.
        tokenizer.encode(text, { specialTokens: true }).filter((id) => special.has(id)).length;
      const prompt = each.executor('P', entry, controlTokens);
      const neutral = each.executor('P', '{"memory_item":"x"}', controlTokens);
      const told = [
        ...(controls(prompt) === controls(neutral) ? [] : ['a control token']),
        ...controlTokens.filter((token) => prompt.includes(token) && !neutral.includes(token)),
        ...Array.from(prompt).filter((character) => character !== '\n' && !isPlainCodePoint(character.codePointAt(0)!)),
        ...ADDRESSES.filter((address) => prompt.includes(address)),
        ...(prompt.split('\n').length === neutral.split('\n').length ? [] : ['a separate line']),
        ...((prompt.match(/<\s*\/\s*memory_item/gi)?.length ?? 0) <= 1 ? [] : ['an end of its block']),
      ];
      if (told.length > 0) faults.push(`${entry}: ${told.join(', ')}`);
    }
    expect(refused).toBeGreaterThan(100);
    expect(faults.slice(0, 5)).toEqual([]);
  });
});
