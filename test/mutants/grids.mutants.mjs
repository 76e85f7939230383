// Few-shot tasks on grids: what an augmentation loses, what leaks, who wins a vote, what counts as solved.
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

const GRIDS = 'libs/grid-tasks/src/';
const REFERENCE = 'test/quick/grid-tasks-reference.spec.ts';

export default [
  ...quick(`${GRIDS}grid.ts`, `${GRIDS}grid.spec.ts`, [
    {
      control: 'a grid has rows of one length',
      from: 'if (row.length !== width)',
      to: 'if (row.length > width)',
    },
    {
      control: 'a grid has at most 30 rows',
      from: 'if (lines.length > MAX_SIDE)',
      to: 'if (lines.length > 2 * MAX_SIDE)',
    },
  ]),
  ...quick(`${GRIDS}augmentations.ts`, `${GRIDS}augmentations.spec.ts`, [
    {
      control: 'the inverse of a turn is the turn back',
      from: "bijection('rotate-90', clockwise, counterclockwise)",
      to: "bijection('rotate-90', clockwise, clockwise)",
    },
    {
      control: 'a grid that is no result of an enlargement has no inverse',
      from: 'isSameGrid(enlarged(copied), grid) ? copied : undefined',
      to: 'copied',
    },
    {
      control: 'a chain is undone from its end',
      from: 'halved === undefined ? undefined : first.inverse(halved)',
      to: 'halved',
    },
    {
      control: 'no grid becomes larger than 30',
      from: '(fits(grid) ? enlarged(grid) : undefined)',
      to: 'enlarged(grid)',
    },
    {
      control: 'the background keeps its colour',
      from: 'recolour([BACKGROUND, ...random.shuffled(colours)])',
      to: 'recolour(random.shuffled([BACKGROUND, ...colours]))',
    },
  ]),
  ...quick(`${GRIDS}training-set.ts`, `${GRIDS}training-set.spec.ts`, [
    {
      control: 'the pair that is asked for is not shown',
      from: 'pairs.filter((_, other) => other !== index)',
      to: '[...pairs]',
    },
    { control: 'a task shows at least one pair', from: 'shown.length > 0', to: 'shown.length >= 0' },
    {
      control: 'loss is on the answer alone where the edit says so',
      from: 'begin: isOnOutputs ? prompt.length : 0',
      to: 'begin: 0',
    },
    { control: 'an example has at most so many tokens', from: 'numTokens > maxTokens', to: 'numTokens > Infinity' },
    { control: 'equal examples count once', from: 'if (seen.has(text))', to: 'if (seen.has(seed))' },
  ]),
  ...quick(`${GRIDS}tool-configuration.ts`, `${GRIDS}tool-configuration.spec.ts`, [
    {
      control: 'more than 375 steps are a failure of the edit',
      from: 'return steps > MAX_STEPS',
      to: 'return steps > 2 * MAX_STEPS',
    },
    {
      control: 'a training without an example is a failure of the edit',
      from: 'if (numExamples === 0)',
      to: 'if (numExamples < 0)',
    },
  ]),
  ...quick(`${GRIDS}prediction.ts`, REFERENCE, [
    {
      control: 'answers are turned back before they are counted',
      from: 'view.symmetry.inverse(grid) }',
      to: 'grid }',
    },
    {
      control: 'of equal votes those of the unturned view decide',
      from: 'b.symmetries.length - a.symmetries.length || unturned(b.symmetries) - unturned(a.symmetries)',
      to: 'b.symmetries.length - a.symmetries.length',
    },
    { control: 'two attempts count', from: '.slice(0, MAX_ATTEMPTS)', to: '.slice(0, 1)' },
  ]),
  ...quick(`${GRIDS}scoring.ts`, REFERENCE, [
    { control: 'a task is solved by all of its outputs', from: 'outputs.every(', to: 'outputs.some(' },
    {
      control: 'cells of another shape are wrong',
      from: '(areaOf(attempt) + areaOf(truth) - height * width)',
      to: '(height * width)',
    },
  ]),
  ...quick(`${GRIDS}families.ts`, REFERENCE, [
    {
      control: 'only enclosed background is filled',
      from: 'each === BACKGROUND && !open.has(`${row},${column}`) ? fill : each',
      to: 'each === BACKGROUND ? fill : each',
    },
  ]),
  ...quick(`${GRIDS}task-text.ts`, `${GRIDS}task-text.spec.ts`, [
    {
      control: 'a response has at most two attempts',
      from: '.slice(0, MAX_ATTEMPTS)',
      to: '.slice(0, 3)',
    },
    {
      control: 'a prompt with a text that is no grid is no task on grids',
      from: 'if (shown === undefined || output === undefined) return undefined;',
      to: 'if (shown === undefined || output === undefined) continue;',
    },
  ]),
  ...quick('libs/tasks/src/few-shot.task.ts', 'libs/tasks/src/few-shot.task.spec.ts', [
    {
      control: 'a prompt without an example is no few-shot task',
      from: 'return examples.length > 0 && fewShotPrompt(read) === prompt ? read : undefined;',
      to: 'return read;',
    },
  ]),
  ...quick('libs/verifiers/src/grid.verifier.ts', 'libs/verifiers/src/grid.spec.ts', [
    { control: 'cells never decide', from: 'success: isSolved,', to: 'success: cellAccuracy > 0.5,' },
  ]),
  ...quick('libs/datasets/src/arc.form.ts', 'libs/datasets/src/arc.spec.ts', [
    {
      control: 'a problem asks for the output of the test input that it names',
      from: 'query.safeParse(test[testInput - 1])',
      to: 'query.safeParse(test[0])',
    },
    {
      control: 'every row of ARC has a separate number',
      from: 'added += row.value.test.length - 1;',
      to: 'added += 0;',
    },
  ]),
  ...quick('libs/operations/src/arc/grid-report.ts', 'libs/operations/src/arc/grid-report.spec.ts', [
    {
      control: 'a switch is compared within tasks',
      from: 'if (withIt.length > 0 && without.length > 0)',
      to: 'if (withIt.length + without.length > 0)',
    },
    {
      control: 'a task is solved only if all its outputs are',
      from: 'return right.size >= task[0]!.outputs;',
      to: 'return right.size > 0;',
    },
    {
      control: 'a fixed configuration is measured on other tasks than it was chosen on',
      from: 'half(each) !== own && choiceOf(each)',
      to: 'half(each) === own && choiceOf(each)',
    },
  ]),
  ...quick('libs/operations/src/arc/read-attempts.ts', 'apps/cli/src/arc/arc.command.spec.ts', [
    {
      control: 'an attempt that was recorded twice counts once',
      from: 'for (const [id, by] of changesBy(cells, outcome, meta.messageId)) {',
      to: 'for (const [id, by] of [[`${counting.size}`, 1]]) {',
    },
  ]),
];
