import type { Problem } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { checkVerifiable, verify } from '@seamstream/verifiers';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { followEntry, goldEntry, randomEntry } from './entries.js';
import { type WorldRequest, worldProblems } from './problems.js';

const problems = (request: Partial<WorldRequest> = {}): readonly Problem[] =>
  worldProblems({ seed: 1, split: 'train', variant: 'base', count: 200, ...request });
const everywhere = [problems({ count: 2400 }), problems({ variant: 'shifted', count: 1200 })].flat();
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
      prompt:
        'Boards: ash 22, oak 28, cedar 17, teak 5, yew 29. How many boards lie ready for a lute plus a yacht? The first pile has a loose board.',
      reference: '30 and 5',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {
        variant: 'base',
        key: 'timber/lute/yacht/plus/loose',
        cues: 'lute yacht',
        phrase: 'plus',
        pitfall: 'loose',
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
    // Every word of the held-out combinations stands in some combination that is trained on: knowledge of words is enough.
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
    for (const { prompt, reference } of everywhere) expect(`${prompt}${reference}`).toMatch(/^[ -~]+$/);
  });

  it('have a reference that their verifier accepts and that follows from the entry the lore would write', () => {
    for (const problem of everywhere) {
      checkVerifiable(problem.verifier, problem.reference);
      const { response, answer } = followEntry(problem, goldEntry(problem));
      expect(answer).toBe(problem.reference);
      expect(verify(problem.verifier, { text: response, finished: true }, problem.reference).success).toBe(true);
    }
  });

  it('give nothing away: questions name no item and no amount, and no exact answer stands in a statement', () => {
    for (const { domain, prompt, reference, verifier } of everywhere) {
      const { items, amounts, numCues } = loreOf(domain);
      const question = prompt.slice(prompt.indexOf('.') + 1);
      const spoken = question.split(/\W+/);
      for (const word of [...items, ...amounts]) expect(spoken).not.toContain(word);
      expect(question).not.toMatch(/\d/);
      if (verifier.kind === 'exact') expect(prompt).not.toContain(reference);
      expect(reference.split(/ and | /)).toHaveLength(numCues);
    }
  });

  it('are solved by chance now and then: by 2 to 12 of 100 entries with the right words and random advice', () => {
    for (const [domain, some] of Map.groupBy(everywhere, (problem) => problem.domain)) {
      const lucky = some.filter((problem) => {
        const random = Random.of('luck', problem.problemId);
        return followEntry(problem, randomEntry(problem, random)).answer === problem.reference;
      });
      const success = lucky.length / some.length;
      expect({ domain, isRare: success > 0.015 && success < 0.12 }).toEqual({ domain, isRare: true });
    }
  });

  it('refuse a count that is not a whole number', () => {
    expect(() => problems({ count: -1 })).toThrow(/expected count to be a whole number ≥ 0, got -1/);
    expect(() => problems({ startIndex: 0.5 })).toThrow(/expected startIndex/);
  });
});
