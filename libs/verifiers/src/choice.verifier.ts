/** Multiple choice: the letter that a response settles on, or several where the reference has several. */
import { compatible } from './compatible-text.js';
import { afterAnswer, finalAnswer, judgedEnd, lastAnswerMarker, skip } from './final-answer.js';
import { hedges, statesWhatFollows, takesBack, withdraws } from './hedges.js';
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
      const found = chosen(text, letters, texts);
      if (found === null) return { success: false, extractedAnswer: null, detail: 'the response settles on no choice' };
      const { words: answer, behind } = found;
      const given = lettersIn(answer, letters, texts);
      if (given === null)
        return { success: false, extractedAnswer: answer, detail: 'the answer is no choice that there is' };
      if (isOpenedAgain(behind, given, letters, texts))
        return {
          success: false,
          extractedAnswer: answer,
          detail: 'what follows takes the choice back or makes another',
        };
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
  compatible(text)
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/(?<![.\s])[.\s]+$/, '')
    .trim();

/** A stated answer's line is looked at so far. Characters. */
const MAX_STATEMENT = 200;

/** What a response states, with the lines behind it. */
interface Chosen {
  readonly words: string;
  readonly behind: string;
}

/** What the response states as its answer; a response that is nothing but a letter states it. */
function chosen(text: string, letters: string, texts: readonly string[]): Chosen | null {
  const plain = judgedEnd(text);
  const said = lastStatement(plain);
  const marked = finalAnswer(plain);
  const markedAt = Math.max(
    plain.lastIndexOf('\\boxed'),
    lastAnswerMarker(plain)?.start ?? -1,
    plain.lastIndexOf('####'),
  );
  // A later statement counts where it begins with a choice, even where it then takes it back: then nothing is settled.
  if (said !== null && (marked === null || said.index > markedAt) && beginsWithChoice(said.words, letters, texts))
    return said.isStated ? said : null;
  if (marked !== null) return { words: marked, behind: afterAnswer(plain) };
  const whole = plain.trim();
  return whole.length <= MAX_STATEMENT && !whole.includes('\n') && lettersIn(whole, letters, texts) !== null
    ? { words: whole, behind: '' }
    : null;
}

interface Statement extends Chosen {
  readonly index: number;
  /** Nothing before it in its clause doubts or denies it. */
  readonly isStated: boolean;
}

