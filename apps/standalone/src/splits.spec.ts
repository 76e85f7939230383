/** Who is asked which problems: the stream, the decisions on promotions and the held-out measurement share none, by meaning. */
import { worldProblems } from '@seamstream/embedded-world';
import type { Problem } from '@seamstream/events';
import { worldSource } from './problem-stream.js';
import { heldOutProblems, validationProblems } from './world-files.js';

/** The words that an entry must answer: what is equal here is the same problem with other amounts. */
const keysOf = (problems: readonly Pick<Problem, 'metadata'>[]): ReadonlySet<string> =>
  new Set(problems.map(({ metadata }) => metadata.key!));

const streamed = (seed: number): readonly Problem[] =>
  (['base', 'shifted'] as const).flatMap((phase) =>
    [0, 1, 2, 7, 25].flatMap((round) =>
      worldSource(seed)({ round, phase, roundSize: 64, startIndex: 0, count: 64, occurredAt: 0 }).flatMap((event) =>
        event.type === 'ProblemPublished' ? [event.problem] : [],
      ),
    ),
  );

const sets = {
  train: [1, 2, 11].flatMap(streamed),
  validation: validationProblems(),
  heldOut: (['base', 'shifted'] as const).flatMap((variant) => heldOutProblems(variant, 512)),
};
const splits = ['train', 'validation', 'heldOut'] as const;
/** Most of what belongs to a split, drawn without the demonstration's help. */
const belonging = new Map(
  splits.map((split) => [
    split,
    keysOf(
      (['base', 'shifted'] as const).flatMap((variant) => worldProblems({ seed: 'any', split, variant, count: 500 })),
    ),
  ]),
);

describe.each(splits)('the problems of the demonstration for %s', (split) => {
  it.each(splits.filter((other) => other !== split))('hold none that belongs to %s', (other) => {
    expect([...keysOf(sets[split]).intersection(belonging.get(other)!)]).toEqual([]);
    expect([...keysOf(sets[split]).intersection(keysOf(sets[other]))]).toEqual([]);
  });

  it('are of every domain, with a key each', () => {
    expect(new Set(sets[split].map(({ domain }) => domain)).size).toBe(6);
    expect([...keysOf(sets[split])].every((key) => typeof key === 'string')).toBe(true);
  });
});

it('the held-out problems are enough to tell: more than a hundred different ones of either variant', () => {
  for (const variant of ['base', 'shifted'] as const)
    expect(keysOf(heldOutProblems(variant, 512)).size).toBeGreaterThan(100);
});
