// tokenizer.json, with a chat template: what loads encodes any text to ids of its vocabulary, and decodes them.
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import { damaged, piecesText } from '../damage.mjs';

export const name = 'tokenizer';
const byteLevel = trainByteLevelBpe(['one two three, four'], 290, ['<|end|>', '<|user|>']);
const byteFallback = {
  added_tokens: [{ id: 0, content: '<s>', special: true }],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '\u2581' },
      { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    ],
  },
  pre_tokenizer: null,
  post_processor: { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A' } }] },
  decoder: { type: 'Sequence', decoders: [{ type: 'ByteFallback' }, { type: 'Fuse' }] },
  model: {
    type: 'BPE',
    byte_fallback: true,
    unk_token: null,
    vocab: Object.fromEntries([
      ['<s>', 0],
      ...Array.from({ length: 256 }, (_, byte) => [
        `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
        byte + 1,
      ]),
      ['a', 257],
      ['\u2581', 258],
      ['\u2581a', 259],
    ]),
    merges: ['\u2581 a'],
  },
};
const FORMS = [byteLevel, byteFallback];
export const seeds = FORMS.map((form) => Buffer.from(JSON.stringify(form)));

const COMPONENTS = [
  { type: 'NFC' },
  { type: 'Lowercase' },
  { type: 'Replace', pattern: { String: 'a' }, content: 'aa' },
  { type: 'Replace', pattern: { Regex: ' {2,}' }, content: '\u2581' },
  { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Isolated' },
  { type: 'Split', pattern: { Regex: '\\p{N}{1,3}' }, behavior: 'Removed', invert: true },
  { type: 'Metaspace', replacement: '', prepend_scheme: 'first' },
  { type: 'Digits', individual_digits: 3 },
  { type: 'Punctuation' },
  { type: 'FixedLength', length: 0 },
  { type: 'BertPreTokenizer' },
  { type: 'ByteLevel', use_regex: 1 },
];
const someValue = (random) => structuredClone(random.pick(VALUES));
const VALUES = [0, -1, 1.5, 2 ** 31, null, true, '', 'a', ' ', [], {}, [null], ...COMPONENTS];
const TEMPLATES = [
  undefined,
  '{{ messages[0].content }}',
  "{{ bos_token }}<|user|>{{ messages[0]['content'] | upper }}",
];

function places(value, found = []) {
  if (typeof value !== 'object' || value === null) return found;
  found.push(value);
  for (const [key, part] of Object.entries(value)) if (key !== 'vocab' && key !== 'merges') places(part, found);
  return found;
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** Some fields replaced, wherever they stand; entries of vocabulary and merges too. */
export function mutate(random, all) {
  if (random.int(5) === 0) return damaged(random, all);
  const json = structuredClone(random.pick(FORMS));
  for (let changes = 1 + random.int(4); changes > 0; changes--) {
    const kind = random.int(6);
    if (kind === 0 && isObject(json.model?.vocab))
      json.model.vocab[`t${piecesText(random).slice(0, 3)}`] = someValue(random);
    else if (kind === 1 && Array.isArray(json.model?.merges)) json.model.merges[random.int(9)] = someValue(random);
    else if (kind === 2)
      json.normalizer = {
        type: 'Sequence',
        normalizers: structuredClone([random.pick(COMPONENTS), random.pick(COMPONENTS)]),
      };
    else if (kind === 3)
      json.pre_tokenizer = { type: 'Sequence', pretokenizers: structuredClone([random.pick(COMPONENTS)]) };
    else {
      const target = random.pick(places(json));
      const keys = Object.keys(target);
      target[keys.length > 0 ? random.pick(keys) : 'type'] = someValue(random);
    }
  }
  return Buffer.from(JSON.stringify(json));
}

const TEXTS = [
  '',
  'one two',
  ' a  a\n',
  '<|end|><s>',
  'ab'.repeat(500),
  '\u{40000}é\u0301\ud83d',
  'a'.repeat(3000),
  ' '.repeat(3000),
];

export function run(bytes) {
  let json;
  try {
    json = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return;
  }
  const chatTemplate = TEMPLATES[bytes.length % TEMPLATES.length];
  const tokenizer = Tokenizer.fromJson(json, { specialTokens: { bos_token: '<s>' }, chatTemplate });
  for (const text of TEXTS) {
    const ids = [...tokenizer.encode(text), ...tokenizer.encodePrompt(text)];
    const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= tokenizer.vocabularySize);
    if (bad !== undefined) throw new Error(`an id ${bad} of a vocabulary of ${tokenizer.vocabularySize}`);
    tokenizer.decode(ids);
  }
  if (tokenizer.digest.length !== 64) throw new Error('no digest');
}
