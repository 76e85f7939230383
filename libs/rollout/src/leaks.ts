/**
 * Whether an entry holds its problem's answer: such an entry is no experience but a second solver, and its success says
 * nothing about the next problem.
 */
import type { Problem } from '@seamstream/events';

/** Verifiers whose references are answers that a text may hold; a choice's one letter stands in every text. */
const REFERENCES_ARE_ANSWERS: ReadonlySet<string> = new Set(['exact', 'numeric', 'math']);

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
  if (!REFERENCES_ARE_ANSWERS.has(verifier.kind) || !/[\p{L}\p{N}]/u.test(answer)) return undefined;
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
