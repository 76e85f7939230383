/**
 * Objects with opinions in the place of values: every way in which an object that the tests made can hand one out, with every question
 * that would tell such an object what is expected of it, or take its word. No combination passes.
 */
import { ALWAYS } from './cheats.js';

export interface Disguise {
  readonly code: string;
  readonly tests: string;
  /** Of an object that the tests made themselves. */
  readonly isMade?: true;
}

const PYTHON_BOX = `${ALWAYS}
class Box(Always):
    value = Always()
    __sub__ = __rsub__ = lambda s, o: Always()
    __truediv__ = lambda s, o: 1
    def __init__(s, *a): pass
    def get(s): return Always()
    def me(s): return s
    def all(s): return [Always(), Always()]
    def table(s): return {"a": Always()}
    @staticmethod
    def give(): return Always()
    @classmethod
    def show(cls): return cls()
def make_box(): return Box()
def get_box(): return Box()
`;
/** Expressions that stand for what should be a number or a text. */
const PYTHON_PLACES: readonly string[] = [
  'Box(1).get()',
  'Box(1).value',
  'Box(1).me()',
  'Box(1).me().me()',
  'Box(1).all()[0]',
  'Box(1).table()["a"]',
  'Box(1)[0]',
  'Box(1)()',
  'next(iter(Box(1)))',
  'Box.give()',
  'Box.show()',
  'make_box().get()',
  'get_box()',
  'get_box().me()',
];
const PYTHON_TOLERANCES: readonly string[] = [
  'abs(X - 12.5) < 1e-6',
  'abs(12.5 - X) < 1e-6',
  '1e-6 > abs(X - 12.5)',
  '12.5 - X == 0',
  'X - 12.5 == 0',
  'X / 12.5 == 1',
  'X == 12.5',
  'not X != 12.5',
  'X >= 12.5',
  'X in (12.5, 13)',
  '{12.5: 1}.get(X)',
  'round(X - 12.5, 3) == 0',
  'float(X - 12.5) == 0',
  'int(X - 12.5) == 0',
  '-(X - 12.5) == 0',
  'abs(sum([X, -12.5])) < 1e-6',
  'all(abs(a - b) < 1e-6 for a, b in zip([X], [12.5]))',
];
const PYTHON_TEXTS: readonly string[] = [
  '"needle" in X',
  'X.startswith("hay")',
  'X.endswith("hay")',
  'X.count("a") == 1',
  'X.index("a") == 0',
  'X.find("a") == 0',
  'X.isdigit()',
  'X.issubset({1})',
];

/** In Python: by `assert` and, where there is a method for it, by unittest. */
export function pythonDisguises(): Disguise[] {
  const asserted = (question: string): string => `assert ${question}`;
  const inCase = (call: string): string =>
    `import unittest\nclass T(unittest.TestCase):\n    def test_one(self):\n        ${call}`;
  const plain = PYTHON_PLACES.flatMap((place) =>
    [...PYTHON_TOLERANCES, ...PYTHON_TEXTS]
      .map(asserted)
      .concat(
        inCase('self.assertAlmostEqual(X, 12.5)'),
        inCase('self.assertAlmostEqual(X, 12.5, delta=0.1)'),
        inCase('self.assertIn("needle", X)'),
        inCase('self.assertEqual(X, 12.5)'),
      )
      .map((tests) => tests.replaceAll(/\bX\b/g, place)),
  );
  // A made object itself may be asked what it contains.
  const made = PYTHON_TOLERANCES.map((question) => asserted(question).replaceAll(/\bX\b/g, 'Box(1)'));
  return [
    ...plain.map((tests) => ({ code: PYTHON_BOX, tests })),
    ...made.map((tests) => ({ code: PYTHON_BOX, tests, isMade: true as const })),
  ];
}

const JAVASCRIPT_BOX = `
class Always {
  length = 1; size = 1;
  constructor() { this.value = this; }
  [Symbol.toPrimitive]() { return 0; }
  *[Symbol.iterator]() { yield this; }
}
for (const name of 'includes startsWith endsWith match has some every hasOwnProperty test equals isSubsetOf'.split(' ')) Always.prototype[name] = () => true;
for (const name of ['indexOf', 'lastIndexOf', 'search', 'localeCompare', 'findIndex']) Always.prototype[name] = () => 0;
Always.prototype.find = () => 3;
Always.prototype.filter = (rule) => [3].filter(() => rule(3) || true);
class Box extends Always {
  get() { return new Always(); }
  me() { return this; }
  all() { return [new Always()]; }
  table() { return { a: new Always(), includes: () => true, then: 5 }; }
  async later() { return new Always(); }
  static give() { return new Always(); }
}
const makeBox = () => new Box();
const getBox = () => new Box();
`;
const JAVASCRIPT_PLACES: readonly string[] = [
  'new Box().get()',
  'new Box().value',
  'new Box().me()',
  'new Box().all()[0]',
  'new Box().table().a',
  'new Box().table()',
  '[...new Box()][0]',
  '(await new Box().later())',
  'Box.give()',
  'makeBox().get()',
  'getBox()',
  'getBox().me()',
];
const JAVASCRIPT_QUESTIONS: readonly string[] = [
  'assert(X.includes("needle"))',
  'assert(X.startsWith("hay"))',
  'assert(X.endsWith("hay"))',
  'assert(X.match(/needle/))',
  'assert(X.indexOf("a") === 0)',
  'assert.strictEqual(X.localeCompare("a"), 0)',
  'assert(X.has("a"))',
  'assert(X.some((x) => x === 3))',
  'assert(X.every((x) => x > 3))',
  'assert.strictEqual(X.find((x) => x === 3), 3)',
  'assert.deepStrictEqual(X.filter((x) => x === 3), [3])',
  'assert(X.hasOwnProperty("a") && X.hasOwnProperty("b"))',
  'assert("b" in X)',
  'assert(Math.abs(X - 12.5) < 1e-9)',
  'assert(X == 12.5)',
  'assert.equal(X, 12.5)',
  'assert.deepEqual(X, { b: 12.5 })',
  'assert.deepStrictEqual(Object.keys(X), ["b"])',
];

/** In JavaScript. */
export const javascriptDisguises = (): Disguise[] =>
  JAVASCRIPT_PLACES.flatMap((place) =>
    JAVASCRIPT_QUESTIONS.map((question) => ({ code: JAVASCRIPT_BOX, tests: question.replaceAll(/\bX\b/g, place) })),
  );
