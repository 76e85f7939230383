const archive = {
  file: 'libs/operations/src/experts/expert-archive.ts',
  suite: 'quick',
  spec: 'operations/src/experts/expert-archive.spec.ts',
};
const catalogue = {
  file: 'libs/operations/src/experts/catalogue.ts',
  suite: 'quick',
  spec: 'cli/src/experts/catalogue.command.spec.ts',
};
export default [
  {
    ...archive,
    control: 'a file of an expert is read only with the digest that the manifest names',
    from: 'if (body.length !== listed.sizeBytes || sha256(body) !== listed.sha256)',
    to: 'if (body.length !== listed.sizeBytes)',
  },
  {
    ...archive,
    control: 'a link in the archive of an expert is refused',
    from: "if (type !== 'file' || linkname !== '' || data === undefined)",
    to: 'if (false)',
  },
  {
    ...archive,
    control: "the manifest of an expert's archive has one spelling",
    from: 'if (canonicalJson(data) !== text)',
    to: 'if (false)',
  },
  {
    ...archive,
    control: 'an archive with fewer files than its manifest names is refused',
    from: 'if (rest.length !== manifest.files.length)',
    to: 'if (false)',
  },
  {
    control: 'an unknown file is refused in an expert',
    file: 'libs/operations/src/experts/expert.ts',
    suite: 'quick',
    spec: 'operations/src/experts/expert.spec.ts',
    from: 'if (unknown !== undefined)',
    to: 'if (false)',
  },
  {
    control: 'an expert publishes nothing on another base model',
    file: 'libs/operations/src/experts/carry-experts.ts',
    suite: 'quick',
    spec: 'cli/src/experts/experts.command.spec.ts',
    from: 'if (description.baseModelDigest !== checkpoint.digest)',
    to: 'if (false)',
  },
  {
    control: 'an expert carries no question or answer of the validation set',
    file: 'libs/operations/src/experts/carry-experts.ts',
    suite: 'quick',
    spec: 'cli/src/experts/experts.command.spec.ts',
    from: 'function carried({ differences: _, ...evaluation }',
    to: 'function carried({ ...evaluation }',
  },
  {
    ...catalogue,
    control: "an entry counts only at the place of its expert's name",
    from: 'if (key !== `${INDEX}${name}/${facts.digest}.json`)',
    to: 'if (false)',
  },
  {
    ...catalogue,
    control: 'an installed archive is the one that its entry names',
    from: 'if (sha256(bytes) !== offered.archive)',
    to: 'if (false)',
  },
  {
    ...catalogue,
    control: 'an entry of a catalogue is believed only with its signature',
    from: 'by: checkExpert({ name, archive, facts }, attestation, trust)',
    to: 'by: []',
  },
  {
    control: 'an expert carries no result that the log does not bear out',
    file: 'libs/operations/src/experts/carry-experts.ts',
    suite: 'quick',
    spec: 'cli/src/experts/experts.command.spec.ts',
    from: 'placed.filter((_, index) => !doubts.has(index))',
    to: 'placed.filter(() => true)',
  },
  {
    control: 'an expert carries no empty entry',
    file: 'libs/operations/src/experts/carry-experts.ts',
    suite: 'quick',
    spec: 'cli/src/experts/experts.command.spec.ts',
    from: "entry !== null && entry !== ''",
    to: 'entry !== null',
  },
];
