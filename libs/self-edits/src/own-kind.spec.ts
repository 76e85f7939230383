import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownSelfEditKind, trainingDocuments, writerMessages, writerPrompt } from './index.js';

const ADA = { title: null, passage: 'Ada was born in 1815.' };
const OWN = {
  template: 'As {role}, sum up:\n{passage}\nSummary:',
  documents: 'whole',
  system: 'You are {role}.',
  variables: { role: 'an archivist' },
  examples: [{ passage: 'Bob died in 1900.', edit: 'Bob: †1900.' }],
};

describe("a user's own kind of self-edit", () => {
  let folder: string;
  const file = (value: unknown, name = 'summary.json'): string => {
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
    return join(folder, name);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kinds-'));
  });

  it('has variables, a system message and examples, in a prompt and in a dialogue', () => {
    const kind = ownSelfEditKind(file(OWN));
    expect(kind.name).toBe('summary');
    expect(writerMessages(kind, ADA)).toEqual([
      { role: 'system', content: 'You are an archivist.' },
      { role: 'user', content: 'As an archivist, sum up:\nBob died in 1900.\nSummary:' },
      { role: 'assistant', content: 'Bob: †1900.' },
      { role: 'user', content: 'As an archivist, sum up:\nAda was born in 1815.\nSummary:' },
    ]);
    expect(writerPrompt(kind, ADA)).toBe(
      'You are an archivist.\n\nAs an archivist, sum up:\nBob died in 1900.\nSummary:\nBob: †1900.\n\nAs an archivist, sum up:\nAda was born in 1815.\nSummary:',
    );
    expect(trainingDocuments(kind, 'Line 1\nLine 2', ADA)).toEqual(['Line 1\nLine 2', 'Ada was born in 1815.']);
  });

  it('is the same from a folder as from a file, and another where a word differs', () => {
    const { template, system, ...rest } = OWN;
    mkdirSync(join(folder, 'summary'));
    file(`${template}\n`, 'summary/template.txt');
    file(system, 'summary/system.txt');
    file(rest, 'summary/kind.json');
    expect(ownSelfEditKind(join(folder, 'summary'))).toEqual(ownSelfEditKind(file(OWN)));
    const other = ownSelfEditKind(file({ ...OWN, variables: { role: 'a clerk' } }));
    expect(other.identity).not.toBe(ownSelfEditKind(join(folder, 'summary')).identity);
  });

  it('is refused with all its faults at once', () => {
    const faulty = {
      template: '{title} {title} {tone}',
      system: '{passage}',
      documents: 'pages',
      variables: { title: 'x', unused: '{passage}' },
      examples: [{ passage: ' ' }],
      colour: 'red',
    };
    let faults: unknown;
    try {
      ownSelfEditKind(file(faulty));
    } catch (error) {
      faults = (error as { details: { faults: unknown } }).details.faults;
    }
    expect(faults).toEqual([
      expect.stringMatching(/^documents .*"lines"/),
      expect.stringMatching(/^examples\.0\.passage expected a text that is not blank/),
      expect.stringMatching(/^examples\.0\.edit /),
      expect.stringMatching(/colour/),
      'variables.unused holds a placeholder, which nothing fills',
      'template expected {passage} once, got it 0 times',
      'template expected {title} at most once, got it 2 times',
      'template holds {tone}, which no variable fills',
      'system holds {passage}, which no variable fills',
      'variables.title has a name that the passage fills',
      'variables.unused is used nowhere',
    ]);
  });

  it.each([
    ['a file that is not there', () => 'nowhere.json', /Cannot read the template of self-edits/],
    ['a file without JSON', () => file('{'), /expected a JSON file or a folder/],
    ['an empty folder', () => folder, /template Invalid input/],
    ['a list', () => file([]), /expected object/],
    ['a template without a passage', () => file({ template: 'Write.' }), /expected \{passage\} once, got it 0 times/],
  ])('is refused: %s', (_, pathOf, message) => {
    expect(() => ownSelfEditKind(pathOf())).toThrow(message);
  });
});
