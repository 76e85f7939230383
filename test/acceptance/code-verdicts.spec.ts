/** Verdicts on code, on real sandboxes: tests of the usual shapes judge as plain execution does, and cheats get a zero, always. */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrap } from '@seamstream/dev-servers';
import { Random } from '@seamstream/kernel';
import { type Verdict, Verifiers } from '@seamstream/verifiers';
import {
  type Cheat,
  JAVASCRIPT_TARGETS,
  javascriptCheats,
  PYTHON_TARGETS,
  pythonCheats,
  type Target,
} from './code-verdicts/cheats.js';
import { type Disguise, javascriptDisguises, pythonDisguises } from './code-verdicts/disguises.js';
import { JAVASCRIPT_SHAPES, PYTHON_SHAPES, type Shape } from './code-verdicts/shapes.js';

// As root, sandboxes run as an unprivileged user, who may not look into our cache.
const folder = await mkdtemp(join(tmpdir(), 'code-verdicts-'));
const bwrap = join(folder, 'bwrap');
await chmod(folder, 0o755);
await copyFile(await bubblewrap(), bwrap);

const verifiers = new Verifiers({ sandbox: { bwrap } });
afterAll(async () => {
  await verifiers.close();
  await rm(folder, { recursive: true });
});

type Language = 'python' | 'javascript';

// `npm run conformance:code` judges all of them: the share is 1.
const wanted = process.env.SEAM_TEST_CONFORMANCE;

const judge = (
  language: Language,
  code: string,
  tests: string,
  options: Record<string, string> = {},
): Promise<Verdict> =>
  verifiers.verify(
    { kind: 'code', version: '1', options: { language, timeLimitMs: '8000', ...options } },
    { text: `\`\`\`${language}\n${code}\n\`\`\`\n`, finished: true },
    tests,
  );

/** Whether answer and tests end well as one script. */
function plainly(language: Language, code: string, { tests, plainly: more = '' }: Shape): boolean {
  if (language === 'python') {
    const isDoctest = tests.startsWith('>>>');
    const whole = isDoctest
      ? `${code}\nimport doctest\nt = doctest.DocTestParser().get_doctest(${JSON.stringify(tests)}, globals(), "t", "t", 0)\nimport sys\nsys.exit(doctest.DocTestRunner().run(t).failed)`
      : `${code}\n${tests}\n${more}`;
    return spawnSync('python3', ['-I', '-S', '-c', whole]).status === 0;
  }
  const prelude = `${more === 'ALONE' ? '' : 'const assert = require("assert");'}${more === 'TESTS' ? 'const { test, it, describe } = require("node:test");' : ''}${more === 'CONSOLE' ? 'console.assert = (c) => { if (!c) process.exit(1); };' : ''}`;
  const tail = more.includes('(') ? more : '';
  const exported = more === 'EXPORTS' ? 'const { f } = module.exports;' : '';
  const script = `${prelude}\n${code}\n${exported}\n${more === 'ASYNC' ? `(async () => {${tests}})()` : tests}\n${tail}`;
  return (
    spawnSync(
      process.execPath,
      ['--input-type=commonjs', '-e', script.replace(/^const assert[^\n]*/, (line) => line)],
      { cwd: '/' },
    ).status === 0
  );
}

describe.each<[Language, readonly Shape[]]>([
  ['python', PYTHON_SHAPES],
  ['javascript', JAVASCRIPT_SHAPES],
])('tests of the usual shapes in %s', (language, shapes) => {
  it.each(shapes.map((shape) => [shape.name, shape] as const))('%s', async (_, shape) => {
    const verdicts = [];
    for (const code of [shape.right, shape.wrong])
      verdicts.push(await judge(language, code, shape.tests, shape.options));
    expect(verdicts.map(({ success, detail }) => [success, detail])).toEqual([
      [true, 'all tests passed'],
      [false, expect.any(String)],
    ]);
    if (shape.plainly !== 'SKIP')
      expect([shape.right, shape.wrong].map((code) => plainly(language, code, shape))).toEqual([true, false]);
  });
});

