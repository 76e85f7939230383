import type { GradedProblem, Problem } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { builtInVerifiers, checkVerifiable } from '@seamstream/verifiers';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { followEntry, goldEntry, randomEntry } from './entries.js';
import { type WorldRequest, worldProblems } from './problems.js';

const problems = (request: Partial<WorldRequest> = {}): readonly GradedProblem[] =>
  worldProblems({ seed: 1, split: 'train', variant: 'base', count: 200, ...request });
const everywhere: readonly GradedProblem[] = [
  problems({ count: 2400 }),
  problems({ variant: 'shifted', count: 1200 }),
].flat();
const keysOf = (some: readonly Problem[]): Set<string> => new Set(some.map(({ metadata }) => metadata.key!));

describe('problems of the embedded world', () => {
  it('are the same for the same seed, split, variant and index, wherever a set begins', () => {
    expect(problems({ count: 12, startIndex: 30 })).toEqual(problems({ count: 42 }).slice(30));
    expect(problems({ count: 12 })).not.toEqual(problems({ count: 12, seed: 2 }));
  });

  it('stay as they were: a recorded seed means the same problems in every version', () => {
    const [first] = problems({ count: 1 });
    expect(first).toEqual({
      problemId: 'aafe258a-0ec5-5afe-8644-68147e79292c',
      domain: 'timber',
      prompt: 'Boards: oak 9, cedar 2, yew 5, teak 30. How many boards lie ready for a deck and a barrel?',
      reference: '30 and 9',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {
        variant: 'base',
        key: 'timber/deck/barrel/and/-',
        cues: 'deck barrel',
        phrase: 'and',
        facts: 'deck, barrel, and',
      },
    });
  });

  it('let the domains of a variant take turns', () => {
    expect(problems({ count: 5 }).map(({ domain }) => domain)).toEqual([...DOMAINS, DOMAINS[0]]);
    expect(problems({ count: 3, variant: 'shifted' }).map(({ domain }) => domain)).toEqual([
      ...SHIFTED_DOMAINS,
      SHIFTED_DOMAINS[0],
    ]);
  });

  it.each(['base', 'shifted'] as const)('share no combination of words between the splits of %s', (variant) => {
    const [train, validation, heldOut] = (['train', 'validation', 'heldOut'] as const).map((split) =>
      keysOf(problems({ split, variant, count: 1600 })),
    );
    expect(train!.isDisjointFrom(validation!)).toBe(true);
    expect(train!.isDisjointFrom(heldOut!)).toBe(true);
    expect(validation!.isDisjointFrom(heldOut!)).toBe(true);
    // Every word of the held-out combinations is in some combination that is trained on: knowledge of words is enough.
    const words = (keys: Set<string>): Set<string> => new Set([...keys].flatMap((key) => key.split('/')));
    expect(words(heldOut!).isSubsetOf(words(train!))).toBe(true);
    expect(heldOut!.size).toBeGreaterThan(100);
  });

  it('use other words and another phrasing in the shifted domains', () => {
    for (const domain of SHIFTED_DOMAINS) {
      const lore = loreOf(domain);
      const origin = DOMAINS.map(loreOf).find(({ solve }) => solve === lore.solve)!;
      const spoken = ({ cues, phrases, pitfalls }: typeof lore): Set<string> =>
        new Set([cues, phrases, ...pitfalls.map(({ words }) => words)].flatMap((words) => Object.keys(words)));
      expect(spoken(lore).isDisjointFrom(spoken(origin))).toBe(true);
      expect(lore.questions.some((question) => origin.questions.includes(question))).toBe(false);
      expect(lore.items).toEqual(origin.items);
    }
  });

  it('are plain printable ASCII in one line', () => {
    const others = everywhere.filter(({ prompt, reference }) => !/^[ -~]+$/.test(`${prompt}${reference}`));
    expect(others).toEqual([]);
  });

  it('have a reference that their verifier accepts and that follows from the entry the lore would write', async () => {
    for (const problem of everywhere) {
      checkVerifiable(problem.verifier, problem.reference);
      const { response, answer } = followEntry(problem, goldEntry(problem));
      const given = { text: response, finished: true };
      const verdict = await builtInVerifiers.verify(problem.verifier, given, problem.reference);
      expect([answer, verdict.extractedAnswer, verdict.success]).toEqual([problem.reference, problem.reference, true]);
    }
  });

  it('give nothing away: questions name no item and no amount, and no statement holds an exact answer', () => {
    const giveaways = everywhere.filter(({ domain, prompt, reference, verifier }) => {
      const { items, amounts } = loreOf(domain);
      const question = prompt.slice(prompt.indexOf('.') + 1).split(/\W+/);
      const names = [...items, ...amounts].some((word) => question.includes(word));
      return (
        names || question.some((word) => /\d/.test(word)) || (verifier.kind === 'exact' && prompt.includes(reference))
      );
    });
    expect(giveaways).toEqual([]);
  });

  it('are solved by chance now and then: by 3 to 12 of 100 entries with the right words and random advice', () => {
    for (const [domain, some] of Map.groupBy(everywhere, (problem) => problem.domain)) {
      const lucky = some.filter((problem) => {
        const random = Random.of('luck', problem.problemId);
        return followEntry(problem, randomEntry(problem, random)).answer === problem.reference;
      });
      const success = lucky.length / some.length;
      expect({ domain, isRare: success > 0.03 && success < 0.12 }).toEqual({ domain, isRare: true });
    }
  });

  it('refuse a count that is not a whole number', () => {
    expect(() => problems({ count: -1 })).toThrow(/expected count to be a whole number ≥ 0, got -1/);
    expect(() => problems({ startIndex: 0.5 })).toThrow(/expected startIndex/);
  });
});
