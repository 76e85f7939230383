/**
 * Whether an entry holds its problem's answer: such an entry is no experience but a second solver, and its success says
 * nothing about the next problem.
 */
import type { Problem } from '@seamstream/events';

/** Verifiers whose references are answers that a text may hold; a choice's one letter stands in every text. */
const REFERENCES_ARE_ANSWERS: ReadonlySet<string> = new Set(['exact', 'numeric', 'math']);

/** Longer references are no answers that a text is searched for: the search would take the product of both lengths. */
const MAX_ANSWER = 200;

/** What stands for a removed answer. */
const MASK = '…';

type Answered = Pick<Problem, 'reference' | 'verifier'>;

/** Whether the problem's reference is an answer that can be looked for. */
export function hasFindableAnswer(problem: Answered): boolean {
  return patternOf(problem) !== undefined;
}

/** Whether the entry holds the reference answer, as whole words or a whole number, in any case and with or without commas in numbers. */
export function holdsAnswer(entry: string, problem: Answered): boolean {
  return patternOf(problem)?.test(entry) ?? false;
}

/** Fewer words in a row are found in any two texts about one thing. */
const SHARED_WORDS = 5;
/** Numbers as texts write them, with commas between thousands. */
const NUMBERS =
  /(?<![\p{L}\p{N}]|\d[.,])[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\p{L}\p{N}]|\d[.,])[-−]?\d+(?:\.\d+)?/gu;

/**
 * Whether an entry gives its problem's answer away, so that its success earns nothing: it holds the answer in any of its texts, another
 * spelling of the number that the answer is, or five words of a longer answer in a row. What the problem itself states is no secret.
 */
export function givesAnswerAway(entry: string, problem: Answered & Pick<Problem, 'prompt'>): boolean {
  if (!REFERENCES_ARE_ANSWERS.has(problem.verifier.kind)) return false;
  const texts = [entry, ...answersOf(entry).slice(0, 1)];
  const isTold = (holds: (text: string) => boolean): boolean => texts.some(holds) && !holds(problem.prompt);
  return (
    isTold((text) => holdsAnswer(text, problem)) ||
    isTold((text) => holdsNumber(text, problem)) ||
    isTold((text) => sharesWords(text, problem))
  );
}

function holdsNumber(text: string, { reference, verifier }: Answered): boolean {
  const [wanted, ...others] = reference.match(NUMBERS) ?? [];
  // Where the answer is more than one number, the number alone is not the answer.
  if (verifier.kind === 'exact' || wanted === undefined || others.length > 0 || !isNumberAlone(reference)) return false;
  const value = plainNumber(wanted);
  return text.matchAll(NUMBERS).some(([number]) => plainNumber(number) === value);
}

/** A number with its sign or unit, and nothing that would make another of it. */
function isNumberAlone(reference: string): boolean {
  return /^[\s$€£]*[-−]?[\d,.]+[\s%\p{L}]*$/u.test(reference.slice(0, 200));
}

/** Equal for equal numbers: without commas, leading and trailing zeros. */
function plainNumber(text: string): string {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').replace('−', '-').split('.');
  return `${whole.replace(/^(-?)0+(?=\d)/, '$1')}.${withoutLastZeros(fraction)}`;
}

function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function sharesWords(text: string, { reference }: Answered): boolean {
  const wanted = wordsOf(reference);
  if (wanted.length <= SHARED_WORDS) return false;
  const runs = (words: readonly string[]): string[] =>
    words.slice(SHARED_WORDS - 1).map((_, at) => words.slice(at, at + SHARED_WORDS).join(' '));
  const known = new Set(runs(wanted));
  return runs(wordsOf(text)).some((run) => known.has(run));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The entry with every occurrence of the reference answer replaced by an ellipsis. */
export function withoutAnswer(entry: string, problem: Answered): string {
  const pattern = patternOf(problem);
  return pattern === undefined ? entry : entry.replaceAll(new RegExp(pattern.source, 'giu'), MASK);
}

/** The texts that an entry may be read as an answer by: as a whole, and each of its strings. */
export function answersOf(entry: string): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  try {
    collect(JSON.parse(entry));
  } catch {
    return [entry];
  }
  return [texts.join('\n'), ...texts.map((text) => `Answer: ${text}`)];
}

function patternOf({ reference, verifier }: Answered): RegExp | undefined {
  const answer = reference.trim();
  if (!REFERENCES_ARE_ANSWERS.has(verifier.kind) || !/[\p{L}\p{N}]/u.test(answer) || answer.length > MAX_ANSWER)
    return undefined;
  const body = answer
    .replaceAll(/(?<=\d),(?=\d)/g, '')
    .split(/\s+/)
    .map((word) =>
      word
        .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
        // A comma may stand between any two digits: 1,234 is 1234.
        .replaceAll(/(?<=\d)(?=\d)/g, ',?'),
    )
    .join('\\s+');
  // Not a part of a longer word, and no digits of a longer or decimal number.
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,])${body}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'iu');
}
