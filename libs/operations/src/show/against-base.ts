/** One problem before and after: what it came to with entries of the base model, and with those of an adapter. Pure. */
import { GENERATOR_SLOT } from '@seamstream/events';
import type { AdapterVersion, Attempt, AttemptResult } from '@seamstream/read-models';
import { placeName, type ToldStory } from './told-story.js';

/** Answers to a problem that were judged and count, with entries of one writer. */
export interface WriterAnswers {
  readonly judged: number;
  readonly solved: number;
  /** The first of them, in the order in which their entries were written. */
  readonly first: { readonly entry: string; readonly answer: string | null; readonly isSolved: boolean };
}

export interface AgainstBase {
  /** The adapter that is served; null is the base model, and then nothing is to be compared. */
  readonly served: string | null;
  /** Null where the log has no such answer. */
  readonly base: WriterAnswers | null;
  /** Of what is served, else of the newest that was served before and has any: what a last round promoted has answered nothing yet. */
  readonly adapter: (WriterAnswers & { readonly digest: string }) | null;
}

/** Null for a reader that may not know what is served. */
export function againstBase({
  story,
  doubts,
  lineage,
  knowsServed,
}: Pick<ToldStory, 'story' | 'doubts' | 'lineage' | 'knowsServed'>): AgainstBase | null {
  if (!knowsServed) return null;
  const { served } = lineage;
  const of = (writer: string | null): WriterAnswers | null =>
    answersOf(
      story.attempts.filter(({ adapterDigest }) => adapterDigest === writer),
      ({ position, refused }) => refused === null && !doubts.has(placeName(position)),
    );
  const newestFirst = lineage.versions
    .filter(wasServed)
    .toSorted((a, b) => b.version - a.version)
    .map(({ adapterDigest }) => adapterDigest);
  const writers = served === null ? [] : [served, ...newestFirst];
  const [adapter = null] = writers.values().flatMap((digest) => {
    const answers = of(digest);
    return answers === null ? [] : [{ digest, ...answers }];
  });
  return { served, base: of(null), adapter };
}

/** A candidate that was refused may have answered in a canary: it never took the place of the base. */
function wasServed({ slot, acts }: AdapterVersion): boolean {
  return slot === GENERATOR_SLOT && acts.some(({ act, status }) => act === 'promoted' && status === 'counted');
}

function answersOf(attempts: readonly Attempt[], isBelieved: (result: AttemptResult) => boolean): WriterAnswers | null {
  const answers = attempts.flatMap(({ entry, results }) => {
    const result = results.find((each) => ['solved', 'notSolved'].includes(each.verdict) && isBelieved(each));
    // The control arm names no adapter either: it has no entry.
    if (entry === null || result === undefined) return [];
    return [{ entry, answer: result.extractedAnswer, isSolved: result.verdict === 'solved' }];
  });
  const [first] = answers;
  if (first === undefined) return null;
  return { judged: answers.length, solved: answers.filter(({ isSolved }) => isSolved).length, first };
}
