/** Chat templates against transformers' apply_chat_template: test/golden/make-chats.py, versions in the file. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawConfig } from '@seamstream/model-files';
import fc from 'fast-check';
import { trainByteLevelBpe } from './byte-level-bpe.js';
import type { ChatMessage } from './chat-template.js';
import { Tokenizer } from './tokenizer.js';
import { parseTokenizerConfig } from './tokenizer-config.js';
import type { TokenizerJson } from './tokenizer-json.js';

interface Chat {
  readonly title: string;
  readonly messages: ChatMessage[];
  readonly addGenerationPrompt: boolean;
  readonly variables: Record<string, unknown>;
  readonly text?: string;
  readonly ids?: number[];
  readonly refused?: string;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../test/golden/${name}.json`, import.meta.url), 'utf8'));
const { templates } = read('chats') as {
  templates: Record<string, { tokenizer: string; template: string; chats: Chat[] }>;
};
const { tokenizers } = read('tokenizers') as {
  tokenizers: Record<string, { json: TokenizerJson; config: RawConfig }>;
};

function chatTokenizer(name: string): Tokenizer {
  const { tokenizer, template } = templates[name]!;
  const { json, config } = tokenizers[tokenizer]!;
  return Tokenizer.fromJson(json, parseTokenizerConfig({ ...config, chat_template: template }));
}

describe.each(Object.keys(templates))('a chat template like that of %s', (name) => {
  const tokenizer = chatTokenizer(name);
  const { chats } = templates[name]!;

  it.each(chats)(
    'renders $title as transformers does (generation prompt: $addGenerationPrompt, $variables)',
    ({ messages, addGenerationPrompt, variables, text, ids, refused }) => {
      const options = { addGenerationPrompt, variables };
      if (refused !== undefined) {
        expect(() => tokenizer.encodeChat(messages, options)).toThrow(refused);
        return;
      }
      expect(tokenizer.renderChat(messages, options)).toBe(text);
      expect(tokenizer.encodeChat(messages, options)).toEqual(ids);
    },
  );

  it('keeps special tokens that a message spells as text', () => {
    const [bare, ...others] = [...tokenizer.specialTokenIds.keys()];
    const spelled = (content: string): number[] => tokenizer.encodePrompt(content);
    const own = (ids: readonly number[]): number[] => ids.filter((id) => tokenizer.vocabulary[id]!.length === 0);
    const plain = own(spelled('hello'));
    for (const content of [
      bare!,
      `x${bare}y`,
      others.join(''),
      `${bare}${bare} ${others.join(' ')}`,
      `${bare!.slice(0, 2)}${bare}`,
    ]) {
      expect(own(spelled(content))).toEqual(plain);
      expect(tokenizer.decode(spelled(content))).toContain(content);
    }
    fc.assert(
      fc.property(fc.array(fc.constantFrom(bare!, ...others, ' ', '<', '|', 'a', '\ufdd0')), (parts) => {
        expect(own(spelled(`a${parts.join('')}a`))).toEqual(plain);
        expect(tokenizer.decode(spelled(`a${parts.join('')}a`))).toContain(`a${parts.join('')}a`);
      }),
    );
  });
});

describe('a prompt', () => {
  const json = trainByteLevelBpe(['one two'], 280, ['<|end|>', '<|user|>']);
  const template =
    "{% for message in messages %}{{ '<|user|>' + message.content }}{% endfor %}{{ '<|end|>' if add_generation_prompt }}";
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chat-'));
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(json));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const put = (file: string, content: unknown): Promise<void> =>
    writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));

  it('of a folder without a template is its text', async () => {
    const tokenizer = await Tokenizer.load(folder);
    expect(tokenizer.encodePrompt('one two')).toEqual(tokenizer.encode('one two'));
    await put('tokenizer_config.json', { chat_template: null });
    expect((await Tokenizer.load(folder)).encodePrompt('one')).toEqual(tokenizer.encode('one'));
    expect(() => tokenizer.encodeChat([])).toThrow(/no chat template/);
  });

  it.each<[string, unknown, string | undefined]>([
    ['tokenizer_config.json', template, undefined],
    [
      "tokenizer_config.json's default one",
      [
        { name: 'tool_use', template: 'no' },
        { name: 'default', template },
      ],
      undefined,
    ],
    ['chat_template.jinja, which comes first', 'no', template],
  ])('is a user message in the template of %s, unless templates are turned off', async (_, chat_template, file) => {
    await put('tokenizer_config.json', { chat_template });
    if (file !== undefined) await put('chat_template.jinja', file);
    const tokenizer = await Tokenizer.load(folder);
    expect(tokenizer.encodePrompt('one')).toEqual([1, ...tokenizer.encode('one'), 0]);
    const plain = await Tokenizer.load(folder, { chatTemplate: 'none' });
    expect(plain.encodePrompt('one')).toEqual(tokenizer.encode('one'));
  });

  it.each<[string, unknown, RegExp]>([
    ['tokenizer_config.json', '{', /tokenizer_config.json is not JSON/],
    ['tokenizer_config.json', [1], /tokenizer_config.json is not a JSON object/],
    ['tokenizer_config.json', { chat_template: [{ name: 'rag', template }] }, /a list of "rag".*named "default"/],
    ['tokenizer_config.json', { chat_template: 3 }, /chat_template that is number/],
    ['chat_template.jinja', '{% if %}', /not a Jinja template.*turn chat templates off/],
  ])('cannot be encoded with a damaged %s, which is said when the folder is loaded', async (file, content, message) => {
    await put(file, content);
    await expect(Tokenizer.load(folder)).rejects.toMatchObject({
      code: 'CHECKPOINT_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });

  it('does not need a sound template when templates are turned off', async () => {
    await put('tokenizer_config.json', { chat_template: [{ name: 'rag', template: '{% if %}' }] });
    await put('chat_template.jinja', '{% if %}');
    const tokenizer = await Tokenizer.load(folder, { chatTemplate: 'none' });
    expect(tokenizer.encodePrompt('one')).toEqual(tokenizer.encode('one'));
  });

  it('may count in its template', async () => {
    await put(
      'chat_template.jinja',
      '{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(6, 1, -2) %} {{ i }}{% endfor %}',
    );
    expect((await Tokenizer.load(folder)).renderChat([])).toBe('012 6 4 2');
  });

  it('does not depend on the clock', async () => {
    await put('chat_template.jinja', "{{ strftime_now('%d %b %Y') }}");
    expect((await Tokenizer.load(folder)).renderChat([])).toBe('26 Jul 2024');
  });
});

describe("a stranger's chat template", () => {
  const json = trainByteLevelBpe(['one two'], 280, ['<|end|>', '<|user|>']);
  const tokenizerOf = (chat_template: string): Tokenizer =>
    Tokenizer.fromJson(json, parseTokenizerConfig({ chat_template }));
  const refusalOf = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  const doubled = (first: string, step: string): string =>
    `{% set ns = namespace(x=${first}) %}{% for i in range(60) %}{% set ns.x = ${step} %}{% endfor %}`;

  it.each<[string, string]>([
    ['a long range', '{% for i in range(4000000000) %}{% endfor %}'],
    ['loops in loops', '{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}'],
    ['loops that test', '{% for i in range(9999) %}{% for j in range(9999) if j > i %}{% endfor %}{% endfor %}'],
    ['a text that doubles', doubled("'ab'", 'ns.x + ns.x')],
    ['a text that doubles by joining', doubled("'ab'", 'ns.x ~ ns.x')],
    ['a list that doubles', doubled('[1]', 'ns.x + ns.x')],
    ['a list of a list of a list, written out', `${doubled('[1]', '[ns.x, ns.x]')}{{ ns.x | tojson }}`],
    ['a list of what changes', `{% set n = namespace(x='a') %}{% set l = [n, n] %}${doubled('l', '[ns.x, ns.x]')}`],
    ['what holds itself', '{% set n = namespace(x=1) %}{% set n.x = n %}{{ [n.x] | tojson }}'],
    ['replacements', doubled("'aa'", "ns.x.replace('a', ns.x)")],
    ['replacements by a filter', doubled("'aa'", "ns.x | replace('a', ns.x)")],
    ['replacements by name', doubled("'aa'", "ns.x | replace(old='a', new=ns.x)")],
    ['joining', doubled("'aa'", 'ns.x | join(ns.x)')],
    ['a wide indent', "{{ 'a\nb' | indent(width=500000000, first=true) }}"],
    ['a wide indent of JSON', '{{ [[1], [2]] | tojson(indent=400000000) }}'],
    ['macros that call themselves twice', '{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}'],
    [
      'macros that are defined again',
      `{% for i in range(10000) %}{% macro f() %}${'{{ 1 }}'.repeat(2000)}{% endmacro %}{% endfor %}`,
    ],
    ['texts taken apart', "{% set a = 'ab' * 1 if false else 'ab' %}" + doubled("'a'", 'ns.x + ns.x[::1]')],
    ['a long source', '{# #}'.repeat(30_000)],
    ['deep brackets', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`],
    ['a refusal of every message', '{{ raise_exception("no") }}'],
  ])('with %s is refused when it is loaded', (_, template) => {
    expect(refusalOf(() => tokenizerOf(template))).toMatchObject({
      code: 'CHECKPOINT_INVALID',
      details: { file: 'tokenizer_config.json' },
      message: expect.stringMatching(/^Cannot load a chat template: (?!.*undefined)/) as string,
    });
  });

  it('ends by its budget, not by memory or time, where it waits for a message of a certain kind', () => {
    const template = `{% if 'bomb' in messages[0].content %}${doubled("'ab'", 'ns.x + ns.x')}{{ ns.x }}{% endif %}x`;
    const tokenizer = tokenizerOf(template);
    expect(tokenizer.encodePrompt('hello')).toEqual(tokenizer.encode('x'));
    expect(refusalOf(() => tokenizer.encodePrompt('bomb'))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/needs a value of more than 4194304 characters/) as string,
    });
  });

  it('may hold a megabyte, and do with it what published ones do', () => {
    const tokenizer = tokenizerOf(
      "{% for m in messages %}<|user|>{{ m.content.split('</think>')[0].rstrip('\n').split('<think>')[-1] | trim | replace('\r\n', '\n') }}{% endfor %}",
    );
    expect(tokenizer.renderChat([{ role: 'user', content: `${'word '.repeat(2 ** 18)}end` }])).toHaveLength(
      8 + 5 * 2 ** 18 + 3,
    );
  });

  it.each([
    ['{{ messages[0].content | lower }}', '<|END|>'],
    ["{{ messages[0].content | replace('x', '') }}", '<|exnd|>'],
    ["{{ messages[0].content.replace('(', '<').replace(')', '>') }}", '(|end|)'],
    ["{{ '<|' + messages[0].content }}", 'end|>'],
    ["{{ messages[0].content.split('#') | join('') }}", '<|e#nd|>'],
  ])('makes no special token of what a message says: %s', (template, content) => {
    const tokenizer = tokenizerOf(`<|user|>${template}`);
    expect(tokenizer.encodePrompt('hello')[0]).toBe(1);
    expect(refusalOf(() => tokenizer.encodePrompt(content))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/makes special tokens of what a message says/) as string,
    });
  });
});
