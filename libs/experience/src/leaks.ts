/**
 * Whether an entry holds its problem's answer: such an entry is no experience but a second solver, and its success says
 * nothing about the next problem.
 */
import { type GradedProblem, isGraded, type Problem, verifierTraits } from '@seamstream/events';
import { choosesLetter } from './choice-mentions.js';
import { asSeen, numberMentions, valuesOfNumber } from './number-mentions.js';
import { digitsSpelledIn, MOST_OF_ANSWER, mentionsText } from './text-mentions.js';

/** What stands for a removed answer. */
const MASK = '…';

/** A problem without a verifier has no known answer, so nothing can give it away. */
type Answered = Pick<Problem, 'reference' | 'verifier'> & Partial<Pick<Problem, 'prompt'>>;
type Graded = Pick<GradedProblem, 'reference' | 'verifier'>;

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
/**
 * Whether an entry gives its problem's answer away, so that its success earns nothing: it states the number that the answer is, however that is
 * written (number-mentions.ts), holds another answer in any of its texts, or five words of a longer one in a row. What the
 * problem itself states is no secret.
 */
export function givesAnswerAway(entry: string, problem: Answered & Pick<Problem, 'prompt'>): boolean {
  const questions = questionsOf(problem).filter((question) => isGraded(question));
  if (questions.some((question) => question.verifier.kind === 'choice' && isChoiceNamed(entry, question))) return true;
  const sought = questions.filter(
    ({ verifier }) => verifier.kind !== 'choice' && verifierTraits(verifier).referenceIsAnswer,
  );
  if (sought.length === 0) return false;
  const read = readAs(entry, problem.prompt);
  return sought.some((question) => givesOneAway(read, question));
}

/** What is said of a problem, as its reader sees it: one reading for all its questions. */
interface Read {
  readonly entry: string;
  /** The entry, and its texts without the schema's keys where it has any. */
  readonly texts: readonly string[];
  /** The last of them. Keys are the schema's: they spell no answer, and call nothing the answer. */
  readonly said: string;
  readonly prompt: string;
}

function readAs(entry: string, prompt: string): Read {
  const texts = [entry, ...answersOf(entry).slice(0, 1)].map(asSeen);
  return { entry, texts, said: texts.at(-1)!, prompt: asSeen(prompt) };
}

/** A problem with several questions, each with its own reference, as that many problems. */
function questionsOf<P extends Answered>(problem: P): readonly P[] {
  if (!isGraded(problem) || problem.verifier.kind !== 'passage') return [problem];
  const { answers = 'exact' } = problem.verifier.options;
  // SQuAD's measures take words in their order, as `exact` does.
  const kind = answers === 'squad' ? 'exact' : answers;
  try {
    const references = JSON.parse(problem.reference) as readonly (string | readonly string[])[];
    return references.flat().map((reference) => ({ ...problem, reference, verifier: { ...problem.verifier, kind } }));
  } catch {
    return []; // no answer could be judged by it, so it was never published
  }
}

function givesOneAway({ entry, texts, said, prompt }: Read, problem: Graded): boolean {
  const wanted = valuesOfNumber(problem.reference);
  if (wanted.length > 0) {
    const isMentioned = (text: string, isAnyMention: boolean): boolean =>
      numberMentions(text).some(
        ({ values, isStated }) => (isStated || isAnyMention) && values.some((value) => wanted.includes(value)),
      ) || digitsSpelledIn(text).some((digits) => valuesOfNumber(digits).some((value) => wanted.includes(value)));
    const isAnswered = (text: string): boolean =>
      numberMentions(text).some(
        ({ values, isCalledAnswer }) => isCalledAnswer && values.some((value) => wanted.includes(value)),
      );
    // Which of the problem's numbers is the answer, the problem does not say.
    if (isAnswered(said) && !isAnswered(prompt)) return true;
    return texts.some((text) => isMentioned(text, false)) && !isMentioned(prompt, true);
  }
  const answer = asSeen(problem.reference.trim());
  const isTold = (holds: (text: string) => boolean): boolean => texts.some(holds) && !holds(prompt);
  return (
    isTold((text) => holdsAnswer(text, problem)) ||
    isTold((text) => sharesWords(text, problem)) ||
    (mentionsText(said, answer) && !mentionsText(prompt, answer)) ||
    isLetterAlone(entry, problem)
  );
}

/** The problem has the letter of every choice. What counts is that the entry chooses one. A choice of several letters is not looked for. */
function isChoiceNamed(entry: string, { reference }: Graded): boolean {
  const letter = /^\(?([A-Z])\)?\.?$/.exec(reference.trim())?.[1];
  return (
    letter !== undefined &&
    answersOf(entry).some((text) => choosesLetter(asSeen(text).replace(/^Answer: /, ''), letter))
  );
}

/** An answer of one letter occurs in every text. It is given away only where it is the whole of one of an entry's texts. */
function isLetterAlone(entry: string, { reference }: Graded): boolean {
  const letter = reference.trim();
  return (
    isOneLetter(letter) &&
    answersOf(entry).some(
      (text) =>
        asSeen(text)
          .replace(/^Answer: /, '')
          .replaceAll(/[^\p{L}\p{N}]/gu, '') === letter,
    )
  );
}

function isOneLetter(answer: string): boolean {
  return /^\p{L}$/u.test(answer);
}

function sharesWords(text: string, { reference }: Graded): boolean {
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

function patternOf(problem: Answered): RegExp | undefined {
  if (!isGraded(problem)) return undefined;
  const { reference, verifier } = problem;
  const answer = reference.trim();
  if (!verifierTraits(verifier).referenceIsAnswer || !/[\p{L}\p{N}]/u.test(answer) || answer.length > MOST_OF_ANSWER)
    return undefined;
  if (isOneLetter(answer)) return undefined;
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
  // Not a part of a longer word, no digits of a longer or decimal number, and not the number without its sign.
  const sign = /^\d/.test(answer) ? '|(?<![\\p{L}\\p{N})\\]])[-−]' : '';
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d[.,]${sign})${body}(?![\\p{L}\\p{N}]|[.,]\\d)`, 'iu');
}
