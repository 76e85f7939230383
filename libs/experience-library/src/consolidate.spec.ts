import fc from 'fast-check';
import { type Consolidation, consolidate, DEFAULT_LIMITS } from './consolidate.decide.js';
import { type ExperienceLibrary, successorOf } from './library.js';
import type { Proposal } from './proposals.js';

const empty = successorOf(null, { baseModelDigest: 'b'.repeat(64) });
const GROUNDS = { reason: 'why', groups: ['g1'], calls: [] };
const add = (text: string, groups = ['g1']): Proposal => ({
  operation: 'add',
  text,
  domain: null,
  field: null,
  ...GROUNDS,
  groups,
});
const filled = (...texts: string[]): ExperienceLibrary =>
  consolidate(
    empty,
    texts.map((text) => add(text)),
    { ...DEFAULT_LIMITS, nearDuplicate: 1 },
  ).library;
const idOf = (library: ExperienceLibrary, text: string): string => library.items.find((item) => item.text === text)!.id;
const textsOf = ({ library }: Consolidation): readonly string[] => library.items.map(({ text }) => text);
const reasons = ({ refused }: Consolidation): readonly string[] => refused.map(({ reason }) => reason);

const word = fc.constantFrom('count', 'boards', 'twice', 'first', 'last', 'never');
const text = fc.array(word, { minLength: 0, maxLength: 6 }).map((words) => words.join(' '));
const id = fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e9');
const grounds = fc.record({
  reason: fc.constantFrom('one', 'two'),
  groups: fc.subarray(['g1', 'g2', 'g3']),
  calls: fc.subarray(['c1', 'c2']),
});
const act: fc.Arbitrary<Proposal> = fc
  .tuple(
    fc.oneof(
      fc.record({
        operation: fc.constant('add' as const),
        text,
        domain: fc.constantFrom(null, 'd'),
        field: fc.constant(null),
      }),
      fc.record({ operation: fc.constant('modify' as const), id, text }),
      fc.record({ operation: fc.constant('merge' as const), ids: fc.array(id, { maxLength: 3 }), text }),
      fc.record({ operation: fc.constant('delete' as const), id }),
      fc.record({ operation: fc.constant('keep' as const), id }),
    ),
    grounds,
  )
  .map(([each, why]) => ({ ...each, ...why }));

const start = filled('count boards', 'never twice', 'first last', 'last first never');
const limits = { maxItems: 6, maxWords: 5, nearDuplicate: 0.8 };

describe('what a batch makes of a library', () => {
  it('does not depend on the order of its proposals, nor on repeats', () => {
    const shuffled = fc.array(act, { maxLength: 12 }).chain((proposals) =>
      fc.tuple(
        fc.constant(proposals),
        fc.shuffledSubarray([...proposals, ...proposals.slice(0, 3)], {
          minLength: proposals.length + Math.min(3, proposals.length),
        }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([proposals, others]) => {
        const [one, other] = [proposals, others].map((each) => consolidate(start, each, limits));
        expect(other!.library.digest).toBe(one!.library.digest);
        expect(other!.refused).toEqual(one!.refused);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same whether or not the batch also keeps items', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (proposals) => {
        const others = proposals.filter(({ operation }) => operation !== 'keep');
        const { items } = consolidate(start, proposals, limits).library;
        expect(items).toEqual(consolidate(start, others, limits).library.items);
      }),
    );
  });

  it('keeps ids with their items, gives none twice, and stays within its limits', () => {
    fc.assert(
      fc.property(fc.array(fc.array(act, { maxLength: 8 }), { maxLength: 4 }), (batches) => {
        let library = start;
        const everUsed = new Set(start.items.map((item) => item.id));
        for (const batch of batches) {
          const { library: next, changes } = consolidate(library, batch, limits);
          const added = changes.filter(({ operation }) => operation === 'add' || operation === 'merge');
          for (const change of added) {
            expect(everUsed.has(change.id)).toBe(false);
            everUsed.add(change.id);
          }
          for (const item of next.items) {
            const before = library.items.find((each) => each.id === item.id);
            const isTold = changes.some((change) => change.id === item.id && change.operation !== 'keep');
            if (before !== undefined && !isTold) expect(item).toEqual(before);
          }
          expect(next.items.length).toBeLessThanOrEqual(limits.maxItems);
          library = next;
        }
      }),
    );
  });

  it('accounts for every act: it is a change, or refused', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 10 }), (proposals) => {
        const { changes, refused } = consolidate(start, proposals, limits);
        const acts = new Set(
          proposals.map((each) => {
            const bare = { ...each, reason: '', groups: [], calls: [] };
            return JSON.stringify('ids' in bare ? { ...bare, ids: [...new Set(bare.ids)].sort() } : bare);
          }),
        );
        expect(changes.length + refused.length).toBe(acts.size);
      }),
    );
  });
});

