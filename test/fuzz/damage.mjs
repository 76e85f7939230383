// Damage to bytes: what flips, tears, repeats and lies about lengths.

/** Lengths and counts that readers trip over, as 32-bit numbers. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff4];
/** Pieces that cost a careless reader of text more the more often they stand. */
export const PIECES = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  ' \n',
  '\u00a0',
  '"',
  "'",
  '`',
  '```',
  '```\n',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '{"a":',
  '[[',
  '\\',
  '\\\\',
  '\\ ',
  '\\"',
  '\\u',
  'answer',
  'answer ',
  'Answer:',
  'answer\t',
  '**',
  '*',
  '####',
  '#',
  '\\boxed{',
  '\\boxed',
  '\\frac{',
  '\\text{',
  '$',
  '$$',
  '<answer>',
  '</answer>',
  '<think>',
  '</think>',
  '<memory_item>',
  '</memory_item>',
  '<|',
  '|>',
  '[INST]',
  '0',
  '1',
  '9',
  '-',
  '1e',
  '1/',
  ',',
  ', ',
  ' or ',
  ' and ',
  '.',
  ':',
  ';',
  'a',
  'A',
  'a ',
  'é',
  '\u0301',
  '\u202e',
  '\u200b',
  '\ud83d\ude00',
  '\ud800',
  '\udc00',
  '\u0000',
  '\ufffd',
  '𝐀',
  'ﬁ',
  '\ufdfa',
];

/** One of the seeds with one to eight faults. */
export function damaged(random, seeds) {
  let bytes = Uint8Array.from(random.pick(seeds));
  for (let faults = 1 + random.int(random.pick([1, 2, 3, 8])); faults > 0; faults--)
    bytes = damage(random, bytes, seeds);
  return bytes;
}

function damage(random, bytes, seeds) {
  const at = random.int(bytes.length + 1);
  const size = 1 + random.int(random.pick([1, 4, 16, 256]));
  const inPlace = (change) => {
    const copy = Uint8Array.from(bytes);
    if (copy.length > 0) change(copy, Math.min(at, copy.length - 1));
    return copy;
  };
  switch (random.int(9)) {
    case 0:
      return inPlace((copy, i) => (copy[i] ^= 1 << random.int(8)));
    case 1:
      return inPlace((copy, i) => (copy[i] = random.int(256)));
    case 2:
      return inPlace((copy, i) => {
        if (i + 4 <= copy.length) new DataView(copy.buffer).setUint32(i, random.pick(EDGES), random.int(2) === 0);
      });
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at + size));
    case 4:
      return joined(bytes.subarray(0, at + size), bytes.subarray(at));
    case 5:
      return joined(
        bytes.subarray(0, at),
        Uint8Array.from({ length: size }, () => random.int(256)),
        bytes.subarray(at),
      );
    case 6: {
      const piece = random.pick(PIECES).repeat(random.pick([1, 2, 3, 100, 5000]));
      return joined(bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at));
    }
    case 7: {
      const other = random.pick(seeds);
      return joined(bytes.subarray(0, at), other.subarray(random.int(other.length + 1)));
    }
    default:
      return bytes.slice(0, at);
  }
}

const joined = (...parts) => Uint8Array.from(Buffer.concat(parts));

/** A text of pieces, most of them repeated: what damaged bytes rarely come to. */
export function piecesText(random, most = 8) {
  let text = '';
  for (let parts = 1 + random.int(most); parts > 0; parts--)
    text += random.pick(PIECES).repeat(random.pick([1, 1, 2, 10, 1000]));
  return text;
}
