/** What code@1 does without a sandbox; test/acceptance has what it does with one. */
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
