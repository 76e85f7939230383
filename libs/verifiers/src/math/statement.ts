/**
 * Which part of a response is its answer. Statements, the last of which wins: a box (neighbouring boxes are one answer), "Answer: …",
 * "the answer is …", "#### …". Without any the last formula, or number, of the text; asked for statements only, such a text has none.
 * An answer that the words around it deny, doubt or take back does not count.
 */

import { deniesMark, rejectsWhatFollows, takesBack, withdraws } from '../hedges.js';
import { withoutQualifier } from './forms/qualifiers.js';
import { isHedge } from './forms/units.js';

/** Longer "answers" are text that happens to follow a marker. Characters. */
const MAX_ANSWER_LENGTH = 1000;

const MARKER =
  /\banswer\s+is\b[ \t]*(?::[ \t]*)?|\banswer[ \t*_]*:[ \t*_]*(?:the[ \t]+(?:final[ \t]+)?answer[ \t]+is\b:?[ \t]*)?|####[ \t]*/gi;
const FORMULA = /\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|(?<!\\)\$((?:\\.|[^$\\])+?)(?<!\\)\$/g;
const NUMBER =
  /(?<![\w.\\])-?\s?(?:[$€£]\s?)?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\s*\/\s*\d+|\d+(?:\.\d*)?|\.\d+)(?:,\d\d(?!\d))?(?:\s?(?:%|\\%|percent(?:age)?|pct))?(?!\d|[A-Z_])/g;
const CLOSING_PHRASE = /I hope (?:it|this) is correct\.?|<\|im_(?:start|end)\|>(?:user|assistant)?/g;

export type AnswerSource = 'any' | 'stated';

/** The answer as written; null where the text has none. An unclosed box is no answer, regardless of what precedes it. */
export function statedAnswer(text: string, source: AnswerSource): string | null {
  const answer = found(text.replaceAll(CLOSING_PHRASE, '\n'), source)?.trim() ?? '';
  return answer === '' || answer.length > MAX_ANSWER_LENGTH ? null : answer;
}

function found(text: string, source: AnswerSource): string | null {
  const box = lastBoxes(text);
  if (box === 'unclosed') return null;
  const markers = [...text.matchAll(MARKER)];
  const marker = markers.at(-1);
  if (marker !== undefined && (box === null || box.to <= marker.index + marker[0].length)) {
    const from = marker.index + marker[0].length;
    const block = blockAfter(text.slice(from));
    const sentence = fromSentence(block);
    if (sentence !== null) {
      const before = text.slice(0, marker.index);
      const isOther = markers.length > 1 && ALTERNATIVE.test(before.slice(-MOST_LEADING));
      const isDenied = isOther || deniesMark(before) || isWithheld(block, sentence);
      return isDenied || takesBack(behind(text, from, block)) ? null : sentence;
    }
  }
  if (box !== null) return isOneOfCases(text, box) || isWithheld(text, box.content, box) ? null : box.content;
  if (source === 'stated') return null;
  const last = lastFormulaOrNumber(text);
  if (last === null) return wholeText(text);
  return ONE_OF.test(text.slice(0, text.lastIndexOf(last)).slice(-MOST_LEADING)) || isWithheld(text, last)
    ? null
    : last;
}

/** Whether a box is the answer in one case, and a box before it that in another: "\boxed{4}, otherwise \boxed{3}". */
function isOneOfCases(text: string, box: Boxes): boolean {
  if (!box.isSecond) return false;
  const before = text.slice(Math.max(0, box.from - MOST_LEADING), box.from);
  return ALTERNATIVE.test(before) || CONDITION.test(text.slice(box.to, box.to + MOST_LEADING));
}

/** Whether the words before an answer reject it, or those behind it take it back. @param place of the answer, else where it stands last */
function isWithheld(text: string, answer: string, place?: { readonly from: number; readonly to: number }): boolean {
  const from = place?.from ?? text.lastIndexOf(answer);
  if (from < 0) return false;
  let end = from;
  while (end > 0 && OPENING.includes(text[end - 1]!)) end--;
  const before = `${text.slice(0, end)} `;
  const after = text.slice(place?.to ?? from + answer.length).replace(/^[$\\\])\s]+/, ' ');
  return (
    rejectsWhatFollows(before) ||
    DOUBTS.test(before.slice(-MOST_LEADING)) ||
    withdraws(firstSentence(after)) ||
    CORRECTS.test(firstSentence(after).slice(0, 2 * MOST_LEADING)) ||
    takesBack(after)
  );
}