describe('conflicts', () => {
  const library = filled('count boards', 'never twice', 'first last');
  const [a, b, c] = ['count boards', 'never twice', 'first last'].map((each) => idOf(library, each)) as [
    string,
    string,
    string,
  ];

  it('are won by delete over modify and merge', () => {
    const result = consolidate(
      library,
      [
        { operation: 'modify', id: a, text: 'count slowly', ...GROUNDS, groups: ['g1', 'g2'] },
        { operation: 'merge', ids: [a, b], text: 'both', ...GROUNDS },
        { operation: 'delete', id: a, ...GROUNDS },
      ],
      DEFAULT_LIMITS,
    );
    expect(textsOf(result)).toEqual(['first last', 'never twice']);
    expect(result.library.items).toHaveLength(2);
    expect(reasons(result)).toEqual([`item ${a} is deleted`, `item ${a} is deleted`]);
  });

  it('are won by merge over modify; the merged item is new and says from what', () => {
    const result = consolidate(
      library,
      [
        { operation: 'modify', id: a, text: 'count slowly', ...GROUNDS, groups: ['g1', 'g2', 'g3'] },
        { operation: 'merge', ids: [b, a], text: 'both', ...GROUNDS },
      ],
      DEFAULT_LIMITS,
    );
    expect(textsOf(result)).toEqual(['first last', 'both']);
    expect(result.library.items[1]).toMatchObject({
      id: 'e4',
      provenance: { operation: 'merge', mergedFrom: [a, b].sort() },
    });
    expect(reasons(result)).toEqual([`item ${a} is merged otherwise`]);
  });

  it('of two new texts for one item are won by the one that more groups ask for', () => {
    const result = consolidate(
      library,
      [
        { operation: 'modify', id: c, text: 'a first one', ...GROUNDS },
        { operation: 'modify', id: c, text: 'zoo of last ones', ...GROUNDS, groups: ['g1', 'g2'] },
      ],
      DEFAULT_LIMITS,
    );
    expect(result.library.items.find((item) => item.id === c)).toMatchObject({
      text: 'zoo of last ones',
      provenance: { operation: 'modify', groups: ['g1', 'g2'] },
    });
  });
});

/** So long that one word of it is a small part. */
const CUTS =
  'when a board of oak is to be cut for a wide table then measure its longer side twice and saw it # from the left end of it';

