import fc from 'fast-check';
import { libraryDiff } from './diff.js';
import { exportLibrary, importLibrary } from './exchange.js';
import { decodeLibrary, type ExperienceLibrary, encodeLibrary, libraryOf, successorOf } from './library.js';
import { retrieved } from './retrieval.js';

const BASE = 'b'.repeat(64);
const empty = successorOf(null, { baseModelDigest: BASE });

const texts = fc.dictionary(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,8}$/).filter((id) => id !== '__proto__'),
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
    ['a list', '["a"]', 'got the whole'],
    ['a value that is no text', '{"G0": 1}', 'got G0'],
    ['an id that is no id', '{"G 0": "a"}', 'got G 0'],
    ['an id twice', '{"G0": "a", "G0": "b"}', 'got G0 twice'],
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
