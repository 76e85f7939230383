/** Whether what is known of a problem bears an answer out. Pure. */
import type { EventOf } from '@seamstream/events';
import type { WrittenOrWithheld } from './doubt.decide.js';
import { answersExperience, answersUnwritten, gatewayAnswers, isJudged } from './true-answers.decide.js';

export interface KnownOfProblem {
  readonly published: readonly EventOf<'ProblemPublished'>[];
  /** Those that follow from a publication. */
  readonly experiences: readonly WrittenOrWithheld[];
}

/**
 * An answer says of its experience what the experience says. A gateway's may be of one that never came: it follows from the publication then,
 * and is in the arm that was drawn there.
 */
export function isBelievedAnswer(
  answer: EventOf<'AnswerRecorded'>,
  { published, experiences }: KnownOfProblem,
): boolean {
  if (isJudged(answer.problem)) return false;
  const own = experiences.filter(({ experienceId }) => experienceId === answer.experienceId);
  if (own.length > 0)
    return own.some(
      (experience) =>
        ((experience.answeredBy ?? null) === null && answersExperience(answer)(experience)) ||
        gatewayAnswers(answer, experience),
    );
  return published.some((each) => answersUnwritten(answer, each));
}
