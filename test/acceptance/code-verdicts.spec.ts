/** Verdicts on code, on real sandboxes: tests of the usual shapes judge as plain execution does, and cheats get a zero, always. */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrap } from '@seamstream/dev-servers';
import { type Verdict, Verifiers } from '@seamstream/verifiers';
import { JAVASCRIPT_SHAPES, PYTHON_SHAPES, type Shape } from './code-verdicts/shapes.js';

// As root, sandboxes are made by nobody, who may not look into our cache.
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
