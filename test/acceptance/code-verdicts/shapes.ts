/**
 * Tests as published sets write them (HumanEval's check, MBPP's asserts, unittest, doctest, pytest, HumanEval-X and MultiPL-E for
 * JavaScript), each with an answer that is right and one that is not. What an answer and its tests do in one process, run plainly, is
 * the reference for the verdict: `plainly` is what a script needs besides them.
 */
export interface Shape {
  readonly name: string;
  readonly tests: string;
  readonly right: string;
  readonly wrong: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly plainly?: string;
}

const python = (
  name: string,
  tests: string,
  right: string,
  wrong: string,
  { plainly, ...options }: { plainly?: string; entryPoint?: string; inPlace?: string } = {},
): Shape => ({ name, tests, right, wrong, options, ...(plainly === undefined ? {} : { plainly }) });
const javascript = python;

const SIMILAR = 'def similar(a, b):\n    return tuple(set(a) & set(b))';
const NOTHING = (name: string, parameters: string): string => `def ${name}(${parameters}):\n    return None`;

export const PYTHON_SHAPES: readonly Shape[] = [
  python(
    'asserts in a row',
    'assert add(1, 2) == 3\nassert add(0, 0) == 0',
    'def add(a, b):\n    return a + b',
    NOTHING('add', 'a, b'),
  ),
  python(
    'asserts with messages',
    'assert add(1, 2) == 3, "three"',
    'def add(a, b):\n    return a + b',
    NOTHING('add', 'a, b'),
  ),
  python(
    'a set of what is returned',
    'assert set(similar((3, 4, 5, 6), (5, 7, 4, 10))) == set((4, 5))',
    SIMILAR,
    NOTHING('similar', 'a, b'),
  ),
  python(
    'a loop over range',
    'for i in range(10):\n    assert square(i) == i * i',
    'def square(x):\n    return x * x',
    NOTHING('square', 'x'),
  ),
  python(
    'pairs by zip',
    'X, WANT = [1, 2, 3], [1, 4, 9]\nfor x, want in zip(X, WANT):\n    assert square(x) == want',
    'def square(x):\n    return x * x',
    'def square(x):\n    return x',
  ),
  python(
    'a tolerance',
    'assert abs(half(7.0) - 3.5) < 1e-6',
    'def half(x):\n    return x / 2',
    'def half(x):\n    return 123.0',
  ),
  python(
    'math imported by the tests',
    'import math\nassert math.isclose(area(2), math.pi * 4, rel_tol=1e-9)',
    'def area(r):\n    return 3.141592653589793 * r * r',
    'def area(r):\n    return 3',
  ),
  python(
    'math imported by the answer alone',
    'assert math.isclose(area(2), math.pi * 4, rel_tol=1e-9)',
    'import math\ndef area(r):\n    return math.pi * r * r',
    'import math\ndef area(r):\n    return 3',
  ),
  python(
    'check that is called',
    'METADATA = {"author": "x"}\n\ndef check(candidate):\n    assert candidate([1.0, 2.0, 3.9], 0.3) == False\n    assert candidate([1.0, 1.1], 0.3) == True\n\ncheck(close)',
    'from typing import List\ndef close(numbers: List[float], limit: float) -> bool:\n    n = sorted(numbers)\n    return any(b - a < limit for a, b in zip(n, n[1:]))',
    'def close(numbers, limit):\n    return True',
  ),
  python(
    'check that is not called, with its entry point',
    '\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate("10") == 1\n    assert candidate("15.3") == 15\n',
    'def helper(x):\n    return int(float(x))\ndef closest(value):\n    return 1 if value == "10" else helper(value)',
    'def helper(x):\n    return 0\ndef closest(value):\n    return 0',
    { entryPoint: 'closest', plainly: 'check(closest)' },
  ),
  python(
    'check that is not called, with the only function',
    'def check(candidate):\n    assert candidate(2) == 4',
    'def double(x):\n    return x * 2',
    'def double(x):\n    return x',
    { plainly: 'check(double)' },
  ),
  python(
    'check with random inputs and a helper of the prompt',
    'def check(candidate):\n    import math\n    import random\n    rng = random.Random(42)\n    import copy\n    for _ in range(20):\n        line = [rng.randint(1, 10), rng.randint(1, 10)]\n        zero = candidate(copy.deepcopy(line))\n        assert math.fabs(poly(line, zero)) < 1e-4\ncheck(find_zero)',
    'def poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\ndef find_zero(xs):\n    return -xs[0] / xs[1]',
    'def poly(xs, x):\n    return sum(c * x ** i for i, c in enumerate(xs))\ndef find_zero(xs):\n    return 1',
  ),
  python(
    'unittest with setUp and errors',
    'import unittest\n\nclass TestStack(unittest.TestCase):\n    def setUp(self):\n        self.stack = Stack()\n    def test_push(self):\n        self.stack.push(1)\n        self.assertEqual(self.stack.pop(), 1)\n        self.assertTrue(self.stack.is_empty())\n    def test_empty(self):\n        with self.assertRaises(IndexError):\n            self.stack.pop()\n\nif __name__ == "__main__":\n    unittest.main()',
    'class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        self.items.append(x)\n    def pop(self):\n        return self.items.pop()\n    def is_empty(self):\n        return not self.items',
    'class Stack:\n    def push(self, x):\n        pass\n    def pop(self):\n        raise IndexError()\n    def is_empty(self):\n        return True',
  ),
  python(
    'functions named test_',
    'def test_one():\n    assert double(2) == 4\n\ndef test_two():\n    assert double(0) == 0',
    'def double(x):\n    return x * 2',
    'def double(x):\n    return 4',
    { plainly: 'test_one()\ntest_two()' },
  ),
  python(
    'classes named Test',
    'class TestDouble:\n    def test_one(self):\n        assert double(2) == 4',
    'def double(x):\n    return x * 2',
    'def double(x):\n    return 5',
    { plainly: 'TestDouble().test_one()' },
  ),
  python(
    'doctest examples',
    '>>> double(2)\n4\n>>> double([1])\n[1, 1]\n>>> double(None)\nTraceback (most recent call last):\n    ...\nTypeError: no number\n',
    'def double(x):\n    if x is None:\n        raise TypeError("no number")\n    return x * 2',
    'def double(x):\n    return 4',
    { plainly: '' },
  ),
  python(
    'doctest of what is printed',
    '>>> greet("Ann")\nHello Ann\n',
    'def greet(name):\n    print("Hello", name)',
    'def greet(name):\n    pass',
    { plainly: '' },
  ),
  python(
    'what is printed, captured',
    'import io\nfrom contextlib import redirect_stdout\nout = io.StringIO()\nwith redirect_stdout(out):\n    greet("Ann")\nassert out.getvalue() == "Hello Ann\\n"',
    'def greet(name):\n    print("Hello", name)',
    'def greet(name):\n    print("Bye")',
  ),
  python(
    'asserts under the main guard',
    'def main():\n    assert double(3) == 6\n\nif __name__ == "__main__":\n    main()',
    'def double(x):\n    return x * 2',
    'def double(x):\n    return x',
  ),
  python(
    'errors by try and except',
    'try:\n    root(-1)\n    assert False, "no error"\nexcept ValueError as error:\n    assert "negative" in str(error)',
    'def root(x):\n    if x < 0:\n        raise ValueError("negative")\n    return x ** 0.5',
    'def root(x):\n    return None',
  ),
  python(
    'an error class of the answer',
    'try:\n    withdraw(5)\n    assert False\nexcept TooLittle as error:\n    assert str(error) == "5"\nexcept Exception:\n    assert False',
    'class TooLittle(Exception):\n    pass\ndef withdraw(x):\n    raise TooLittle(x)',
    'class TooLittle(Exception):\n    pass\ndef withdraw(x):\n    raise KeyError(x)',
  ),
  python(
    'types of what is returned',
    'assert isinstance(f(), list) and all(isinstance(x, int) for x in f())\nassert type(f()) == list and len(f()) == 3',
    'def f():\n    return [1, 2, 3]',
    'def f():\n    return (1, 2, 3)',
  ),
  python(
    'sorted, map, sum, min, max, enumerate',
    'assert sorted(f([3, 1])) == [1, 3]\nassert sum(f([3, 1])) == 4 and max(f([3, 1])) == 3 and min(f([3, 1])) == 1\nassert list(map(str, f([1]))) == ["1"]\nassert [i for i, _ in enumerate(f([1, 2]))] == [0, 1]',
    'def f(items):\n    return items',
    'def f(items):\n    return [0]',
  ),
  python(
    'generators',
    'g = count()\nassert next(g) == 0 and next(g) == 1\nassert [x for _, x in zip(range(3), count())] == [0, 1, 2]',
    'import itertools\ndef count():\n    yield from itertools.count()',
    'def count():\n    yield 0\n    yield 0\n    yield 0',
  ),
  python(
    'fractions, decimals and dates',
    'from fractions import Fraction\nfrom decimal import Decimal\nimport datetime\nassert f() == (Fraction(1, 2), Decimal("0.1"), datetime.date(2024, 2, 29), datetime.timedelta(days=1))',
    'from fractions import Fraction\nfrom decimal import Decimal\nimport datetime\ndef f():\n    return Fraction(1, 2), Decimal("0.1"), datetime.date(2024, 2, 29), datetime.timedelta(1)',
    'from fractions import Fraction\ndef f():\n    return Fraction(1, 3), 0, 0, 0',
  ),
  python(
    'big integers',
    'assert power() == 7 ** 20000',
    'def power():\n    return 7 ** 20000',
    'def power():\n    return 7 ** 19999',
  ),
  python(
    'counters and ordered dictionaries',
    'from collections import Counter, OrderedDict\nassert f("aab") == Counter("aab")\nassert f("aab") == {"a": 2, "b": 1}',
    'from collections import Counter\ndef f(s):\n    return Counter(s)',
    'def f(s):\n    return {}',
  ),
  python(
    'closures',
    'add = adder(5)\nassert add(3) == 8\nassert adder(1)(1) == 2',
    'def adder(n):\n    return lambda x: x + n',
    'def adder(n):\n    return lambda x: n',
  ),
  python(
    'callbacks that raise',
    'def bad(x):\n    raise KeyError(x)\nassert safely(bad, 1) is None\nassert safely(lambda x: x + 1, 1) == 2',
    'def safely(f, x):\n    try:\n        return f(x)\n    except KeyError:\n        return None',
    'def safely(f, x):\n    return 2',
  ),
  python(
    'keyword arguments and defaults',
    'assert f(1) == 11 and f(1, step=2) == 3',
    'def f(x, step=10):\n    return x + step',
    'def f(x, step=10):\n    return 3',
  ),
  python(
    'classes with operators',
    'assert Vec(1, 2) + Vec(3, 4) == Vec(4, 6)\nassert Vec(1, 2) != Vec(2, 1)\nassert repr(Vec(1, 2)) == "Vec(1, 2)"\nassert len(Vec(1, 2)) == 2 and 1 in Vec(1, 2) and 9 not in Vec(1, 2)\nassert not Vec(0, 0)',
    'class Vec:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def __add__(self, o):\n        return Vec(self.x + o.x, self.y + o.y)\n    def __eq__(self, o):\n        return (self.x, self.y) == (o.x, o.y)\n    def __repr__(self):\n        return f"Vec({self.x}, {self.y})"\n    def __len__(self):\n        return 2\n    def __contains__(self, v):\n        return v in (self.x, self.y)\n    def __bool__(self):\n        return bool(self.x or self.y)',
    'class Vec:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n    def __add__(self, o):\n        return self\n    def __eq__(self, o):\n        return self.x == o.x\n    def __len__(self):\n        return 2',
  ),
  python(
    'dataclasses and inheritance',
    'd = Dog("Rex")\nassert d.name == "Rex" and d.speak() == "Woof"\nassert isinstance(d, Animal) and issubclass(Dog, Animal)',
    'from dataclasses import dataclass\n@dataclass\nclass Animal:\n    name: str\nclass Dog(Animal):\n    def speak(self):\n        return "Woof"',
    'class Animal:\n    pass\nclass Dog:\n    def __init__(self, name):\n        self.name = name\n    def speak(self):\n        return "Woof"',
  ),
  python(
    'work in place',
    'items = [3, 1, 2]\norder(items)\nassert items == [1, 2, 3]',
    'def order(items):\n    items.sort()',
    'def order(items):\n    pass',
  ),
  python(
    'work in place that also returns',
    'items = [1, 1, 2]\nk = unique(items)\nassert items[:k] == [1, 2]',
    'def unique(items):\n    items[:] = sorted(set(items))\n    return len(items)',
    'def unique(items):\n    return 2',
    { inPlace: 'always' },
  ),
  python(
    'coroutines',
    'import asyncio\nassert asyncio.run(later(2)) == 4',
    'import asyncio\nasync def later(x):\n    await asyncio.sleep(0)\n    return x * 2',
    'async def later(x):\n    return 0',
  ),
  python(
    'an honest helper named like a builtin',
    'assert max(f([1, 5, 2])) == 5 and abs(f([1])[0]) == 1',
    'def max(a, b):\n    return a if a > b else b\ndef abs(x):\n    return "mine"\ndef f(items):\n    return items',
    'def max(a, b):\n    return 5\ndef f(items):\n    return [7]',
    { plainly: 'SKIP' },
  ),
  python(
    'an entry point named like a builtin',
    'assert sum([1, 2]) == -3',
    'def sum(items):\n    return -items[0] - items[1]',
    'def sum(items):\n    return 0',
    { entryPoint: 'sum' },
  ),
  python(
    'a reference implementation in the tests',
    'def reference(n):\n    return 1 if n < 2 else n * reference(n - 1)\nfor n in range(8):\n    assert factorial(n) == reference(n)',
    'import math\ndef factorial(n):\n    return math.factorial(n)\ndef reference(n):\n    return 0',
    'def factorial(n):\n    return 0\ndef reference(n):\n    return 0',
    { plainly: 'SKIP' },
  ),
];

