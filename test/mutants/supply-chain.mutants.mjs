const spec = 'test/quick/supply-chain.spec.ts';
export default [
  {
    control: 'install scripts that nobody decided on are refused',
    file: '.npmrc',
    from: 'strict-allow-scripts=true',
    to: 'strict-allow-scripts=false',
    suite: 'quick',
    spec,
    title: 'Install scripts',
  },
  {
    control: 'a waiver of a known fault ends on its day',
    file: 'scripts/audit.mjs',
    from: 'if (until < today)',
    to: "if (until < today && until === '')",
    suite: 'quick',
    spec,
    title: 'Known faults',
  },
  {
    control: 'the bill of materials lists what tests and services both use',
    file: 'scripts/sbom.mjs',
    from: 'dev !== true && devOptional !== true',
    to: 'dev === false',
    suite: 'quick',
    spec,
    title: 'bill of materials',
  },
];
