/** Acting by tools: what is offered, what is called, what comes back, when it ends, and who judges it. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const TOOLS = 'libs/tool-servers/src';
const CLIENTS = 'libs/model-clients/src';

export default [
  ...quick(`${TOOLS}/tool-servers.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    {
      control: 'a tool that is not allowed is not called',
      from: 'if (tool === undefined) return `there is no tool',
      to: 'if (tool === undefined) return undefined; if (Math.random() > 2) return `there is no tool',
      title: 'navigate a site',
    },
    {
      control: 'arguments are checked before a call',
      from: 'return tool.fault(args) ?? forbiddenAddress',
      to: 'return forbiddenAddress',
      title: 'navigate a site',
    },
    {
      control: 'a server that has other tools after a start is another executor',
      from: 'if (digest === this.found) return { connection, tools };',
      to: 'return { connection, tools };',
      title: 'in other words after a start',
    },
    {
      control: 'a server that hangs with all its work is not taken for a call that hangs',
      from: '|| (await opened.connection.isServing())',
      to: '|| true',
      title: 'end, hang or stop',
    },
  ]),
  ...quick(`${TOOLS}/tool-connection.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    {
      control: 'an answer over HTTP is bounded',
      from: 'if (bytes <= maxBytes) {',
      to: 'if (bytes >= 0) {',
      title: 'more than a message',
    },
    {
      control: 'a call has a time',
      from: '      timeout: callTimeoutMs,\n      maxTotalTimeout: callTimeoutMs,',
      to: '      timeout: 2 ** 30,\n      maxTotalTimeout: 2 ** 30,',
      title: 'end, hang or stop',
    },
  ]),
  ...quick(`${TOOLS}/result-text.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    { control: 'a result holds no key', from: 'withoutSecrets(parts.join', to: '((text, _) => text)(parts.join' },
    {
      control: 'control tokens of a result are broken',
      from: 'within(maxBytes, asData(withoutSecrets(',
      to: 'within(maxBytes, String(withoutSecrets(',
      title: 'say what strangers say',
    },
    { control: 'a result is bounded', from: 'if (bytes <= maxBytes) return text;', to: 'return text;' },
  ]),
  ...quick(`${TOOLS}/offered-tool.ts`, `${TOOLS}/offered-tool.spec.ts`, [
    {
      control: "a server's pattern runs nowhere here",
      from: "  'pattern',\n",
      to: '',
    },
    {
      control: "control tokens of a tool's words are broken",
      from: 'clipped(asData(description)',
      to: 'clipped((description)',
    },
  ]),
  ...quick(`${TOOLS}/local-addresses.decide.ts`, `${TOOLS}/local-addresses.decide.spec.ts`, [
    {
      control: 'no address of the machine or its network is sent',
      from: 'return isLocal(hostname) ?',
      to: 'return false ?',
    },
    { control: 'a list of hosts is the only ones', from: 'if (hosts !== undefined)\n', to: 'if (hosts === null)\n' },
    { control: 'nested arguments are looked at to a depth', from: 'if (depth > DEEPEST)', to: 'if (depth < 0)' },
  ]),
  ...quick(`${CLIENTS}/acting.decide.ts`, `${CLIENTS}/act-by-tools.spec.ts`, [
    { control: 'turns are bounded', from: 'if (state.turns >= limits.maxTurns)', to: 'if (false)' },
    { control: 'calls are bounded', from: 'if (state.calls + calls.length > limits.maxCalls)', to: 'if (false)' },
    { control: 'tokens are bounded', from: 'return tokens < maxTokens ?', to: 'return tokens < Infinity ?' },
    { control: 'wrong calls are bounded', from: 'if (wrongCalls > limits.maxWrongCalls)', to: 'if (false)' },
    {
      control: 'a wrong call is not made',
      from: 'return fault === undefined ? {',
      to: 'return fault !== null ? {',
    },
  ]),
  ...quick(`${CLIENTS}/act-by-tools.ts`, `${CLIENTS}/act-by-tools.spec.ts`, [
    {
      control: 'an attempt that runs into its time is no zero',
      from: 'if (!late.aborted || signal?.aborted === true) throw error;',
      to: 'throw error;',
    },
    { control: 'what is recorded of a result is bounded', from: 'within(RECORDED.result, text)', to: 'text' },
  ]),
  ...quick(`${CLIENTS}/executor.config.ts`, 'apps/executor/src/tools.spec.ts', [
    {
      control: 'another driver has no tools',
      from: "if (driver !== 'tools' && servers > 0)",
      to: 'if (false)',
      title: 'is not there unless',
    },
  ]),
  ...quick(`${TOOLS}/program-transport.ts`, `${TOOLS}/tool-servers.spec.ts`, [
    {
      control: 'what a tool server has started ends with it',
      from: "child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));",
      to: '',
      title: 'end with what it has started',
    },
    {
      control: 'a tool server leads a process group',
      from: 'detached: true, ',
      to: '',
      title: 'end with what it has started',
    },
    {
      control: 'a message of a program is bounded',
      from: '{ maxBufferSize: program.maxMessageBytes }',
      to: '{ maxBufferSize: 2 ** 30 }',
      title: 'more than a message may have',
    },
    {
      control: 'a program gets no environment of this process',
      from: 'env: variables,',
      to: 'env: { ...process.env, ...variables },',
      title: 'no environment but',
    },
  ]),
  ...quick(`${TOOLS}/program-transport.ts`, `${TOOLS}/program-transport.spec.ts`, [
    {
      control: 'of a program that sends too much no more is read',
      from: '      this.child?.stdout.destroy();\n',
      to: '',
      title: 'is closed once',
    },
  ]),
  ...quick(`${CLIENTS}/judge.endpoint.adapter.ts`, `${CLIENTS}/judge.endpoint.spec.ts`, [
    {
      control: 'an answer cannot speak to its judge',
      from: 'answer: quoted(task.answer),',
      to: 'answer: task.answer,',
    },
    {
      control: 'a verdict stands alone',
      from: '/^[^\\p{L}\\p{N}]*(correct|incorrect)[^\\p{L}\\p{N}]*$/iu',
      to: '/(incorrect|correct)/i',
    },
    { control: 'a verdict that was cut off does not count', from: "=== 'stop' ?", to: "!== '' ?" },
  ]),
  ...quick('libs/verifiers/src/judge.verifier.ts', `${CLIENTS}/judge.endpoint.spec.ts`, [
    { control: 'the reference itself needs no judge', from: 'if (wanted.has(normalised(answer)))', to: 'if (false)' },
  ]),
  ...quick('libs/verifiers/src/remembering-judge.ts', 'libs/verifiers/src/remembering-judge.spec.ts', [
    {
      control: 'one opinion is not paid for twice',
      from: '    this.keep(key, asked);\n',
      to: '',
    },
    { control: 'another question is another task', from: '[task.question, task.reference,', to: '[task.reference,' },
    {
      control: 'a failure is no verdict that is kept',
      from: 'if (this.known.get(key) === asked) this.known.delete(key);',
      to: '',
      title: 'keeps no failure',
    },
    {
      control: 'a caller that gives up ends no verdict of another one',
      from: "if (!isSeamError(error, 'ABORTED') || signal?.aborted === true) throw error;",
      to: 'throw error;',
    },
    {
      control: 'a caller that gives up is let go while another one asks',
      from: 'raceAbort(signal, known.verdict,',
      to: 'raceAbort(undefined, known.verdict,',
      title: 'lets a caller go',
    },
    {
      control: 'a change of revision heals itself: no verdict of the old one is remembered',
      from: 'other.judgedBy !== undefined && other.judgedBy !== judgedBy',
      to: 'false',
      title: 'revision',
    },
    { control: 'verdicts that are kept are bounded', from: 'if (this.known.size > this.mostKept)', to: 'if (false)' },
  ]),
  ...quick('libs/rollout/src/judges.ts', 'libs/rollout/src/judges.spec.ts', [
    {
      control: 'a record does not grow with the revisions that a server reports',
      from: 'const MOST_TOLD = 16;',
      to: 'const MOST_TOLD = 1e9;',
    },
    {
      control: 'revisions that are not told apart are no revision when tallies are added',
      from: 'each.flatMap((tallies) => tallies.slice(0, MOST_TOLD)),',
      to: 'each.flat(),',
      title: 'in the last row',
    },
    {
      control: 'another revision is another judge',
      from: 'return JSON.stringify([model, revision]);',
      to: 'return model + String(revision).slice(0, 0);',
    },
  ]),
  ...quick('libs/training-runs/src/compare-adapters.ts', 'libs/training-runs/src/judged-comparison.spec.ts', [
    {
      control: 'a pair is judged by one revision',
      from: 'if (!isSameJudge(judge, others[index]?.judgedBy ?? null)) {',
      to: 'if (false) {',
    },
    {
      control: 'a comparison records no attempts of comparisons before it',
      from: '? null : now - before',
      to: '? null : now',
    },
  ]),
  ...quick('libs/training-runs/src/keep-old-problems.ts', 'libs/training-runs/src/keep-old-problems.spec.ts', [
    {
      control: 'what is kept of old problems is judged by one revision',
      from: 'if (isSameJudge(judgedBy, is[index]?.judgedBy ?? null)) both',
      to: 'if (isSameJudge(null, is[index]?.judgedBy ?? null)) both',
    },
    {
      control: 'an old problem that is judged apart is not shown to be kept',
      from: 'judgedApart === 0 && isKept(cost, mostCost)',
      to: 'isKept(cost, mostCost)',
      title: 'keeps nothing that it forgot',
    },
  ]),
  ...quick('libs/training-runs/src/judge-adapter.ts', 'apps/trainer/src/judged-comparisons.spec.ts', [
    {
      control: 'a recorded success counts under the same judge only',
      from: 'areOfOneJudge(recorded.judges ?? [], measured.judges)',
      to: 'areOfOneJudge(recorded.judges ?? [])',
      title: 'takes the success of a parent',
    },
    {
      control: 'a parent that is measured again is judged by the revision that judged the candidate',
      from: 'others !== null && !areOfOneJudge(measured.judges, others.judges)',
      to: 'others === undefined',
      title: 'decides nothing where a parent',
    },
    {
      control: 'a record says how many old problems were judged apart',
      from: '(evaluation.judgedApart ?? 0) + kept.judgedApart',
      to: 'evaluation.judgedApart ?? 0',
      title: 'while old problems are judged apart',
    },
  ]),
  ...quick('libs/evaluation/src/evaluate.ts', 'libs/training-runs/src/judged-comparison.spec.ts', [
    {
      control: 'nothing is asked where no model can judge',
      from: '  assertCanJudge(problems, settings);\n',
      to: '',
      title: 'is refused before',
    },
  ]),
  ...quick('libs/operations/src/evaluate/judging.ts', 'apps/cli/src/evaluate/judged-evaluation.spec.ts', [
    {
      control: 'no model is opened where none can judge',
      from: '  verifiers.assertCanJudge(problems);\n',
      to: '',
      title: 'without a judge is refused',
    },
  ]),
  ...quick('apps/trainer/src/comparing-verifiers.ts', 'apps/trainer/src/judged-comparisons.spec.ts', [
    {
      control: 'a trainer that cannot judge does not start',
      from: '  verifiers.assertCanJudge(problems);\n',
      to: '',
      title: 'does not start',
    },
  ]),
  ...quick('apps/trainer/src/app.module.ts', 'apps/trainer/src/judged-comparisons.spec.ts', [
    {
      control: 'a trainer compares adapters by its judge',
      from: 'schemaFor, verifiers, responseMaxTokens',
      to: 'schemaFor, verifiers: undefined as never, responseMaxTokens',
      title: 'measures adapters by',
    },
  ]),
  ...quick('apps/standalone/src/embedded-environment.ts', 'apps/standalone/src/embedded-environment.spec.ts', [
    { control: 'one process has one judge', from: '|JUDGE_.+|', to: '|' },
    { control: 'one process has the tools of one executor', from: '|TOOLS_.+)', to: ')' },
    { control: 'one process votes over the same views of a task', from: '|FEW_SHOT_.+|', to: '|' },
  ]),
  ...quick('libs/operations/src/deploy/examine-models.decide.ts', 'libs/operations/src/deploy/examine-values.spec.ts', [
    {
      control: 'two services that name one judge ask one server',
      from: "['SEAM_EXECUTOR_JUDGE_URL', 'SEAM_TRAINER_EXECUTOR_JUDGE_URL', ''],",
      to: '',
      title: 'finds executors-differ',
    },
  ]),
  ...quick(
    'libs/operations/src/deploy/examine-exposure.decide.ts',
    'libs/operations/src/deploy/examine-values.spec.ts',
    [
      {
        control: "a judge's key is not sent in the clear without a word",
        from: "['judgeKeySecret', /^SEAM_(TRAINER_)?EXECUTOR_JUDGE_URL$/],",
        to: '',
        title: 'finds key-in-the-clear',
      },
    ],
  ),
  ...quick('libs/experience/src/task-domain.ts', 'libs/experience/src/task-domain.spec.ts', [
    { control: 'an alias is not read', from: 'maxAliasCount: 0', to: 'maxAliasCount: 100' },
  ]),
];
