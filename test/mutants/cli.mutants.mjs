// The command line reports what the log says, and keeps to its terminal (docs/adr/0043).
const story = {
  file: 'libs/read-models/src/problem-story.projection.ts',
  suite: 'quick',
  spec: 'apps/cli/src/show/show-problem.command.spec.ts|libs/read-models/src/problem-story',
};
const storyRuns = { ...story, file: 'libs/read-models/src/story-runs.ts' };
const show = { ...story, file: 'apps/cli/src/show/render-story.ts' };
const terminal = { suite: 'quick', spec: 'apps/cli/src/terminal/terminal.spec.ts' };

const answers = {
  file: 'libs/rollout/src/answer-questions.ts',
  suite: 'quick',
  spec: 'libs/rollout/src/answer-questions.spec.ts',
};
const publish = {
  file: 'libs/operations/src/publish/known-questions.ts',
  suite: 'quick',
  spec: 'apps/cli/src/publish/publish-problems.command.spec.ts',
};

const expired = {
  file: 'libs/operations/src/publish/expired.ts',
  suite: 'quick',
  spec: 'apps/cli/src/publish/expired.spec.ts',
};
const shipped = {
  file: 'apps/cli/src/evaluate/shipped-models.ts',
  suite: 'quick',
  spec: 'apps/cli/src/evaluate/shipped-models.spec.ts',
};

const output = {
  file: 'apps/cli/src/files/output-file.ts',
  suite: 'quick',
  spec: 'apps/cli/src/files/output-file.spec.ts',
};
const solve = {
  file: 'libs/operations/src/solve/answer-lines.ts',
  suite: 'quick',
  spec: 'apps/cli/src/solve/solve-problems.command.spec.ts',
};

const choice = {
  file: 'libs/operations/src/publish/choose-rows.decide.ts',
  suite: 'quick',
  spec: 'apps/cli/src/publish/(choose-rows|expired).spec.ts',
};

