/**
 * An answer in words, judged by a model. An answer that is the reference, but for letter case and white space, needs no model; of any
 * other a model that the service configures says whether it means the same. What a response holds beyond its final answer is not shown.
 */
import type { Problem, VerifierSpec } from '@seamstream/events';
import { compatible } from './compatible-text.js';
import { finalAnswer } from './final-answer.js';
import { badReference, OptionReader } from './options.js';
import type { Judge, Verifier } from './verifier.types.js';

const MOST_CHARACTERS = 4000;

/** What is said before several answers that are as right as each other. */
const ANY_OF = 'Any one of these:';

export const judgeVerifier: Verifier = {
  kind: 'judge',
  version: '1',
  options: { question: 'what was asked, as the judge reads it, required' },
  prepare(reference, options) {
    const read = new OptionReader('judge@1', options);
    const question = (read.text('question') ?? '').trim();
    if (question === '') throw read.bad('question', 'the question', question);
    return judgeOfMeaning('judge@1', question, [reference]);
  },
};

/**
 * Judges final answers to a question. One that equals a gold answer, but for letter case and white space, needs no model.
 * @param verifier as messages name it
 * @param golds at least one; answers that are as right as each other. The model is asked once, about all of them
 * @throws INVALID_INPUT for golds that are empty or too long
 */
export function judgeOfMeaning(verifier: string, question: string, golds: readonly string[]): Judge {
  const wanted = new Set(golds.map(normalised));
  const [only = ''] = golds;
  const reference = golds.length === 1 ? only : [ANY_OF, ...golds.map((gold) => `- ${gold}`)].join('\n');
  if (wanted.has('') || reference.length > MOST_CHARACTERS)
    throw badReference(verifier, `a text of at most ${MOST_CHARACTERS} characters`, reference, 'Publish the answer.');
  return async (text, { means, signal, deadlineMs }) => {
    const answer = finalAnswer(text);
    if (answer === null)
      return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
    if (wanted.has(normalised(answer)))
      return { success: true, extractedAnswer: answer, detail: 'equal to the reference' };
    const limits = { signal, ...(deadlineMs === null ? {} : { deadlineMs }) };
    const verdict = await means.askJudge(verifier, { question, reference, answer }, limits);
    return { ...verdict, extractedAnswer: answer };
  };
}

export type JudgedProblem = Pick<Problem, 'verifier'>;

/** Whether answers to the problem may need a model that judges. */
export function isJudgedByModel<P extends JudgedProblem>(
  problem: P,
): problem is P & { readonly verifier: VerifierSpec } {
  const { verifier } = problem;
  return (
    verifier?.kind === judgeVerifier.kind || (verifier?.kind === 'passage' && verifier.options.answers === 'judge')
  );
}

function normalised(text: string): string {
  return compatible(text).replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
