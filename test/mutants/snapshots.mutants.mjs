/** What keeps a snapshot from being believed where it must not be. */
const SPEC = 'libs/snapshots/src/(kept-reading|cell-file).spec.ts';
const of = (file, rows) => rows.map((row) => ({ file, suite: 'quick', spec: SPEC, ...row }));

export default [
  ...of('libs/snapshots/src/cell-file.ts', [
    {
      control: 'a damaged block of cells is found',
      from: 'if (crc32(block) !== crc)',
      to: 'if (block.length !== bytes && crc !== 0)',
    },
    {
      control: 'a damaged index of cells is found',
      from: 'if (sha256(index) !== indexDigest)',
      to: 'if (index.length !== indexBytes && indexDigest !== sha256(index))',
    },
  ]),
  ...of('libs/snapshots/src/snapshot-folder.ts', [
    {
      control: 'a damaged snapshot is found',
      from: 'if (text.slice(0, 65) !== `${sha256(body)}\\n`)',
      to: 'if (text.slice(0, 65) === `${sha256(body)}`)',
    },
    {
      control: 'a snapshot of another release is not believed',
      from: ' || written.code !== this.subject.code',
      to: '',
    },
    {
      control: 'a snapshot under other keys is not believed',
      from: 'if (written.view !== this.subject.view)',
      to: 'if (written.view === undefined)',
    },
    {
      control: 'a folder that others may write is not believed',
      from: '(mode & 0o022) !== 0',
      to: 'false',
    },
  ]),
  ...of('libs/snapshots/src/kept-model.ts', [
    {
      control: 'a log that grew differently is found',
      from: 'return digestOf(record) === last.digest;',
      to: 'return digestOf(record) !== null;',
    },
    {
      control: 'a trimmed log is found',
      from: 'range?.from !== low',
      to: 'range === undefined',
    },
    {
      control: 'no record is folded twice',
      from: 'offset >= next;',
      to: 'offset >= 0;',
    },
  ]),
  ...of('libs/snapshots/src/kept-reading.ts', [
    {
      control: 'the doctor gets the records of the reading that compares snapshots',
      from: 'await alongside?.take(chunk);',
      to: '',
    },
  ]),
  ...of('libs/snapshots/src/kept-cells.ts', [
    {
      control: 'the newest cell of a name counts',
      from: 'merged([sorted, ...merging.map((file) => file.entries())])',
      to: 'merged([...merging.map((file) => file.entries()), sorted])',
    },
  ]),
];
