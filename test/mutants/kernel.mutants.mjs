// The first rows show that the runner itself can tell: an error's code decides whether a retry may help.
export default [
  {
    control: 'an error knows from its code whether a retry may help',
    file: 'libs/kernel/src/errors.ts',
    from: 'this.retryable = ERROR_CODES[code].retryable;',
    to: 'this.retryable = true;',
    suite: 'quick',
    spec: 'libs/kernel/src/errors.spec.ts',
  },
];
