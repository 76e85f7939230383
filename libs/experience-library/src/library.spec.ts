import fc from 'fast-check';
import { libraryDiff } from './diff.js';
import { exportLibrary, importLibrary } from './exchange.js';
import { decodeLibrary, type ExperienceLibrary, encodeLibrary, libraryOf, successorOf } from './library.js';
import { retrieved } from './retrieval.js';

const BASE = 'b'.repeat(64);
const empty = successorOf(null, { baseModelDigest: BASE });

const texts = fc.dictionary(
  fc.oneof(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,8}$/), fc.constantFrom('__proto__', 'constructor')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== ''),
  { minKeys: 1, maxKeys: 12, noNullPrototype: true },
);
/** As a file may hold them: with a letter or a digit in each text. */
const saying = texts.map((values) => Object.fromEntries(Object.entries(values).map(([id, text]) => [id, `${text}a`])));

function libraryWith(
  items: readonly { readonly id: string; readonly text: string; readonly domain?: string }[],
): ExperienceLibrary {
  return libraryOf({
    ...empty,
    items: items.map(({ id, text, domain = null }) => ({
      ...{ id, text, domain, field: null },
      provenance: { groups: ['g'], operation: 'add', calls: [] },
    })),
  });
}

describe('a library as an artefact', () => {
  it('is its bytes: what is written is read, to the same digest', () => {
    fc.assert(
      fc.property(texts, (values) => {
        const library = libraryWith(Object.entries(values).map(([id, text]) => ({ id, text })));
        const again = decodeLibrary(encodeLibrary(library), { digest: library.digest, baseModelDigest: BASE });
        expect(again).toEqual(library);
      }),
    );
  });

  it.each([
    ['other bytes', Buffer.from('{"format":"other"}'), {}, 'got other bytes'],
    ['no JSON', Buffer.from('<html>'), {}, 'got other bytes'],
    [
      'the same content, written otherwise',
      Buffer.from(` ${Buffer.from(encodeLibrary(empty)).toString()}`),
      {},
      'in other bytes',
    ],
    ['another library', encodeLibrary(empty), { digest: 'f'.repeat(64) }, 'expected digest ffff'],
    [
      'one for another model',
      encodeLibrary(empty),
      { baseModelDigest: 'a'.repeat(64) },
      'expected one for base model aaaa',
    ],
  ])('is refused as %s', (_title, bytes, expected, message) => {
    expect(() => decodeLibrary(bytes, expected)).toThrow(message);
  });

  it('says by id what differs from another', () => {
    const before = libraryWith([
      { id: 'e1', text: 'stays' },
      { id: 'e2', text: 'goes' },
      { id: 'e3', text: 'was' },
    ]);
    const after = libraryWith([
      { id: 'e1', text: 'stays' },
      { id: 'e3', text: 'is' },
      { id: 'e4', text: 'comes' },
    ]);
    const { added, removed, changed } = libraryDiff(before, after);
    expect([added, removed].map((items) => items.map(({ id }) => id))).toEqual([['e4'], ['e2']]);
    expect(changed.map((each) => [each.before.text, each.after.text])).toEqual([['was', 'is']]);
  });
});

describe("youtu-agent's form", () => {
  it('keeps ids, texts and their order over a round trip', () => {
    fc.assert(
      fc.property(saying, (values) => {
        const file = `${JSON.stringify(values, null, 2)}\n`;
        const library = importLibrary(file, BASE);
        expect(exportLibrary(library).text).toBe(file);
        expect(importLibrary(exportLibrary(library).text, BASE).digest).toBe(library.digest);
      }),
    );
  });

  it('keeps the order of ids that are numbers', () => {
    const file = '{\n  "10": "ten",\n  "2": "two"\n}\n';
    expect(exportLibrary(importLibrary(file, BASE)).text).toBe(file);
  });

  it('takes as many items as a run may plan for, and reads large files in time that grows with their size', () => {
    expect(importLibrary(file(manyItems(1000)), BASE).items).toHaveLength(1000);
    expect(() => importLibrary(file(manyItems(60_000)), BASE)).toThrow('got 60000 items');
    // Each quote within a text could begin a key.
    expect(() => importLibrary(file({ G0: '"'.repeat(200_000) }), BASE)).toThrow('the item "G0"');
    expect(() => importLibrary(file({ G0: 'a'.repeat(14_000_000) }), BASE)).toThrow('more than 13000000');
    const quoting = importLibrary(file({ G0: 'say "G1": twice', G1: 'b' }), BASE);
    expect(quoting.items.map(({ id }) => id)).toEqual(['G0', 'G1']);
  });

  it('says what it cannot hold', () => {
    const library = libraryWith([{ id: 'e1', text: 'a', domain: 'metals' }]);
    expect(exportLibrary(library).lost).toEqual([
      'the groups of 1 of 1 items',
      'the operation of 1 of 1 items',
      'the domain of 1 of 1 items',
    ]);
    expect(exportLibrary(importLibrary('{"G0": "a"}', BASE)).lost).toEqual(['1 changes with their reasons']);
  });

  it.each([
    ['no JSON', 'G0: a', 'got no JSON'],
    ['a list', '["a"]', 'got another value'],
    ['a value that is no text', '{"G0": 1}', 'got the item "G0": expected a text'],
    ['an id that is no id', '{"G 0": "a"}', 'got the item "G 0": expected an id'],
    ['an id twice', '{"G0": "a", "G0": "b"}', 'got "G0" twice'],
    ['a prototype that is no text', '{"__proto__": {"G0": "a"}}', 'got the item "__proto__": expected a text'],
    [
      'a text that is too long',
      file({ G0: 'a', G1: 'b'.repeat(2001) }),
      'got the item "G1": expected a text of at most',
    ],
    ['an id that is too long', file({ ['i'.repeat(9_000)]: 'a' }), `got the item "${'i'.repeat(80)}…": expected an id`],
    ['more items than a run may plan for', file(manyItems(1001)), 'got 1001 items, more than 1000'],
    ['nothing', '{}', 'got no item'],
    ['a text that shows nothing', '{"G0": "\u3164\u200b"}', 'shows nothing'],
  ])('is refused with %s', (_title, file, message) => {
    expect(() => importLibrary(file, BASE)).toThrow(message);
  });
});

describe('retrieval', () => {
  const library = libraryWith([
    { id: 'e1', text: 'for bow yew', domain: 'timber' },
    { id: 'e2', text: 'for cask oak', domain: 'timber' },
    { id: 'e3', text: 'for ring gold', domain: 'metals' },
    { id: 'e4', text: 'count twice' },
  ]);
  const problem = { domain: 'timber', prompt: 'A joiner makes a cask.' };

  it('gives all items of the domain and of all domains where no limit is set', () => {
    expect(retrieved(library.items, problem, null).map(({ id }) => id)).toEqual(['e1', 'e2', 'e4']);
  });

  it('gives those that share rare words with the problem', () => {
    expect(retrieved(library.items, problem, 1).map(({ id }) => id)).toEqual(['e2']);
  });
});

function file(items: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(items);
}

function manyItems(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`G${at}`, 'count twice']));
}
