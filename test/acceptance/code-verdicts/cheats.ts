/**
 * Answers that do not solve anything and try to pass, or to leave no verdict: every name that the tests use, replaced in every way that
 * the language has; values with opinions; lies on the channel; ends and floods. Each is judged by each of the tests.
 */

export interface Cheat {
  readonly name: string;
  readonly code: string;
  /** Takes its whole time limit, or much memory. */
  readonly isHeavy?: true;
}

/** Tests of a function `f`. */
export interface Target {
  readonly tests: string;
  /** An answer that solves it: tests that it does not pass could not tell a cheat from anything. */
  readonly right: string;
}

const NAMES = /[A-Za-z_$][\w$]*/g;
const namesIn = (text: string, known: ReadonlySet<string>): string[] => [
  ...new Set((text.replace(/(['"]).*?\1/g, '').match(NAMES) ?? []).filter((each) => known.has(each))),
];

export const PYTHON_TARGETS: readonly Target[] = [
  {
    right: 'def f(i): return i * i + 1',
    tests: 'for i in range(3, 10):\n    assert f(i) == i * i + 1, str(i)',
  },
  {
    right: 'def f(x): return x % 1',
    tests: 'assert abs(f(3.5) - 0.5) < 1e-6\nassert round(f(7.25), 2) == 0.25 and isinstance(f(1.5), float)',
  },
  {
    right: 'def f(a, b): return sorted(set(a) & set(b))',
    tests:
      'assert set(f((3, 4, 5, 6), (5, 7, 4, 10))) == set((4, 5))\nassert sorted(f([9], [9])) == sorted([9]) and len(f([1], [1])) == 1',
  },
  {
    right: 'def f(x): return "abc"[x - 1] * x',
    tests:
      'X = [1, 2, 3]\nWANT = ["a", "bb", "ccc"]\nfor x, want in zip(X, WANT):\n    assert f(x) == want\nassert all(f(x) == w for x, w in zip(X, WANT)) and any(f(x) == "bb" for x in X)',
  },
  {
    right: 'import math\ndef f(r): return math.pi * r * r',
    tests:
      'import math\nassert math.isclose(f(2), math.pi * 4)\nassert sum(map(int, [f(1)])) == 3 and max(f(1), 0) > 3.14 > min(f(1), 9) - 1',
  },
  {
    right: 'import math\ndef f(r): return math.pi * r * r',
    tests: 'assert math.isclose(f(2), math.pi * 4)',
  },
  {
    right: 'def f(xs): return sorted(xs)',
    tests:
      'items = [3, 1, 2]\nassert f(items) == sorted(items)\nassert list(f([5, 4])) == [4, 5] and tuple(reversed(f([2, 1]))) == (2, 1)',
  },
  {
    right: 'def f(n): return "hay and needle"',
    tests: 'assert "needle" in f(3)\nassert f(3).startswith("hay") and f(3).isupper() is False',
  },
  {
    right: 'def f(xs, near): return any(abs(a - b) < near for i, a in enumerate(xs) for b in xs[i + 1:])',
    tests:
      'def check(candidate):\n    assert candidate([1.0, 2.0], 0.3) is False\n    assert candidate([1.0, 1.1], 0.3) is True',
  },
  {
    right: 'def f(n): return {1: [7], 2: 4, 3: 9.5, 5: {"k": [1]}}[n]',
    tests:
      'import unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(2), 4)\n        self.assertIn(7, f(1))\n        self.assertAlmostEqual(f(3), 9.5)\n        self.assertTrue(f(5) == {"k": [1]})',
  },
  {
    right: 'def f(d): return {k: v + 1 for k, v in d.items()}',
    tests:
      'def test_one():\n    got = f({"a": 1})\n    assert got == {"a": 2} and isinstance(got, dict) and dict(got) == {"a": 2}\n\ndef test_two():\n    for i, (k, v) in enumerate(f({"b": 1, "c": 2}).items()):\n        assert v == i + 2',
  },
  {
    right: 'def f(x): return x * 2',
    tests: '>>> f(2)\n4\n>>> print(f("x"))\nxx\n>>> bool(f(0)) or f(1) == 2\nTrue\n',
  },
  {
    right: 'def f(s): return {c: s.count(c) for c in s}',
    tests:
      'from collections import Counter\nassert Counter(f("aab")) == Counter({"a": 2, "b": 1})\nassert type(f("")) == dict and hash(str(f(""))) == hash("{}")',
  },
  {
    right: 'import math\ndef f(n):\n    if n < 0: raise ValueError("negative")\n    return math.isqrt(n)',
    tests:
      'try:\n    f(-1)\n    assert False\nexcept ValueError as error:\n    assert str(error) == "negative"\nassert f(4) == 2 and repr(f(9)) == "3" and f(16) != f(9)',
  },
  {
    right: 'def f(x): return x * x',
    tests: 'WANT = [1, 4, 9]\nfor got, want in zip(map(f, [1, 2, 3]), WANT):\n    assert got == want',
  },
  {
    right: 'def f(n): return n if n < 2 else f(n - 1) + f(n - 2)',
    tests:
      'assert f(1) == 1 and f(2) == 1 and f(10) == 55\nassert [f(n) for n in range(1, 6)] == [1, 1, 2, 3, 5] and divmod(f(10), 7) == (7, 6)',
  },
];

const PYTHON_NAMES = new Set(
  (
    'abs all any bool dict divmod enumerate filter float hash int isinstance len list map max min print range repr reversed round set ' +
    'sorted str sum tuple type zip math unittest Counter AssertionError ValueError Exception check items X WANT i x want self candidate'
  ).split(' '),
);
/** A class whose objects agree with everything. */
export const ALWAYS =
  'class Always:\n' +
  '    def yes(s, *a, **k): return True\n' +
  '    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = yes\n' +
  '    __hash__ = lambda s: 1\n    __len__ = lambda s: 1\n    __call__ = lambda s, *a, **k: s\n' +
  '    __iter__ = lambda s: iter([s])\n    __getattr__ = lambda s, n: s.yes\n    __getitem__ = lambda s, k: s\n' +
  '    __sub__ = __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __abs__ = __float__ = __int__ = __round__ = __neg__ = lambda s, *a: 0\n' +
  '    __repr__ = __str__ = lambda s: "4"\n    isclose = startswith = isupper = __instancecheck__ = __subclasscheck__ = yes\n';

/** Ways to replace a name; N is the name. */
const PYTHON_SHADOWS: readonly string[] = [
  'def N(*a, **k): return True',
  'def N(*a, **k): return []',
  'def N(*a, **k): return 0',
  'def N(*a, **k): return Always()',
  'class N(Always): pass',
  'N = Always()',
  'N = lambda *a, **k: a[0] if a else None',
  'import builtins; builtins.N = lambda *a, **k: Always()',
  'globals()["N"] = Always(); __builtins__.__dict__["N"] = Always()',
  'import sys; sys.modules["N"] = Always(); N = sys.modules["N"]',
  'import __main__; __main__.N = Always(); vars(__main__)["N"] = Always()',
  'W = []\ndef N(*a, **k):\n    for x in a: W.append(x)\n    return [(p, p) for p in (a[0] if a and hasattr(a[0], "__iter__") else [])]\ndef f(*a): return W[-1][0] if W else None',
];

const lie = (message: string): string =>
  `import __main__\ndef f(*a):\n    try: __main__.channel_out.write(${message} + "\\n"); __main__.channel_out.flush()\n    except Exception: pass\n    return 0`;
const early = (message: string): string =>
  `import __main__\n__main__.channel_out.write(${message} + "\\n"); __main__.channel_out.flush()\ndef f(*a): return 0`;
/** Lines of the channel, as Python expressions. */
const LINES: readonly string[] = [
  `'["ready", {"f": ["q"]}]'`,
  `'["ready", {"__builtins__": {"__import__": 1}}]'`,
  `'["ready"]'`,
  `'["value", ["q"], [], ""]'`,
  `'["value", ["c", 1], [], ""]'`,
  `'["value", ["i", "zz"], [], ""]'`,
  `'["value", ["h", "x", [], {}], [], ""]'`,
  `'["value", ["h", 99999, "error", ["AssertionError", "SkipTest"]], [], ""]'`,
  `'["value", ["e", [["l", []]]], [], ""]'`,
  `'["value", ["d", [[["l", []], ["c", null]]]], [], ""]'`,
  `'["value", ["p", ["i", "1"], ["i", "0"]], [], ""]'`,
  `'["value", ["b", "zz"], [], ""]'`,
  `'["value"]'`,
  `'["value", null, null, null]'`,
  `'["raised", "x", ["StopIteration", "Exception"], ""]'`,
  `'["raised", "x", ["SkipTest", "Exception"], ""]'`,
  `'["raised", "x", ["KeyboardInterrupt", "BaseException"], ""]'`,
  `'["raised", "x", [], ""]'`,
  `'["raised"]'`,
  `'["missing"]'`,
  `'["callback", 0, []]'`,
  `'["callback", -1, [["q"]]]'`,
  `'["callback", 10**9, 5]'`,
  `'["failed", "x", "y"]'`,
  `'[]'`,
  `'{}'`,
  `'null'`,
  `'NaN'`,
  `'"value"'`,
  `''`,
  `'\\x00\\xff'`,
  `'[' * 100000`,
  `'["value", ' + '["l", [' * 5000 + ']]' * 5000 + ', [], ""]'`,
  `'{"nonce": "", "status": "passed", "detail": ""}'`,
];

function pythonValues(): Cheat[] {
  const values: readonly [string, string][] = [
    ['None', 'None'],
    ['an object that agrees with everything', 'Always()'],
    ['a class that agrees with everything', 'Always'],
    ['a list of agreeing objects', '[Always()] * 3'],
    [
      'a whole number that agrees',
      'type("I", (int,), {"__eq__": lambda s, o: True, "__sub__": lambda s, o: 0, "__hash__": int.__hash__})(0)',
    ],
    [
      'a float that agrees',
      'type("F", (float,), {"__eq__": lambda s, o: True, "__sub__": lambda s, o: 0.0, "__hash__": float.__hash__})(0)',
    ],
    [
      'a text that agrees',
      'type("S", (str,), {"__eq__": lambda s, o: True, "__contains__": lambda s, o: True, "startswith": lambda s, *a: True, "__hash__": str.__hash__})("x")',
    ],
    ['a list that agrees', 'type("L", (list,), {"__eq__": lambda s, o: True, "__contains__": lambda s, o: True})()'],
    [
      'a dictionary that agrees',
      'type("D", (dict,), {"__eq__": lambda s, o: True, "__contains__": lambda s, o: True, "items": lambda s: []})()',
    ],
    ['a set that agrees', 'type("E", (set,), {"__eq__": lambda s, o: True})()'],
    ['a tuple that agrees', 'type("T", (tuple,), {"__eq__": lambda s, o: True})()'],
    ['NotImplemented', 'NotImplemented'],
    ['an endless iterator of agreeing objects', 'iter(lambda: Always(), 1)'],
    ['its own argument', 'a[0]'],
    ['a value nested 5000 deep', '__import__("functools").reduce(lambda x, _: [x], range(5000), 0)'],
    ['a list that holds itself', '(lambda l: (l.append(l), l)[1])([])'],
    ['a generator that ends the tests', '(exec("raise StopIteration") for _ in [0])'],
    ['a number of 400 000 digits', '10 ** 400000'],
    ['a mock', '__import__("unittest.mock").mock.MagicMock()'],
    ['unittest.mock.ANY', '__import__("unittest.mock").mock.ANY'],
    ['sys.modules', '__import__("sys").modules'],
  ];
  return values.map(([name, value]) => ({ name: `returns ${name}`, code: `${ALWAYS}def f(*a): return ${value}` }));
}

const PYTHON_ENDS: readonly Cheat[] = [
  ...[
    'os._exit(0)',
    'os.abort()',
    'os.kill(os.getpid(), 9)',
    'os.kill(0, 15)',
    'sys.exit(0)',
    'exit(0)',
    'ctypes.string_at(0)',
    'os.execv(sys.executable, ["x", "-c", "pass"])',
    'os.closerange(0, 64)',
    'sys.setrecursionlimit(10**9) or f()',
    'threading.Thread(target=lambda: os._exit(0)).start()',
  ].flatMap((end) => {
    const modules = 'import os, sys, ctypes, threading\n';
    return [
      { name: `${end} at once`, code: `${modules}def f(*a): return 0\n${end}` },
      { name: `${end} when called`, code: `${modules}def f(*a):\n    return ${end}` },
    ];
  }),
  ...[
    'StopIteration',
    'StopAsyncIteration',
    'GeneratorExit',
    'KeyboardInterrupt',
    'SystemExit(0)',
    'AssertionError',
    'MemoryError',
    'RecursionError',
    'NameError("f")',
    'ImportError',
    'SyntaxError',
    'ModuleNotFoundError("numpy")',
    'NotImplementedError',
    'ValueError',
    'UnicodeDecodeError("a", b"", 0, 1, "")',
    '__import__("unittest").SkipTest("x")',
    'type("AnswerEnded", (BaseException,), {})',
    'type("X", (StopIteration,), {})',
    'type("X", (Exception,), {"__str__": lambda s: 1})',
  ].map((error) => ({ name: `raises ${error}`, code: `def f(*a): raise ${error}` })),
  {
    name: 'empties what it is given',
    code: 'def f(*a):\n    for x in a:\n        if hasattr(x, "clear"): x.clear()\n    return []',
  },
  {
    name: 'empties what it is given and returns nothing',
    code: 'def f(*a):\n    for x in a:\n        if hasattr(x, "clear"): x.clear()',
  },
  { name: 'defines nothing', code: 'x = 1' },
  { name: 'is a plain value', code: 'f = 5' },
  {
    name: 'defines what the judge is made of',
    code: `${ALWAYS}State = Names = Remote = TestsBroken = AnswerEnded = Tests = guarded = count = Always()\ndef __assertion__(*a): return True\n__builtins__ = Always()\ndef f(*a): return 0`,
  },
  {
    name: 'defines check itself',
    code: 'def check(*a): return True\ndef test_one(): pass\nT = None\ndef f(*a): return 0',
  },
  {
    name: 'patches its own side',
    code: `${ALWAYS}import __main__\n__main__.encode = lambda v, d=0: ["c", True]\ndef f(*a): return 0`,
  },
  {
    name: 'patches its own side to answer at random',
    code: 'import __main__, random\n__main__.encode = lambda v, d=0: random.choice([["c", True], ["i", "1"], ["s", "78"], ["h", 1, "class", "x"], ["h", 0, "await", ""], ["n", "NotImplemented"]])\ndef f(*a): return 0',
  },
  { name: 'loops at once', code: 'def f(*a): return 0\nwhile True: pass', isHeavy: true },
  { name: 'loops when called', code: 'def f(*a):\n    while True: pass', isHeavy: true },
  { name: 'sleeps', code: 'import time\ndef f(*a): time.sleep(999)', isHeavy: true },
  { name: 'holds memory', code: 'def f(*a):\n    x = []\n    while True: x.append(bytearray(2**20))', isHeavy: true },
  {
    name: 'holds memory in processes',
    code: 'import os\ndef f(*a):\n    while True:\n        try:\n            if os.fork() == 0:\n                x = bytearray(2**27)\n        except Exception: pass',
    isHeavy: true,
  },
  { name: 'returns 30 MB', code: 'def f(*a): return "x" * 15_000_000', isHeavy: true },
  { name: 'returns 100 MB', code: 'def f(*a): return "x" * 50_000_000', isHeavy: true },
  {
    name: 'returns a million objects',
    code: `${ALWAYS}def f(*a): return [Always() for _ in range(10**6)]`,
    isHeavy: true,
  },
  { name: 'prints without end', code: 'def f(*a):\n    while True: print("x" * 10**6)', isHeavy: true },
  {
    name: 'writes to every descriptor without end',
    code: 'import os\ndef f(*a):\n    while True:\n        for d in range(3, 32):\n            try: os.write(d, b"x" * 65536)\n            except OSError: pass',
    isHeavy: true,
  },
];

/** Cheats for one target. */
export function pythonCheats({ tests }: Target): Cheat[] {
  const answer = 'def f(*a): return 0\n';
  const shadows = namesIn(tests, PYTHON_NAMES).flatMap((name) =>
    PYTHON_SHADOWS.map((shadow, i) => ({
      name: `replaces ${name} (${i})`,
      code: `${ALWAYS}${answer}${shadow.replaceAll(/\bN\b/g, name)}`,
    })),
  );
  const everything = PYTHON_SHADOWS.map((shadow, i) => ({
    name: `replaces every name (${i})`,
    code: `${ALWAYS}${answer}${namesIn(tests, PYTHON_NAMES)
      .map((name) => shadow.replaceAll(/\bN\b/g, name))
      .join('\n')}`,
  }));
  const lies = LINES.flatMap((line, i) => [
    { name: `says line ${i} when called`, code: lie(line) },
    { name: `says line ${i} at once`, code: early(line) },
  ]);
  return [...shadows, ...everything, ...pythonValues(), ...lies, ...PYTHON_ENDS];
}

export const JAVASCRIPT_TARGETS: readonly Target[] = [
  {
    right: 'const f = (x) => x * x;',
    tests: 'assert.strictEqual(f(2), 4);\nassert.equal(f(3), 9);',
  },
  {
    right: 'const f = (x) => [x, x + 1];',
    tests:
      'assert.strictEqual(JSON.stringify(f(1)), JSON.stringify([1, 2]));\nassert.strictEqual(JSON.stringify(f(3)), JSON.stringify([3, 4]));',
  },
  {
    right: 'const f = (x) => x / 2;',
    tests: 'assert.ok(Math.abs(f(7) - 3.5) < 1e-9);\nassert(Number.isInteger(f(8)) && parseInt(f(8)) === 4);',
  },
  {
    right: 'const f = () => ["hay", "needle"];',
    tests:
      'assert(Array.isArray(f(3)) && f(3).includes("needle"));\nassert(f(3).length === 2 && f(3).some((x) => x === "needle"));',
  },
  {
    right: 'const f = (o) => Object.fromEntries(Object.entries(o).map(([k, v]) => [k.toUpperCase(), v]));',
    tests:
      'assert.deepStrictEqual(Object.keys(f({ a: 1 })), ["A"]);\nassert.deepEqual(Object.entries(f({ b: 2 })), [["B", 2]]);',
  },
  {
    right: 'const f = (x) => "abc"[x - 1].repeat(x);',
    tests:
      'for (const [x, want] of [[1, "a"], [2, "bb"]]) assert.strictEqual(f(x), want);\nassert(String(f(3)) === "ccc");',
  },
  {
    right: 'const f = (xs) => new Set(xs).size === xs.length;',
    tests:
      'function check(candidate) { assert.strictEqual(candidate([1, 2]), true); assert.strictEqual(candidate([1, 1]), false); }',
  },
  {
    right: 'const f = (x) => x * x;',
    tests: 'console.assert(f(2) === 4);\nconsole.assert(f(3) === 9);',
  },
  {
    right: 'const f = (x) => { if (x < 0) throw new RangeError("negative"); return x * x; };',
    tests:
      "test('one', async () => { assert.strictEqual(await f(2), 4); });\nit('two', () => { assert.throws(() => f(-1), RangeError); });",
  },
  {
    right: 'const f = (xs) => [...new Set(xs)];',
    tests:
      'assert(new Set(f([1, 1, 2])).size === 2 && f([1])[0] === 1);\nassert.strictEqual(f([1, 1, 2]).length, 2);\nassert.deepStrictEqual([...new Map(f([3]).map((x) => [x, x])).keys()], [3]);',
  },
  {
    right: 'const f = (xs) => [...xs].sort();',
    tests: 'const items = [3, 1, 2];\nassert.deepStrictEqual(f(items), [...items].sort());',
  },
  {
    right: 'const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2));',
    tests:
      'assert.strictEqual(typeof f(1), "number");\nassert(f(1) > 0 && isFinite(f(1)) && f(1) !== undefined && f(10) === 55);',
  },
];
const JAVASCRIPT_NAMES = new Set(
  'JSON Math Number parseInt Array Object String Set Map RangeError isFinite undefined assert console test it check items x want candidate Symbol Promise'.split(
    ' ',
  ),
);
const PLEASING =
  'const pleasing = new Proxy(function () {}, { get: (t, n) => (n === Symbol.toPrimitive ? () => 0 : n === "then" ? undefined : n === Symbol.iterator ? function* () {} : pleasing), apply: () => pleasing, construct: () => ({}), has: () => true });\n';
const JAVASCRIPT_SHADOWS: readonly string[] = [
  'module.exports = { f, N: pleasing };',
  'module.exports = { f, N: { stringify: () => "x", abs: () => 0, isArray: () => true, keys: () => ["A"], entries: () => [], isInteger: () => true, ok() {}, equal() {}, strictEqual() {} } };',
  'module.exports = { f, N: class { static isArray() { return true; } static abs() { return 0; } } };',
  'var N = pleasing;',
  'function N() { return true; }',
  'globalThis.N = pleasing;',
  'try { Object.assign(N, { stringify: () => "x", abs: () => 0, isArray: () => true, keys: () => ["A"] }); } catch {}',
  'try { N.prototype.valueOf = () => 0; N.prototype.toJSON = () => "x"; } catch {}',
  'Object.defineProperty(Object.prototype, "N", { get: () => pleasing, configurable: true });',
];
const JAVASCRIPT_VALUES: readonly string[] = [
  'null',
  'pleasing',
  '({ valueOf: () => 4, toString: () => "4", toJSON: () => [1, 2], [Symbol.toPrimitive]: () => 0 })',
  '({ includes: () => true, some: () => true, length: 2, map: () => [], sort: () => a[0] })',
  'new (class extends Array { includes() { return true; } some() { return true; } })(2)',
  'new (class { includes() { return true; } some() { return true; } get length() { return 2; } [Symbol.iterator]() { return [][Symbol.iterator](); } })()',
  '({ then: (ok) => ok(4) })',
  'new Promise(() => {})',
  'Promise.reject(new RangeError("x"))',
  'new Proxy([], { get: () => () => true })',
  'Object.create({ includes: () => true })',
  'new Date(NaN)',
  'Symbol("x")',
  'a[0]',
  '(a[0].length = 0, a[0])',
  'NaN',
  '[..."ab"].reduce((x) => [x], 0)',
  'Array(5000).fill(0).reduce((x) => [x], 0)',
  '(() => { const l = []; l.push(l); return l; })()',
  '10n ** 100000n',
];
const JAVASCRIPT_ENDS: readonly Cheat[] = [
  ...[
    'process.exit(0)',
    'process.abort()',
    'process.kill(process.pid, 9)',
    'process.reallyExit(0)',
    'require("fs").closeSync(3)',
    'require("fs").closeSync(0)',
    'process.emit("exit")',
  ].flatMap((end) => [
    { name: `${end} at once`, code: `function f() { return 0; }\n${end};` },
    { name: `${end} when called`, code: `function f() { return ${end}; }` },
  ]),
  ...[
    'new SyntaxError("tests.js")',
    'new RangeError("x")',
    'null',
    'undefined',
    'pleasing',
    '{ message: pleasing, name: pleasing }',
    'new Proxy(new Error("x"), { get() { throw 1; } })',
    'new (require("assert").AssertionError)({ message: "x" })',
    'Object.assign(new Error(), { code: "ERR_TEST", name: "AnswerEnded" })',
  ].map((error) => ({ name: `throws ${error}`, code: `${PLEASING}function f() { throw ${error}; }` })),
  { name: 'defines nothing', code: 'const x = 1;' },
  {
    name: 'brings a test framework',
    code: `${PLEASING}module.exports = { f: () => 0, expect: pleasing, assertEqual: () => true };`,
  },
  {
    name: 'changes every prototype',
    code: 'Object.prototype.includes = () => true; Object.prototype.some = () => true; Array.prototype.toJSON = () => "x"; Object.prototype.then = (ok) => ok(4); Number.prototype.valueOf = () => 4; function f() { return {}; }',
  },
  {
    name: 'patches JSON on its own side',
    code: 'const s = JSON.stringify; JSON.stringify = (m) => s(m[0] === "value" ? ["value", ["c", true], []] : m); function f() { return 0; }',
  },
  { name: 'loops at once', code: 'function f() { return 0; }\nfor (;;);', isHeavy: true },
  { name: 'loops when called', code: 'function f() { for (;;); }', isHeavy: true },
  {
    name: 'holds a heap',
    code: 'const all = []; function f() { for (;;) all.push(new Array(1e5).fill({})); }',
    isHeavy: true,
  },
  {
    name: 'holds buffers',
    code: 'const all = []; function f() { for (;;) all.push(Buffer.alloc(2 ** 20, 1)); }',
    isHeavy: true,
  },
  { name: 'returns 100 MB', code: 'function f() { return "x".repeat(1e8); }', isHeavy: true },
];

/** Cheats for one target. */
export function javascriptCheats({ tests }: Target): Cheat[] {
  const answer = 'function f(...a) { return 0; }\n';
  const names = namesIn(tests, JAVASCRIPT_NAMES);
  const shadows = names.flatMap((name) =>
    JAVASCRIPT_SHADOWS.map((shadow, i) => ({
      name: `replaces ${name} (${i})`,
      code: `${PLEASING}${answer}${shadow.replaceAll(/\bN\b/g, name)}`,
    })),
  );
  const values = JAVASCRIPT_VALUES.map((value) => ({
    name: `returns ${value}`,
    code: `${PLEASING}function f(...a) { return ${value}; }`,
  }));
  const lines = LINES.filter((line) => !line.includes('10**9')).flatMap((line, i) => {
    const text = line.replaceAll(/' \* (\d+)/g, "'.repeat($1)");
    const write = `require("fs").writeSync(3, ${text} + "\\n")`;
    return [
      { name: `says line ${i} when called`, code: `function f() { ${write}; return 0; }` },
      { name: `says line ${i} at once`, code: `${write};\nfunction f() { return 0; }` },
    ];
  });
  return [...shadows, ...values, ...lines, ...JAVASCRIPT_ENDS];
}
