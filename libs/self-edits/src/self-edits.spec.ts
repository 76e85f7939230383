import { checkEntry, EDIT_SCHEMA, editEntry, editText } from '@seamstream/experience';
import { compileGrammar } from '@seamstream/token-grammar';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';
import fc from 'fast-check';
import { SELF_EDIT_KINDS, selfEditKind, trainingDocuments, writerMessages, writerPrompt } from './index.js';
import { editPieces } from './training-documents.js';

const ADA = { title: 'Ada_Lovelace', passage: 'Ada was born in 1815.' };
const documentsOf = (name: string, text: string) => trainingDocuments(selfEditKind(name), text, ADA);
const LAST = 'Ada_Lovelace\nAda was born in 1815.';

describe('the kinds of self-edits', () => {
  it('ask with title and passage, each in its own words', () => {
    const written = SELF_EDIT_KINDS.filter((name) => name !== 'passage');
    const prompts = written.map((name) => writerPrompt(selfEditKind(name), ADA));
    expect(written).toHaveLength(6);
    for (const prompt of prompts) expect(prompt).toContain('\nAda_Lovelace\nAda was born in 1815.\n');
    expect(new Set(prompts).size).toBe(6);
    expect(new Set(SELF_EDIT_KINDS.map((name) => selfEditKind(name).identity)).size).toBe(7);
  });

  it('leave out the line of a title that is not known', () => {
    const prompt = writerPrompt(selfEditKind('facts'), { ...ADA, title: null });
    expect(prompt).toContain('Passage:\nAda was born in 1815.\n');
    expect(prompt).not.toContain('{');
  });

  it('take a passage as data: it fills no placeholder, and spells no control token', () => {
    const prompt = writerPrompt(selfEditKind('rewrite'), { title: '{passage}', passage: '{title} $& <|im_end|>' });
    expect(prompt).toContain('Passage:\n{passage}\n{title} $& < |im_end| >');
  });

  it('are found by name and by the authors’ other name, and an unknown one is refused with the known', () => {
    expect(selfEditKind('questions_answers')).toBe(selfEditKind('self-qa'));
    expect(() => selfEditKind('implication')).toThrow(/expected one of implications, .*did you mean implications\?/);
    expect(() => selfEditKind('constructor')).toThrow(/Cannot find the kind/);
  });

  it('ask nothing where nothing is written', () => {
    expect(() => writerMessages(selfEditKind('passage'), ADA)).toThrow(
      /Cannot ask for a self-edit of the kind "passage"/,
    );
  });
});

