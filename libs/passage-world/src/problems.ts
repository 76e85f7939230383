/**
 * Passages with questions. Problem i of a set is a pure function of (seed, people, i), so a set can be continued, cut or made again
 * anywhere. A person belongs to one split alone, and so does every passage.
 */
import type { GradedProblem, ProblemPublished } from '@seamstream/events';
import { derivedId, Random, SeamError } from '@seamstream/kernel';
import { type PassageTask, passageContent, passagePrompt, passageReference } from '@seamstream/tasks';
import type { People } from './people.js';
import { drawPassage, question } from './texts.js';

export interface PassagesRequest {
  readonly seed: string | number;
  readonly people: People;
  readonly count: number;
  /** Index of the first, 0 by default. */
  readonly startIndex?: number;
}

/** A passage as it is published: the problem, and its parts. */
export interface PassageProblem {
  readonly problem: GradedProblem;
  readonly task: NonNullable<ProblemPublished['task']>;
}

/** Of the facts in a passage: so many are asked for. */
export const QUESTIONS = 3;

/** @throws INVALID_INPUT when count or startIndex is not a whole number ≥ 0 */
export function passageProblems({ seed, people, count, startIndex = 0 }: PassagesRequest): readonly PassageProblem[] {
  for (const [name, value] of Object.entries({ count, startIndex })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot make passages: expected ${name} to be a whole number ≥ 0, got ${value}.`,
      );
  }
  return Array.from({ length: count }, (_, offset) => {
    const index = startIndex + offset;
    const random = Random.of('passage-world', seed, people, index);
    const { passage, facts } = drawPassage(people, random);
    const task: PassageTask = {
      kind: 'passage',
      title: null,
      passage,
      questions: random
        .shuffled(facts)
        .slice(0, QUESTIONS)
        .map((fact) => ({ question: question(fact), reference: fact.value, alternatives: [] })),
    };
    return {
      problem: {
        problemId: derivedId(`passage-world/${seed}/${people}`, 'problem', index),
        domain: 'people',
        prompt: passagePrompt(task),
        reference: passageReference(task),
        verifier: { kind: 'passage', version: '1', options: { answers: 'squad' } },
        metadata: {},
      },
      task: passageContent(task),
    };
  });
}
