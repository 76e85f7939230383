export const ANSWER_FORMS = ['whole number', 'decimal', 'fraction', 'choice', 'formula', 'text'] as const;
export type AnswerForm = (typeof ANSWER_FORMS)[number];

/** What an answer looks like, for a look over a dataset: which verifier can judge it is for the verifier to say. */
export function answerForm(answer: string): AnswerForm {
  const plain = answer
    .trim()
    .replaceAll(/\\[!,;]|[$]/g, '')
    .trim();
  if (/^[-+]?\d{1,3}(,\d{3})+$|^[-+]?\d+$/.test(plain)) return 'whole number';
  if (/^[-+]?\d*\.\d+(e[-+]?\d+)?$/i.test(plain)) return 'decimal';
  if (/^[-+]?(\d+ ?\/ ?\d+|\\[dt]?frac ?(\{-?\d+\}|\d) ?(\{\d+\}|\d))$/.test(plain)) return 'fraction';
  if (/^\(?[A-Z]\)?$|^\\text\{\(?[A-Z]\)?\}$/.test(plain)) return 'choice';
  const isFormula = /[\\^_=+<>{}]|[a-z]\(/i.test(plain) || plain.split('\n').some(hasLetterAfterDigit);
  return isFormula && !/\s\p{L}{3,}\s/u.test(plain) ? 'formula' : 'text';
}

function hasLetterAfterDigit(line: string): boolean {
  const digit = line.search(/\d/);
  return digit >= 0 && /[a-z]\b/i.test(line.slice(digit + 1));
}
