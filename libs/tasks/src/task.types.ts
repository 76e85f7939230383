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
  /** At least one. All have a reference, or none has: what is right is not known yet. */
  readonly questions: readonly { readonly question: string; readonly reference: string | null }[];
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

/** SHA-256 of a task's canonical JSON, which begins with its kind: tasks of two kinds never have one digest. */
export function taskDigest(content: TaskContent): string {
  const { kind, passage, parts } = content;
  return sha256(canonicalJson([kind, passage, parts.map(({ role, text, reference }) => [role, text, reference])]));
}
