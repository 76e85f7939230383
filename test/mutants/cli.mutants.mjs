// The command line tells the truth about the log, and keeps to its terminal (docs/adr/0043).
const story = {
  file: 'libs/read-models/src/problem-story.projection.ts',
  suite: 'quick',
  spec: 'apps/cli/src/show/show-problem.command.spec.ts|libs/read-models/src/problem-story',
};
const show = { ...story, file: 'apps/cli/src/show/render-story.ts' };
const terminal = { suite: 'quick', spec: 'apps/cli/src/terminal/terminal.spec.ts' };

export default [
  {
    ...show,
    control: 'a result that nothing bears out is shown as not believed',
    from: 'refused === null && !doubts.has(placeName(position))',
    to: 'refused === null',
  },
  {
    ...story,
    control: 'a run that reads the buffer had the pairs of its version before it',
    from: 'sequence === undefined || sequence > version ? []',
    to: 'sequence === undefined ? []',
  },
  {
    ...story,
    control: 'results that a plan leaves out were not learned from',
    from: ' && !isWithin(position, refused)',
    to: '',
  },
  {
    ...story,
    control: 'groups that a plan leaves out were not learned from',
    from: ' && !excluded.includes(event.groupId)',
    to: '',
  },
  {
    ...story,
    control: 'a record that is read twice is told once',
    from: 'if (state.folded.advance(position)) evolve',
    to: 'evolve',
  },
  {
    control: 'one problem is never chosen of several',
    file: 'apps/cli/src/show/find-problem.ts',
    from: 'only !== undefined && found.size === 1',
    to: 'only !== undefined',
    suite: 'quick',
    spec: 'apps/cli/src/show/show-problem.command.spec.ts',
  },
  {
    ...terminal,
    control: 'a table that is too wide becomes paragraphs',
    file: 'apps/cli/src/terminal/table.ts',
    from: 'if (last < (widths.at(-1) ?? 0) && !isWrappable) return',
    to: 'if (Number.isNaN(last)) return',
  },
  {
    ...terminal,
    control: 'values are wrapped beside their names',
    file: 'apps/cli/src/terminal/table.ts',
    from: 'wrapped(value, style.columns, longest + GAP)',
    to: 'value',
  },
];
