// What the suites leave on a machine.
const spec = 'quick/temporary-folders';

export default [
  {
    control: 'a spec file has a temporary folder of its own',
    file: 'test/support/test-environment.cjs',
    from: 'process.env.TMPDIR = folder;',
    to: '',
    suite: 'quick',
    spec,
  },
  {
    control: 'the temporary folder of a spec file goes with it',
    file: 'test/support/test-environment.cjs',
    from: 'rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });',
    to: '',
    suite: 'quick',
    spec,
  },
  {
    control: 'what outlives its spec file is told',
    file: 'test/support/after-all-suites.mjs',
    from: 'if (left.length > 0)',
    to: 'if (left.length > 100)',
    suite: 'quick',
    spec,
  },
];