/** What may open a formula, and stands between it and the words before it. */
const OPENING = '$\\[( \n\t';

/** Characters before an answer in which its clause is looked for. */
const MOST_LEADING = 80;
/** A doubt in the clause that ends with the answer, or words that call it wrong. */
const DOUBTS =
  /\b(?:doubt\w*|unlikely|hardly)\b[^.!?;\n]*$|\b(?:wrong|incorrect|false|mistaken)\s+(?:answer|value|result|solution|choice|guess)\b[^.!?;,\n]*$/i;
/** What calls an answer wrong, or a guess before a better one, in the sentence that it begins. */
const CORRECTS =
  /^[^\p{L}\p{N}]*(?:false|wrong|edit|correction|corrected|outdated|rejected)\b|\b(?:but|however|while)\b[^.]*\b(?:right|correct|true|real|actual|final)\s+(?:value|answer|result|one|solution)\b|\b(?:is|was)\s+(?:only\s+|just\s+)?(?:my|a|the)\s+(?:first|initial|rough|early)\s+(?:guess|attempt|try)\b/iu;
/** What leads to an answer in addition to one that was given before. */
const ALTERNATIVE =
  /\b(?:otherwise|alternative(?:ly)?|or else|if not|if (?:that|this|it) (?:is|were|was)|case|option|possibility|(?:second|third|other|another|next) (?:guess|answer|option|choice|possibility|candidate))\b[^.!?\n]*$/i;
/** What makes an answer that of one case. */
const CONDITION = /^[\s$)]*(?:,\s*)?(?:if|when|unless|in case|for (?:odd|even|positive|negative))\b/i;
/** What leads to several values none of which is chosen. */
const ONE_OF = /\b(?:(?:one|any) of\s*[$\d\\]|(?:options|candidates|choices|possibilities)\s*(?:are|:))[^.!?\n]*$/i;

const behind = (text: string, from: number, block: string): string =>
  text.slice(text.indexOf(block, from) + block.length);

/** The end of a worked solution: "The final answer is $28$." and nothing else in that sentence. */
const CONCLUSION = /\bfinal answer (?:is )?(\$[^$\n]+\$)(?:\.(?=\s|$)|$)/gi;
const conclusionOf = (reference: string): string | undefined => [...reference.matchAll(CONCLUSION)].at(-1)?.[1];

