/** Several questions in one response: each is judged on its own, and the verdict is the share of those that are right. */
import type { VerifierSpec } from '@seamstream/events';
import { judgedEnd } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import { squadScore } from './squad-score.js';
import type { Judge, Verdict, Verifier } from './verifier.types.js';

const NAME = 'passage@1';
const MOST_QUESTIONS = 100;
/** Answers to one question that are as right as each other. */
const MOST_GOLDS = 20;
/** Characters of an answer's line that are judged. */
const MAX_LINE = 500;

/** @param judgeFor the judge of one question */
export function passageVerifier(judgeFor: (spec: VerifierSpec, reference: string) => Judge): Verifier {
  return {
    kind: 'passage',
    version: '1',
    options: { answers: 'exact, numeric, choice or squad: who judges each answer; default exact' },
    prepare(reference, options) {
      const kind = new OptionReader(NAME, options).choice('answers', ['exact', 'numeric', 'choice', 'squad']);
      const judges = referencesIn(reference).map((golds) =>
        kind === 'squad'
          ? judgeOfWords(golds)
          : judgeOfAny(golds.map((gold) => judgeFor({ kind, version: '1', options: {} }, gold))),
      );
      return async (text, context) => {
        const answers = answersByNumber(text, judges.length);
        const verdicts = await Promise.all(
          judges.map(async (judge, index) => {
            const answer = answers.get(index + 1);
            return answer === undefined ? null : judge(answer, context);
          }),
        );
        const right = verdicts.filter((verdict) => verdict?.success === true).length;
        const wrong = verdicts.flatMap((verdict, index) => (verdict?.success === true ? [] : [index + 1]));
        const said = wrong.length === 0 ? '' : `; not ${wrong.join(', ')}`;
        const share = right / judges.length;
        const f1 = verdicts.reduce((sum, verdict) => sum + (verdict?.f1 ?? 0), 0) / judges.length;
        const isSquad = kind === 'squad';
        return {
          success: right === judges.length,
          share,
          extractedAnswer: answers.size === 0 ? null : [...answers].map(([n, answer]) => `${n}: ${answer}`).join('\n'),
          detail: `${right} of ${judges.length} questions right${said}${isSquad ? `; F1 ${f1.toFixed(3)}` : ''}`,
          ...(isSquad ? { figures: { exactMatch: share, f1 } } : {}),
        };
      };
    },
  };
}

/** What is said of one question's answer. */
type AnswerVerdict = Pick<Verdict, 'success'> & { readonly f1?: number };
type AnswerJudge = (answer: string, context: Parameters<Judge>[1]) => AnswerVerdict | Promise<AnswerVerdict>;

/** SQuAD's measures. Exact match decides: F1 is read in the detail and the figures. */
function judgeOfWords(golds: readonly string[]): AnswerJudge {
  return (answer) => {
    const { isExact, f1 } = squadScore(answer, golds);
    return { success: isExact, f1 };
  };
}

/** Right is what one of the judges takes. */
function judgeOfAny(judges: readonly Judge[]): AnswerJudge {
  return async (answer, context) => {
    for (const judge of judges) {
      const verdict = await judge(`Answer: ${answer}`, context);
      if (verdict.success) return verdict;
    }
    return { success: false };
  };
}

/** The gold answers of each question. */
function referencesIn(reference: string): readonly (readonly string[])[] {
  let references: unknown;
  try {
    references = JSON.parse(reference);
  } catch {
    references = undefined;
  }
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const isGold = (value: unknown): value is string | readonly string[] =>
    typeof value === 'string' ||
    (Array.isArray(value) && value.length > 0 && value.length <= MOST_GOLDS && value.every(isText));
  const isList =
    Array.isArray(references) &&
    references.length > 0 &&
    references.length <= MOST_QUESTIONS &&
    references.every(isGold);
  if (isList)
    return (references as (string | readonly string[])[]).map((each) => (typeof each === 'string' ? [each] : each));
  const expected = `a JSON array of 1 to ${MOST_QUESTIONS} texts or lists of 1 to ${MOST_GOLDS} texts`;
  throw badReference(NAME, expected, reference, 'Publish the problem with one reference for each question.');
}

/** The last line of each number, in the order of the numbers. Numbers beyond the questions are not answers. */
function answersByNumber(text: string, questions: number): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const line of judgedEnd(text).split('\n')) {
    const [, digits, answer] = /^[ *]{0,8}(\d{1,3})[ *]{0,4}[:.)][ *]{0,4}(\S.*)$/.exec(line.slice(0, MAX_LINE)) ?? [];
    const number = Number(digits);
    if (answer !== undefined && number >= 1 && number <= questions) found.set(number, answer.trimEnd());
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}
