import { DOMAINS, loreOf, SHIFTED_DOMAINS } from '../domains.js';
import { CORRECTIONS, correctionNote, numbers } from './lore.js';

describe.each([...DOMAINS, ...SHIFTED_DOMAINS])('the lore of %s', (domain) => {
  const lore = loreOf(domain);
  const pitfalls = lore.pitfalls.flatMap(({ words }) => Object.entries(words));

  it('has one advice for each word, of the advices there are, and needs every advice', () => {
    expect(new Set(Object.values(lore.cues))).toEqual(new Set(lore.items));
    expect(pitfalls.every(([, advice]) => advice in CORRECTIONS)).toBe(true);
    expect(new Set(pitfalls.map(([, advice]) => advice)).size).toBe(pitfalls.length === 0 ? 0 : 2);
  });

  it('has single words for everything that an entry quotes, each with one meaning', () => {
    const words = [...Object.keys(lore.cues), ...Object.keys(lore.phrases), ...pitfalls.map(([word]) => word)];
    for (const word of words) expect(word).toMatch(/^[a-z]+$/);
    expect(new Set(words).size).toBe(words.length);
  });

  it('fills its sentences in English: a before consonants, an before vowels', () => {
    const cues = Object.keys(lore.cues);
    const sentences = [
      ...lore.questions.flatMap((question) =>
        cues.flatMap((cue) =>
          Object.keys(lore.phrases).map((phrase) =>
            question.replace('{cue}', cue).replace('{other}', cue).replace('{phrase}', phrase),
          ),
        ),
      ),
      ...lore.pitfalls.flatMap(({ text, words }) => Object.keys(words).map((word) => text.replace('{word}', word))),
    ];
    for (const sentence of sentences) expect(sentence).not.toMatch(/\b(?:a [aeiou]|an [^aeiou])/i);
  });
});

it('numbers are written from first to last', () => {
  expect(numbers(4, 11, 3)).toEqual(['4', '7', '10']);
});

it('a correction is noted with its result, none with nothing', () => {
  expect([correctionNote(5, -1), correctionNote(5, 1), correctionNote(5, 0)]).toEqual([
    ' less 1 = 4',
    ' plus 1 = 6',
    '',
  ]);
});
