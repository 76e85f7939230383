/** How an experience acts on a problem (docs/adr/0056). */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const CONTRACT = 'libs/environments/src/(prompt-injection|plan-first).spec.ts';

export default [
  ...quick('libs/environments/src/prompt-injection.ts', CONTRACT, [
    {
      control: 'an empty experience is not the same as none',
      from: "return entry === ''",
      to: "return entry === '-'",
    },
    {
      control: 'every seed has an answer',
      from: 'return asked.map(({ seeds }) => seeds.map(() => this.read(answers.next().value!)));',
      to: 'return asked.map(() => [this.read(answers.next().value!)]);',
    },
    {
      control: 'the recorded identity is the one of older releases',
      from: 'this.drawing === null ? identity.decoding',
      to: 'this.drawing === null ? `${identity.decoding} `',
    },
    {
      control: 'what counts of a response is marked',
      from: '{ ...answer, judged: this.prompts.judged(answer.text) }',
      to: '{ ...answer }',
    },
    {
      control: 'an attempt heeds the signal',
      from: 'await executor.answer(prompts, signal, onProgress)',
      to: 'await executor.answer(prompts, undefined, onProgress)',
    },
    {
      control: 'an executor that cannot draw is not asked to',
      from: 'this.executor.sample === undefined ? null',
      to: 'this.prompts === undefined ? null',
    },
  ]),
  ...quick('libs/environments/src/repeated-answers.ts', CONTRACT, [
    {
      control: 'several answers are drawn by different seeds',
      from: '`${seed}/rollout/${n}`',
      to: '`${seed}/rollout/${n * 0}`',
    },
    {
      control: 'several answers are another executor',
      from: 'canonicalJson({ answer: identity.decoding, rollouts, temperature, topP })',
      to: 'identity.decoding',
    },
  ]),
  ...quick('libs/environments/src/environments.ts', CONTRACT, [
    {
      control: 'a name that nobody knows is refused',
      from: 'Object.hasOwn(environments, name) ? environments[name] : undefined',
      to: 'environments[name]',
    },
  ]),
  ...quick('apps/executor/src/app.module.ts', 'apps/executor/src/environment.spec.ts', [
    {
      control: 'the configuration chooses the environment',
      from: 'openEnvironment(config.executor.environment, executor',
      to: "openEnvironment('prompt-injection', executor",
    },
  ]),
  ...quick(
    'apps/executor/src/execute-experiences.handler.ts',
    'apps/executor/src/environment.spec.ts|app.module.spec',
    [
      {
        control: 'the environment says whether an entry gives its answer away',
        from: 'return this.dependencies.environment.givesAnswerAway(experience.entry, problem);',
        to: 'return experience.entry === problem.reference;',
      },
    ],
  ),
];
