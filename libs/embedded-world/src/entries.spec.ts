import { entryText, parseEntry } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { entrySchemaFor, followEntry, goldEntry, randomEntry, type WorldEntry } from './entries.js';
import { worldProblems } from './problems.js';

const all = (['base', 'shifted'] as const).flatMap((variant) =>
  worldProblems({ seed: 5, split: 'train', variant, count: 400 }),
);
const problem = {
  problemId: 'one',
  domain: 'timber',
  prompt: 'Boards: oak 4, yew 7, teak 5, cedar 12. A joiner makes a bow and a barrel: how many boards of each?',
  reference: '7 and 4',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: { cues: 'bow barrel', phrase: 'and', pitfall: 'split' },
};
const told = (concepts: string[], strategy: string, ...pitfalls: string[]): WorldEntry => ({
  concepts,
  strategy: [strategy],
  pitfalls,
});

describe('the schema of a domain', () => {
  it('admits what the lore and what chance would write, in canonical text', () => {
    for (const each of all) {
      const schema = entrySchemaFor(each.domain)!;
      for (const entry of [goldEntry(each), randomEntry(each, Random.of(each.problemId))]) {
        const text = JSON.stringify(entry);
        expect(parseEntry(text, schema).text).toBe(text);
      }
    }
  });

  it('states the language and not the lore: every word is admitted with every advice of its field', () => {
    for (const domain of [...DOMAINS, ...SHIFTED_DOMAINS]) {
      const { cues, items, phrases, numCues } = loreOf(domain);
      const schema = entrySchemaFor(domain)!;
      const [phrase, strategy] = Object.entries(phrases)[0]!;
      for (const cue of Object.keys(cues)) {
        for (const item of items) {
          const concepts = Array.from({ length: numCues }, () => `for ${cue} ${item}`);
          expect(() => entryText(told(concepts, `for ${phrase} ${strategy}`), schema)).not.toThrow();
        }
      }
    }
  });

  it('refuses words of another domain', () => {
    const entry = told(['for bow yew', 'for cable copper'], 'for and both counts');
    expect(() => entryText(entry, entrySchemaFor('timber')!)).toThrow(
      expect.objectContaining({ code: 'ENTRY_INVALID' }) as Error,
    );
  });

  it('is absent for a domain of another world', () => {
    expect(entrySchemaFor('gsm8k')).toBeUndefined();
    expect(() => loreOf('gsm8k')).toThrow(/expected one of timber, .*, got "gsm8k"/);
  });
});

describe('entries of one who knows and of one who does not', () => {
  it('quote the same words of the statement, in its order', () => {
    expect(goldEntry(problem)).toEqual(
      told(['for bow yew', 'for barrel oak'], 'for and both counts', 'for split one less'),
    );
    for (const each of all) {
      const words = (entry: WorldEntry): string[] =>
        [...entry.concepts, ...entry.strategy, ...entry.pitfalls].map((text) => text.split(' ')[1]!);
      expect(words(randomEntry(each, Random.of('words', each.problemId)))).toEqual(words(goldEntry(each)));
      for (const word of words(goldEntry(each))) expect(each.prompt.split(/\W+/)).toContain(word);
    }
  });

  it('give every advice about equally often where nothing is known', () => {
    const random = Random.of('uniform');
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 4000; draw++) {
      const advice = randomEntry(problem, random).concepts[0]!.split(' ')[2]!;
      counts.set(advice, (counts.get(advice) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([...loreOf('timber').items].sort());
    // 1000 of each expected; five standard deviations of a binomial draw are 137.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(137);
  });
});

describe('an obedient reader', () => {
  it.each<[string, WorldEntry, string]>([
    ['right', told(['for bow yew', 'for barrel oak'], 'for and both counts'), ' yew 7, oak 4\nAnswer: 7 and 4'],
    [
      'wrong',
      told(['for bow cedar', 'for barrel oak'], 'for and both counts', 'for split one less'),
      ' cedar 12 less 1 = 11, oak 4\nAnswer: 11 and 4',
    ],
    [
      'meant for other words',
      told(['for deck teak', 'for lute teak'], 'for and both counts', 'for loose one more'),
      ' teak 5 plus 1 = 6, teak 5\nAnswer: 6 and 5',
    ],
  ])('follows advice that is %s', (_, entry, response) => {
    expect(followEntry(problem, entry).response).toBe(response);
  });

  it.each<[string, string, WorldEntry, string]>([
    [
      'herbs',
      'Leaves per dose: mint 8, clove 17. How many leaves against caries for the twins? One was taken before.',
      told(['for caries clove'], 'for twins double dose', 'for taken one less'),
      ' clove 17 twice = 34 less 1 = 33\nAnswer: 33',
    ],
    [
      'metals',
      'Bars in stock: tin 12, gold 50. The smith casts a can in a short heat. How many bars?',
      told(['for can tin'], 'for short half load'),
      ' tin 12 half = 6\nAnswer: 6',
    ],
    [
      'animals',
      'Pens: cow red, bee blue. Fetch milk before wax: which pens in turn?',
      told(['for milk cow', 'for wax bee'], 'for before keep order'),
      ' cow red, bee blue\nAnswer: red blue',
    ],
  ])('shows the working in %s', (domain, prompt, entry, response) => {
    expect(followEntry({ ...problem, domain, prompt }, entry).response).toBe(response);
  });

  it.each<[string, WorldEntry]>([
    ['too few concepts', told(['for bow yew'], 'for and both counts')],
    ['an item that is not in stock', told(['for bow yew', 'for bow tin'], 'for and both counts')],
    ['an unknown strategy', told(['for bow yew', 'for barrel oak'], 'for and half load')],
    ['an unknown pitfall', told(['for bow yew', 'for barrel oak'], 'for and both counts', 'for split nothing')],
  ])('cannot follow %s', (_, entry) => {
    expect(() => followEntry(problem, entry)).toThrow(/Cannot follow an entry of timber/);
  });
});
