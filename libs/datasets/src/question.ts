/**
 * When two texts are the same question. Copies of a dataset differ in white space, letter case, quotation marks and in how
 * their TeX is set; none of that makes another question, while a sign or an exponent does.
 */

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';

/** Commands of TeX that set a formula without saying anything: spaces, sizes, and the two names of one fraction. */
const TEX_SETTING = /\\(?:left|right|displaystyle|textstyle|quad|qquad)(?![a-z])|\\[,;:! ]|~/g;

/**
 * The question as it is compared: Unicode NFKC (exponents kept as exponents), lower case, one kind of quotation mark and dash,
 * TeX's setting and dollar signs taken out, white space collapsed and taken out next to signs, a final full stop dropped.
 */
export function normalisedQuestion(question: string): string {
  return question
    .replaceAll(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (sign) => `^${SUPERSCRIPTS.indexOf(sign)}`)
    .replaceAll(/[₀₁₂₃₄₅₆₇₈₉]/g, (sign) => `_${SUBSCRIPTS.indexOf(sign)}`)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u02bc`]/g, "'")
    .replaceAll(/[\u201c\u201d]|''/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(TEX_SETTING, ' ')
    .replaceAll(/\\[dt]frac(?![a-z])/g, '\\frac')
    .replaceAll('$', ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([^\p{L}\p{N} ]) ?/gu, '$1')
    .replace(/(?<![.\s])[.\s]+$/, '')
    .trim();
}

/** Scripts without word spaces: each character is a word. */
const WORD = /[\u2e80-\ud7ff]|(?:(?![\u2e80-\ud7ff])[\p{L}\p{N}])+|[-+*/=<>^_|%!\\]/gu;

const SIGNS = '-+*/=<>^_|%!\\';

/**
 * The words of a normalised question, for its likeness with others: runs of letters and digits, and the signs of a formula as
 * separate words, so that 2 + 3 and 2 − 3 share but the digits.
 */
export function questionWords(normalised: string): string[] {
  return Array.from(normalised.matchAll(WORD), ([word]) => {
    const sign = SIGNS.indexOf(word);
    return sign < 0 ? word : `sign${sign}`;
  });
}