export default [
  {
    file: 'apps/cli/src/command-options.ts',
    suite: 'quick',
    spec: 'apps/cli/src/command-options.spec.ts',
    control: 'a number is at most what its option allows',
    from: 'value > 0 && value <= most',
    to: 'value > 0',
  },
  {
    control: 'a command loads its own module only',
    file: 'apps/cli/src/commands.ts',
    from: 'name !== undefined && Object.hasOwn(COMMANDS, name) && !LOOKS_AT_ALL.has(name)',
    to: 'name !== undefined && name === undefined',
    suite: 'quick',
    spec: 'test/quick/command-start.spec.ts',
  },
  {
    control: 'settings and drivers come without a framework',
    file: 'libs/service-kit/src/config.ts',
    from: 'export { type CommonConfig,',
    to: "export { ServiceMetrics } from './service-metrics.js';\nexport { type CommonConfig,",
    suite: 'quick',
    spec: 'test/quick/command-start.spec.ts',
  },
  {
    ...choice,
    control: 'expired rows are reported',
    from: 'const isLate = isExpired(expiresAt, nowMs);\n      if (isLate) expired.push({ row, expiresAt });',
    to: 'const isLate = isExpired(expiresAt, nowMs);',
  },
  {
    ...choice,
    control: 'the limit does not count what is left out',
    from: 'if (chosen.size >= limit) counts.leftOver++;',
    to: 'if (chosen.size + counts.expired + counts.inLog >= limit) counts.leftOver++;',
  },
  {
    ...choice,
    control: 'what was not come to is counted',
    from: 'leftOver: counts.leftOver + counts.published - published',
    to: 'leftOver: counts.leftOver',
  },
  {
    file: 'libs/operations/src/publish/publish-file.ts',
    suite: 'quick',
    spec: 'apps/cli/src/publish/choose-rows.spec.ts',
    control: 'a bad row before the last one that is published refuses the file',
    from: 'if (firstBad >= row) return;',
    to: 'if (firstBad > 0) return;',
  },
  {
    ...shipped,
    control: 'the generator is not said to know too little where it is not asked',
    from: 'ways.filter(({ solver, withEntries }) => withEntries && ',
    to: 'ways.filter(({ solver }) => ',
  },
  {
    ...output,
    control: 'nothing but a plain file is replaced',
    from: 'if (own !== undefined && !own.isFile()) {',
    to: 'if (own !== undefined && !own.isFile() && !replace) {',
  },
  {
    ...output,
    control: 'a command does not replace what it reads',
    from: 'this.inputs.some(({ dev, ino }) => dev === target.dev && ino === target.ino)',
    to: 'this.inputs.length < 0',
  },
  {
    ...output,
    control: 'a file that is replaced keeps its permissions',
    from: 'await chmod(part, place.mode);',
    to: '',
  },
  {
    ...output,
    control: 'two processes do not mix their lines',
    from: 'if (size === this.size) return;',
    to: 'if (size > 0) return;',
  },
  {
    ...output,
    control: 'a line that was cut short is no answer',
    from: 'await file.truncate(bytes);',
    to: '',
  },
  {
    ...solve,
    control: 'answers of other work are not continued',
    from: 'canonicalJson({ asked, ...settings })',
    to: 'canonicalJson({ asked: asked.length, ...settings, seed: null })',
  },
  {
    ...solve,
    control: 'a question that failed last is asked once more',
    from: 'held.slice(0, held.findLastIndex(({ failure }) => failure === undefined) + 1)',
    to: 'held',
  },
  {
    ...solve,
    file: 'libs/operations/src/solve/solve-questions.ts',
    control: 'an answer is on the disk as soon as it is known',
    from: "await output?.append(solved.map(({ line }) => `${JSON.stringify(line)}\\n`).join(''));",
    to: 'void 0;',
  },
  {
    control: 'the shipped models are not asked in silence with words that they do not know',
    file: 'libs/kernel/src/vocabulary.ts',
    from: 'known.has(word) || (',
    to: "known.has(word) || word !== '' || (",
    suite: 'quick',
    spec: 'libs/embedded-world/src/vocabulary.spec.ts',
  },
  {
    ...expired,
    control: 'a problem whose time is up at this moment has expired',
    from: 'Date.parse(expiresAt) <= nowMs',
    to: 'Date.parse(expiresAt) < nowMs',
  },
  {
    ...expired,
    control: 'a file with an expired problem is refused where that is asked for',
    from: "if (policy === 'refuse') {",
    to: "if (policy === 'refuse' && expired.length > 1) {",
  },
  {
    control: 'expired problems are left out where that is asked for',
    ...choice,
    from: "if (isLate && policy === 'skip') counts.expired++;\n      else chosen",
    to: 'chosen',
  },
  {
    ...shipped,
    control: 'shipped models are held against the words of their world',
    from: 'asked.some((role) => shipped[role] === world)',
    to: "world.method === 'experiences' && asked.length > 0",
  },
  {
    ...shipped,
    control: 'the shipped generator is known by its digest',
    from: 'generator.digest === SHIPPED_MODELS.generator)',
    to: 'generator.digest !== SHIPPED_MODELS.generator)',
  },
  {
    ...shipped,
    control: 'the shipped executor is known by its digest',
    from: 'environment.identity.revision === SHIPPED_MODELS.executor)',
    to: 'environment.identity.model === SHIPPED_MODELS.executor)',
  },
  {
    ...answers,
    control: 'what is drawn for a question depends on the seed',
    from: '`answer:${seed}`',
    to: '`answer:`',
  },
  {
    ...answers,
    control: 'what is drawn for a question does not depend on its place in a batch',
    from: 'derivedId(question.problemId, ',
    to: 'derivedId(questions[0]!.problemId, ',
  },
  {
    ...answers,
    control: 'every prediction of an evaluation is written with its own problem',
    file: 'libs/evaluation/src/evaluate.ts',
    spec: 'libs/evaluation/src/',
    from: '{ arm: name, problem: i, sample: 0,',
    to: '{ arm: name, problem: 0, sample: 0,',
  },
  {
    ...publish,
    control: "a file's own problems in the log are no other problems",
    from: 'if (ownIds.has(problem.problemId)) continue;',
    to: '',
  },
  {
    ...publish,
    control: 'what was explored may still be asked to be answered',
    from: 'wanted.get(`${mode} ${questionKey(problem.prompt)}`)',
    to: 'wanted.get(`deploy ${questionKey(problem.prompt)}`)',
  },
  {
    ...publish,
    control: 'questions are compared after normalisation',
    from: 'sha256(normalisedQuestion(question))',
    to: 'sha256(question)',
  },
  {
    ...show,
    control: 'a result that nothing bears out is shown as not believed',
    from: 'refused === null && !doubts.has(placeName(position))',
    to: 'refused === null',
  },
  {
    ...storyRuns,
    control: 'a run that reads the buffer had the pairs of its version before it',
    from: 'sequence === undefined || sequence > version ? []',
    to: 'sequence === undefined ? []',
  },
  {
    ...storyRuns,
    control: 'results that a plan leaves out were not learned from',
    from: ' && !isWithin(position, refused)',
    to: '',
  },
  {
    ...storyRuns,
    control: 'groups that a plan leaves out were not learned from',
    from: ' && !excluded.includes(event.groupId)',
    to: '',
  },
  {
    ...story,
    control: 'a record that is read twice counts once',
    from: 'if (advance(state.folded, position)) evolve',
    to: 'evolve',
  },
  {
    control: 'one problem is never chosen of several',
    file: 'libs/operations/src/show/find-problem.ts',
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
    control: 'values are wrapped next to their names',
    file: 'apps/cli/src/terminal/table.ts',
    from: 'wrapped(value, style.columns, longest + GAP)',
    to: 'value',
  },
  {
    control: 'a tail shows what is looked for alone',
    file: 'libs/operations/src/tail/tail-topics.ts',
    from: 'if (!isWanted(decoded, filter)) continue;\n    last.push(decoded);',
    to: 'last.push(decoded);',
    suite: 'quick',
    spec: 'apps/cli/src/tail/event-filter.spec.ts',
  },
  {
    control: 'settings of two runs are named where they differ',
    file: 'apps/cli/src/runs/render-runs.ts',
    from: '.filter(({ differs }) => differs)',
    to: '.filter(({ differs }) => !differs)',
    suite: 'quick',
    spec: 'apps/cli/src/runs/runs.command.spec.ts',
  },
];
