import { Random } from '@seamstream/kernel';
import fc from 'fast-check';
import { comparable, occurrences } from './occurrence.js';

const count = (text: string, words: string): number => occurrences(comparable(text), comparable(words), 9);

describe('words in a text', () => {
  it.each([
    ['a word', 'Build a sauna near a pier.', 'sauna', 1],
    ['several words in a row', 'Build a sauna near a pier.', 'sauna near a', 1],
    ['the whole text', 'Build a sauna.', 'Build a sauna.', 1],
    ['other case', 'Build a sauna.', 'BUILD A Sauna', 1],
    ['other white space', 'Build  a\n\tsauna.', 'build a sauna', 1],
    ['no-break spaces', 'Build a sauna.', 'a sauna', 1],
    ['typographic marks for plain ones', 'He said “don’t”.', '"don\'t"', 1],
    ['a minus sign for a hyphen', 'x is −5 today', '-5', 1],
    ['a letter with its accent apart', 'a café', 'cafe\u0301', 1],
    ['a word as often as it stands there', 'a bow and a bow and a bower', 'bow', 2],
    ['a number', 'costs 1,300 or 3.5 in all', '1,300', 1],
    ['Han characters within a sentence', '小明有三个苹果', '三个', 1],
    ['Thai words within a sentence', 'ฉันกินข้าว', 'กิน', 1],
  ])('stand there: %s', (_, text, words, times) => {
    expect(count(text, words)).toBe(times);
  });

  it.each([
    ['words that are not there', 'Build a sauna.', 'crossbow'],
    ['words from two places', 'Build a sauna near a pier.', 'sauna pier'],
    ['words in another order', 'Build a sauna near a pier.', 'near sauna'],
    ['a part of a word', 'He cannot go.', 'can'],
    ['a letter of a word', 'Build a sauna.', 's'],
    ['a word without what an apostrophe joins to it', "He can't go.", 'can'],
    ['a word without what a hyphen joins to it', 'a non-negative number', 'negative'],
    ['a digit of a number', 'costs 1300', '13'],
    ['a number before its decimals', 'costs 3.5', '3'],
    ['a number after its decimal point', 'costs 3.5', '5'],
    ['a part of a number with commas', 'costs 1,300', '300'],
    ['a power without its height', 'x² is 9', 'x2'],
    ['a letter without its accent', 'a café', 'cafe'],
    ['a letter of another script that looks alike', 'a sauna', 's\u0430una'],
    ['an invisible character within', 'a sauna', 'sau\u200bna'],
    ['a byte order mark within', 'a sauna', 'sau\ufeffna'],
    ['Thai consonants without their vowel signs', 'น้ำ', 'น'],
  ])('do not stand there: %s', (_, text, words) => {
    expect(count(text, words)).toBe(0);
  });

  it('are found wherever whole words of a text are taken in a row, however they are spelled, and nowhere else', () => {
    const word = fc.constantFrom('oak', 'Bow', 'straße', 'ÉTÉ', 'x2', '17', 'and', 'a');
    const spelled = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase().toLowerCase(),
      (text: string) => text.replaceAll(' ', '\n '),
      (text: string) => text.normalize('NFD'),
    );
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.nat(),
        spelled,
        (words, others, from, length, spell) => {
          const text = words.join(' ');
          const start = from % words.length;
          const taken = words.slice(start, start + 1 + (length % words.length));
          expect(count(text, spell(taken.join(' ')))).toBeGreaterThan(0);
          // The same question about lists of words.
          const stands = words.some((_, at) =>
            others.every((other, i) => words[at + i]?.toLowerCase() === other.toLowerCase()),
          );
          expect(count(text, others.join(' ')) > 0).toBe(stands);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are found in a long text as in a short one', () => {
    const random = Random.of('long texts', 1);
    for (let i = 0; i < 20; i++) {
      const words = Array.from({ length: 8 }, () => random.pick(['a', 'ab', 'aab', 'b'])).join(' ');
      const short = Array.from({ length: 12 }, () => random.pick([words, `${words}b`, 'ab a'])).join(' b ');
      expect(occurrences(`${'. '.repeat(1_000_000)}${short}`, words, 99)).toBe(occurrences(short, words, 99));
    }
  });

  it('cost no more in a text of one letter, where they are found everywhere and are never whole', () => {
    const letters = 'a'.repeat(1_000_000);
    for (const words of ['a'.repeat(8000), `${'a'.repeat(4000)}b${'a'.repeat(4000)}`])
      expect(occurrences(letters, words, 3)).toBe(0);
  });
});
