import type { Prediction } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { ExampleChoice, type Examples, renderExamples } from './example-part.js';

describe('the problems that a report shows', () => {
  it('are the first that only the trained entry solves, and the first that it does not solve', () => {
    const { learned, failed, failures } = chosenOf([
      [true, false, true],
      [false, true, true],
      [false, false, false],
      [false, false, true],
      [false, false, true],
      [true, true, false],
    ]);
    expect(learned?.problemId).toBe('problem 3');
    expect(failed?.problemId).toBe('problem 2');
    expect(failures).toBe(2);
  });

  it('count as not solved where no entry could be written, and are left out where an arm was not measured', () => {
    const problems = problemsOf(2);
    const choice = new ExampleChoice(problems);
    for (const arm of ['noExperience', 'untrained'])
      for (const problem of [0, 1]) choice.take(said({ arm, problem, success: false }));
    choice.take(said({ arm: 'trained', problem: 1, entry: null, response: null, success: null }));
    const chosen = choice.chosen();
    expect(chosen).toMatchObject({ problems: 1, learned: null, failed: { problemId: 'problem 1' }, failures: 1 });
    const page = renderExamples(chosen, 'held-out problems');
    expect(page).toContain('none could be written');
    expect(page).toContain('was not asked');
    expect(page).toContain('There is none.');
  });

  it('stand on the page as text, with entry, answer and verdict of each, and the rule that chose them', () => {
    const page = renderExamples(chosenOf([[false, false, true]]), 'held-out problems');
    expect(page).toContain('the first of the 1 held-out problems, in their order, that the executor solves neither');
    expect(page).toContain('<pre>what is 0 &#60; 1?</pre>');
    for (const [title, arm] of [
      ['Untrained generator: not solved', 'untrained'],
      ['Trained generator: solved', 'trained'],
    ])
      expect(page).toContain(`<b>${title}</b><p class="soft">experience</p><pre>entry of ${arm}</pre>`);
    expect(page).toContain('<b>Without an experience: not solved</b><p class="soft">answer</p>');
  });

  it.each([
    [0, 'There is none.'],
    [1, 'It is the only one.'],
    [2, 'There are 2 of them.'],
  ])('say how many it still fails, of which there are %d', (failures, sentence) => {
    const solved = [true, true, true].map((each, at): Solved => [each, each, at >= failures]);
    expect(renderExamples(chosenOf(solved), 'held-out problems')).toContain(
      `with the trained generator's entry. ${sentence}</p>`,
    );
  });
});

/** What the executor solves alone, with the untrained entry, and with the trained one. */
type Solved = readonly [alone: boolean, untrained: boolean, trained: boolean];

function chosenOf(solved: readonly Solved[]): Examples {
  const choice = new ExampleChoice(problemsOf(solved.length));
  // An arm's predictions come in any order.
  for (const [at, arm] of ['noExperience', 'untrained', 'trained'].entries())
    for (const problem of [...solved.keys()].reverse())
      choice.take(said({ arm, problem, success: solved[problem]![at]! }));
  return choice.chosen();
}

function problemsOf(count: number): readonly Problem[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ problemId: `problem ${at}`, domain: 'carving', prompt: `what is ${at} < 1?`, reference: 'yes' },
    verifier: { kind: 'exact' },
  })) as unknown as readonly Problem[];
}

function said(of: Partial<Prediction> & Pick<Prediction, 'arm' | 'problem' | 'success'>): Prediction {
  const nothing = { sample: 0, answer: null, detail: null, judgedBy: null, unjudged: null } as const;
  return { ...nothing, entry: `entry of ${of.arm}`, response: 'an answer', ...of };
}
