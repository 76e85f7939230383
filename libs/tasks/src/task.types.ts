/**
 * Problems that are more than a prompt. A task is typed content; its prompt is rendered from it by one pure function per kind, and both
 * are published: a caller that asks a model reads the prompt, one that wants the parts reads the task.
 */
import type { ProblemPublished } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';

export type TaskContent = NonNullable<ProblemPublished['task']>;

export interface PassageTask {
  readonly kind: 'passage';
  readonly passage: string;
  /** What the passage is about, in a few words; null where no title is known. */
  readonly title: string | null;
  /** At least one. All have a reference, or none has: what is right is not known yet. */
  readonly questions: readonly PassageQuestion[];
}

export interface PassageQuestion {
  readonly question: string;
  readonly reference: string | null;
  /** Further answers that are as right as the reference; none where there is no reference. */
  readonly alternatives: readonly string[];
}

export interface FewShotTask {
  readonly kind: 'few_shot';
  /** At least one. */
  readonly examples: readonly { readonly input: string; readonly output: string }[];
  readonly query: string;
}

export interface TurnsTask {
  readonly kind: 'turns';
  /** The last one is the user's: it is answered. */
  readonly turns: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly text: string }[];
}

export type Task = PassageTask | FewShotTask | TurnsTask;

type TaskPart = TaskContent['parts'][number];

/** A part without an answer. */
export function plainPart(role: string, text: string): TaskPart {
  return { role, text, reference: null, alternatives: [] };
}

export function isPlainPart({ reference, alternatives }: TaskPart): boolean {
  return reference === null && alternatives.length === 0;
}

/**
 * SHA-256 of a task's canonical JSON, which begins with its kind: tasks of two kinds never have one digest. A title and further answers
 * are part of it where there are some, so that a task without them has the digest that it had before there were any.
 */
export function taskDigest({ kind, passage, parts, title }: TaskContent): string {
  const said = parts.map(({ role, text, reference, alternatives }) => [
    ...[role, text, reference],
    ...(alternatives.length === 0 ? [] : [alternatives]),
  ]);
  return sha256(canonicalJson([kind, passage, said, ...(title === null ? [] : [title])]));
}
