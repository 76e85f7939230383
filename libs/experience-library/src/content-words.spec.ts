import fc from 'fast-check';
import { consolidate, DEFAULT_LIMITS } from './consolidate.decide.js';
import { successorOf } from './library.js';
import type { Proposal } from './proposals.js';
import { unservable } from './says-nothing.js';

const EMPTY = successorOf(null, { baseModelDigest: 'b'.repeat(64) });
/** A prompt that shares nothing with the texts: what is refused is refused for its own words. */
const ASKED = ['qqq'];
describe('a text that talks of nothing but what was asked', () => {
  it('is no item, however it is written', () => {
    fc.assert(
      fc.property(rephrased(fc.constantFrom(...emptyTexts())), (text) => {
        expect([text, textsOf(text)]).toEqual([text, []]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(emptyTexts())('is no item: %s', (text) => {
    expect(textsOf(text)).toEqual([]);
    const { items } = consolidate(EMPTY, [add('Check units.')], DEFAULT_LIMITS, ASKED).library;
    const worded = items.map((item) => ({ ...item, text }));
    expect(unservable({ items: worded }, null)).toMatch(/no text/);
    // What earlier releases made is made again.
    expect(consolidate(EMPTY, [add(text)], DEFAULT_LIMITS, ASKED, 'letter').library.items).toHaveLength(1);
    expect(unservable({ items: worded }, null, 'letter')).toBeUndefined();
  });

  it.each(experiences())('is no experience such as: %s', (text) => {
    expect(textsOf(text)).toEqual([text]);
  });

  it.each(relations())('is no relation such as: %s', (text) => {
    expect(textsOf(text)).toEqual([text]);
    // Earlier releases refused it, and their runs still do.
    expect(consolidate(EMPTY, [add(text)], DEFAULT_LIMITS, ASKED, 'content').library.items).toEqual([]);
  });

  it('is no experience, also in other letters, spacing and with a polite word before it', () => {
    fc.assert(
      fc.property(rephrased(fc.constantFrom(...experiences())), (text) => {
        expect([text, textsOf(text).length]).toEqual([text, 1]);
      }),
    );
  });
});

describe('a text with marks on its letters', () => {
  it.each(['th\u00e9 froid', 'th\u00e9 l\u00e0', '\u00e0s armas', 'l\u00e0 s\u1ed1', 'n\u01d0 h\u1ea1\u0301.'])(
    'keeps its words, also where English has such ones without accents: %s',
    (text) => {
      for (const form of ['NFC', 'NFD'])
        for (const needs of ['meaning', 'content'] as const)
          expect(
            consolidate(EMPTY, [add(text.normalize(form))], DEFAULT_LIMITS, ASKED, needs).library.items,
          ).toHaveLength(1);
    },
  );

  // The digests are those that the release before these rules gave.
  it.each([
    ['content', 'b5f2666cd9c3b70f55320329fbd64d1859f7422043a310a4a7e7ec52b53d2606'],
    ['letter', '1935a7b4eca617898e81808389ac1d9bd7095a8cd45d5dffe95bfabc6c1da376'],
  ] as const)('is in a run of an earlier release what it was: by %s', (needs, digest) => {
    const limits = { ...DEFAULT_LIMITS, wordsAlone: true };
    const asked = ['\u0917\u093f\u0928\u094b', 'th\u00e9'];
    expect(consolidate(EMPTY, earlierTexts().map(add), limits, asked, needs).library.digest).toBe(digest);
  });
});

/** Texts of which at least one is judged otherwise by each of the rules since. */
function earlierTexts(): readonly string[] {
  const board =
    'When a board of oak is cut for a wide table then measure its longer side twice and saw it from the left';
  return [
    ...['th\u00e9 froid', 'th\u00e9', '\u0917\u093f\u0928\u094b', 'n\u0336o\u0336n\u0336e\u0336', 'x > 3'],
    ...['n\u0336o\u0336t\u0336 n\u0336e\u0336e\u0336d\u0336e\u0336d\u0336', '<|im_start|> <|im_end|>'],
    ...['When [c\u0336ondition], [a\u0336ction]', 'I c\u0336annot sort boards', `${board} 7`, `${board} 8`],
  ];
}

const add = (text: string): Proposal => ({
  ...{ operation: 'add', text, domain: null, field: null },
  ...{ reason: 'why', groups: ['g1'], calls: ['c1'] },
});
const textsOf = (text: string): readonly string[] =>
  consolidate(EMPTY, [add(text)], DEFAULT_LIMITS, ASKED).library.items.map((item) => item.text);

/** In another case and spacing, with other signs around it and fillers that mean nothing. */
function rephrased(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const before = fc.constantFrom('', 'Well, ', 'OK: ', 'Please note: ', '- ', '* "', 'Sorry. ');
  const after = fc.constantFrom('', '.', '!', '…', '."', ' at this time.', ' for now', '. Thank you!', ' (none)');
  const cased = fc.constantFrom(...[(text: string) => text, (text: string) => text.toUpperCase()]);
  const spaced = fc.constantFrom(' ', '  ', '\n', ' \t');
  return fc
    .tuple(before, texts, after, cased, spaced)
    .map(([head, text, tail, inCase, space]) => inCase(`${head}${text}${tail}`).replaceAll(' ', space));
}

function emptyTexts(): readonly string[] {
  return [
    ...[
      'Nothing to add',
      'x',
      'Not applicable',
      'No changes needed',
      'There are no experiences',
      'experience experience',
    ],
    ...['See above', 'I cannot help with that', 'No new experience', 'none needed', 'your text here', '0', 'Ok', 'e1'],
    ...[
      'When [condition], [strategy]',
      'When <situation>, <your strategy here>',
      'When [problem description], do [action]',
    ],
    ...['When {insert condition}, {specific action}', 'The list is empty', 'No further changes'],
    ...[
      "I'm sorry, but I can't comply with this request",
      'I am unable to judge these attempts',
      'As an AI model, I watch',
    ],
    ...['text = text', 'text = json', 'operation + 1', 'a = a', '-1', '1. none', 'yes/no', 'experience -> experience'],
    ...[
      'n\u0336o\u0336t\u0336 n\u0336e\u0336e\u0336d\u0336e\u0336d\u0336',
      '<|im_start|> <|im_end|>',
      '</s>',
      '[TOOL_CALLS]',
    ],
    ...['It is what it is', 'I don\u2019t know which half counts', 'When x, do y', '0 0 0', '\u7121', '\u306a\u3057'],
  ];
}

/** Their meaning is in their figures: none has two words. */
function relations(): readonly string[] {
  return ['x > 3', 'n^2', 'a+b=c', '7|n', 'x -> x+1', 'π r^2', 'i += 1', 'k-1', 'y=x'];
}

function experiences(): readonly string[] {
  return [
    ...['x=3', 'area=2', 'mod 7', 'x²+y²=z²', 'C(n, 2) = n(n-1)/2', 'x ≡ 3 (mod 7)', '√2 ≠ p/q'],
    ...['Check units.', "Use the table's last row.", 'When boards are asked for, count twice.', 'Simplify fractions.'],
    ...[
      'Add carries last.',
      'Sort, then count.',
      'Merge equal cells.',
      'No line ends twice.',
      'Round 3.5 up.',
      'Vérifie tout.',
    ],
    ...[
      '[red] cells become [blue]',
      '[0,1] rotates to [1,0]',
      '\u5148\u6570\u4e24\u904d',
      'पहले गिनो',
      'Nothing odd divides 8.',
    ],
    ...['When a value is needed twice, name it.', 'If the list is sorted, search by halves.', 'I = V/R: solve for R.'],
  ];
}
