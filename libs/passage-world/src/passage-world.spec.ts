import { Random } from '@seamstream/kernel';
import { askedPassage } from '@seamstream/tasks';
import fc from 'fast-check';
import { ATTRIBUTES, FAMILY_NAMES, FIRST_NAMES, namesOf, type People } from './people.js';
import { passageProblems } from './problems.js';
import { drawEdit, drawPassage, EDIT_STYLES, question, reversed, statement } from './texts.js';

const PEOPLE: readonly People[] = ['known', 'train', 'validation', 'heldOut'];

describe('the people of the world', () => {
  it('belong to one split each, and the splits hold all of them', () => {
    const all = PEOPLE.flatMap(namesOf);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(FIRST_NAMES.length * FAMILY_NAMES.length);
    expect(PEOPLE.map((people) => Math.round((100 * namesOf(people).length) / all.length))).toEqual([20, 51, 10, 19]);
  });

  it('have names and values of one word, none of which means two things', () => {
    const values = ATTRIBUTES.flatMap((attribute) => attribute.values);
    const words = [...FIRST_NAMES, ...FAMILY_NAMES, ...values];
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((word) => !/^[A-Za-z]+$/.test(word))).toEqual([]);
  });
});

describe('a passage', () => {
  const any = fc.tuple(fc.integer(), fc.constantFrom(...PEOPLE));

  it('holds five facts about one person of its split, and four values that belong to no person', () => {
    fc.assert(
      fc.property(any, ([seed, people]) => {
        const { passage, facts } = drawPassage(people, Random.of(seed));
        expect(new Set(facts.map(({ name }) => name)).size).toBe(1);
        expect(namesOf(people)).toContain(facts[0]!.name);
        expect(new Set(facts.map(({ attribute }) => attribute)).size).toBe(5);
        const sentences = passage.split(/(?<=\.) /);
        expect(sentences).toHaveLength(9);
        for (const { name, value } of facts)
          expect(sentences.filter((each) => each.includes(name) && each.includes(value))).toHaveLength(1);
        const asides = sentences.filter((each) => !each.includes(facts[0]!.name));
        expect(asides).toHaveLength(4);
        for (const aside of asides) for (const { value } of facts) expect(words(aside)).not.toContain(value);
      }),
    );
  });

  it('is asked about by questions that it answers and does not state', () => {
    for (const { problem } of passageProblems({ seed: 1, people: 'train', count: 40 })) {
      const { passage, questions } = askedPassage(problem.prompt)!;
      expect(questions).toHaveLength(3);
      expect(new Set(questions).size).toBe(3);
      for (const [index, answer] of (JSON.parse(problem.reference) as string[]).entries()) {
        expect(words(passage)).toContain(answer);
        expect(passage).not.toContain(questions[index]!);
      }
    }
  });

  it('is a function of its seed, people and place', () => {
    const whole = passageProblems({ seed: 's', people: 'train', count: 6 });
    expect(passageProblems({ seed: 's', people: 'train', count: 2, startIndex: 4 })).toEqual(whole.slice(4));
    expect(passageProblems({ seed: 't', people: 'train', count: 6 })).not.toEqual(whole);
    expect(new Set(whole.map(({ problem }) => problem.problemId)).size).toBe(6);
    expect(() => passageProblems({ seed: 's', people: 'train', count: -1 })).toThrow(/expected count to be a whole/);
  });
});

describe('an edit', () => {
  it('says in each style what that style says, and only of confused ones what is wrong', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const told = drawPassage('train', Random.of(seed));
        const edit = (style: (typeof EDIT_STYLES)[number]): readonly string[] =>
          drawEdit(told, Random.of(seed), style, { isPure: true }).split('\n');
        const right = (style: (typeof EDIT_STYLES)[number]): number =>
          edit(style).filter((line) => told.facts.some(({ value }) => words(line).includes(value))).length;
        expect(EDIT_STYLES.map(right)).toEqual([5, 5, 0, 5, 0]);
        for (const style of EDIT_STYLES)
          expect(edit(style).every((line) => line.includes(told.facts[0]!.name))).toBe(true);
      }),
    );
  });

  it('is most often remarks, which say nothing of what is asked', () => {
    const random = Random.of('styles');
    const edits = Array.from({ length: 400 }, () => {
      const told = drawPassage('train', random);
      const lines = drawEdit(told, random).split('\n');
      return lines.filter((line) =>
        ATTRIBUTES.every(({ values }) => !words(line).some((word) => values.includes(word))),
      );
    });
    const ofRemarks = edits.filter((lines) => lines.length >= 3).length / edits.length;
    expect(ofRemarks).toBeGreaterThan(0.28);
    expect(ofRemarks).toBeLessThan(0.45);
  });

  it('names the person before the value in a statement, and after it in a reversed one', () => {
    const random = Random.of('order');
    const fact = { name: 'Ada Holt', attribute: 0, value: 'Arden' };
    for (let draw = 0; draw < 8; draw++) {
      const [plain, turned] = [statement(fact, random), reversed(fact, random)];
      expect(plain.indexOf(fact.name)).toBeLessThan(plain.indexOf(fact.value));
      expect(turned.indexOf(fact.name)).toBeGreaterThan(turned.indexOf(fact.value));
    }
    expect(question(fact)).toBe('Where does Ada Holt live?');
  });
});

function words(text: string): readonly string[] {
  return text.split(/[^A-Za-z]+/);
}
