/** Problems on which a candidate and its parent differ, as an evaluation records them: a few of each kind, with the beginnings of their texts. */
import type { ProblemDifference } from '@seamstream/events';
import { excerpt } from '@seamstream/kernel';
import type { ProblemResult, Said } from './adapter-evaluation.port.js';

/** Of those that the candidate rescued and of those that it broke: an evaluation is in promotions, and they are kept in memory. */
export const MOST_OF_A_KIND = 8;
const MOST_CHARACTERS = { question: 200, entry: 500, answer: 100 } as const;

export class Differences {
  private readonly kinds = { rescued: [] as ProblemDifference[], broken: [] as ProblemDifference[] };

  /** Takes two judged results on one problem. Equal ones, and those that do not tell what was said, are passed over. */
  note(own: ProblemResult, parents: ProblemResult): void {
    if (own.said === undefined || parents.said === undefined || own.solved === parents.solved) return;
    const rescued = own.solved === true;
    const kind = this.kinds[rescued ? 'rescued' : 'broken'];
    if (kind.length === MOST_OF_A_KIND) return;
    const [{ entry, answer }, before] = [told(own.said), told(parents.said)];
    kind.push({
      ...{ problemId: own.said.problemId, domain: own.domain, rescued },
      question: excerpt(own.said.prompt, MOST_CHARACTERS.question),
      ...{ parentEntry: before.entry, parentAnswer: before.answer, entry, answer },
    });
  }

  /** In the order in which they were asked, the rescued first. */
  get noted(): readonly ProblemDifference[] {
    return [...this.kinds.rescued, ...this.kinds.broken];
  }
}

function told({ entry, answer }: Said): Pick<Said, 'entry' | 'answer'> {
  return {
    entry: entry === null ? null : excerpt(entry, MOST_CHARACTERS.entry),
    answer: answer === null ? null : excerpt(answer, MOST_CHARACTERS.answer),
  };
}
