/**
 * The final answer within a response. Forms, the first that occurs: the text after the last `Answer:` (to the end of its line, or the
 * next line where the marker ends one), after the last `####` (GSM8K), inside the last `\boxed{…}`. There is no fallback to "the last
 * number": a response that does not say what its answer is has none, so that chance hits on numbers in a derivation do not count.
 */

import type { Judge, Verdict } from './verifier.types.js';

/** Longer "answers" are text that happens to follow a marker. */
const MAX_ANSWER_LENGTH = 500;

/** The answer as written, without its wrapping; null where there is none. */
export function finalAnswer(text: string): string | null {
  const found = afterLast(text, /\banswer[ \t]*\**[ \t]*:[ \t]*\**/gi) ?? afterLast(text, /####/g) ?? lastBoxed(text);
  const answer = found === null ? '' : unwrap(found);
  return answer === '' || answer.length > MAX_ANSWER_LENGTH ? null : answer;
}

/** A judge of final answers as a judge of responses. */
export function judgeOfFinalAnswers(judge: (answer: string) => Omit<Verdict, 'extractedAnswer'>): Judge {
  return (text) => {
    const answer = finalAnswer(text);
    if (answer === null)
      return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
    return { ...judge(answer), extractedAnswer: answer };
  };
}

function afterLast(text: string, marker: RegExp): string | null {
  const last = [...text.matchAll(marker)].at(-1);
  if (last === undefined) return null;
  return /^\s*([^\n]*)/.exec(text.slice(last.index + last[0].length))?.[1] ?? null;
}

/** Braces are counted, so that `\boxed{\frac{1}{2}}` is taken whole; an unclosed one is no answer. */
function lastBoxed(text: string): string | null {
  const start = text.lastIndexOf('\\boxed{');
  if (start < 0) return null;
  const begin = start + '\\boxed{'.length;
  let depth = 1;
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(begin, at);
  }
  return null;
}

/** Takes off what surrounds an answer: white space, emphasis, a final full stop, dollar signs of mathematics, a box. */
function unwrap(text: string): string {
  let answer = text.trim();
  for (;;) {
    const boxed = answer.startsWith('\\boxed{') ? lastBoxed(answer) : null;
    const inner =
      boxed !== null && answer.endsWith('}')
        ? boxed
        : (/^\*\*(.+)\*\*$/.exec(answer)?.[1] ?? /^\$([^$]+)\$$/.exec(answer)?.[1] ?? answer.replace(/(?<=\S)\.$/, ''));
    if (inner.trim() === answer) return answer;
    answer = inner.trim();
  }
}
