/** Several questions in one response: each is judged on its own, and the verdict is the share of those that are right. */
import { type JudgeIdentity, judgesOf, type VerifierSpec } from '@seamstream/events';
import { judgedEnd } from './final-answer.js';
import { judgeOfMeaning } from './judge.verifier.js';
import { badReference, OptionReader } from './options.js';
import { type SquadScore, squadScore } from './squad-score.js';
import type { Judge, Verdict, Verifier } from './verifier.types.js';

const NAME = 'passage@1';
const MOST_QUESTIONS = 100;
/** Answers to one question that are as right as each other. */
const MOST_GOLDS = 20;
/** Characters of an answer's line that are judged. */
const MAX_LINE = 500;

/** Who may judge each answer. */
export const ANSWER_JUDGES = ['exact', 'numeric', 'choice', 'squad', 'judge'] as const;
type AnswerJudgeKind = (typeof ANSWER_JUDGES)[number];

/** @param judgeFor the judge of one question */
export function passageVerifier(judgeFor: (spec: VerifierSpec, reference: string) => Judge): Verifier {
  return {
    kind: 'passage',
    version: '1',
    options: {
      answers: 'exact, numeric, choice, squad or judge: who judges each answer; default exact',
      questions: 'of judge: a JSON array of what was asked, as the judge reads it; seam publish adds it',
    },
    prepare(reference, options) {
      const read = new OptionReader(NAME, options);
      const kind = read.choice('answers', ANSWER_JUDGES);
      const golds = referencesIn(reference);
      const questions = kind === 'judge' ? questionsIn(read, golds.length) : [];
      const judges = golds.map((own, at) => answerJudge(kind, own, questions[at] ?? '', judgeFor));
      return async (text, context) => {
        const answers = answersByNumber(text, judges.length);
        const verdicts = await Promise.all(
          judges.map(async (judge, index) => {
            const answer = answers.get(index + 1);
            return answer === undefined ? null : judge(answer, context);
          }),
        );
        return verdictOn(verdicts, answers, kind);
      };
    },
  };
}

/** What is said of one question's answer. */
interface AnswerVerdict {
  readonly success: boolean;
  /** SQuAD's measures, where they were taken. */
  readonly score?: SquadScore;
  readonly judgedBy?: JudgeIdentity;
}
type AnswerJudge = (answer: string, context: Parameters<Judge>[1]) => AnswerVerdict | Promise<AnswerVerdict>;

/** @param verdicts by question; null where none was answered */
function verdictOn(
  verdicts: readonly (AnswerVerdict | null)[],
  answers: ReadonlyMap<number, string>,
  kind: AnswerJudgeKind,
): Verdict {
  const right = verdicts.filter((verdict) => verdict?.success === true).length;
  const wrong = verdicts.flatMap((verdict, index) => (verdict?.success === true ? [] : [index + 1]));
  const share = right / verdicts.length;
  const mean = (of: (score: SquadScore) => number): number =>
    verdicts.reduce((sum, verdict) => sum + (verdict?.score === undefined ? 0 : of(verdict.score)), 0) /
    verdicts.length;
  const [exactMatch, f1] = [mean(({ isExact }) => Number(isExact)), mean((score) => score.f1)];
  const isMeasured = kind === 'squad' || kind === 'judge';
  const judges = judgesOf(verdicts.map((verdict) => verdict?.judgedBy));
  return {
    success: right === verdicts.length,
    share,
    extractedAnswer: answers.size === 0 ? null : [...answers].map(([n, answer]) => `${n}: ${answer}`).join('\n'),
    detail: [
      `${right} of ${verdicts.length} questions right`,
      ...(wrong.length === 0 ? [] : [`not ${wrong.join(', ')}`]),
      ...(isMeasured ? [`F1 ${f1.toFixed(3)}`] : []),
      ...(judges === undefined ? [] : [`judged by ${nameOf(judges)}`]),
    ].join('; '),
    ...(isMeasured ? { figures: { exactMatch, f1 } } : {}),
    ...(judges === undefined ? {} : { judgedBy: judges }),
  };
}

function nameOf({ model, revision }: JudgeIdentity): string {
  return revision === null ? model : `${model} (${revision})`;
}

function answerJudge(
  kind: AnswerJudgeKind,
  golds: readonly string[],
  question: string,
  judgeFor: (spec: VerifierSpec, reference: string) => Judge,
): AnswerJudge {
  if (kind === 'squad') return judgeOfWords(golds);
  if (kind === 'judge') return judgeByModel(golds, question);
  return judgeOfAny(golds.map((gold) => judgeFor({ kind, version: '1', options: {} }, gold)));
}

/** SQuAD's measures. Exact match decides: F1 is read in the detail and the figures. */
function judgeOfWords(golds: readonly string[]): AnswerJudge {
  return (answer) => {
    const score = squadScore(answer, golds);
    return { success: score.isExact, score };
  };
}

/** A model says whether an answer means what the gold answers say. It is shown one answer at a time: none can speak for another. */
function judgeByModel(golds: readonly string[], question: string): AnswerJudge {
  const judge = judgeOfMeaning(NAME, question, golds);
  return async (answer, context) => {
    const { success, judgedBy } = await judge(`Answer: ${answer}`, context);
    return { success, score: squadScore(answer, golds), ...(judgedBy === undefined ? {} : { judgedBy }) };
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

/** What was asked, in the order of the references. */
function questionsIn(read: OptionReader, references: number): readonly string[] {
  const text = read.text('questions') ?? '';
  let questions: unknown;
  try {
    questions = JSON.parse(text);
  } catch {
    questions = undefined;
  }
  const isAsked =
    Array.isArray(questions) &&
    questions.length === references &&
    questions.every((each) => typeof each === 'string' && each.trim() !== '');
  if (isAsked) return questions as readonly string[];
  throw read.bad('questions', `a JSON array of ${references} texts`, text);
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
