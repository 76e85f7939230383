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
      control: 'what counts of a response is marked',
      from: '{ ...answer, judged: this.prompts.judged(answer.text) }',
      to: '{ ...answer }',
    },
    {
      control: 'an attempt heeds the signal',
      from: 'await executor.answer(prompts, signal, onProgress,',
      to: 'await executor.answer(prompts, undefined, onProgress,',
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
      control: 'an unknown name is refused',
      from: 'Object.hasOwn(environments, name) ? environments[name] : undefined',
      to: 'environments[name]',
    },
  ]),
  ...quick('libs/environments/src/decoding.ts', 'libs/environments/src/prompt-injection.spec.ts', [
    {
      control: 'the recorded identity is the one of older releases',
      from: 'drawing === null ? identity.decoding',
      to: 'drawing === null ? `${identity.decoding} `',
    },
  ]),
  ...quick('libs/environments/src/passage-answers.ts', 'libs/environments/src/inner-lora-update.spec.ts', [
    {
      control: 'each question is asked alone',
      from: 'questions.map((question) => prompts.executor(question, null, controlTokens))',
      to: 'questions.map((question) => prompts.executor(`${question} ${questions}`, null, controlTokens))',
    },
  ]),
  ...quick('libs/evaluation/src/self-edits-study.ts', 'libs/evaluation/src/self-edits-study.spec.ts', [
    {
      control: 'a known trial is not repeated',
      from: 'settings.known?.(key) ?? (await tryEdit(',
      to: '(await tryEdit(',
    },
    {
      control: 'a trial of other settings is another trial',
      from: 'prompts.executorTemplate, { ...innerUpdate }]',
      to: 'prompts.executorTemplate]',
    },
    {
      control: 'a passage counts once, with the mean over its seeds',
      from: 'return values.length === 0 ? [] : [[problemId, mean(values)] as const];',
      to: 'return values.length === 0 ? [] : [[problemId, values[0]!] as const];',
    },
    {
      control: 'figures of a domain are of its passages alone',
      from: 'const theirs = trials.filter(({ problemId }) => ids.has(problemId));',
      to: 'const theirs = trials.filter(({ problemId }) => ids.has(problemId) || true);',
    },
    {
      control: 'an edit that cannot be trained on earns nothing',
      from: 'accuracy: 0,',
      to: 'accuracy: 1,',
    },
  ]),
  ...quick('libs/environments/src/inner-lora-update.ts', 'libs/environments/src/inner-lora-update.spec.ts', [
    {
      control: 'an edit that cannot be trained on is no failure of the machine',
      from: "return nothingSaid({ reason: 'untrainable', detail: adaptation.reason });",
      to: 'return notAnEdit(adaptation.reason);',
    },
    {
      control: 'several seeds are several trainings, also with greedy answers',
      file: 'libs/environments/src/repeated-answers.ts',
      from: 'const drawn = temperature === 0 ? environment : environment.drawn({ temperature, topP });',
      to: 'const drawn = environment.drawn({ temperature, topP });',
    },
    {
      control: 'equal answers are not asked for several times',
      file: 'libs/environments/src/repeated-answers.ts',
      from: 'if (temperature === 0 && !environment.trains)',
      to: 'if (temperature < 0)',
    },
    {
      control: 'an edit that filters refuse is not trained on',
      from: 'if (fault !== undefined) return nothingSaid(',
      to: 'if (fault !== undefined && seed === entry) return nothingSaid(',
    },
    {
      control: 'the passage alone passes the filters',
      from: "if (this.filters === 'off' || entry === '') return undefined;",
      to: "if (this.filters === 'off') return undefined;",
    },
    {
      control: 'attempts with filters are of another environment',
      from: "const filters = this.filters === 'on' ? [EDIT_LIMITS] : [];",
      to: 'const filters: object[] = [];',
    },
    {
      control: 'the frozen model answers where there is no entry',
      from: 'if (entry === null) return this.answerAll(this.executor, asked, seed, options);',
      to: "entry ??= '';",
    },
    {
      control: 'another kind of self-edit is another environment',
      from: 'canonicalJson([this.kind.identity, { ...this.settings }, ...filters])',
      to: 'canonicalJson([{ ...this.settings }, ...filters])',
    },
    {
      control: 'a training has the seed of its attempt',
      from: '{ documents, settings: this.settings, seed },',
      to: "{ documents, settings: this.settings, seed: 'seed' },",
    },
  ]),
  ...quick('libs/environments/src/few-shot-lora-update.ts', 'libs/environments/src/few-shot-lora-update.spec.ts', [
    {
      control: 'a configuration with too many steps is not trained',
      from: 'if (steps.failure !== undefined) return noAttempt(steps.failure);',
      to: '',
    },
    {
      control: 'examples of plain text are not asked for within a dialogue',
      from: 'if (executor.chats === true)',
      to: 'if (executor.chats === false)',
    },
    {
      control: 'an answer that was cut off has no vote',
      from: 'const isWhole = finished || readFewShotAnswer(text).isEnded;',
      to: 'const isWhole = true;',
    },
    {
      control: 'nothing is trained where there is no entry',
      from: 'if (entry === null) return this.predict(this.executor, asked, seed, options);',
      to: "entry ??= '';",
    },
    {
      control: 'an empty entry is the fixed configuration',
      from: "entry === '' ? this.settings.fewShot.fixed : entry",
      to: 'entry',
    },
    {
      control: 'how a task is asked is a part of the identity',
      from: 'sha256(canonicalJson(this.settings))',
      to: "sha256('')",
    },
  ]),
  ...quick('libs/inner-update/src/documents.ts', 'libs/inner-update/src/inner-update.spec.ts', [
    {
      control: 'what is given carries no loss',
      from: 'const begin = Math.max(1, differing < 0 ? given.length : differing);',
      to: 'const begin = 1;',
    },
  ]),
  ...quick('libs/inner-update/src/inner-update.ts', 'libs/inner-update/src/inner-update.spec.ts', [
    {
      control: 'an edit with too many steps is refused',
      from: 'if (planned > maxSteps)',
      to: 'if (planned < 0)',
    },
    {
      control: 'training ends once its loss falls no more',
      from: 'if (plateau.isReached(sum / batches.length)) break;',
      to: '',
    },
    {
      control: 'documents are taken in an order of the seed',
      from: "Random.of('inner-update', seed, epoch).shuffled(usable)",
      to: 'usable',
    },
    {
      control: 'a step has no more tokens than its limit',
      from: 'tokens + length <= batchTokens',
      to: 'tokens <= batchTokens',
    },
    {
      control: 'by tokens the steps of every epoch are planned',
      from: 'if (batchTokens === undefined) return',
      to: 'if (batchTokens !== 0) return',
    },
    { control: 'the rate falls', from: 'learningRate * (1 - losses.length / planned)', to: 'learningRate' },
    {
      control: 'every token weighs alike',
      from: 'weights: targets.map(() => 1 / total)',
      to: 'weights: targets.map(() => 1 / targets.length)',
    },
  ]),
  ...quick('libs/self-edits/src/entry-kind.ts', 'libs/self-edits/src/entry-kind.spec.ts', [
    {
      control: 'the writer sees no question',
      from: 'writerPrompt(kind, asked)',
      to: 'writerPrompt(kind, { ...asked, passage: problem })',
    },
  ]),
  ...quick(
    'libs/model-clients/src/executor.language-model.adapter.ts',
    'libs/model-clients/src/executor.language-model.spec.ts',
    [
      {
        control: 'kept answers are those of the same weights',
        from: 'canonicalJson([adapter?.digest ?? null, promptTokenIds',
        to: 'canonicalJson([promptTokenIds',
      },
    ],
  ),
  ...quick('apps/executor/src/app.module.ts', 'apps/executor/src/environment.spec.ts', [
    {
      control: 'the configuration chooses the environment',
      from: 'openEnvironment(choice, executor',
      to: "openEnvironment({ ...choice, environment: 'prompt-injection' }, executor",
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
  ...quick('libs/environments/src/session-adapters.ts', 'libs/environments/src/session-adapters.spec.ts', [
    {
      control: 'a session that is forgotten while it learns stays forgotten',
      from: "      if (isForgotten(session)) return 'forgotten';\n      if (adaptation.status",
      to: '      if (adaptation.status',
    },
    {
      control: 'a training ends with its session',
      from: '[session.ended.signal, late, ',
      to: '[late, ',
    },
    {
      control: 'a training of a session has its time',
      from: 'AbortSignal.timeout(this.settings.trainWithinMs)',
      to: 'AbortSignal.timeout(60_000)',
    },
    {
      control: 'sessions learn one after the other',
      from: '    this.training = lesson.catch(() => undefined);\n',
      to: '',
    },
    {
      control: 'a request that found a session has nothing of it once it is forgotten',
      from: '    Object.assign(session, { learned: null, messages: [], wanted: null });\n',
      to: '',
    },
    {
      control: 'texts of a session that is forgotten leave memory while its training waits',
      from: '{ learned: null, messages: [], wanted: null });',
      to: '{ learned: null, messages: [] });',
    },
    {
      control: 'adapters of sessions have so many bytes',
      from: '    while (this.bytes > this.settings.mostBytes && this.dropFor(own, bytesOf));\n',
      to: '    void bytesOf(own);\n',
    },
    {
      control: 'one adapter has no more bytes than all may have',
      from: 'if (adapter.bytes > this.settings.mostBytes)',
      to: 'if (adapter.bytes < 0)',
    },
    {
      control: 'looking makes no session last',
      from: 'const session = this.sessions.get(id);\n    if (session === undefined) return undefined;\n    const {',
      to: 'const session = this.used(id);\n    if (session === undefined) return undefined;\n    const {',
    },
    {
      control: 'messages beyond the window leave the weights',
      from: '[...session.messages, message].slice(-mostMessages)',
      to: '[...session.messages, message]',
    },
    {
      control: 'sessions that idle are forgotten',
      from: "if (usedAt <= before) this.drop(id, 'idle')",
      to: "if (usedAt < 0) this.drop(id, 'idle')",
    },
    {
      control: 'sessions never learn unless that is set',
      from: "this.settings.every === 0 ? 'kept' :",
      to: "this.settings.every < 0 ? 'kept' :",
    },
    {
      control: 'there are only so many sessions',
      from: 'while (this.sessions.size >= this.settings.mostSessions && this.dropFor(session, () => 1));',
      to: '',
    },
    {
      control: 'a step of a training of a session has so many tokens',
      from: 'return tokens > this.settings.mostTokens;',
      to: 'return tokens < 0;',
    },
    {
      control: 'a visit begins no session',
      from: 'const session = this.used(id) ?? this.toBegin(id, owner);',
      to: 'const session = this.used(id) ?? this.toBegin(id, owner);\n    if (!this.sessions.has(id)) this.begin(id, session);',
    },
    {
      control: 'a request begins no session that was forgotten while it was answered',
      from: '    this.beginning.get(id)?.deref()?.ended.abort();\n',
      to: '',
    },
    {
      control: 'who has many sessions takes no room from who has few',
      from: 'sizes.get(owner) === most);',
      to: 'sizes.get(owner)! > 0);',
    },
    {
      control: 'between equal owners the own one gives the room',
      from: 'those.find(([, { owner }]) => owner === own.owner) ?? those[0]',
      to: 'those[0]',
    },
  ]),
];
