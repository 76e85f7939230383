// Chat templates, made of the pieces that Jinja has: they are refused when they are loaded, or render within their budget.
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import { damaged } from '../damage.mjs';

export const name = 'chat-template';
const json = trainByteLevelBpe(['one two three'], 280, ['<|end|>', '<|user|>']);
const PUBLISHED = [
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
  "{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}{% else %}{% set system = '' %}{% endif %}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles') }}{% endif %}{{ '[INST] ' + system + m['content'] | trim + ' [/INST]' }}{% endfor %}",
  "{%- macro show(x) -%}{{ x | replace('a', 'b') | upper }}{%- endmacro -%}{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ show(m.content) }}{{ ns.n }}{% endfor %}",
];
export const seeds = PUBLISHED.map((source) => Buffer.from(source));

const NAMES = ['messages', 'x', 'ns', 'ns.x', 'loop.index', 'messages[0].content', 'bos_token'];
const FILTERS = [
  'upper',
  'lower',
  'trim',
  'tojson',
  'length',
  'list',
  'join',
  'sort',
  'unique',
  'items',
  'string',
  'indent',
];

/** An expression of a bounded depth. */
function expression(random, depth) {
  const part = () => expression(random, depth - 1);
  if (depth <= 0)
    return random.pick([...NAMES, "'a'", "'ab<|end|>'", '1', '7', '1000000', '[]', '[1, 2]', "{'a': 1}", 'none']);
  // Most expressions are texts: what adds a number to a list is refused at once, and reaches nothing behind it.
  if (random.int(2) === 0) return `(${part()} ~ ${part()})`;
  switch (random.int(10)) {
    case 0:
      return `(${part()} ${random.pick(['+', '-', '*', '~', '/', '%', '**', '==', 'in', 'and', 'or'])} ${part()})`;
    case 1:
      return `((${part()} ~ '') | ${random.pick(FILTERS)})`;
    case 2:
      return `(${part()} ~ '').${random.pick(["split('a')", 'strip()', 'title()', "startswith('a')", `replace('a', ${part()} ~ '')`])}`;
    case 3:
      return `((${part()} ~ '') | replace(${part()} ~ '', ${part()} ~ ''))`;
    case 4:
      return `((${part()} ~ '') | join(${part()} ~ ''))`;
    case 5:
      return `range(${part()})`;
    case 6:
      return `[${part()}, ${part()}]`;
    case 7:
      return `(${part()})[${part()}]`;
    case 8:
      return `(${part()})[${part()}:${part()}]`;
    default:
      return part();
  }
}

function statements(random, depth) {
  const body = () => (depth <= 0 ? `{{ ${expression(random, 2)} }}` : statements(random, depth - 1));
  return Array.from({ length: 1 + random.int(3) }, () => {
    switch (random.int(6)) {
      case 0:
        return `{% for m in ${random.pick(['messages', 'range(9)', 'range(3000)', expression(random, 2)])} %}${body()}{% endfor %}`;
      case 1:
        return `{% set x = ${expression(random, 2)} %}`;
      case 2:
        return `{% set ns = namespace(x=${expression(random, 1)}) %}{% for i in range(40) %}{% set ns.x = ${expression(random, 2)} %}{% endfor %}`;
      case 3:
        return `{% if ${expression(random, 2)} %}${body()}{% else %}${body()}{% endif %}`;
      case 4:
        return `{% macro f(x) %}${body()}${random.int(2) === 0 ? '{{ f(x) }}' : ''}{% endmacro %}{{ f(${expression(random, 1)}) }}`;
      default:
        return `{{ ${expression(random, 3)} }}`;
    }
  }).join('');
}

export function mutate(random, all) {
  return random.int(3) === 0 ? damaged(random, all) : Buffer.from(statements(random, 2));
}

const CONTENTS = ['hello', '<|end|>', 'a'.repeat(2000), '(|end|)\n \ufdd0'];

export function run(bytes) {
  const chatTemplate = Buffer.from(bytes).toString();
  const tokenizer = Tokenizer.fromJson(json, { specialTokens: { bos_token: '<|user|>' }, chatTemplate });
  const special = (ids) => ids.filter((id) => tokenizer.vocabulary[id].length === 0).length;
  const expected = new Set();
  for (const content of CONTENTS) {
    const ids = tokenizer.encodePrompt(content);
    if (content === 'hello' || content === '<|end|>') expected.add(special(ids));
  }
  // A template may look at what is said, but not so that one spelling of a token more makes one token more.
  if (expected.size > 1 && !/content/.test(chatTemplate) && !/messages/.test(chatTemplate))
    throw new Error(`special tokens: ${[...expected].join(', ')}`);
}
