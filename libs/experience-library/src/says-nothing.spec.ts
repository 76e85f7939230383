import fc from 'fast-check';
import { consolidate, DEFAULT_LIMITS } from './consolidate.decide.js';
import { askedWords, type DistillationSettings } from './distil.js';
import { loadDistillationTemplates } from './distillation-prompts.js';
import { exportLibrary, importLibrary } from './exchange.js';
import { type ExperienceLibrary, type LibraryItem, successorOf } from './library.js';
import type { Proposal } from './proposals.js';
import { unservable } from './says-nothing.js';

const SETTINGS: DistillationSettings = {
  ...{ groundTruth: true, evidence: 'groups', maxOperations: 3, attempts: 1 },
  ...DEFAULT_LIMITS,
};
const asked = askedWords(await loadDistillationTemplates(), SETTINGS);
const empty = successorOf(null, { baseModelDigest: 'b'.repeat(64) });
const GROUNDS = { reason: 'why', groups: ['g1'], calls: ['c1'] };
const add = (text: string): Proposal => ({ operation: 'add', text, domain: null, field: null, ...GROUNDS });
const made = (...texts: string[]): ExperienceLibrary => consolidate(empty, texts.map(add), DEFAULT_LIMITS).library;
const EXPERIENCES = [
  'When a capital is asked for, write the sentence that the question begins.',
  'When a sum has three terms, add the two that end in the same digit first.',
  'Wenn nach einer Stadt gefragt wird, nenne sie zuerst.',
  '数え終えたら、もう一度数える。',
  '[red] cells become [blue]',
  '[0,1] rotates to [1,0]',
  'No experiences of the left half apply to the right half.',
];

describe('a text that says nothing', () => {
  // By the rules of earlier releases too, which know nothing of words.
  const all = Object.entries(emptyTexts()).flatMap((each) => [
    [...each, 'letter'] as const,
    [...each, 'content'] as const,
  ]);
  it.each(all)('never becomes an item: it %s', (_title, texts, needs) => {
    const library = made(...EXPERIENCES);
    fc.assert(
      fc.property(texts, fc.constantFrom('add', 'modify', 'merge'), (text, operation) => {
        const ids = { add: {}, modify: { id: 'e1' }, merge: { ids: ['e1', 'e2'] } }[operation];
        const proposal = { operation, text, domain: null, field: null, ...ids, ...GROUNDS } as Proposal;
        const { library: after, refused } = consolidate(library, [proposal], DEFAULT_LIMITS, asked, needs);
        expect(after.items).toEqual(library.items);
        expect(refused).toHaveLength(1);
      }),
    );
  });

  it.each(EXPERIENCES)('is no experience such as: %s', (text) => {
    const { library, refused } = consolidate(empty, [add(text)], DEFAULT_LIMITS, asked);
    expect(refused).toEqual([]);
    expect(library.items.map((item) => item.text)).toEqual([text]);
  });

  it('is counted apart from other refusals', () => {
    const { refused } = consolidate(made('count twice'), [add('…'), add('Count twice!')], DEFAULT_LIMITS, asked);
    expect(refused.map(({ isEmpty }) => isEmpty).sort()).toEqual([false, true]);
  });

  it('is no reply of a model where none was asked: a sign or a word of the instructions may help then', () => {
    const texts = ['+', 'none', 'problem'];
    const { library } = consolidate(empty, texts.map(add), DEFAULT_LIMITS);
    expect(library.items.map(({ text }) => text).sort()).toEqual(texts);
    expect(importLibrary(exportLibrary(library).text, 'b'.repeat(64)).items).toHaveLength(3);
  });

  it.each(['\u3164', '\u2800', '\u{13441}\u{13442}', '\ufe0f\u200b'])('shows nothing: %j', (text) => {
    expect(consolidate(empty, [add(text)], DEFAULT_LIMITS).library.items).toEqual([]);
    expect(() => importLibrary(JSON.stringify({ G0: text }), 'b'.repeat(64))).toThrow(/shows nothing/);
  });
});

describe('a library that may not be served', () => {
  it('has no text that says something', () => {
    expect(unservable(made(), null)).toMatch(/no text/);
    const [item] = made('a b').items as [LibraryItem];
    const found = { ...item.provenance, calls: [] };
    expect(unservable({ items: [{ ...item, text: '…' }] }, null)).toMatch(/no text/);
    expect(unservable({ items: [{ ...item, text: '\u2800', provenance: found }] }, null)).toMatch(/no text/);
    expect(unservable({ items: [{ ...item, text: '+', provenance: found }] }, null)).toBeUndefined();
  });

  it('says what its parent says, also under other ids and in another order', () => {
    const parent = made('count twice', 'begin at the end');
    const again = made('look twice', 'begin at the end', 'count twice');
    const items = again.items.filter(({ text }) => text !== 'look twice').toReversed();
    expect(unservable({ items }, parent)).toMatch(/what its parent says/);
    expect(unservable(again, parent)).toBeUndefined();
    expect(unservable({ items: items.map((item) => ({ ...item, domain: 'sums' })) }, parent)).toBeUndefined();
  });
});

/** What a model that understood nothing gives back where a text is expected. */
function emptyTexts(): Readonly<Record<string, fc.Arbitrary<string>>> {
  const blank = fc.string({
    unit: fc.constantFrom(' ', '\t', '\n', '\u0000', '\u001b', '\u200b', '\u202e', '\u3164', '\ufe0f'),
  });
  const signs = fc.string({
    unit: fc.constantFrom('…', '.', '\u{13441}', '"', '*', '-', '|', '(', ')', '`', '>', ' ', '🙂', '\u2800'),
  });
  const formOf = fc.record({
    operation: fc.constantFrom('add', 'modify'),
    text: fc.constantFrom('…', '', 'count twice'),
  });
  const json = fc
    .oneof(formOf, fc.record({ operations: fc.array(formOf, { maxLength: 2 }) }))
    .chain((value) =>
      fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 1), JSON.stringify(value).slice(1)),
    )
    .chain((text) => fc.constantFrom(text, `\`\`\`json\n${text}\n\`\`\``, `\`\`\`${text}`));
  const instructions = fc.constantFrom(...asked).chain((text) => {
    const words = text.split(/\s+/).filter((word) => word !== '');
    return fc
      .tuple(fc.nat(words.length - 1), fc.integer({ min: 1, max: 20 }))
      .map(([from, count]) => words.slice(from, from + count).join(' '));
  });
  const noAnswer = fc.constantFrom(
    'None',
    '(none yet)',
    'N/A',
    'null',
    '"undefined".',
    'TODO',
    'ｎｏｎｅ',
    'none yet none',
    'No experiences.',
    '```text\nnone\n```',
    '["count twice"]',
    'text',
    '<string>',
    '[numbers of proposals]',
  );
  const tooLong = fc.integer({ min: 33, max: 400 }).map((count) => 'word '.repeat(count));
  return {
    'is blank': blank,
    'has signs alone': signs,
    'is the form that was asked for': json,
    'is a piece of the instructions': instructions,
    'says that there is nothing to say': noAnswer,
    'is longer than a text may be': tooLong,
  };
}
