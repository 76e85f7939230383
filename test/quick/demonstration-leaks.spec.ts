import { entrySchemaFor, goldEntry, randomEntry, worldProblems } from '@seamstream/embedded-world';
import { entryText, givesAnswerAway, hasFindableAnswer } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';

describe("the demonstration's schema", () => {
  it('has no entry that gives an answer away', () => {
    const problems = (['base', 'shifted'] as const).flatMap((variant) =>
      worldProblems({ seed: 3, split: 'train', variant, count: 400 }),
    );
    expect(problems.every(hasFindableAnswer)).toBe(true);
    const telling = problems.filter((problem) =>
      [goldEntry(problem), randomEntry(problem, Random.of(problem.problemId))].some((entry) =>
        givesAnswerAway(entryText(entry, entrySchemaFor(problem.domain)!), problem),
      ),
    );
    expect(telling.map(({ problemId }) => problemId)).toEqual([]);
  });
});
