/**
 * The content of a problem, prompt and reference, which is in seam.problems and, where it is small, in each event that follows as well. A
 * larger one is named there by its digest: a copy in each event of a group of eight would be sixteen of them in the log.
 */
import { hash } from 'node:crypto';
import { SeamError } from '@seamstream/kernel';
import type { ContentReference, Problem, ProblemCopy } from './generated/events.generated.js';

export type ProblemContent = Pick<Problem, 'prompt' | 'reference'>;

/** An event with the whole problem that it is about. */
export type Whole<E extends { readonly problem: ProblemCopy }> = E extends unknown
  ? Omit<E, 'problem'> & { readonly problem: Problem }
  : never;

/** A record of seam.problems. */
export interface ProblemPlace {
  readonly partition: number;
  readonly offset: number;
}

/** SHA-256 of the JSON text of [prompt, reference], as base64url: 43 characters. */
export function contentDigest({ prompt, reference }: ProblemContent): string {
  return hash('sha256', JSON.stringify([prompt, reference]), 'base64url');
}

/** Whether a copy holds the content itself. */
export function isWhole(problem: ProblemCopy): problem is Problem {
  return typeof problem.prompt === 'string';
}

/**
 * A published problem as the events that follow from it carry it.
 * @param inlineBytes content of fewer bytes (UTF-8, prompt and reference together) is copied; Infinity copies every content
 */
export function copyOf(problem: Problem, { partition, offset }: ProblemPlace, inlineBytes: number): ProblemCopy {
  const { prompt, reference } = problem;
  if (Buffer.byteLength(prompt) + Buffer.byteLength(reference ?? '') < inlineBytes) return problem;
  return { ...problem, prompt: { digest: contentDigest(problem), partition, offset }, reference: null };
}

/** A copy with the content that it names. */
export function withContent(copy: ProblemCopy, { prompt, reference }: ProblemContent): Problem {
  return { ...copy, prompt, reference };
}

/** The prompt of a copy that was made whole before. @throws INTERNAL for one that was not */
export function promptOf({ problemId, prompt }: Pick<ProblemCopy, 'problemId' | 'prompt'>): string {
  if (typeof prompt === 'string') return prompt;
  throw new SeamError(
    'INTERNAL',
    `Cannot use the prompt of problem ${problemId}: expected its text, got a reference. Make events whole before (ProblemContents).`,
  );
}

/** One line about a copy for people: its prompt, or the name of its content. */
export function promptOrName({ prompt }: Pick<ProblemCopy, 'prompt'>): string {
  return typeof prompt === 'string' ? prompt : nameOfContent(prompt);
}

/** What stands for content that is elsewhere. */
export function nameOfContent({ digest }: ContentReference): string {
  return `(content ${digest.slice(0, 8)} of seam.problems)`;
}
