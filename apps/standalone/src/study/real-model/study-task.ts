/** What a study with a real model asks: problems in four splits, what entries may say, and the texts of controls. */
import type { VerifierSpec } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import type { JsonSchema } from '@seamstream/token-grammar';

/** What may be looked at while the task and its settings are chosen is `development`; `heldOut` is for reporting alone. */
export const SPLITS = ['development', 'train', 'validation', 'heldOut'] as const;
export type Split = (typeof SPLITS)[number];

/** A row as `seam publish` reads it. */
export interface TaskProblem {
  readonly problemId: string;
  readonly domain: string;
  readonly prompt: string;
  readonly reference: string;
  readonly verifier: VerifierSpec;
}

/** What an answer says apart from its wording: an entry that holds it is the answer in another form. */
export interface Essence {
  /** For people, e.g. "the right price". */
  readonly name: string;
  ofAnswer(problem: TaskProblem): string;
  /** What a reader takes from an entry in its place; null where it says nothing of the kind. */
  inEntry(entry: string): string | null;
}

export interface StudyTask {
  readonly name: string;
  /** Absent where an answer is nothing but its wording, so that the leak test sees all of it. */
  readonly essence?: Essence;
  /** The same seed gives the same problems. @param count most problems */
  problems(split: Split, seed: number, count: number): readonly TaskProblem[];
  /** What two splits may not share, e.g. the prompt and the words that it is about. */
  traitsOf(problem: TaskProblem): readonly string[];
  /** By domain; undefined where the data folder's own hold. */
  readonly entrySchemas: Readonly<Record<string, JsonSchema>> | undefined;
  /** An entry that a person wrote for all problems: the method and the form of the answer. */
  readonly cheatsheet: string;
  /** Settings of the services and of training. @param modelFolder of generator and executor, for a task without its own models */
  environment(modelFolder: string): Environment;
}

/** Traits that splits share, each with the first two splits that do: none where nothing leaks. */
export function leaksBetween(
  splits: Readonly<Record<Split, readonly TaskProblem[]>>,
  traitsOf: StudyTask['traitsOf'],
): readonly { readonly trait: string; readonly splits: readonly [Split, Split] }[] {
  const first = new Map<string, Split>();
  const leaks = new Map<string, readonly [Split, Split]>();
  for (const split of SPLITS)
    for (const problem of splits[split])
      for (const trait of traitsOf(problem)) {
        const owner = first.get(trait) ?? split;
        first.set(trait, owner);
        if (owner !== split && !leaks.has(trait)) leaks.set(trait, [owner, split]);
      }
  return [...leaks].map(([trait, both]) => ({ trait, splits: both }));
}

/** @throws INVALID_INPUT for splits that share a trait: what is measured would say nothing about problems that were not learned from */
export function assertNoLeak(
  splits: Readonly<Record<Split, readonly TaskProblem[]>>,
  traitsOf: StudyTask['traitsOf'],
): void {
  const [leak] = leaksBetween(splits, traitsOf);
  if (leak === undefined) return;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot study the task: expected splits that share nothing, got ${JSON.stringify(leak.trait)} in ${leak.splits.join(' and ')}. Divide the problems by it.`,
  );
}
