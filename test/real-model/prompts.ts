/** Prompts and texts that a seed makes: what people ask, and what no tokenizer should stumble over. */
import { Random } from '@seamstream/kernel';

const NAMES = ['Ada', 'Bao', 'Chidi', 'Dolores', 'Emeka', 'Freja', 'Goran', 'Hiroshi', 'Inês', 'Jürgen'];
const THINGS = ['apples', 'stamps', 'loaves of bread', 'train tickets', 'seashells', 'candles', 'pages', 'tulips'];
const PLACES = ['Japan', 'Peru', 'Norway', 'Kenya', 'Nepal', 'Poland', 'Bolivia', 'Australia', 'Egypt', 'Iceland'];
const ASKED: readonly ((random: Random) => string)[] = [
  // Word problems, as GSM8K asks them.
  (random) => {
    const [name, thing] = [random.pick(NAMES), random.pick(THINGS)];
    const [price, days, spent] = [2 + random.int(17), 3 + random.int(25), 1 + random.int(9)];
    return `${name} sells ${price} ${thing} a day for $${spent}.50 each. After ${days} days, ${name} gives a third of the money to a friend. How much money is left?`;
  },
  (random) => {
    const [first, second] = [random.pick(NAMES), random.pick(NAMES)];
    const [count, more] = [5 + random.int(90), 2 + random.int(4)];
    return `${first} has ${count} ${random.pick(THINGS)}. ${second} has ${more} times as many, less ${random.int(10)}. How many do they have together? Think step by step.`;
  },
  (random) => `What is ${random.int(1000)} + ${random.int(1000)} - ${random.int(100)}?`,
  (random) => `What is the capital of ${random.pick(PLACES)}, and which languages are spoken there?`,
  (random) => `Write a short letter from ${random.pick(NAMES)} to a landlord about ${random.pick(THINGS)} in the hall.`,
  (random) => `Translate into French: "I would like ${2 + random.int(8)} ${random.pick(THINGS)}, please."`,
  (random) =>
    `Explain this code:\n\n\`\`\`python\ndef f(x):\n    return [y ** ${2 + random.int(3)} for y in x]\n\`\`\``,
  (random) => `Give me a JSON object with the keys "name" and "age" for ${random.pick(NAMES)}, ${20 + random.int(60)}.`,
  (random) => `Complete the story: Once upon a time in ${random.pick(PLACES)}, ${random.pick(NAMES)} found`,
  (random) =>
    `Summarise in one sentence: ${random.pick(NAMES)} went to ${random.pick(PLACES)} to buy ${random.pick(THINGS)}. It rained. The train was late, and the shop had closed.`,
];

/** Different prompts, the kinds by turns. */
export function realPrompts(count: number, seed: string): string[] {
  const random = Random.of(seed, 'prompts');
  const prompts = new Set<string>();
  for (let kind = 0; prompts.size < count; kind = (kind + 1) % ASKED.length) prompts.add(ASKED[kind]!(random));
  return [...prompts];
}

const PIECES: readonly ((random: Random) => string)[] = [
  (random) =>
    random.pick([
      'the',
      'Answer',
      'unbelievable',
      'naïve',
      'Straße',
      'ｆｕｌｌ',
      'ﬁn',
      'İstanbul',
      "don't",
      "WE'LL",
      "'tis",
      "it's",
    ]),
  (random) =>
    random.pick([
      ' ',
      '  ',
      '   ',
      '\n',
      '\n\n\n',
      '\r\n',
      '\t',
      ' \n ',
      '\u00a0',
      '\u2003',
      '\u3000',
      '\u200b',
      '\ufeff',
      '\u2028',
      '\u0085',
      '\v',
    ]),
  (random) => String(random.int(10 ** (1 + random.int(9)))),
  (random) => random.pick(['3.14', '1,000', '½', '٣', '²', 'Ⅷ', '९', '1e-9', '0x1F', '−7']),
  (random) =>
    random.pick([
      '.',
      ',',
      '!?',
      '...',
      '---',
      '«',
      '”',
      '$x^2$',
      '\\frac{1}{2}',
      '{"a": [',
      '";',
      '/*',
      '<b>',
      '©',
      '→',
      '_'.repeat(9),
    ]),
  (random) =>
    random.pick(['木の下で', '안녕하세요', 'привет', 'שלום', 'مرحبا', 'नमस्ते', 'สวัสดี', 'Ελλάδα', 'ไทย', '北京']),
  (random) => random.pick(['🙂', '👩‍👩‍👧', '🇩🇪', '👍🏽', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'e\u0301', 'a\u0308\u0323', '\u0301', '\u{1F9EC}', '𝒳']),
  (random) =>
    random.pick([
      '<|im_start|>',
      '<|im_end|>',
      '<|endoftext|>',
      '<|im_',
      '|>',
      '<s>',
      '<0x0A>',
      '▁',
      'Ġ',
      '[INST]',
      '<repo_name>',
    ]),
  (random) => random.pick(['\x00', '\x01', '\x1b[0m', '\x7f', '\u0080', '\ufffd', '\uffff', '\u{10ffff}', '\ue000']),
  // Any character that has UTF-8.
  (random) => {
    const code = random.int(0x110000 - 0x800);
    return String.fromCodePoint(code < 0xd800 ? code : code + 0x800);
  },
  (random) => String.fromCodePoint(32 + random.int(95)).repeat(1 + random.int(12)),
];

/** Texts of 0 to 24 pieces: words, white space, digits, scripts, emoji, control tokens' spellings, anything that has UTF-8. */
export function oddTexts(count: number, seed: string): string[] {
  const random = Random.of(seed, 'texts');
  return Array.from({ length: count }, () =>
    Array.from({ length: random.int(25) }, () => random.pick(PIECES)(random)).join(random.pick(['', '', ' '])),
  );
}

/** Sequences of ids, whose bytes hardly ever are UTF-8 as a whole. */
export function oddIds(count: number, vocabularySize: number, seed: string): number[][] {
  const random = Random.of(seed, 'ids');
  return Array.from({ length: count }, () => Array.from({ length: random.int(20) }, () => random.int(vocabularySize)));
}
