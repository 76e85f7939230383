/** What code@1 does without a sandbox; test/acceptance has what it does with one. */
import { codeOf } from './code.verifier.js';
import { Verifiers } from './verifiers.js';

it('without a sandbox code is not run at all, and the error says what to do', async () => {
  const bare = new Verifiers({ sandbox: { bwrap: '/nowhere/bwrap' } });
  const spec = { kind: 'code', version: '1', options: { language: 'python' } };
  const response = { text: '```python\ndef f(): return 1\n```', finished: true };
  await expect(bare.verify(spec, response, 'assert f() == 1')).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('Install bubblewrap') as string,
  });
});

describe('the code of a response', () => {
  const python = /^(?:python3?|py)$/i;
  it.each<[string, string, string | null]>([
    ['the last block of the language', '```python\na\n```\n```js\nb\n```\n```py\nc\n```', 'c\n'],
    ['the last block without a name where none has the language', '```\na\n```\n```js\nb\n```', 'a\n'],
    ['nothing where all blocks are of other languages', '```js\nb\n```', null],
    ['a block that ends', '```python\na\n```\nand\n```python\nb', 'a\n'],
    ['no block that never ends', '```python\na', null],
    ['a block with a fence inside a line', '```python\nx = "```"\n```', 'x = "```"\n'],
    ['an indented block', '  ```python title="x"\n  a\n  ```', '  a\n'],
    ['a response without fences', 'a = 1', 'a = 1'],
    ['nothing of nothing', ' \n', null],
  ])('is %s', (_, text, code) => {
    expect(codeOf(text, python)).toBe(code);
  });

  it('is found by looking at each line once: 4 MiB of any piece of a fence cost as much as 4 MiB of letters', () => {
    const time = (piece: string): number => {
      const text = piece.repeat(Math.ceil((4 * 2 ** 20) / piece.length));
      const startedAt = process.cpuUsage();
      codeOf(text, python);
      const { user, system } = process.cpuUsage(startedAt);
      return (user + system) / 1000;
    };
    const pieces = ['```', '```python\n', '```\n', '\n', ' ', ' ```', '\t```x\n', '``` \n ```a', '```\r\n', '`\n``\n'];
    // A quadratic reader takes minutes here; processor time, in milliseconds.
    for (const piece of pieces) expect(time(piece)).toBeLessThan(5_000);
  });
});
