/** A text with questions about it, each judged on its own: what reading comprehension sets are made of. */
import type { PassageTask, TaskContent } from './task.types.js';

export function passagePrompt({ passage, questions }: PassageTask): string {
  const asked = questions.map(({ question }, index) => `${index + 1}. ${question}`).join('\n');
  return `${passage}\n\nQuestions:\n${asked}\n\nAnswer each question on a line of its own, as "1: answer".`;
}

/** What passage@1 judges by: the references in the order of the questions. */
export function passageReference({ questions }: PassageTask): string {
  return JSON.stringify(questions.map(({ reference }) => reference));
}

export function passageContent({ passage, questions }: PassageTask): TaskContent {
  const parts = questions.map(({ question, reference }) => ({ role: 'question', text: question, reference }));
  return { kind: 'passage', passage, parts };
}

/** Undefined for content of another kind, and for what is no passage. */
export function passageOf({ kind, passage, parts }: TaskContent): PassageTask | undefined {
  if (kind !== 'passage' || passage === null || parts.length === 0) return undefined;
  const [first] = parts;
  const isAlike = ({ reference }: TaskContent['parts'][number]): boolean =>
    (reference === null) === (first!.reference === null);
  if (!parts.every((part) => part.role === 'question' && isAlike(part))) return undefined;
  return { kind, passage, questions: parts.map(({ text, reference }) => ({ question: text, reference })) };
}
