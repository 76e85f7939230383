// What the suites leave on a machine.
const spec = 'quick/temporary-folders';

export default [
  {
    control: 'a spec file has a separate temporary folder',
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
    control: 'a spec file reads plain globals',
    file: 'test/support/test-environment.cjs',
    from: 'vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);',
    to: '',
    suite: 'quick',
    spec: 'quick/spec-realm',
  },
  {
    control: 'what outlives its spec file is reported',
    file: 'test/support/after-all-suites.mjs',
    from: 'if (left.length > 0)',
    to: 'if (left.length > 100)',
    suite: 'quick',
    spec,
  },
  {
    control: 'the temporary folder of a run under way is left alone',
    file: 'test/support/before-all-suites.mjs',
    from: "return error.code === 'ESRCH';\n  }\n",
    to: "return error.code === 'ESRCH';\n  } finally {\n    return true;\n  }\n",
    suite: 'quick',
    spec,
  },
  {
    control: 'the temporary folder of a run that was killed is removed',
    file: 'test/support/before-all-suites.mjs',
    from: 'if (name.startsWith(PREFIX) && isAbandoned(name))',
    to: 'if (name === PREFIX)',
    suite: 'quick',
    spec,
  },
];
