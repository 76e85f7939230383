import { QuestionIndex } from './duplicates.js';
import { normalisedQuestion, questionWords } from './question.js';

describe('the question as it is compared', () => {
  it.each([
    ['What is  $x^2$ ?\n', 'what is x^2?'],
    ['Let \\(x = 3\\).', 'let \\(x=3\\)'],
    ['$\\dfrac{1}{2}$', '$\\frac{1}{2}$'],
    ['\\left( 3,\\ 4 \\right)', '(3, 4)'],
    ['Tom’s “shop”', 'Tom\'s "shop"'],
    ['−5 – 3', '-5 - 3'],
    ['x² + y₁', 'x^2+y_1'],
    ['Ｆｕｌｌ width', 'full WIDTH'],
  ])('%j is %j', (one, other) => {
    expect(normalisedQuestion(one)).toBe(normalisedQuestion(other));
  });

  it.each([
    ['What is 2 + 3?', 'What is 2 - 3?'],
    ['What is x²?', 'What is x2?'],
    ['1 2', '12'],
    ['\\leftarrow x', '\\rightarrow x'],
    ['5 apples', '6 apples'],
  ])('%j is not %j', (one, other) => {
    expect(normalisedQuestion(one)).not.toBe(normalisedQuestion(other));
  });

  it('has words: letters and digits, signs, and each character of a script without spaces', () => {
    expect(questionWords('a1 b+c')).toEqual(['a1', 'b', 'sign1', 'c']);
    expect(questionWords('求abc的值')).toEqual(['求', 'abc', '的', '值']);
  });
});

const LONG =
  'A baker makes twelve rolls an hour for three hours and sells thirty of them to the children of the school next door, how many are left?';
const LONG_CHANGED = LONG.replace('baker', 'cook');
const LONG_TWICE_CHANGED = LONG_CHANGED.replace('left', 'there');
const OTHER = 'Tom saves five dollars a week. How many dollars has he saved after a year?';

describe('duplicates', () => {
  it('within a file are reported with their first row, and whether the answers agree', () => {
    const index = new QuestionIndex();
    for (const [row, question, answer] of [
      [1, LONG, '6'],
      [2, OTHER, '260'],
      [4, ` ${LONG.toUpperCase()} `, '6'],
      [5, OTHER, '52'],
    ] as const)
      index.add(0, row, question, answer);
    expect(index.size).toBe(2);
    expect(index.within(0)).toEqual([
      { row: 4, otherFile: 0, otherRow: 1, similarity: 1, kind: 'exact', sameAnswer: true },
      { row: 5, otherFile: 0, otherRow: 2, similarity: 1, kind: 'exact', sameAnswer: false },
    ]);
  });

  it('may be near: the similarity is that of the two questions, and the earlier row is the first of them', () => {
    const index = new QuestionIndex();
    index.add(0, 1, LONG, '6');
    index.add(0, 2, LONG_CHANGED, '6');
    // 27 words, 25 shingles each; the second word is part of two of them: 23 shared of 27.
    expect(index.within(0)).toEqual([
      { row: 2, otherFile: 0, otherRow: 1, similarity: 23 / 27, kind: 'near', sameAnswer: true },
    ]);
  });

  it('across files are found in either order of adding, exact before near', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const index = new QuestionIndex();
      for (const file of order) {
        if (file === 0) {
          index.add(0, 1, LONG, '6');
          index.add(0, 2, OTHER, '260');
          index.add(0, 3, 'Something else entirely, with separate words in it.', '1');
        } else {
          index.add(1, 1, LONG_CHANGED, '6');
          index.add(1, 2, LONG, '7');
          index.add(1, 3, OTHER, '260');
        }
      }
      expect(index.across(0, [1])).toEqual([
        { row: 1, otherFile: 1, otherRow: 2, similarity: 1, kind: 'exact', sameAnswer: false },
        { row: 2, otherFile: 1, otherRow: 3, similarity: 1, kind: 'exact', sameAnswer: true },
      ]);
      expect(index.across(1, [0]).map(({ row, kind }) => [row, kind])).toEqual([
        [1, 'near'],
        [2, 'exact'],
        [3, 'exact'],
      ]);
    }
  });

  it('are pairs that were compared themselves: the ends of a chain of small changes are not duplicates', () => {
    const index = new QuestionIndex({ threshold: 0.8 });
    index.add(0, 1, LONG, '6');
    index.add(1, 1, LONG_CHANGED, '6');
    index.add(2, 1, LONG_TWICE_CHANGED, '6');
    expect(index.across(1, [0, 2])).toHaveLength(1);
    // The second word is part of two of 25 shingles, the last in one: 22 shared of 28.
    expect(index.across(2, [0])).toEqual([]);
    expect(index.across(2, [1])).toMatchObject([{ otherFile: 1, kind: 'near' }]);
  });

  it('keep formulas apart that differ in a sign', () => {
    const index = new QuestionIndex();
    index.add(0, 1, 'Compute $2 + 3 + 4$.', '9');
    index.add(0, 2, 'Compute $2 - 3 + 4$.', '3');
    expect(index.within(0)).toEqual([]);
  });
});
