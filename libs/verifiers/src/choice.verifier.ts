/** Multiple choice: the letter that a response settles on, or several where the reference has several. */
import { finalAnswer } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Verifier } from './verifier.types.js';

const LETTERS = /^[A-Z]{2,26}$/;

export const choiceVerifier: Verifier = {
  kind: 'choice',
  version: '1',
  options: {
    letters: 'the letters there are, default ABCDEFGHIJ',
    texts: 'JSON array with the wording of each choice, in the order of the letters: the wording counts as its letter',
  },
  prepare(reference, options) {
    const read = new OptionReader('choice@1', options);
    const letters = read.text('letters') ?? 'ABCDEFGHIJ';
    if (!LETTERS.test(letters) || new Set(letters).size < letters.length)
      throw read.bad('letters', 'at least two different capital letters', letters);
    const texts = textsOf(read, letters);
    const wanted = lettersIn(reference, letters, texts);
    if (wanted === null)
      throw badReference(
        'choice@1',
        `one or more of the letters ${letters}`,
        reference,
        'Publish the problem with its letter, several as "A, C".',
      );
    return (text) => {
      const answer = chosen(text, letters, texts);
      if (answer === null)
        return { success: false, extractedAnswer: null, detail: 'the response settles on no choice' };
      const given = lettersIn(answer, letters, texts);
      if (given === null)
        return { success: false, extractedAnswer: answer, detail: 'the answer is no choice that there is' };
      const success = given === wanted;
      return { success, extractedAnswer: answer, detail: success ? 'the choice of the reference' : `chose ${given}` };
    };
  },
};

function textsOf(read: OptionReader, letters: string): readonly string[] {
  const given = read.text('texts');
  if (given === undefined) return [];
  try {
    const texts: unknown = JSON.parse(given);
    if (
      Array.isArray(texts) &&
      texts.length <= letters.length &&
      texts.every((each) => typeof each === 'string' && each.trim() !== '')
    )
      return (texts as string[]).map(normalised);
  } catch {
    // falls through to the complaint
  }
  throw read.bad('texts', `a JSON array of at most ${letters.length} texts`, given);
}

const normalised = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.\s]+$/, '')
    .trim();

/** What the response states as its answer; a response that is nothing but a letter states it. */
function chosen(text: string, letters: string, texts: readonly string[]): string | null {
  const plain = text.slice(-32_768);
  const said = [...plain.matchAll(/\b(?:answer|choice|option)\s+(?:is|would be|should be)\s*:?\s*([^\n]{1,200})/gi)].at(
    -1,
  );
  const marked = finalAnswer(plain);
  const markedAt = Math.max(
    plain.lastIndexOf('\\boxed'),
    plain.search(/\banswer[ \t]*\**[ \t]*:(?![\s\S]*\banswer[ \t]*\**[ \t]*:)/i),
    plain.lastIndexOf('####'),
  );
  if (said !== undefined && (marked === null || said.index > markedAt) && lettersIn(said[1]!, letters, texts) !== null)
    return said[1]!.trim();
  if (marked !== null) return marked;
  const whole = plain.trim();
  return whole.length <= 200 && !whole.includes('\n') && lettersIn(whole, letters, texts) !== null ? whole : null;
}

/** The letters that a text names, sorted; null where it names none or says something else first. */
function lettersIn(text: string, letters: string, texts: readonly string[]): string | null {
  const plain = text
    .replaceAll(/\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}/g, '$1')
    .replaceAll(/[$*_`{}\\]/g, '')
    .trim();
  const worded = texts.indexOf(normalised(plain));
  if (worded >= 0) return letters[worded]!;
  const list =
    /^(?:(?:options?|choices?|both)\s+)?\(?([A-Z])\)?(?:\s*(?:,|and|&|,\s*and|\+)\s*\(?([A-Z])\)?)*\s*[.]?$/i.exec(
      plain,
    );
  if (list !== null) {
    const found = [
      ...plain
        .replace(/^(?:options?|choices?|both)\s+/i, '')
        .replaceAll(/\band\b/gi, ',')
        .matchAll(/[A-Za-z]/g),
    ].map(([letter]) => letter.toUpperCase());
    return found.every((letter) => letters.includes(letter)) ? [...new Set(found)].sort().join('') : null;
  }
  // "(B) the second", "B. the second", "B: …", "B because …"; not "A bird", where A is a word.
  const first =
    /^(?:(?:option|choice)\s+)?(?:\(([A-Z])\)|([A-Z])(?=[).:,]|\s+[-–—(]|\s+(?:because|since|as|is)\b))/.exec(plain);
  const letter = first?.[1] ?? first?.[2];
  return letter !== undefined && letters.includes(letter) ? letter : null;
}
