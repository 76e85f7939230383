/**
 * Where the answer of a response stands, as its template asked for it. What comes out is what verifiers are given: the part that
 * counts, in a form that all of them read. A response that does not keep to the form states no answer, so that chance hits in
 * its reasoning do not count.
 */

import { isMarked } from '@seamstream/verifiers';

export const ANSWER_FORMS = ['stated', 'tag', 'boxed', 'firstLine', 'lastLine'] as const;

/**
 * `stated`: the whole response, in which verifiers look for `Answer:`, `####` or a box.
 * `tag`: between the last `<answer>` and its `</answer>`.
 * `boxed`: the last `\boxed{…}`, with those before it on the same line.
 * `firstLine`: the first line with text. A model need not stop after its answer.
 * `lastLine`: the last line with text.
 */
export type AnswerForm = (typeof ANSWER_FORMS)[number];

/** The part of a response that counts; empty where it has none. Thinking never counts, but for `stated`, which is the response as it is. */
export function judgedText(form: AnswerForm, response: string): string {
  switch (form) {
    case 'stated':
      return response;
    case 'tag':
      return inTag(afterThinking(response));
    case 'boxed':
      return boxes(afterThinking(response));
    case 'firstLine':
      return answerOf(afterThinking(response).trimStart().split('\n', 1)[0]!);
    case 'lastLine':
      return answerOf(afterThinking(response).trimEnd().split('\n').at(-1)!);
  }
}

/** What follows `</think>`; chat templates may have written `<think>` into the prompt. Empty where thinking did not end. */
export function afterThinking(text: string): string {
  const end = text.lastIndexOf('</think>');
  if (end >= 0) return text.slice(end + '</think>'.length);
  return text.includes('<think>') ? '' : text;
}

function inTag(text: string): string {
  const end = text.lastIndexOf('</answer>');
  const start = end < 0 ? -1 : text.lastIndexOf('<answer>', end);
  return start < 0 ? '' : marked(text.slice(start + '<answer>'.length, end));
}

/** From the first to the last box of the last line with one. Braces are counted; a box without end is no answer. */
function boxes(text: string): string {
  const last = text.lastIndexOf('\\boxed{');
  if (last < 0) return '';
  let depth = 1;
  for (let at = last + '\\boxed{'.length; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) {
      const line = text.lastIndexOf('\n', last) + 1;
      return text.slice(text.indexOf('\\boxed{', line), at + 1);
    }
  }
  return '';
}

function answerOf(line: string): string {
  return isMarked(line.trim()) ? line.trim() : marked(line);
}

/** With the marker that all verifiers read. */
function marked(answer: string): string {
  const text = answer.trim();
  return text === '' ? '' : `Answer: ${text}`;
}
