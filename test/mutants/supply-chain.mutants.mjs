const spec = 'test/quick/supply-chain.spec.ts';
const packed = { file: 'scripts/package.mjs', suite: 'quick', spec: 'test/quick/package.spec.ts' };
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
  {
    ...packed,
    control: 'the package holds what its modules name beside themselves',
    from: 'else data.add(at);',
    to: 'else data.size;',
  },
  {
    ...packed,
    control: 'the package holds the modules that threads start with',
    from: 'if (/\\.m?js$/.test(at)) visit(at);',
    to: 'if (/\\.m?js$/.test(at)) continue;',
  },
  {
    ...packed,
    control: 'imports of workspaces become relative in the package',
    from: "text = `${text.slice(0, pos)}${specifier.startsWith('.')",
    to: "text = `${text.slice(0, end)}${specifier === ''",
  },
  {
    ...packed,
    control: 'the package names the packages that others bring along in the versions of the lock file',
    from: 'if (next !== undefined && !seen.has(next)) {',
    to: 'if (seen.has(next)) {',
  },
  {
    control: 'a Node that is too old hands over to the one that the installation brought',
    file: 'libs/kernel/src/node-version.ts',
    from: 'if (brought !== null)',
    to: 'if (brought === undefined)',
    suite: 'quick',
    spec: 'libs/kernel/src/node-version.spec.ts',
  },
];