describe('what is refused', () => {
  const library = filled('when a board is cracked count one less');

  it.each([
    ['a near duplicate', add('When a board is cracked: count one less!'), 'nearly that of item e1'],
    ['a blank text', add(' \u0000\n'), 'its text shows nothing'],
    ['a long text', add('word '.repeat(33)), 'more than 32 words'],
    ['a long text without blanks', add('木'.repeat(385)), 'or 384 characters'],
    ['an item that is not there', { operation: 'delete', id: 'e7', ...GROUNDS } as const, 'there is no item e7'],
    [
      'a merge of one',
      { operation: 'merge', ids: ['e1', 'e1'], text: 'x', ...GROUNDS } as const,
      'two different items',
    ],
    [
      'a text that is there',
      { operation: 'modify', id: 'e1', text: 'when a board is cracked count one less', ...GROUNDS } as const,
      'the one that is there',
    ],
  ])('%s leaves the library as it was', (_title, proposal, reason) => {
    const result = consolidate(library, [proposal], DEFAULT_LIMITS);
    expect(reasons(result).join()).toContain(reason);
    expect(result.library.items).toEqual(library.items);
  });

  it.each([
    ['x > 3', 'x < 3'],
    ['x = 3', 'x = -3'],
    ['p * q', 'p + q'],
    ['length*width', 'length/width'],
    [CUTS.replace('#', 'where area=2'), CUTS.replace('#', 'where area=3')],
    [CUTS.replace('#', 'mod 7'), CUTS.replace('#', 'mod 8')],
    [`7: ${CUTS}`, `8: ${CUTS}`],
    [`point 7 ${CUTS}`, `point 8 ${CUTS}`],
    [`1,000 ${CUTS}`, `1,00 ${CUTS}`],
    [CUTS.replace('#', '7'), CUTS.replace('#', '8')],
    [CUTS.replace('#', '½'), CUTS.replace('#', '¼')],
    [CUTS.replace('#', 'at n+1'), CUTS.replace('#', 'at n-1')],
  ])('is not nearly the same where figures differ: %s, %s', (one, other) => {
    const both = consolidate(empty, [add(one), add(other)], DEFAULT_LIMITS);
    expect(textsOf(both).toSorted()).toEqual([one, other].toSorted());
    // Runs of earlier releases compared words alone, in which these texts are alike.
    const near = consolidate(empty, [add(one), add(other)], { ...DEFAULT_LIMITS, wordsAlone: true });
    expect(reasons(near)).toEqual(['its text is nearly that of item e1']);
  });

  it.each([
    ['area=2', 'area=3'],
    ['mod 7', 'mod 8'],
    ['a=2, b=3', 'a=3, b=2'],
  ])('is not nearly the same where a short text has another number: %s, %s', (one, other) => {
    const both = consolidate(empty, [add(one), add(other)], DEFAULT_LIMITS);
    expect(textsOf(both).toSorted()).toEqual([one, other].toSorted());
  });

  it.each([
    ['1,000 boards make a house', '1,000 boards make a house!'],
    ['well-known boards and/or beams', 'Well known boards and or beams'],
    ['- **count** boards twice', 'count boards, twice'],
    ['x – 3 boards', 'x - 3 boards'],
    [CUTS.replace('#', 'a × b'), CUTS.replace('#', 'a * b')],
    [CUTS.replace('#', 'length · width'), CUTS.replace('#', 'length*width')],
    [CUTS.replace('#', 'x<=3'), CUTS.replace('#', 'x ≤ 3')],
    [CUTS.replace('#', 'x >= 3'), CUTS.replace('#', 'x≥3')],
    [CUTS.replace('#', '1,000'), CUTS.replace('#', '1000')],
    [CUTS.replace('#', '-1,234,567.5'), CUTS.replace('#', '-1234567.5')],
    [`1. ${CUTS}`, `2. ${CUTS}`],
    [`1. ${CUTS}`, CUTS],
    [`(2) ${CUTS}`, `3) ${CUTS}`],
    [`- **4.** ${CUTS}`, CUTS],
    [`Step 1: ${CUTS}`, CUTS],
    [`Step 1: ${CUTS}`, `Step 2: ${CUTS}`],
  ])('is nearly the same where signs of writing differ: %s, %s', (one, other) => {
    expect(textsOf(consolidate(empty, [add(one), add(other)], DEFAULT_LIMITS))).toHaveLength(1);
  });

  it('beyond the cap the lightest additions', () => {
    const result = consolidate(library, [add('one light'), add('two heavy', ['g1', 'g2'])], {
      ...DEFAULT_LIMITS,
      maxItems: 2,
    });
    expect(textsOf(result).slice(1)).toEqual(['two heavy']);
    expect(reasons(result)).toEqual(['the library holds its 2 items']);
  });

  it('nothing that only another domain says', () => {
    const result = consolidate(
      library,
      [{ operation: 'add', text: library.items[0]!.text, domain: 'metals', field: null, ...GROUNDS }],
      DEFAULT_LIMITS,
    );
    expect(result.library.items).toHaveLength(2);
  });

  it('no control character reaches a text', () => {
    expect(textsOf(consolidate(empty, [add('count\u001b[31m \u202e boards\n\nnow')], DEFAULT_LIMITS))).toEqual([
      'count [31m boards now',
    ]);
  });
});
