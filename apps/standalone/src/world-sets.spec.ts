import { attributeSet, attributeWorldOf, heldOutPassages, heldOutProblems } from './world-files.js';
import { problemsOfSet } from './world-sets.js';

const domainsOf = (...[set, of]: Parameters<typeof problemsOfSet>): readonly string[] => [
  ...new Set(problemsOfSet(set, of).map(({ domain }) => domain)),
];

describe('the sets of a world', () => {
  it('are those that its report is measured on', () => {
    const reported = attributeSet(attributeWorldOf({ method: 'attributes', seed: 3 }), 'heldOut', 300);
    expect(problemsOfSet('held-out', { method: 'attributes', seed: 3 })).toEqual(reported);
    expect(problemsOfSet('held-out', { method: 'attributes', seed: 4 })).not.toEqual(reported);
    expect(problemsOfSet('held-out', { method: 'familiar-attributes', seed: 3 })).not.toEqual(reported);
    expect(problemsOfSet('held-out', { method: 'self-edits', seed: 3 })).toEqual(heldOutPassages(3, 288));
    for (const method of ['experiences', 'library', 'team'] as const)
      expect(problemsOfSet('held-out', { method, seed: 3 })).toEqual(heldOutProblems('base', 512));
  });

  it('are of its domains, each set with other problems', () => {
    const plans = { method: 'attributes', seed: 3 } as const;
    for (const set of ['held-out', 'new-words', 'validation'] as const)
      expect(domainsOf(set, plans)).toEqual(['lathe', 'kiln', 'press']);
    expect(domainsOf('shifted', { method: 'experiences', seed: 3 })).not.toContain('timber');
    const [heldOut, newWords, validation] = (['held-out', 'new-words', 'validation'] as const).map(
      (set) => new Set(problemsOfSet(set, plans).map(({ prompt }) => prompt)),
    );
    expect(heldOut!.intersection(newWords!).size + heldOut!.intersection(validation!).size).toBe(0);
  });

  it.each([
    ['shifted', 'attributes', 'held-out, new-words, validation'],
    ['shifted', 'familiar-attributes', 'held-out, new-words, validation'],
    ['shifted', 'self-edits', 'held-out, validation'],
    ['new-words', 'self-edits', 'held-out, validation'],
    ['new-words', 'experiences', 'held-out, shifted, validation'],
    ['new-words', 'team', 'held-out, shifted, validation'],
  ] as const)('lack %s in that of %s, which has %s', (set, method, sets) => {
    expect(() => problemsOfSet(set, { method, seed: 1 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: `Cannot choose problems: expected a set that the world of --method ${method} has (${sets}), got --set ${set}. Name one of these, or another folder (--data-dir).`,
      }) as Error,
    );
  });
});
