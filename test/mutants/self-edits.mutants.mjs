/** What a self-edit is made from, and what is made of it. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const SPEC = 'libs/self-edits/src/self-edits.spec.ts';

export default [
  ...quick('libs/self-edits/src/training-documents.ts', SPEC, [
    {
      control: 'the announcement of a list is not trained on',
      from: "pieces[1]?.startsWith('1.') === true ? pieces.slice(1) : pieces",
      to: 'pieces',
    },
    {
      control: 'the passage is always the last document',
      from: 'documents.push(titled(passage.trim()));',
      to: '',
    },
    {
      control: 'a document begins with the title',
      from: 'title === null ? document : `${title}\\n${document}`',
      to: 'document',
    },
    {
      control: 'what precedes the first question is not trained on',
      from: 'start < 0 ? text : text.slice(start)',
      to: 'text',
    },
  ]),
  ...quick('libs/self-edits/src/writer-prompt.ts', SPEC, [
    { control: 'a passage spells no control token', from: 'passage: asData(passage)', to: 'passage' },
  ]),
  ...quick('libs/self-edits/src/own-kind.ts', 'libs/self-edits/src/own-kind.spec.ts', [
    {
      control: 'a template that nothing fills is refused',
      from: 'if (!parsed.success || faults.length > 0)',
      to: 'if (!parsed.success)',
    },
  ]),
];
