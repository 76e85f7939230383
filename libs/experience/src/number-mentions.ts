/**
 * Numbers that a text mentions, in any notation: digits of any script, with invisible characters between them, with any
 * separator of thousands, a comma for the point, as a percentage, a fraction or a power of ten, or glued to words. A value is an
 * exact fraction. A mention may mean something other than a result: an ordinal, a step, a variable's name, a common divisor.
 *
 * Not read: number words, Roman numerals, sums that are yet to be computed (40 + 2), two digits that are named one by one (4, then 2). Only
 * words of a language can lead a frozen executor to those; the limits of what entries may say bound them (docs/reference/verifiers.md).
 */

export interface NumberMention {
  /** Exact fractions "numerator/denominator" that it may be read as. */
  readonly values: readonly string[];
  /** Whether it is a number that the text states, not an ordinal, a name, or a step. */
  readonly isStated: boolean;
  /** Whether the text calls it the answer. */
  readonly isCalledAnswer: boolean;
}

/** More digits are no answer that anybody compares, and would make arithmetic slow. */
const MAX_DIGITS = 60;
const MAX_EXPONENT = 300;

/** Arabic phrases of one character, whose plain forms have 18 and 8: a text of them would grow by as much, and they spell no answer. */
const PHRASES = /[\ufdfa\ufdfb]/gu;

/** The text as its reader sees it: compatible forms as plain ones, nothing invisible, digits of all scripts as ours, one minus. */
export function asSeen(text: string): string {
  return text
    .replaceAll(PHRASES, ' ')
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll('\u2044', '/')
    .replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/[^\P{Nd}0-9]/gu, (digit) => String(valueOfDigit(digit.codePointAt(0)!)));
}

/** Each script has its ten digits in a row (Unicode, chapter 4.6). */
function valueOfDigit(codePoint: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before++;
  return before % 10;
}

const PLAIN = String.raw`0{0,20}\d{1,3}(?:[ ,.'’_]\d{3}){1,19}(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?`;
/** A fraction in LaTeX, a mixed number or a fraction, or a number with a power of ten or a per cent sign. */
const NUMBER = new RegExp(
  [
    String.raw`\\[dt]?frac\s?\{\s?(?<upper>\d{1,30})\s?\}\s?\{\s?(?<lower>\d{1,30})\s?\}`,
    String.raw`(?:(?<whole>\d{1,30}) )?(?<above>\d{1,30}) ?/ ?(?<below>\d{1,30})(?![\d/])`,
    String.raw`(?<plain>${PLAIN})(?:e(?<exponent>[-+]?\d{1,3})(?![\p{L}\p{N}])| ?[×x*·] ?10\^\{?(?<power>-?\d{1,3})\}?)?(?<percent> ?\\?%| ?per ?cent)?`,
  ].join('|'),
  'giu',
);

