import type { ProblemResult } from './adapter-evaluation.port.js';
import { Differences, MOST_OF_A_KIND } from './differences.js';

const result = (problem: number, solved: boolean | null, entry: string | null = 'e', answer: string | null = '4') =>
  ({
    domain: 'sums',
    solved,
    said: { problemId: `p-${problem}`, prompt: `How many ${problem}?`, entry, answer },
  }) as const;

function noted(pairs: readonly (readonly [own: ProblemResult, parents: ProblemResult])[]) {
  const differences = new Differences();
  for (const [own, parents] of pairs) differences.note(own, parents);
  return differences.noted;
}

describe('the differences of two adapters', () => {
  it('are what both said on problems that one of them solved, the rescued first', () => {
    expect(
      noted([
        [result(1, false, 'count', '5'), result(1, true, 'carry', '4')],
        [result(2, true, 'carry', '4'), result(2, false, null, null)],
        [result(3, true), result(3, true)],
        [result(4, false), result(4, false)],
      ]),
    ).toEqual([
      {
        ...{ problemId: 'p-2', domain: 'sums', question: 'How many 2?', rescued: true },
        ...{ parentEntry: null, parentAnswer: null, entry: 'carry', answer: '4' },
      },
      {
        ...{ problemId: 'p-1', domain: 'sums', question: 'How many 1?', rescued: false },
        ...{ parentEntry: 'carry', parentAnswer: '4', entry: 'count', answer: '5' },
      },
    ]);
  });

  it('are some of each kind, those that were asked first', () => {
    const pairs = Array.from({ length: 30 }, (_, at) => [result(at, at < 15), result(at, at >= 15)] as const);
    const ids = noted(pairs).map(({ problemId }) => problemId);
    const first = (from: number) => Array.from({ length: MOST_OF_A_KIND }, (_, at) => `p-${from + at}`);
    expect(ids).toEqual([...first(0), ...first(15)]);
  });

  it('have no text of any length in them, and nothing of who does not tell what was said', () => {
    const long = 'x'.repeat(100_000);
    const told = { domain: 'sums', solved: true, said: { problemId: 'p', prompt: long, entry: long, answer: long } };
    expect(JSON.stringify(noted([[told, { ...told, solved: false }]])).length).toBeLessThan(2_000);
    expect(noted([[{ domain: 'sums', solved: true }, result(1, false)]])).toEqual([]);
  });
});