describe('the documents of a self-edit', () => {
  it.each([
    ['lines, the empty ones left out', 'implications', 'She lived.\n\n  She died.  \r\n', ['She lived.', 'She died.']],
    [
      'a list without its announcement',
      'implications',
      'Here they are:\n\n1. She lived.\n2. x',
      ['1. She lived.', '2. x'],
    ],
    ['a list that begins at once', 'facts', '1. She lived.\n2. She died.', ['1. She lived.', '2. She died.']],
    ['what stands between dashes', 'rewrite', 'One way.\n---\nAnother --- way.', ['One way.', 'Another', 'way.']],
    [
      'questions that continue the request',
      'self-qa',
      ' When?\nAnswer: 1815\n\nQuestion 2: Who?\nAnswer: Ada',
      ['When?\nAnswer: 1815', 'Who?\nAnswer: Ada'],
    ],
    [
      'questions without their announcement',
      'self-qa',
      'Sure.\n**Question 1:** When?\n1815\nQuestion 2: Who?',
      ['When?\n1815', 'Who?'],
    ],
    ['nothing of a text of separators', 'implications', '\n---\n ---- \n', []],
    ['nothing where nothing is written', 'passage', 'She lived.', []],
  ])('are %s', (_, kind, text, pieces) => {
    expect(documentsOf(kind, text)).toEqual([...pieces.map((piece) => `Ada_Lovelace\n${piece}`), LAST]);
  });

  it('have no line for a title that is not known', () => {
    expect(trainingDocuments(selfEditKind('facts'), 'She lived.', { ...ADA, title: null })).toEqual([
      'She lived.',
      'Ada was born in 1815.',
    ]);
  });

  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('1.', '1. a', 'Question 1:', 'Question 12: b', '**', ' - c', '1.5'),
  );
  const lines = fc.array(line.map((each) => each.replaceAll(/-{3,}|[\r\n]/g, '')));

  it('lose no line but an announcement', () => {
    fc.assert(
      fc.property(lines, fc.constantFrom('implications', 'rewrite', 'facts'), (texts, kind) => {
        const kept = texts.map((each) => each.trim()).filter((each) => each !== '');
        const isAnnounced = kept[1]?.startsWith('1.') === true;
        const pieces = documentsOf(kind, texts.join('\n')).slice(0, -1);
        expect(pieces).toEqual(kept.slice(isAnnounced ? 1 : 0).map((piece) => `Ada_Lovelace\n${piece}`));
      }),
    );
  });

  it('lose nothing of questions but their numbers and what precedes the first', () => {
    fc.assert(
      fc.property(lines, (texts) => {
        const text = texts.join('\n');
        const first = /(?:\*\*)?Question 1:/.exec(text)?.index ?? 0;
        const bare = (each: string): string =>
          each.replaceAll(/(?:#{1,6} )?(?:\*\*)?Question \d{1,6}:(?:\*\*)?|\s/g, '');
        const pieces = documentsOf('self-qa', text).slice(0, -1);
        expect(pieces.map((piece) => bare(piece.slice('Ada_Lovelace\n'.length))).join('')).toBe(
          bare(text.slice(first)),
        );
      }),
    );
  });

  it('separate at three dashes or more, however many', () => {
    const runs = fc.array(fc.tuple(fc.constantFrom('a', 'b c', ' d', '- e'), fc.integer({ min: 0, max: 9 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(runs, (parts) => {
        const text = parts.map(([word, dashes]) => `${word}${'-'.repeat(dashes)}`).join('');
        const expected = text.split(/-{3,}/).map((piece) => piece.trim());
        expect(editPieces({ ...selfEditKind('facts'), division: 'whole' }, text)).toEqual(
          expected.filter((piece) => piece !== ''),
        );
      }),
    );
  });

  it.each(['a', '\n', '--', '---', 'a---', '- ', '# ', '**', 'Question ', 'Question 1:', '\r', '1.\n', ' '])(
    'are read in linear time: 4 MiB of %j within seconds',
    (piece) => {
      const text = piece.repeat((4 << 20) / piece.length);
      for (const name of ['implications', 'self-qa']) {
        const start = process.cpuUsage();
        documentsOf(name, text);
        // Of this process: a busy machine makes nothing slower. A quadratic reading takes hours.
        expect(process.cpuUsage(start).user).toBeLessThan(10_000_000);
      }
    },
  );
});

describe('a self-edit as an entry', () => {
  it('comes back as it was written, line breaks and tabs included', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '橋', '"', '\\', '\n', '\t', '{'), { minLength: 1 }), (parts) => {
        const text = parts.join('');
        const entry = editEntry(text);
        expect(editText(entry)).toBe(text);
        expect(checkEntry(entry, EDIT_SCHEMA)).toEqual({ edit: text });
      }),
    );
    expect(editEntry('a\r\nb\rc')).toBe('{"edit":"a\\nb\\nc"}');
    expect(editText('')).toBe('');
  });

  it('is written by a grammar with line breaks', () => {
    const tokenizer = Tokenizer.fromJson(trainByteLevelBpe(['a b c'], 300, ['<|endoftext|>']));
    const grammar = compileGrammar(EDIT_SCHEMA, tokenizer.vocabulary, (text) => tokenizer.encode(text));
    let state = grammar.start();
    for (const id of tokenizer.encode(editEntry('One.\nTwo.'))) state = grammar.advance(state, id);
    expect(grammar.isComplete(state)).toBe(true);
  });

  it.each([
    ['an empty one', () => editEntry('')],
    ['one too long', () => editEntry('a'.repeat(8001))],
    ['a hidden character', () => editEntry('a\u200bb')],
    ['another entry', () => editText('{"memory_item":"a"}')],
    ['no JSON', () => editText('Ada was born.')],
  ])('is refused: %s', (_, act) => {
    expect(act).toThrow(/Cannot read an experience entry/);
  });

  it('may be as long as its schema says, in any script', () => {
    for (const character of ['\n', '"', '橋', '😀'])
      expect(editText(editEntry(character.repeat(8000)))).toHaveLength(8000 * character.length);
  });
});
