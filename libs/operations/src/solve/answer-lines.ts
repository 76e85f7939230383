/** Answers as JSON Lines: what a line says, and which lines an earlier run left that this one would write again. */
import { canonicalJson, sha256 } from '@seamstream/kernel';
import type { AnsweredQuestion, Question } from '@seamstream/rollout';

/** What decides the answers apart from the questions. */
export interface AnswerFacts {
  /** Null: the bare base model. */
  readonly adapterDigest: string | null;
  readonly withEntry: boolean;
  readonly seed: string;
}

export interface AnswerLine {
  readonly problemId: string;
  /** Null where the executor was not asked, or failed. */
  readonly response: string | null;
  readonly answer: string | null;
  /** Absent where there is no reference; null where there is no verdict. */
  readonly success?: boolean | null;
  readonly failure?: { readonly code: string; readonly reason: string };
}

export function answerLine(
  { problemId, domain, prompt, judgedBy }: Question,
  { entry, response, answer, verdict, failure }: AnsweredQuestion,
  { adapterDigest, withEntry, seed }: AnswerFacts,
): AnswerLine {
  return {
    ...{ problemId, domain, prompt, adapterDigest, seed },
    ...(withEntry ? { entry: entryValue(entry) } : {}),
    ...{ response, answer },
    ...(judgedBy === null
      ? {}
      : { reference: judgedBy.reference, success: verdict?.success ?? null, detail: verdict?.detail ?? null }),
    ...(failure === null ? {} : { failure: { code: failure.code, reason: failure.reason } }),
  };
}

/** What a file of answers amounts to. */
export interface Tally {
  readonly answered: number;
  /** Responses without a final answer in the form that their verifier reads. */
  readonly unstated: number;
  readonly judged: number;
  readonly right: number;
  readonly failed: number;
}

export const NO_ANSWERS: Tally = { answered: 0, unstated: 0, judged: 0, right: 0, failed: 0 };

export function counted(
  tally: Tally,
  { response, answer, success, failure }: Pick<AnswerLine, 'response' | 'answer' | 'success' | 'failure'>,
): Tally {
  return {
    answered: tally.answered + (answer === null ? 0 : 1),
    unstated: tally.unstated + (answer === null && response !== null ? 1 : 0),
    judged: tally.judged + (typeof success === 'boolean' ? 1 : 0),
    right: tally.right + (success === true ? 1 : 0),
    failed: tally.failed + (failure === undefined ? 0 : 1),
  };
}

/** Names the work of answering these questions in this way: eight digits, as in the name of a file. */
export function workName(questions: readonly Question[], settings: Readonly<Record<string, unknown>>): string {
  const asked = questions.map(({ problemId, domain, prompt, judgedBy }) => [problemId, domain, prompt, judgedBy]);
  return sha256(canonicalJson({ asked, ...settings })).slice(0, 8);
}

/**
 * Lines from the start of a part that answer these questions in their order, without those at its end that failed: they are asked once more.
 */
export async function heldAnswers(
  lines: AsyncIterable<string> | Iterable<string>,
  questions: readonly Question[],
): Promise<readonly AnswerLine[]> {
  const held: AnswerLine[] = [];
  for await (const line of lines) {
    const said = parsed(line);
    if (said === undefined || said.problemId !== questions[held.length]?.problemId) break;
    held.push(said);
  }
  return held.slice(0, held.findLastIndex(({ failure }) => failure === undefined) + 1);
}

/** Undefined for what is no answer, as of a disk that lost power. */
function parsed(line: string): AnswerLine | undefined {
  try {
    const said = JSON.parse(line) as AnswerLine | null;
    return typeof said === 'object' && said !== null && JSON.stringify(said) === line ? said : undefined;
  } catch {
    return undefined;
  }
}

/** An entry as its JSON value; another text (a hint, an empty slot) unchanged. */
export function entryValue(entry: string | null): unknown {
  if (entry === null) return null;
  try {
    return JSON.parse(entry) as unknown;
  } catch {
    return entry;
  }
}