export const JAVASCRIPT_SHAPES: readonly Shape[] = [
  javascript(
    'strictEqual in a row',
    'assert.strictEqual(add(1, 2), 3);\nassert.strictEqual(add(0, 0), 0);',
    'function add(a, b) { return a + b; }',
    'function add(a, b) { return 3; }',
  ),
  javascript(
    'assert with a condition',
    'assert(add(1, 2) === 3, "three");',
    'const add = (a, b) => a + b;',
    'const add = () => null;',
  ),
  javascript(
    'console.assert',
    'const testAdd = () => {\n  console.assert(add(1, 2) === 3);\n  console.assert(add(0, 1) === 1);\n};\n\ntestAdd();',
    'const add = (a, b) => a + b;',
    'const add = (a, b) => 3;',
    { plainly: 'CONSOLE' },
  ),
  javascript(
    "a test function with the module's own assert",
    "const assert = require('node:assert');\n\nfunction test() {\n  let candidate = add;\n  assert.deepEqual(candidate(1, 2), 3);\n  assert.deepEqual(candidate(4, 5), 9);\n}\n\ntest();",
    'function add(a, b) { return a + b; }',
    'function add(a, b) { return 3; }',
    { plainly: 'ALONE' },
  ),
  javascript(
    'JSON of what is returned',
    'assert.strictEqual(JSON.stringify(pair(1)), JSON.stringify([1, 2]));',
    'const pair = (x) => [x, x + 1];',
    'const pair = (x) => 0;',
  ),
  javascript(
    'Math and a tolerance',
    'assert.ok(Math.abs(half(7) - 3.5) < 1e-9);',
    'const half = (x) => x / 2;',
    'const half = (x) => 123;',
  ),
  javascript(
    'Array.isArray, Object.keys, includes',
    'assert(Array.isArray(f()) && f().includes(2));\nassert.deepStrictEqual(Object.keys(g()), ["a"]);',
    'const f = () => [1, 2];\nconst g = () => ({ a: 1 });',
    'const f = () => ({ includes: () => true });\nconst g = () => ({ a: 1 });',
  ),
  javascript(
    'loops and tables',
    'for (const [x, want] of [[1, 1], [2, 4], [3, 9]]) assert.equal(square(x), want);',
    'const square = (x) => x * x;',
    'const square = (x) => x;',
  ),
  javascript(
    'check that is called',
    'const check = (candidate) => { assert.strictEqual(candidate(2), 4); };\ncheck(double);',
    'const double = (x) => x * 2;',
    'const double = (x) => x;',
  ),
  javascript(
    'check that is not called, with its entry point',
    'function check(candidate) { assert.strictEqual(candidate(2), 4); }',
    'const helper = (x) => x + x;\nconst double = (x) => helper(x);',
    'const helper = (x) => x;\nconst double = (x) => helper(x);',
    { entryPoint: 'double', plainly: 'check(double);' },
  ),
  javascript(
    'check that is not called, with the only function',
    'function check(candidate) { assert.strictEqual(candidate(2), 4); }',
    'module.exports = { double: (x) => x * 2 };',
    'module.exports = { double: (x) => x };',
    { plainly: 'check(module.exports.double);' },
  ),
  javascript(
    'named tests',
    "test('doubles', () => assert.strictEqual(double(2), 4));\ndescribe('more', () => { it('zero', async () => { assert.strictEqual(double(0), 0); }); });",
    'const double = (x) => x * 2;',
    'const double = (x) => 4;',
    { plainly: 'TESTS' },
  ),
  javascript(
    'throws with a class',
    'assert.throws(() => root(-1), RangeError);\nassert.strictEqual(root(4), 2);',
    'const root = (x) => { if (x < 0) throw new RangeError("negative"); return Math.sqrt(x); };',
    'const root = (x) => Math.sqrt(x);',
  ),
  javascript(
    'throws with a message',
    'assert.throws(() => root(-1), /negative/);\nassert.strictEqual(root(4), 2);',
    'const root = (x) => { if (x < 0) throw new Error("negative"); return 2; };',
    'const root = (x) => { throw new Error("x"); };',
  ),
  javascript(
    'an error class of the answer',
    'assert.throws(() => pay(1), TooLittle);\nassert.strictEqual(pay(9), 9);',
    'class TooLittle extends Error {}\nconst pay = (x) => { if (x < 5) throw new TooLittle("x"); return x; };',
    'class TooLittle extends Error {}\nconst pay = (x) => { if (x < 5) throw new Error("x"); return x; };',
  ),
  javascript(
    'promises',
    'assert.strictEqual(await later(2), 4);',
    'const later = async (x) => x * 2;',
    'const later = async (x) => x;',
    { plainly: 'ASYNC' },
  ),
  javascript(
    'promises that nobody awaits',
    'later(2).then((x) => assert.strictEqual(x, 4));',
    'const later = async (x) => x * 2;',
    'const later = async (x) => x;',
  ),
  javascript(
    'rejections',
    'await assert.rejects(later(-1), /negative/);\nassert.strictEqual(await later(1), 1);',
    'const later = async (x) => { if (x < 0) throw new Error("negative"); return x; };',
    'const later = async (x) => x;',
    { plainly: 'ASYNC' },
  ),
  javascript(
    'Promise.all',
    'assert.deepStrictEqual(await Promise.all([later(1), later(2)]), [1, 2]);',
    'const later = (x) => new Promise((r) => setTimeout(() => r(x), 5));',
    'const later = (x) => new Promise((r) => setTimeout(() => r(1), 5));',
    { plainly: 'ASYNC' },
  ),
  javascript(
    'classes',
    'const s = new Stack();\ns.push(1);\nassert.strictEqual(s.size, 1);\nassert.strictEqual(s.pop(), 1);\nassert(s instanceof Stack);',
    'class Stack { constructor() { this.items = []; } push(x) { this.items.push(x); } pop() { return this.items.pop(); } get size() { return this.items.length; } }',
    'class Stack { push() {} pop() { return 1; } get size() { return 0; } }',
  ),
  javascript(
    'factories of objects',
    'const c = createCounter();\nc.increment();\nc.increment();\nassert.strictEqual(c.value(), 2);',
    'const createCounter = () => { let n = 0; return { increment: () => { n++; }, value: () => n }; };',
    'const createCounter = () => ({ increment() {}, value: () => 1 });',
  ),
  javascript(
    'closures',
    'assert.strictEqual(adder(5)(3), 8);',
    'const adder = (n) => (x) => x + n;',
    'const adder = (n) => () => n;',
  ),
  javascript(
    'generators',
    'const g = count();\nassert.strictEqual(g.next().value, 0);\nassert.deepStrictEqual([...three()], [0, 1, 2]);',
    'function* count() { let i = 0; for (;;) yield i++; }\nfunction* three() { yield 0; yield 1; yield 2; }',
    'function* count() { yield 1; }\nfunction* three() {}',
  ),
  javascript(
    'maps, sets and dates',
    'assert.deepStrictEqual(f(), new Map([["a", new Set([1])]]));\nassert.strictEqual(d().getTime(), 0);',
    'const f = () => new Map([["a", new Set([1])]]);\nconst d = () => new Date(0);',
    'const f = () => new Map();\nconst d = () => new Date(1);',
  ),
  javascript(
    'typed arrays',
    'assert.deepStrictEqual(f(), new Uint8Array([1, 2]));',
    'const f = () => new Uint8Array([1, 2]);',
    'const f = () => [1, 2];',
  ),
  javascript(
    'big integers',
    'assert.strictEqual(power(), 7n ** 2000n);',
    'const power = () => 7n ** 2000n;',
    'const power = () => 7n;',
  ),
  javascript(
    'callbacks',
    'const seen = [];\neach([1, 2], (x) => seen.push(x));\nassert.deepStrictEqual(seen, [1, 2]);',
    'const each = (items, f) => { for (const x of items) f(x); };',
    'const each = (items, f) => { f(1); };',
  ),
  javascript(
    'work in place',
    'const items = [3, 1];\norder(items);\nassert.deepStrictEqual(items, [1, 3]);',
    'const order = (items) => { items.sort(); };',
    'const order = () => {};',
  ),
  javascript(
    'work in place that also returns',
    'const items = [3, 1];\norder(items);\nassert.deepStrictEqual(items, [1, 3]);',
    'const order = (items) => items.sort();',
    'const order = (items) => items;',
    { inPlace: 'always' },
  ),
  javascript(
    'exports',
    'assert.strictEqual(f(2), 4);',
    'module.exports = { f: (x) => x * 2 };',
    'exports.f = (x) => x;',
    { plainly: 'EXPORTS' },
  ),
  javascript(
    'null, undefined and NaN',
    'assert.strictEqual(f(0), null);\nassert.strictEqual(f(1), undefined);\nassert(Number.isNaN(f(2)));\nassert(Object.is(f(3), -0));',
    'const f = (x) => [null, undefined, NaN, -0][x];',
    'const f = (x) => [null, undefined, NaN, 0][x];',
  ),
  javascript(
    'an honest helper named like a global',
    'assert.strictEqual(Math.max(...f([1, 5])), 5);',
    'const Math = { max: () => "mine" };\nconst f = (items) => items;',
    'const Math = { max: () => 5 };\nconst f = (items) => [7];',
    { plainly: 'SKIP' },
  ),
  javascript(
    'an entry point named like a global',
    'assert.strictEqual(escape("a"), "-a");',
    'function escape(x) { return "-" + x; }',
    'function escape(x) { return x; }',
    { entryPoint: 'escape' },
  ),
];