/** The last "the answer is …", "option would be …", to the end of its line. */
function lastStatement(text: string): Statement | null {
  let last: Statement | null = null;
  for (const { index, 0: word } of text.matchAll(/\b(?:answer|choice|option)/gi)) {
    const verb = skip(text, ' \t\n\r', index + word.length);
    const is =
      verb === index + word.length ? null : /^(?:is|would be|should be)(?![a-z'])/i.exec(text.slice(verb, verb + 12));
    if (is === null) continue;
    const colon = skip(text, ' \t\n\r', verb + is[0].length);
    const begin = text[colon] === ':' ? skip(text, ' \t\n\r', colon + 1) : colon;
    const line = text.slice(begin, begin + MAX_STATEMENT).split('\n', 1)[0]!;
    const words = line.trim();
    if (words === '') continue;
    const isStated = statesWhatFollows(text.slice(Math.max(0, index - MAX_STATEMENT), index));
    last = { index, words, behind: text.slice(begin + line.length), isStated };
  }
  return last;
}

/** Whether lines behind the chosen letter take it back, or consist of another choice. */
const isOpenedAgain = (behind: string, given: string, letters: string, texts: readonly string[]): boolean =>
  takesBack(behind) ||
  behind.split('\n').some((line) => {
    const other = line.trim().length <= MAX_STATEMENT ? lettersIn(line, letters, texts) : null;
    return other !== null && other !== given;
  });

const withoutMarkup = (text: string): string =>
  text
    .replaceAll(/\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}/g, '$1')
    .replaceAll(/[$*_`{}\\]/g, '')
    .trim();

/** What starts with a choice, regardless of what follows: "B", "(A) or (B)", "A - no, B", "a plane". */
function beginsWithChoice(text: string, letters: string, texts: readonly string[]): boolean {
  if (lettersIn(text, letters, texts) !== null) return true;
  const begun =
    /^(?:(?:option|choice)\s+)?(?:\(([A-Z])\)|([A-Z])(?=[).,:;–—-]|\s+[(–—-]|\s+(?:or|and|is|but|nor|not)\b))/.exec(
      withoutMarkup(text),
    );
  const letter = begun?.[1] ?? begun?.[2];
  return letter !== undefined && letters.includes(letter);
}

/** The letters that a text names, sorted; null where it names none, says something else first, or takes back what it names. */
function lettersIn(text: string, letters: string, texts: readonly string[]): string | null {
  const plain = withoutMarkup(text);
  const worded = texts.indexOf(normalised(plain));
  if (worded >= 0) return letters[worded]!;
  const list =
    /^(?:(?:options?|choices?|both)\s+)?\(?[A-Z]\)?(?:\s*(?:,\s*and\b|,|\band\b|&|\+)\s*\(?[A-Z]\)?)*\s*[.]?$/i.exec(
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
  return labelled(plain, letters, texts);
}

/** A letter with words behind it: its wording ("B) a plane", "B - a plane"), its praise ("B is correct"), or a reason ("B, since A is too small"). */
function labelled(plain: string, letters: string, texts: readonly string[]): string | null {
  const label = /^(?:(?:option|choice)\s+)?(?:\(([A-Z])\)|([A-Z])(?![\p{L}\d']))/u.exec(plain);
  const letter = label?.[1] ?? label?.[2];
  if (label === null || letter === undefined || !letters.includes(letter)) return null;
  const tail = plain.slice(label[0].length);
  const words = tail.trimStart();
  const isBare = label[1] === undefined;
  const wording = words
    .replace(/^[).:,–—(-]+/, '')
    .trim()
    .replace(/\)$/, '');
  const own = texts[letters.indexOf(letter)];
  if (own !== undefined && normalised(wording) === own && wording !== words) return letter;
  const reason = /^[,;:.)]?\s*(?:because|since|as|for)\s/i.exec(words);
  if (reason !== null) return opensAgain(words, letter, letters, 'reason') ? null : letter;
  const praise =
    /^is\s+(?:(?:the|my|our|clearly|final|only|most|best|right|correct|true|likely)\s+)*(?:answer|choice|option|one|correct|right|true|best)\b/i.exec(
      words,
    );
  if (praise !== null) return opensAgain(words.slice(praise[0].length), letter, letters, 'remark') ? null : letter;
  // "A bird": the article, not the letter.
  if (isBare && !/^\s*[).:,–—(-]/.test(tail)) return null;
  // Behind a comma only a reason or a letter of the list may stand.
  if (isBare && /^\s*,/.test(tail)) return null;
  return opensAgain(words, letter, letters, 'wording') ? null : letter;
}

/**
 * Whether what follows a chosen letter takes it back or leaves it open. The wording of a choice may hold a negation ("B) not enough
 * information") and a reason may speak of other choices ("since A is too small"); neither may offer another one.
 */
function opensAgain(words: string, letter: string, letters: string, kind: 'wording' | 'reason' | 'remark'): boolean {
  const named = othersNamed(words, letter, letters);
  if (kind === 'reason') return named.some((at) => OFFERS.test(words.slice(0, at))) || DOUBTS.test(words);
  return named.length > 0 || withdraws(words) || (kind === 'remark' && hedges(words));
}

/** What leads to another choice, and doubt about one's own. */
const OFFERS = /\b(?:or|so|hence|thus|therefore|then|answer|choose|pick)\b[^.]{0,20}$/i;
const DOUBTS =
  /\b(?:wait|maybe|perhaps|possibly|unsure|not sure|don'?t know|instead|or rather|actually|on second thoughts?|scratch that)\b|\?/i;

/** Where letters of other choices stand; "A" and "I" before a word are words. */
function othersNamed(words: string, letter: string, letters: string): number[] {
  return [...words.matchAll(/(?<![\p{L}\d'])\(?([A-Z])\)?(?![\p{L}\d'])/gu)]
    .filter(({ 0: whole, 1: other, index }) => {
      if (other === letter || !letters.includes(other!)) return false;
      const isArticle =
        /^[AI]$/.test(whole) &&
        /^\s+[a-z]/.test(words.slice(index + 1)) &&
        !/^\s+(?:is|or|and|but|nor|not)\b/.test(words.slice(index + 1));
      return !isArticle;
    })
    .map(({ index }) => index);
}