const ALWAYS =
  'class Always:\n    def __eq__(self, other): return True\n    def __contains__(self, other): return True\n    def __lt__(self, other): return True\n    def startswith(self, *a): return True\n    __hash__ = lambda self: 1\n    __iter__ = lambda self: iter([])\n';

describe('answers that please instead of solving are not believed', () => {
  it.each<[string, Language, string, string]>([
    ['an object that equals a plain value', 'python', `${ALWAYS}def f(x): return Always()`, 'assert f(1) == 4'],
    ['objects that equal each other', 'python', `${ALWAYS}def f(x): return Always()`, 'assert f([1, 2]) == f([2, 1])'],
    ['an object that is less than another', 'python', `${ALWAYS}def f(x): return Always()`, 'assert f(1) < f(2)'],
    ['an object that contains everything', 'python', `${ALWAYS}def f(x): return Always()`, 'assert "needle" in f(3)'],
    [
      'an object that starts with everything',
      'python',
      `${ALWAYS}def f(x): return Always()`,
      'assert f(3).startswith("hay")',
    ],
    [
      "a name of the language's",
      'python',
      'def f(x): return 123.0\ndef abs(x): return 0',
      'assert abs(f(3.5) - 0.5) < 1e-6',
    ],
    [
      "a name of the language's in JavaScript",
      'javascript',
      'const f = () => 123;\nconst Math = { abs: () => 0 };',
      'assert(Math.abs(f(7) - 3.5) < 1e-9);',
    ],
    ['emptied arguments', 'python', 'def f(x):\n    x.clear()\n    return []', 'X = [3, 1]\nassert f(X) == sorted(X)'],
    [
      'an end that the tests catch',
      'python',
      'import os\ndef f(x): os._exit(0)',
      'try:\n    f(1)\n    assert False\nexcept:\n    pass\nassert isinstance(f, object)',
    ],
    [
      "an end of the tests' loop",
      'python',
      'def f(x):\n    if x == 1: return 1\n    raise StopIteration',
      'for got, want in zip(map(f, [1, 2, 3]), [1, 4, 9]):\n    assert got == want',
    ],
    ...['AssertionError', 'Exception', '(ValueError, AssertionError)', 'type("AssertionError", (Exception,), {})'].map(
      (kind): [string, Language, string, string] => [
        `its own error that is ${kind}`,
        'python',
        `Refused = ${kind}\nclass Account:\n    balance = 5\n    def take(s, x): pass`,
        'a = Account()\ntry:\n    a.take(10)\n    assert False\nexcept Refused:\n    pass\nassert a.balance == 5',
      ],
    ),
    [
      'a function of the tests that it does not call',
      'python',
      'def run(g): return None',
      'def on(x):\n    assert x == 3\nassert run(on) is None',
    ],
    [
      'a function of the JavaScript tests that it does not call',
      'javascript',
      'function each(g) {}',
      'assert.strictEqual(typeof each, "function");\neach((error, x) => { assert.strictEqual(x, 4); });',
    ],
    [
      'a promise that is one only later',
      'javascript',
      'function f() { let n = 0; return { get then() { return n++ < 1 ? undefined : () => {}; } }; }',
      'assert.strictEqual(typeof f, "function");\nf(2).then((x) => assert.strictEqual(x, 4));',
    ],
    [
      "what an object of the tests' is made of",
      'python',
      'def f(case):\n    return case.__init__.__globals__["WANT"]',
      'WANT = 5\nclass Case:\n    def __init__(self, x): self.x = x\nassert f(Case(1)) == WANT',
    ],
    ['its own exit', 'python', 'import sys\ndef f(x): sys.exit(0)', 'import sys\nassert f(1) == 4\nsys.exit(0)'],
    ['nothing to look at', 'python', 'def f(x): return []', 'for x in f(3):\n    assert x > 0'],
    [
      'an assertion swallowed in a callback',
      'python',
      'def each(xs, g):\n    try: g(2)\n    except BaseException: pass',
      'def seen(x):\n    assert x == 1\neach([1], seen)\nassert callable(each)',
    ],
    [
      'a skipped test',
      'python',
      'import unittest\ndef f(x): raise unittest.SkipTest("x")',
      'import unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(1), 1)',
    ],
    [
      'an object that includes everything',
      'javascript',
      'class A { includes() { return true; } }\nconst f = () => new A();',
      'assert(f(3).includes("needle"));',
    ],
    [
      'a function that includes everything',
      'javascript',
      'const f = () => Object.assign(() => 0, { includes: () => true });',
      'assert(f(3).includes("needle"));',
    ],
    [
      'a record that includes everything',
      'javascript',
      'const f = () => ({ includes: () => true });',
      'assert(f(3).includes("needle"));',
    ],
    [
      'emptied arguments in JavaScript',
      'javascript',
      'const f = (x) => { x.length = 0; return []; };',
      'const x = [3, 1];\nassert.deepStrictEqual(f(x), [...x].sort());',
    ],
    [
      'its own test framework',
      'javascript',
      'module.exports = { f: () => 0, same: () => true };',
      'assert(same);\nassert.strictEqual(f(1), 1);',
    ],
    [
      'an assertion swallowed in a JavaScript callback',
      'javascript',
      'const each = (xs, g) => { try { g(2); } catch {} };',
      'each([1], (x) => assert.strictEqual(x, 1));\nassert(each);',
    ],
  ])('%s', async (_, language, code, tests) => {
    expect(await judge(language, code, tests)).toMatchObject({ success: false });
  });

  it("an answer whose value ends the tests' process has failed, at the first try", async () => {
    // Written past its own side, which could not hold it: 27 MB that the tests' process has to read as one value.
    const code = `const f = () => {
      const line = Buffer.from('["value",["l",[' + '["f","0"],'.repeat(2_700_000) + '["f","0"]]],[]]\\n');
      for (let at = 0; at < line.length; ) try { at += require('fs').writeSync(3, line, at); } catch {}
    };`;
    expect(await judge('javascript', code, 'assert.strictEqual(f().length, 1);', { memoryMb: '128' })).toMatchObject({
      success: false,
      detail: expect.stringMatching(/ended without a verdict|held/) as string,
    });
  });
});