/** The answer that a reference is, whole; or that a solution states in a box, after a marker or in its conclusion. */
export function referenceAnswer(reference: string): string {
  const isSolution = /\\boxed|####/.test(reference);
  const stated = isSolution
    ? statedAnswer(reference, 'stated')
    : (conclusionOf(reference) ?? afterIntroduction(reference));
  return (stated ?? reference).replace(/^\s*\\+boxed\s*\{(?=[^{}]*(?:\{[^{}]*\}[^{}]*)*$)/, '').trim();
}

/** "Answer: 9", "Answer $9$". */
function afterIntroduction(reference: string): string {
  return reference.replace(/^\s*(?:the\s+)?(?:final\s+)?answer\b\s*(?:is\b)?\s*:?\s*/i, '');
}

/** More words than this next to mathematics are prose. */
const MAX_WORDS = 2;
const MATHEMATICS = /[\d=<>^_+]|\\(?!text|mathrm|mbox|quad|left|right)[a-zA-Z]/;
const FUNCTION_WORD =
  /^(?:and|or|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|max|min|gcd|lcm|mod|arcsin|arccos|arctan)$/i;

/**
 * What a reference says besides its answer, so that it can be compared neither whole nor in part; null where there is nothing. Units, a
 * plain introduction and "for all real numbers t" are no prose, and words without mathematics are an answer in words.
 */
export function proseOf(reference: string): string | null {
  if (/\\boxed|####/.test(reference) || conclusionOf(reference) !== undefined) return null;
  const plain = withoutQualifier(
    afterIntroduction(reference)
      .replaceAll(/\$|\\[()[\],;:! ]/g, ' ')
      .replaceAll(/\\(?:text|textbf|textit|textrm|mathrm|mbox)\s*\{([^{}]*)\}/g, ' $1 ')
      .replaceAll(/\\(?:begin|end)\s*\{[a-zA-Z*]*\}/g, ' ')
      .replaceAll(/\\operatorname\*?\s*\{[a-zA-Z]*\}/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  if (!MATHEMATICS.test(plain)) return null;
  const stated = /^[a-zA-Z][a-zA-Z ,'()-]{0,80}? (?:is|are|equals)(?: equal to)? (?=\S)/.exec(plain)?.[0] ?? '';
  for (const part of plain.slice(stated.length).split(/[,;]| (?:and|or) /)) {
    const words = part.replaceAll(/\\[a-zA-Z]+/g, ' ').match(/[a-zA-Z]{2,}/g) ?? [];
    const said = words.filter((word) => !FUNCTION_WORD.test(word) && !/^[A-Z]+$/.test(word));
    // "5 miles per hour": a number and its unit.
    const unit = /[\d)}%\]] ?((?:[a-zA-Z]+[ /]){0,4}[a-zA-Z]+\.?)$/.exec(part.trim())?.[1] ?? '';
    const numUnitWords = (unit.match(/[a-zA-Z]{2,}/g) ?? []).length;
    if (said.length - numUnitWords > MAX_WORDS || isHedge(unit)) return words.join(' ');
  }
  return null;
}

/** The line after a marker, or the block of mathematics that begins there. */
function blockAfter(text: string): string {
  const block = /^\s*(\$\$[\s\S]+?\$\$|\\\[[\s\S]+?\\\]|\\\([\s\S]+?\\\)|\$(?:\\.|[^$\\])+\$[^\n]*)/.exec(text)?.[1];
  return block ?? /^\s*([^\n]*)/.exec(text)?.[1] ?? '';
}

/** The answer within the sentence that states it. */
function fromSentence(line: string): string | null {
  const sentence = firstSentence(line)
    .replace(/^[*_\s]+|(?<![*_\s])[*_\s]+$/g, '')
    .replace(/(?<=\S)\.$/, '')
    .replace(/(?<![*_\s])[*_]+$/, '');
  if (sentence === '') return null;
  const formulas = [...sentence.matchAll(FORMULA)];
  const around = sentence.replaceAll(FORMULA, ' ');
  if (formulas.length > 0 && !/[a-zA-Z]{2,}/.test(around.replaceAll(/\b(?:and|or)\b/g, ' '))) return sentence;
  const isWordy = (around.match(/(?<!\\)\b[a-zA-Z]{2,}\b/g) ?? []).length > 3;
  if (!isWordy && formulas.length === 0) return sentence;
  const said = /\b(?:is|are|equals|=)\s([^=]*)$/.exec(sentence)?.[1];
  if (said !== undefined && said.trim() !== '' && (said.match(/[a-zA-Z]{2,}/g) ?? []).length <= 3) return said;
  return lastFormulaOrNumber(sentence) ?? sentence;
}

/** A full stop within a formula ends nothing. */
function firstSentence(line: string): string {
  const masked = line.replaceAll(FORMULA, (formula) => '\u0001'.repeat(formula.length));
  const end = /[.?!]\s+(?=[A-Z])/.exec(masked);
  return end === null ? line : line.slice(0, end.index + 1);
}

/** Of a derivation without a statement: what it ends with. */
function lastFormulaOrNumber(text: string): string | null {
  const formula = [...text.matchAll(FORMULA)].at(-1);
  const number = [...text.matchAll(NUMBER)].at(-1);
  if (formula === undefined) {
    // A text that is nothing but a formula is taken whole: its last number is only a part of it.
    return number === undefined || isBare(text) ? null : number[0].trim();
  }
  const inner = (formula.slice(1) as (string | undefined)[]).find((group) => group !== undefined) ?? '';
  if (number !== undefined && number.index > formula.index + formula[0].length) return number[0].trim();
  // $5$ percent: what follows a formula and belongs to it.
  const unit = /^\s*(?:%|\\%|percent(?:age)?\b)/.exec(text.slice(formula.index + formula[0].length))?.[0] ?? '';
  const neighbours = formulaRun(text, formula.index);
  return neighbours ?? `${inner}${unit}`;
}

/** "$2$ and $3$" at the end of a text is one answer. */
function formulaRun(text: string, lastAt: number): string | null {
  const all = [...text.matchAll(FORMULA)];
  let first = all.findIndex(({ index }) => index === lastAt);
  while (first > 0) {
    const before = all[first - 1]!;
    const between = text.slice(before.index + before[0].length, all[first]!.index);
    if (!/^\s*(?:,\s*)?(?:and|or|,)\s*$/.test(between)) break;
    first--;
  }
  const start = all[first]!.index;
  if (start === lastAt) return null;
  const last = all.at(-1)!;
  return text.slice(start, last.index + last[0].length);
}

function wholeText(text: string): string | null {
  const line = text.trim();
  return isBare(line) ? line : null;
}

/** One line that is an answer rather than prose: hardly any words outside of commands. */
function isBare(text: string): boolean {
  const line = text.trim();
  if (line === '' || (line.includes('\n') && !line.includes('\\begin'))) return false;
  const words = line.replaceAll(/\\(?:text|mathrm|mbox)\w*\{[^{}]*\}|\\[a-zA-Z]+/g, ' ').match(/[a-zA-Z]{2,}/g) ?? [];
  // "Total: 2,74" is prose around a number; "2,74 euros" and "x = 3" are answers.
  const before = /^[^\d\\$=]*(?=\d)/.exec(line)?.[0] ?? '';
  if (/[a-zA-Z]{3}/.test(before)) return false;
  return words.length <= 3;
}

interface Boxes {
  /** Whether there is another box before these. */
  readonly isSecond: boolean;
  readonly content: string;
  readonly from: number;
  readonly to: number;
}

/** The last box with those directly before it: "\boxed{2} and \boxed{3}" is one answer of two parts. */
function lastBoxes(text: string): Boxes | 'unclosed' | null {
  const boxes: { readonly from: number; readonly to: number; readonly content: string }[] = [];
  for (const opening of text.matchAll(/\\(?:boxed|fbox)\s*(\{|[^\s{}\\])/g)) {
    const from = opening.index;
    if (boxes.length > 0 && from < boxes.at(-1)!.to) continue; // within the one before
    if (opening[1] !== '{') {
      boxes.push({ from, to: from + opening[0].length, content: opening[1]! });
      continue;
    }
    const begin = from + opening[0].length;
    const end = matchingBrace(text, begin);
    if (end < 0) return 'unclosed';
    boxes.push({ from, to: end + 1, content: text.slice(begin, end) });
  }
  const last = boxes.at(-1);
  if (last === undefined) return null;
  const run = [last];
  for (let at = boxes.length - 2; at >= 0; at--) {
    const [before, after] = [boxes[at]!, run[0]!];
    if (!isConnector(text.slice(before.to, after.from))) break;
    run.unshift(before);
  }
  const distinct = [...new Map(run.map((each) => [each.content.replaceAll(/\s/g, ''), each.content])).values()];
  const isSecond = boxes[0]!.from < run[0]!.from;
  const unit = /^\s*(?:%|\\%|percent(?:age)?\b)/.exec(text.slice(last.to))?.[0] ?? '';
  return { content: `${distinct.join(' , ')}${unit}`, from: run[0]!.from, to: last.to, isSecond };
}

/** "y_1 = \boxed{…} and y_2 = \boxed{…}": between boxes of one answer stands hardly anything. */
function isConnector(between: string): boolean {
  const plain = between
    .replaceAll(/\\(?:text|mathrm|mbox)\s*\{([^{}]*)\}/g, '$1')
    .replaceAll(/\\q?quad|\\[,;: ()[\]]|\$/g, ' ')
    .trim();
  if (plain === '') return true;
  if (plain.length > 24 || plain.includes('\n')) return false;
  if (!/[a-zA-Z]{2,}/.test(plain) && !/[.?!]/.test(plain)) return true;
  return /(?:^|\s|,)(?:and|or)(?:\s+\S{1,8}\s*=)?$/.test(plain);
}

/** Index of the brace that closes the one before `begin`; -1 where there is none. Escaped braces do not count. */
function matchingBrace(text: string, begin: number): number {
  let depth = 1;
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}
