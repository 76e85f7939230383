/**
 * The final answer within a response. Forms, the first that occurs: the text after the last `Answer:` (to the end of its line, or the
 * next line where the marker ends one), after the last `####` (GSM8K), inside the last `\boxed{…}`. There is no fallback to "the last
 * number": a response that does not say what its answer is has none, so that chance hits on numbers in a derivation do not count.
 *
 * Of a response its last 32 768 characters are judged: an answer stands at the end, and what a judge does with a text is bounded. Nothing
 * here looks at a character more than a fixed number of times (test/acceptance/one-text.spec.ts).
 */

import { deniesMark, statesWhatFollows, takesBack } from './hedges.js';
import type { Judge, Verdict } from './verifier.types.js';

/** Characters of a response that are judged, from its end. */
export const JUDGED_LENGTH = 32_768;

/** Longer "answers" are text that happens to follow a marker. */
const MAX_ANSWER_LENGTH = 500;
/** An answer with what surrounds it. */
const MAX_WRAPPED_LENGTH = 4 * MAX_ANSWER_LENGTH;

/** The part of a response that is judged. */
export const judgedEnd = (text: string, length = JUDGED_LENGTH): string => text.slice(-length);

/** The answer as written, without its wrapping; null where there is none. */
export function finalAnswer(text: string): string | null {
  const end = judgedEnd(text);
  const marker = lastAnswerMarker(end);
  const hashes = end.lastIndexOf('####');
  const found =
    marker !== null ? lineFrom(end, marker.end) : hashes >= 0 ? lineFrom(end, hashes + '####'.length) : lastBoxed(end);
  if (found === null || found.length > MAX_WRAPPED_LENGTH) return null;
  if (marker !== null && deniesMark(end.slice(0, marker.start))) return null;
  const answer = unwrap(found);
  return answer === '' || answer.length > MAX_ANSWER_LENGTH ? null : answer;
}

/** A judge of final answers as a judge of responses. */
export function judgeOfFinalAnswers(judge: (answer: string) => Omit<Verdict, 'extractedAnswer'>): Judge {
  return (text) => {
    const answer = finalAnswer(text);
    if (answer === null)
      return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
    const verdict = judge(answer);
    return verdict.success && contradicts(afterAnswer(text), (other) => judge(other).success)
      ? { success: false, extractedAnswer: answer, detail: 'what follows takes the answer back or states another' }
      : { ...verdict, extractedAnswer: answer };
  };
}

/** What a response says on the lines behind its final answer. */
export function afterAnswer(text: string): string {
  const end = judgedEnd(text);
  const marker = lastAnswerMarker(end);
  const at = marker?.end ?? Math.max(end.lastIndexOf('####'), end.lastIndexOf('\\boxed{'));
  const rest = at < 0 ? '' : end.slice(at).trimStart();
  const line = rest.indexOf('\n');
  return line < 0 ? '' : rest.slice(line + 1);
}

const STATEMENT = /\b(?:answer|solution|result) (?:is|was|would be|should be|must be)[ :]+([^\n]*)/gi;
/** A line of so few words, without a stop, says a thing rather than something about it. */
const MOST_BARE_WORDS = 2;
const CLOSING = /^(?:q\.?e\.?d|done|end|thanks?|thank you|hope this helps|explanation|verification|check|notes?)\W*$/i;

/** Whether a text behind an answer takes it back, or states anything but it, in a sentence or alone on a line. */
function contradicts(after: string, isSame: (other: string) => boolean): boolean {
  if (after.trim() === '') return false;
  if (takesBack(after)) return true;
  for (const { index, 1: said } of after.matchAll(STATEMENT)) {
    const other = unwrap(said!.split(/[.!;](?:\s|$)|,? (?:because|since|as|so)\b/, 1)[0]!);
    if (!statesWhatFollows(after.slice(0, index)) || !isSame(other)) return true;
  }
  const lines = after.split('\n').map((line) => line.trim());
  return lines.some((line) => isBare(line) && !isSame(unwrap(line)));
}

const isBare = (line: string): boolean =>
  /[\p{L}\p{N}]/u.test(line) &&
  !/[.:!]$/.test(line) &&
  !CLOSING.test(line) &&
  line.split(/\s+/).length <= MOST_BARE_WORDS;

/** A place in a text, `end` behind it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The last `answer:` as a word, in any case of letters, with blanks and stars between (`**Answer**:`); `end` is behind the blanks and stars
 * that follow. Each run of blanks follows one word and is walked once.
 */
export function lastAnswerMarker(text: string): Span | null {
  let last: Span | null = null;
  for (const { index } of text.matchAll(/\banswer/gi)) {
    const stars = skip(text, '*', skip(text, ' \t', index + 'answer'.length));
    const colon = skip(text, ' \t', stars);
    if (text[colon] === ':') last = { start: index, end: skip(text, '*', skip(text, ' \t', colon + 1)) };
  }
  return last;
}

/** Whether a text marks an answer in one of the forms. */
export const isMarked = (text: string): boolean =>
  text.includes('####') || text.toLowerCase().includes('\\boxed{') || lastAnswerMarker(text) !== null;

/** The first place from `at` on where none of the characters stands. */
export function skip(text: string, characters: string, at: number): number {
  let end = at;
  while (end < text.length && characters.includes(text[end]!)) end++;
  return end;
}

/** The first line from `at` on that has text, without its ends; null where there is none. */
function lineFrom(text: string, at: number): string | null {
  const rest = text.slice(at).trimStart();
  const end = rest.indexOf('\n');
  return rest === '' ? null : rest.slice(0, end < 0 ? undefined : end).trimEnd();
}

/** Braces are counted, so that `\boxed{\frac{1}{2}}` is taken whole; an unclosed one is no answer. */
function lastBoxed(text: string): string | null {
  const start = text.lastIndexOf('\\boxed{');
  if (start < 0) return null;
  const begin = start + '\\boxed{'.length;
  const end = closingBrace(text, begin);
  return end < 0 ? null : text.slice(begin, end);
}

/** Where the brace closes that was opened before `from`; -1 where none does. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** Takes off what surrounds an answer: white space, emphasis, a final full stop, dollar signs of mathematics, a box. */
function unwrap(text: string): string {
  let answer = text.trim();
  for (;;) {
    const inner = (
      boxIn(answer) ??
      between('**', answer) ??
      dollarsIn(answer) ??
      withoutStars(answer) ??
      withoutStop(answer)
    ).trim();
    if (inner === answer) return answer;
    answer = inner;
  }
}

/** Of one box around everything: two of them, or one and more, are no single answer. */
function boxIn(text: string): string | null {
  const begin = '\\boxed{'.length;
  if (!text.startsWith('\\boxed{') || closingBrace(text, begin) !== text.length - 1) return null;
  return text.slice(begin, -1);
}

const between = (mark: string, text: string): string | null =>
  text.length > 2 * mark.length && text.startsWith(mark) && text.endsWith(mark)
    ? text.slice(mark.length, -mark.length)
    : null;

function dollarsIn(text: string): string | null {
  const inner = between('$', text);
  return inner === null || inner.includes('$') ? null : inner;
}

/** Stars that close what was opened before the marker, as in `**Answer: 7**`, or within it, as in `Answer: **7**`. */
const withoutStars = (text: string): string | null =>
  text.endsWith('**') && text.split('**').length % 2 === 0 ? text.slice(0, -2) : null;

/** A stop alone, or after a blank, is no end of a sentence. */
const withoutStop = (text: string): string => (/\S\.$/.test(text.slice(-2)) ? text.slice(0, -1) : text);
