/** A text with questions about it, each judged on its own: what reading comprehension sets are made of. */
import type { PassageTask, TaskContent } from './task.types.js';

const TITLE = 'Title: ';
const QUESTIONS = '\n\nQuestions:\n';
const INSTRUCTION = '\n\nAnswer each question on a line of its own, as "1: answer".';

/** What a prompt asks: a passage with the questions about it. */
export interface AskedPassage {
  readonly title: string | null;
  readonly passage: string;
  readonly questions: readonly string[];
}

export function passagePrompt({ title, passage, questions }: PassageTask): string {
  return promptOf({ title, passage, questions: questions.map(({ question }) => question) });
}

function promptOf({ title, passage, questions }: AskedPassage): string {
  const asked = questions.map((question, index) => `${index + 1}. ${question}`).join('\n');
  return `${title === null ? '' : `${TITLE}${title}\n\n`}${passage}${QUESTIONS}${asked}${INSTRUCTION}`;
}

/**
 * What a prompt of {@link passagePrompt} was rendered from; undefined for every other text. A question with a line that could begin the
 * next one is read as two, and a passage that begins like a title has one: rendered again, they are the same prompt.
 */
export function askedPassage(prompt: string): AskedPassage | undefined {
  const at = prompt.lastIndexOf(QUESTIONS);
  if (at < 0 || !prompt.endsWith(INSTRUCTION)) return undefined;
  const asked = prompt.slice(at + QUESTIONS.length, -INSTRUCTION.length);
  const questions: string[] = [];
  let from = 0;
  for (let number = 1; ; number++) {
    const mark = `${number}. `;
    if (!asked.startsWith(mark, from)) return undefined;
    const next = asked.indexOf(`\n${number + 1}. `, from);
    questions.push(asked.slice(from + mark.length, next < 0 ? undefined : next));
    if (next < 0) break;
    from = next + 1;
  }
  const text = prompt.slice(0, at);
  const titleEnd = text.startsWith(TITLE) ? text.indexOf('\n\n') : -1;
  const read =
    titleEnd < 0
      ? { title: null, passage: text, questions }
      : { title: text.slice(TITLE.length, titleEnd), passage: text.slice(titleEnd + 2), questions };
  return promptOf(read) === prompt ? read : undefined;
}

/** What passage@1 judges by: of each question, in their order, its reference, or a list of it with the further answers. */
export function passageReference({ questions }: PassageTask): string {
  return JSON.stringify(
    questions.map(({ reference, alternatives }) =>
      alternatives.length === 0 ? reference : [reference, ...alternatives],
    ),
  );
}

/** The first gold answer of each question, as {@link passageReference} writes them; undefined for another reference. */
export function goldAnswers(reference: string | null): readonly string[] | undefined {
  try {
    const golds = JSON.parse(reference ?? '') as unknown;
    if (!Array.isArray(golds) || golds.length === 0) return undefined;
    return golds.map((gold) => String(Array.isArray(gold) ? gold[0] : gold));
  } catch {
    return undefined;
  }
}

export function passageContent({ title, passage, questions }: PassageTask): TaskContent {
  const parts = questions.map(({ question, reference, alternatives }) => ({
    ...{ role: 'question', text: question, reference, alternatives },
  }));
  return { kind: 'passage', passage, title, parts };
}

/** Undefined for content of another kind, and for what is no passage. */
export function passageOf({ kind, passage, title, parts }: TaskContent): PassageTask | undefined {
  if (kind !== 'passage' || passage === null || parts.length === 0) return undefined;
  const [first] = parts;
  const isAlike = ({ reference, alternatives }: TaskContent['parts'][number]): boolean =>
    (reference === null) === (first!.reference === null) && (reference !== null || alternatives.length === 0);
  if (!parts.every((part) => part.role === 'question' && isAlike(part))) return undefined;
  const questions = parts.map(({ text, reference, alternatives }) => ({ question: text, reference, alternatives }));
  return { kind, passage, title, questions };
}
