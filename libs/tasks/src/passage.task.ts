/** A text with questions about it, each judged on its own: what reading comprehension sets are made of. */
import type { PassageTask, TaskContent } from './task.types.js';

export function passagePrompt({ title, passage, questions }: PassageTask): string {
  const asked = questions.map(({ question }, index) => `${index + 1}. ${question}`).join('\n');
  return `${title === null ? '' : `${title}\n\n`}${passage}\n\nQuestions:\n${asked}\n\nAnswer each question on a line of its own, as "1: answer".`;
}

/** What passage@1 judges by: of each question, in their order, its reference, or a list of it with the further answers. */
export function passageReference({ questions }: PassageTask): string {
  return JSON.stringify(
    questions.map(({ reference, alternatives }) =>
      alternatives.length === 0 ? reference : [reference, ...alternatives],
    ),
  );
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