describe('an object disguised as a value', () => {
  it.each<[Language, readonly Disguise[]]>([
    ['python', pythonDisguises()],
    ['javascript', javascriptDisguises()],
  ])(
    'answers no question of the tests in %s, however it was handed out',
    async (language, all) => {
      const random = Random.of('disguises', 5);
      const share = wanted === undefined ? 30 / all.length : Number(wanted);
      const chosen = all.filter(({ isMade = false }) => random.float() < share || isMade);
      expect(chosen.length).toBeGreaterThan(15);
      const passed: string[] = [];
      const judgeNext = async (): Promise<void> => {
        for (let next = chosen.pop(); next !== undefined; next = chosen.pop())
          if ((await judge(language, next.code, next.tests)).success) passed.push(next.tests);
      };
      const count = chosen.length;
      await Promise.all([judgeNext(), judgeNext()]);
      if (wanted !== undefined) process.stdout.write(`${language}: ${count} disguises, ${passed.length} passed\n`);
      expect(passed).toEqual([]);
    },
    wanted === undefined ? 60_000 : 1_800_000,
  );
});

describe('tests that decide nothing are a fault of the problem, for every answer', () => {
  it.each<[string, Language, string]>([
    [
      'check that is called with nothing of the answer',
      'python',
      'def check(candidate):\n    assert candidate(1) == 1\ncheck(lambda x: 1)',
    ],
    ['assertions in a function that is not called', 'python', 'def verify():\n    assert f(1) == 1'],
    ['nothing asserted', 'python', 'f(1)'],
    ['their own errors', 'python', 'x = [][0]\nassert f(1) == 1'],
    ['their own failures', 'python', 'assert 1 == 2\nassert f(1) == 1'],
    ['every error caught', 'python', 'try:\n    assert f(1) == 1\nexcept Exception:\n    pass'],
    ['modules that are not there, later', 'python', 'assert f(1) == 1\nimport numpy'],
    ['names of libraries that are not imported', 'python', 'assert np.allclose(f(1), 1)'],
    ['the end of their process', 'python', 'import os\nos._exit(0)\nassert f(1) == 1'],
    ["a name that is the language's", 'python', 'assert sum([1, 2]) == 3'],
    ['nothing asked', 'javascript', 'assert.strictEqual(1 + 1, 2);'],
    ['nothing asserted in JavaScript', 'javascript', 'f(1);'],
    ['another framework', 'javascript', 'expect(f(1)).toBe(1); // throw'],
    ['modules that are not there, later, in JavaScript', 'javascript', "assert(f(1));\nrequire('lodash');"],
    ['every error caught in JavaScript', 'javascript', 'try { assert(f(1)); } catch {}'],
    ['their own errors in JavaScript', 'javascript', 'null.x; assert(f(1));'],
  ])('%s', async (_, language, tests) => {
    const answers =
      language === 'python'
        ? ['def f(x): return 1', 'import os\nos._exit(0)']
        : ['const f = () => 1;', 'process.exit(0)'];
    for (const code of answers)
      await expect(judge(language, code, tests)).rejects.toMatchObject({ code: 'VERIFIER_FAILED' });
  });
});