/** A row of letters before or behind a number is looked at so far. */
const NEAR = 24;
/** Words that are glued to a number and name it as a result. */
const MARKER = /(?:answers?|ans|is|are|equals?|result|gives|makes|total|sum|value|solution|number)$/iu;
/** What stands before a number that is called the answer, and is looked for so far. A text ends only behind a verb or a mark. */
const CALLS_ANSWER =
  /(?<!\p{L})(?:answers?|ans|results?|solution)(?:(?<verb> (?:is|are|must be|should be|equals)| ?[:=])[\s:="'*$(€£-]{0,6}|[ "'*$(€£-]{0,6})$/iu;
const CALLED_WITHIN = 40;
/** "Result: 12 - x" is a figure on the way. */
const CALCULATES = /^\s*[-+*/×·÷^]\s*(?:\p{L}(?!\p{L})|[\d(\\])/u;
/** "The answer (2 decimals)" says its form. */
const FORM = /^[\s-]*(?:decimals?|places?|digits?|significant|dp|sf|words?|sentences?|lines?|steps?|parts?)(?!\p{L})/iu;
/** Ordinals and steps count up to here; a larger number cannot hide among them. */
const MOST_COUNTED = 20;
/** What is divided and multiplied by everywhere. */
const CONSTANTS: ReadonlySet<string> = new Set(
  [2, 3, 4, 5, 10, 12, 24, 30, 60, 90, 100, 180, 360, 365, 1000].map((value) => `${value}/1`),
);
const OPERAND = /(?:^|[^\p{L}])(?:by|into|times|per|out of|modulo|mod|base) $/iu;
const STEP = /(?:^|[^\p{L}])(?:steps?|parts?|cases?|rules?|items?|stages?|points?|lines?|methods?) $/iu;
const UNITS_OF_ONE_LETTER = /^[mgshl]$/u;

/** @param text as {@link asSeen} gives it */
export function* numberMentions(text: string): Generator<NumberMention> {
  for (const match of text.matchAll(NUMBER)) {
    const before = text.slice(Math.max(0, match.index - NEAR), match.index);
    // A part of a longer number, of a version or a date.
    if (/\d[.,/]?$/u.test(before) && !/\d \/?$/u.test(before)) continue;
    const isNegative = /(?:^|[^\p{L}\p{N})\]])-$/u.test(before);
    const values = readings(match.groups ?? {}).map((value) => (isNegative ? negated(value) : value));
    if (values.length === 0) continue;
    const behind = text.slice(match.index + match[0].length, match.index + match[0].length + NEAR);
    yield {
      values,
      isStated: isStated(values, match[0], before, behind),
      isCalledAnswer: isCalledAnswer(text.slice(Math.max(0, match.index - CALLED_WITHIN), match.index), behind),
    };
  }
}

/**
 * The values of a text that is one number, with a sign, a currency or a unit and nothing that would make another of it.
 * @returns none for another text
 */
export function valuesOfNumber(text: string): readonly string[] {
  const seen = asSeen(text).trim();
  if (seen.length > 200) return [];
  const [only, ...others] = [...seen.matchAll(NUMBER)];
  if (only === undefined || others.length > 0) return [];
  const [before, behind] = [seen.slice(0, only.index), seen.slice(only.index + only[0].length)];
  if (!/^[\s$€£-]*$/u.test(before) || !/^[\s%\\\p{L}]*$/u.test(behind)) return [];
  const isNegative = before.trimEnd().endsWith('-');
  // As a file of problems writes it: a point is a point, a comma separates thousands.
  const { plain = '', ...groups } = only.groups ?? {};
  const [first] = readings({ ...groups, plain: plain.replaceAll(/(?<=\d)[,'’_ ](?=\d{3})/gu, '') });
  if (first === undefined) return [];
  const all =
    groups.percent === undefined ? [first] : [first, ...readings({ ...groups, plain: plain.replaceAll(',', '') })];
  return [...new Set(all)].map((value) => (isNegative ? negated(value) : value));
}

function isCalledAnswer(before: string, behind: string): boolean {
  const called = CALLS_ANSWER.exec(before);
  if (called === null || CALCULATES.test(behind) || FORM.test(behind)) return false;
  // "Answer 2 questions", "the answer (3 boxes)".
  return called.groups?.verb !== undefined || !/^\s*[\p{L}\p{N}]/u.test(behind);
}

/** Whether a mention states its number. */
function isStated(values: readonly string[], written: string, before: string, behind: string): boolean {
  const prefix = /\p{L}{1,24}$/u.exec(before)?.[0] ?? '';
  const suffix = /^\p{L}+/u.exec(behind)?.[0] ?? '';
  const digits = written.replaceAll(/\D/gu, '').length;
  const isSmall = values.some((value) => value.endsWith('/1') && Number(value.slice(0, -2)) <= MOST_COUNTED);
  if (prefix !== '' && !MARKER.test(prefix) && (prefix.length === 1 || digits === 1)) return false;
  if (/^(?:st|nd|rd|th)$/iu.test(suffix)) return !isSmall;
  if (suffix.length === 1 && !UNITS_OF_ONE_LETTER.test(suffix)) return false;
  if (OPERAND.test(before) && values.some((value) => CONSTANTS.has(value))) return false;
  // Also where a string of JSON begins, or a line in one.
  const isNumbering = /(?:^|[\n"]|\\n) *$/u.test(before) && /^[.)] +\S/u.test(behind);
  return !(isSmall && (STEP.test(before) || isNumbering));
}

/** What a match may be read as; none where it is too long to be compared. */
function readings(groups: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { upper, lower, whole = '0', above, below, plain } = groups;
  if (upper !== undefined && lower !== undefined) return fraction(BigInt(upper), BigInt(lower));
  if (above !== undefined && below !== undefined) {
    const divisor = BigInt(below);
    const mixed = fraction(BigInt(whole) * divisor + BigInt(above), divisor);
    // "3 1/2" may be a three and a half as well.
    return whole === '0' ? mixed : [...mixed, ...fraction(BigInt(above), divisor), ...fraction(BigInt(whole), 1n)];
  }
  if (plain === undefined || plain.length > MAX_DIGITS) return [];
  const exponent = Number(groups.exponent ?? groups.power ?? 0);
  if (Math.abs(exponent) > MAX_EXPONENT) return [];
  const values = decimals(plain).flatMap((decimal) => valueOf(decimal, exponent));
  return groups.percent === undefined
    ? values
    : [...values, ...decimals(plain).flatMap((decimal) => valueOf(decimal, exponent - 2))];
}

/** A number's digits with one point at most, for each way to read its separators. */
function decimals(plain: string): readonly string[] {
  const parts = plain.split(/[ ,.'’_]/u);
  const [head = '', ...groups] = parts;
  if (groups.length === 0) return [plain];
  const last = /[.,](?=\d+$)/u.exec(plain);
  const isGrouped = Number(head) > 0 && groups.every(({ length }) => length === 3);
  const asWhole = isGrouped ? [parts.join('')] : [];
  const asDecimal = last === null ? [] : [`${parts.slice(0, -1).join('')}.${groups.at(-1)!}`];
  // 1,234 is a thousand and more, 1.234 may be either, 1 234 may be two numbers.
  if (isGrouped && last?.[0] === ',') return asWhole;
  return [...asWhole, ...asDecimal, ...(plain.includes(' ') ? parts : [])];
}

function valueOf(decimal: string, exponent: number): readonly string[] {
  const [whole = '', part = ''] = decimal.split('.');
  const power = exponent - part.length;
  const digits = BigInt(`${whole}${part}`);
  return power >= 0 ? fraction(digits * 10n ** BigInt(power), 1n) : fraction(digits, 10n ** BigInt(-power));
}

function fraction(numerator: bigint, denominator: bigint): readonly string[] {
  if (denominator === 0n) return [];
  const divisor = greatestDivisor(numerator, denominator);
  return [`${numerator / divisor}/${denominator / divisor}`];
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

const negated = (value: string): string => (value.startsWith('0/') ? value : `-${value}`);