/** A cheat, and the tests that judge it. */
interface Attempt {
  readonly language: Language;
  readonly target: Target;
  readonly cheat: Cheat;
}

/** A share of the cheats, each with each of the tests. */
function attempts(language: Language, share: number): Attempt[] {
  const random = Random.of('cheats', 27);
  const [targets, cheatsFor] =
    language === 'python' ? [PYTHON_TARGETS, pythonCheats] : [JAVASCRIPT_TARGETS, javascriptCheats];
  return targets.flatMap((target, i) =>
    cheatsFor(target)
      // What takes its whole time says nothing new with the next tests.
      .filter((cheat, j) =>
        cheat.isHeavy === true ? (i + j) % targets.length === 0 && random.float() < share * 4 : random.float() < share,
      )
      .map((cheat) => ({ language, target, cheat })),
  );
}

/** Of cheats those that passed or left no verdict, in words. */
async function holesIn(all: readonly Attempt[]): Promise<string[]> {
  const waiting = [...all];
  const holes: string[] = [];
  const judgeNext = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { language, target, cheat } = next;
      const what = `${cheat.name} | ${target.tests.split('\n')[0]!}`;
      try {
        const { success, detail } = await judge(language, cheat.code, target.tests, {
          timeLimitMs: cheat.isHeavy ? '1500' : '8000',
          memoryMb: '128',
        });
        if (success) holes.push(`passed: ${what} (${detail})`);
      } catch (error) {
        holes.push(`no verdict: ${what} (${(error as Error).message})`);
      }
    }
  };
  await Promise.all([judgeNext(), judgeNext()]);
  return holes;
}

describe('cheats get a zero: none passes, none leaves no verdict', () => {
  it.each<[Language, number]>([
    ['python', 0.02],
    ['javascript', 0.04],
  ])(
    'in %s',
    async (language, share) => {
      const chosen = attempts(language, wanted === undefined ? share : Number(wanted));
      const holes = await holesIn(chosen);
      if (wanted !== undefined)
        process.stdout.write(`${language}: ${chosen.length} cheats, ${holes.length} passed or left no verdict\n`);
      expect(chosen.length).toBeGreaterThan(20);
      expect(holes).toEqual([]);
    },
    wanted === undefined ? 120_000 : 7_200_000,
  );

  it.each<[Language, readonly Target[]]>([
    ['python', PYTHON_TARGETS],
    ['javascript', JAVASCRIPT_TARGETS],
  ])(
    "and each of the tests in %s finds a right answer in a cheat's place",
    async (language, targets) => {
      const planted = targets.map((target) => ({ language, target, cheat: { name: 'planted', code: target.right } }));
      const holes = await holesIn(planted);
      expect(holes.filter((hole) => hole.startsWith('passed: planted'))).toHaveLength(targets.length);
    },
    120_000,
  );

  it("and tests without a verdict in a cheat's place are found", async () => {
    const target = { tests: 'assert 1 == 2', right: '' };
    const cheat = { name: 'planted', code: 'def f(x): return 0' };
    expect(await holesIn([{ language: 'python', target, cheat }])).toEqual([
      expect.stringMatching(/^no verdict: planted/),
    ]);
  });
});
