/** What a self-edit is made from, and what is made of it. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const SPEC = 'libs/self-edits/src/self-edits.spec.ts';

export default [
  ...quick('apps/cli/src/restem/track.command.ts', 'apps/cli/src/restem/track.command.spec.ts', [
    {
      control: 'a self-training is tracked where it is named',
      from: 'await trackSelfTrainings(tracker, chosen)',
      to: 'await trackSelfTrainings(tracker, all)',
    },
    {
      control: 'figures go to one tracker',
      from: '(files === undefined) === (mlflow === undefined)',
      to: 'files === undefined && mlflow === undefined',
    },
  ]),
  ...quick('apps/executor/src/execute-experiences.handler.ts', 'apps/executor/src/refused-edits.spec.ts', [
    {
      control: 'a refused edit earns nothing under any verifier',
      from: 'const reward = editRefusal == null ? (measurement?.earned ?? judgement.reward) : 0;',
      to: 'const reward = measurement?.earned ?? judgement.reward;',
    },
    {
      control: 'the outcome of a refused edit says why',
      from: 'const editRefusal = refusalOf(responses);',
      to: 'const editRefusal = refusalOf(responses.map((each) => ({ ...each, refused: undefined }) as never));',
    },
  ]),
  ...quick('libs/doctor/src/self-edits.decide.ts', 'libs/doctor/src/self-edits.spec.ts', [
    {
      control: 'the doctor looks at tool configurations',
      from: "['inner-lora-update@', 'few-shot-lora-update@']",
      to: "['inner-lora-update@']",
    },
  ]),
  ...quick('libs/learning/src/rest-em.ts', 'libs/learning/src/rest-em.spec.ts', [
    { control: 'an edit that could not act is not imitated', from: '!isRefused && measuredGains', to: 'measuredGains' },
  ]),
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
  ...quick('libs/self-edits/src/filter-edits.ts', 'libs/self-edits/src/filter-edits.spec.ts', [
    {
      control: 'questions without answers are refused',
      from: 'if (wellFormed < LEAST_WELL_FORMED)',
      to: 'if (wellFormed < 0)',
    },
    {
      control: 'a copy of the passage is no rewrite',
      from: 'return copied >= MOST_COPIED ?',
      to: 'return copied > 1 ?',
    },
    {
      control: 'nearly the same edit is kept once',
      from: '(near ??= this.ids[other])',
      to: 'other < 0 && (near ??= this.ids[other])',
    },
    { control: 'an edit has 20 tokens', from: 'tokens < leastTokens', to: 'tokens <= leastTokens' },
  ]),
  ...quick('libs/self-edits/src/gibberish.ts', 'libs/self-edits/src/filter-edits.spec.ts', [
    { control: 'a loop is refused', from: 'if (repeated > MOST_REPEATED)', to: 'if (repeated > 1)' },
    { control: 'mashed keys are refused', from: 'return known < LEAST_KNOWN ?', to: 'return known < 0 ?' },
  ]),
  ...quick('libs/self-edits/src/edit-key.ts', 'libs/self-edits/src/edit-key.spec.ts', [
    {
      control: 'an edit of another adapter is another edit',
      from: 'writer: { source, model, adapter, form },',
      to: 'writer: { source, model, form },',
    },
    {
      control: 'an edit of another title is another edit',
      from: 'passage: { title, passage: text },',
      to: 'passage: text,',
    },
  ]),
  ...quick('libs/self-edits/src/write-edits.ts', 'libs/self-edits/src/write-edits.spec.ts', [
    {
      control: 'a failure that no edit escapes ends the writing',
      from: 'if (halted !== undefined) throw',
      to: 'if (halted !== undefined && tries === 0) throw',
    },
    { control: 'another try has another seed', from: 'attempt === 1 ? seed', to: 'attempt > 0 ? seed' },
  ]),
  ...quick('libs/operations/src/edits/edit-cache.ts', 'libs/operations/src/edits/edit-cache.spec.ts', [
    { control: 'a file of another edit is not a hit', from: 'entry.data.key === key', to: 'entry.data.key !== null' },
    {
      control: 'a changed text is not a hit',
      from: 'entry.data.digest === sha256(entry.data.text)',
      to: 'entry.data.digest !== null',
    },
    {
      control: 'what was used last stays',
      from: 'a.usedAtMs - b.usedAtMs',
      to: 'b.usedAtMs - a.usedAtMs',
    },
  ]),
  ...quick('libs/operations/src/edits/generate-edits.ts', 'apps/cli/src/edits/generate-edits.command.spec.ts', [
    {
      control: 'an edit is in the cache before its batch is whole',
      from: 'const kept = cache?.keep(asked[index]!, text);',
      to: 'const kept = this.world.signal.aborted ? undefined : cache?.keep(asked[index]!, text);',
    },
    {
      control: 'lines of a writer that fails for every passage are not kept',
      from: 'else this.doubtful.push(line);',
      to: 'else ready.push(line);',
    },
    {
      control: 'an edit of another meaning than its passage is refused',
      from: 'figure === undefined || figure >= similarity.least',
      to: 'figure === undefined || figure >= -1',
    },
  ]),
  ...quick('libs/operations/src/edits/edit-work.ts', 'apps/cli/src/edits/generate-edits.command.spec.ts', [
    {
      control: 'after a stop the filters know the edits from before it',
      from: 'if (line.edit !== null) this.refusal(item, line.edit);',
      to: '',
    },
    {
      control: 'a passage is trained on once',
      from: 'number === 0 ? [...documents] : documents.slice(0, -1)',
      to: '[...documents]',
    },
  ]),
  ...quick('apps/cli/src/edits/render-preview.ts', 'apps/cli/src/edits/preview-edits.command.spec.ts', [
    {
      control: 'a document steers no terminal',
      from: '${withoutControls(document)}',
      to: '${document}',
    },
  ]),
  {
    control: 'an edit begins with what the edits before it taught',
    file: 'libs/model-clients/src/executor.language-model.adapter.ts',
    suite: 'quick',
    spec: 'cli/src/study/study-retention.command.spec.ts',
    from: 'adapt: (request, options) => this.adaptedBy(training, adapter, request, options),',
    to: 'adapt: (request, options) => this.adaptedBy(training, null, request, options),',
  },
  {
    control: 'a gate refuses an edit that costs too much',
    file: 'libs/evaluation/src/retention-study.ts',
    suite: 'quick',
    spec: 'cli/src/study/study-retention.command.spec.ts',
    from: "(arm !== 'gate' || ",
    to: "(arm !== 'plain' || ",
  },
  {
    control: 'scores of an earlier run are kept only as far as they are those of this study',
    file: 'libs/operations/src/evaluate/study-retention.ts',
    suite: 'quick',
    spec: 'cli/src/study/study-retention.command.spec.ts',
    from: '`${step.arm} ${step.seed} ${step.step}` !== wanted[steps.length]) break;',
    to: '`${step.arm} ${step.seed} ${step.step}` === wanted[steps.length]) break;',
  },
  ...quick('libs/inner-update/src/learned-weights.ts', 'libs/model-clients/src/learned-folder.spec.ts', [
    {
      control: 'files of another training are refused',
      from: 'if (sha256(bytes) !== record.files[name])',
      to: 'if (bytes.length === 0)',
    },
    {
      control: 'kept weights of another model are refused',
      from: 'if (record.baseModelDigest !== base.digest)',
      to: "if (record.baseModelDigest === '')",
    },
    {
      control: 'kept weights are those that their record names',
      from: 'if (adapter.digest !== record.adapterDigest)',
      to: "if (adapter.digest === '')",
    },
  ]),
  ...quick(
    'libs/model-clients/src/executor.language-model.adapter.ts',
    'libs/model-clients/src/learned-folder.spec.ts',
    [
      {
        control: 'an executor with kept weights is another executor',
        from: 'learned === undefined ? model.digest : `${learned.digest}@${model.digest}`',
        to: 'model.digest',
      },
      {
        control: 'an executor answers with the weights that it kept',
        from: 'return this.answerGreedily(this.learned, prompts,',
        to: 'return this.answerGreedily(null, prompts,',
      },
      {
        control: 'kept weights are trained further by their own settings',
        from: 'this.assertContinues(settings, start);',
        to: '',
      },
    ],
  ),
  ...quick('libs/model-clients/src/open-executor.ts', 'libs/model-clients/src/learned-folder.spec.ts', [
    {
      control: 'an environment that cannot train kept weights further is refused at the start',
      from: 'if (kind.trains === true) model.assertContinues(choice.innerUpdate);',
      to: '',
    },
  ]),
  ...quick('libs/model-clients/src/executor.config.ts', 'libs/model-clients/src/learned-folder.spec.ts', [
    {
      control: 'kept weights belong to no server',
      from: "if (driver !== 'checkpoint' && adapterFolder !== undefined)",
      to: "if (driver === 'checkpoint' && adapterFolder !== undefined)",
    },
  ]),
  ...quick('libs/evaluation/src/passage-learning.ts', 'cli/src/edits/train-edits.command.spec.ts', [
    {
      control: 'passages learned in turn begin with what was learned before',
      title: 'one after the other',
      from: 'current = adaptation.model;',
      to: '',
    },
  ]),
  ...quick('libs/operations/src/evaluate/learned-passages.ts', 'operations/src/evaluate/learned-passages.spec.ts', [
    {
      control: 'faulty rows of passages are said',
      from: 'if (badRows > 0) say();',
      to: '',
    },
    {
      control: 'faulty rows of passages are counted',
      from: 'badRows++;',
      to: 'badRows = 1;',
    },
    {
      control: 'a passage without answers is no faulty row',
      from: 'ungraded: true',
      to: 'ungraded: false',
    },
  ]),
  ...quick('libs/operations/src/edits/train-edits.ts', 'cli/src/edits/train-edits.command.spec.ts', [
    {
      control: 'questions of a file with faulty rows are not asked',
      title: 'says what is wrong',
      from: 'if (file.faultyRows > 0)',
      to: 'if (false)',
    },
    {
      control: 'the scale of the pairs stays what it is',
      title: 'trains as it is asked to',
      from: 'rank === configured.rank ? configured.alpha : ',
      to: '',
    },
    {
      control: 'edits are learned without their passages where that is asked',
      title: 'trains as it is asked to',
      from: 'number === 0 && !withPassages ? documents.slice(0, -1) : documents',
      to: 'documents',
    },
    {
      control: 'questions are about the passages that were learned',
      title: 'says what is wrong',
      from: 'if (passage !== task.passage)',
      to: "if (task.passage === '')",
    },
    {
      control: 'many edits have as many steps as they need',
      title: 'trains as it is asked to',
      from: 'maxSteps: Number.MAX_SAFE_INTEGER',
      to: 'maxSteps: configured.maxSteps',
    },
    {
      control: 'another rank leaves the scale of the pairs',
      title: 'trains as it is asked to',
      from: '(configured.alpha / configured.rank) * rank',
      to: 'configured.alpha',
    },
    {
      control: 'the record of weights is written last',
      title: 'trains as it is asked to',
      from: "of ['tensors', 'config', 'record'] as const)",
      to: "of ['record', 'tensors', 'config'] as const)",
    },
  ]),
  ...quick('libs/operations/src/restem/self-training.decide.ts', 'libs/operations/src/restem/self-training.spec.ts', [
    { control: 'training waits for every attempt', from: 'settled < problems ? {', to: 'settled < 0 ? {' },
    {
      control: 'iterations without a better writer end it',
      from: 'without = isBetter(run) ? 0 : without + 1;',
      to: 'without = 0;',
    },
    {
      control: 'a run that failed says nothing of the writer',
      from: "if (run.status === 'failed') return",
      to: "if (run.status === 'cancelled') return",
    },
    {
      control: 'what a person stopped continues when it is started again',
      from: 'Object.assign(known, { config, stopped: null });',
      to: 'Object.assign(known, { config });',
    },
    {
      control: 'a problem is its own by its id, not by what it says',
      from: '|| !isRowOf(known, index, problemId)',
      to: '',
    },
    { control: 'lost problems are not waited for', from: 'new Set([...lost.keys(), ', to: 'new Set([' },
    {
      control: 'runs of other self-trainings are passed over',
      from: 'iteration?.of === selfTrainingId',
      to: 'iteration !== undefined',
    },
  ]),
  ...quick('libs/operations/src/restem/iteration-figures.ts', 'libs/operations/src/restem/self-training.spec.ts', [
    {
      control: 'attempts of other writers do not count',
      from: 'adapterDigest === writer);',
      to: 'adapterDigest !== undefined);',
    },
  ]),
  ...quick('libs/operations/src/restem/self-training.decide.ts', 'libs/operations/src/restem/idle.spec.ts', [
    {
      control: 'in idle time passages are explored one by one',
      from: 'rows: missing.slice(0, 1) };',
      to: 'rows: missing };',
    },
    {
      control: 'the time of a rest is not spent',
      from: 'if (last !== undefined) last.to ??= at;',
      to: 'if (last === undefined) return;',
    },
  ]),
  ...quick('libs/operations/src/restem/idle.decide.ts', 'libs/operations/src/restem/idle.spec.ts', [
    {
      control: 'the wait for its own passage takes no time while others wait',
      from: "step.kind === 'none' || step.kind === 'rest') return step;",
      to: "step.kind === 'none' || step.kind === 'rest' || step.kind === 'wait') return step;",
    },
    {
      control: 'idle time ends where a problem waits',
      from: 'return waiting > 0 ? {',
      to: 'return waiting > 1 ? {',
    },
    {
      control: 'a spent budget begins no passage',
      from: 'spent.attempts >= idle.maxAttempts ||',
      to: '',
    },
    {
      control: 'tokens count',
      from: '|| spent.tokens >= (idle.maxTokens ?? Number.POSITIVE_INFINITY)',
      to: '',
    },
    {
      control: 'only what a promoted writer learned from is old',
      from: 'run === undefined || !isBetter(run)',
      to: 'run === undefined',
    },
  ]),
  ...quick('libs/operations/src/restem/open-work.decide.ts', 'libs/operations/src/restem/idle.spec.ts', [
    {
      control: 'what is recorded again of an ended problem is no work',
      from: 'if (ended.has(problemId)) return undefined;',
      to: '',
    },
    {
      control: 'a letter whose record was sent again holds no more',
      from: '!redriven.has(place)',
      to: "place !== ''",
    },
    {
      control: 'a letter of one attempt does not end its siblings',
      from: 'groups.every(({ groupSize, written',
      to: 'groups.some(({ givenUp }) => givenUp.size > 0) || groups.every(({ groupSize, written',
    },
    {
      control: 'a letter counts for what is missing',
      from: '!isOwn(problemId) && !isGivenUp(work, problemId)',
      to: '!isOwn(problemId)',
    },
    {
      control: 'a problem waits until every group is complete',
      from: '.every(({ groupSize, settled })',
      to: '.some(({ groupSize, settled })',
    },
  ]),
  ...quick('libs/operations/src/restem/run-restem.ts', 'libs/operations/src/restem/run-idle.spec.ts', [
    {
      control: 'a tracker that fails keeps no writer from being trained',
      from: 'onUntracked(messageOf(error));',
      to: 'onUntracked(messageOf(error)); throw error;',
    },
    {
      control: 'a self-training shows its figures at its end',
      from: "case 'none':\n          await this.show();",
      to: "case 'none':",
    },
    {
      control: 'a process that is asked to stop records the end of its work',
      from: 'if (this.isWorking) await this.recordStop().catch(() => undefined);',
      to: '',
    },
    {
      control: 'a training makes room for a problem that arrives',
      from: 'if (this.isStopped || isInTheWay) stop.abort(LEAVE);',
      to: 'if (this.isStopped || (isInTheWay && this.facts.rows.length === 0)) stop.abort(LEAVE);',
    },
  ]),
  ...quick('libs/operations/src/restem/run-restem.ts', 'libs/operations/src/restem/run-idle.spec.ts', [
    {
      control: 'a training that another process finishes is waited for',
      from: 'error.details.pid === undefined',
      to: 'error.details.pid !== undefined',
    },
  ]),
  ...quick('libs/training-runs/src/keep-old-problems.ts', 'libs/training-runs/src/keep-old-problems.spec.ts', [
    {
      control: 'what no one could judge does not count as kept',
      from: 'both.length > 0 && judgedApart === 0',
      to: 'judgedApart === 0',
    },
    {
      control: 'old problems that the log lost are not kept',
      from: 'isKept: ids.length === 0,',
      to: 'isKept: problems.length === 0,',
    },
    {
      control: 'no later publication changes an old problem',
      from: '!found.has(event.problem.problemId)',
      to: 'wanted.size > 0',
    },
    {
      control: 'a problem counts where both were judged',
      from: 'if (before === null || after === null) continue;',
      to: 'if (before === null) continue;',
    },
  ]),
  ...quick('libs/statistics/src/retention.ts', 'libs/training-runs/src/keep-old-problems.spec.ts', [
    {
      control: 'the gate lets nothing pass that costs too much',
      from: 'cost <= mostCost + ROUNDING',
      to: 'cost <= mostCost + 0.1 + ROUNDING',
    },
  ]),
  {
    suite: 'learning',
    file: 'libs/training-runs/src/train-on-demand.handler.ts',
    spec: 'test/learning/restem-flow.spec.ts',
    control: 'a run that was planned for an iteration continues',
    from: 'plannedFor(request, known) ??',
    to: '',
  },
  ...quick('libs/training-runs/src/train-on-demand.handler.ts', 'apps/trainer/src/asked-twice.spec.ts', [
    {
      control: 'a run that was planned without the gate does not escape it',
      from: 'if (retention !== undefined && !hasEnded(run)) checkRetention(plan, retention);',
      to: '',
    },
  ]),
  ...quick('libs/operations/src/restem/search-restem.ts', 'apps/cli/src/restem/restem.command.spec.ts', [
    {
      control: 'trials of another search do not count',
      from: 'trial?.search !== search) break;',
      to: 'trial === undefined) break;',
    },
    {
      control: 'the winner has the greatest success',
      from: 'Math.max(...candidates',
      to: 'Math.min(...candidates',
    },
  ]),
  {
    control: 'an estimate of cost counts each edit of each iteration',
    file: 'libs/operations/src/cost/cost-estimate.decide.ts',
    suite: 'quick',
    spec: 'operations/src/cost/cost-estimate.decide.spec.ts',
    from: '...{ writing: iterations * editsPerPassage,',
    to: '...{ writing: iterations,',
  },
  ...quick('libs/operations/src/cost/cost-estimate.decide.ts', 'operations/src/cost/cost-estimate.decide.spec.ts', [
    {
      control: 'each seed of an edit is another training',
      from: 'editsPerPassage * trainingsPerEdit;',
      to: 'editsPerPassage;',
    },
    {
      control: 'a promotion tries both writers',
      from: '(2 * plan.validationPassages * iterations)',
      to: '(plan.validationPassages * iterations)',
    },
    {
      control: 'an estimate has the learning of the writer',
      from: 'iterations * keptPerPassage * writerEpochs',
      to: '0',
    },
    {
      control: 'an estimate is as sure as what is done most',
      from: 'each.seconds[phase] * times[phase]',
      to: 'each.seconds[phase]',
    },
  ]),
  ...quick('apps/cli/src/cost/estimate-cost.command.ts', 'cli/src/cost/estimate-cost.command.spec.ts', [
    {
      control: 'an estimate without writing says that the writer does not learn',
      from: 'phases.learning.units === 0',
      to: 'keptPerPassage * writerEpochs === 0',
      title: 'where nothing is written',
    },
  ]),
  ...quick('libs/operations/src/cost/estimate-cost.ts', 'cli/src/cost/estimate-cost.command.spec.ts', [
    {
      control: "an edit has the generator's limit of tokens",
      from: 'maxTokens === undefined ? sampling : { ...sampling, maxTokens }',
      to: '{ ...sampling, maxTokens: 24 }',
    },
    {
      control: 'an edit that was not written is no estimate',
      from: 'const outcome = outcomes[0]!;',
      to: "const outcome = { status: 'written', text: '', ...outcomes[0]!, ...{ status: 'written' } } as Extract<EditOutcome, { status: 'written' }>;",
    },
  ]),
  {
    control: 'an estimate of cost says how sure it is',
    file: 'libs/operations/src/cost/cost-estimate.decide.ts',
    suite: 'quick',
    spec: 'operations/src/cost/cost-estimate.decide.spec.ts',
    from: 'Math.sqrt(variance / k)',
    to: 'Math.sqrt(variance / k / k)',
  },
  ...quick('libs/rollout/src/rewards/accuracy-gain.reward.ts', 'libs/rollout/src/rewards/rewards.spec.ts', [
    { control: 'no gain earns nothing', from: 'passes: value > least', to: 'passes: value >= least' },
  ]),
  ...quick('libs/rollout/src/rewards/perplexity.reward.ts', 'libs/rollout/src/rewards/rewards.spec.ts', [
    { control: 'a model as unsure as before earns nothing', from: 'value < most', to: 'value <= most' },
  ]),
  ...quick('libs/rollout/src/rewards/validation-loss.reward.ts', 'libs/rollout/src/rewards/rewards.spec.ts', [
    {
      control: 'a worth is the share below the threshold',
      from: 'bounded(1 - value / most)',
      to: 'bounded(most - value)',
    },
  ]),
  ...quick('libs/rollout/src/rewards/rewards.ts', 'libs/rollout/src/rewards/rewards.spec.ts', [
    {
      control: 'a loss that is no number is no reward of 0',
      from: '!(loss >= 0 && Number.isFinite(loss))',
      to: 'loss < 0',
    },
    {
      control: 'a reward that cannot be measured is refused at the start',
      from: 'configured.needs.likelihoods && !environment.examines',
      to: 'configured.needs.likelihoods && environment === undefined',
    },
    {
      control: 'an edit that could not act is not measured',
      from: 'if (acted.length === 0) return null;',
      to: '',
    },
  ]),
  ...quick('libs/rollout/src/rewards/http.reward.ts', 'libs/rollout/src/rewards/http.reward.spec.ts', [
    {
      control: "an endpoint's reward is from 0 to 1",
      from: 'reward >= 0 && reward <= 1',
      to: 'Number.isFinite(reward)',
    },
  ]),
  ...quick('apps/executor/src/rewarded-attempts.ts', 'apps/executor/src/rewarded-attempts.spec.ts', [
    {
      control: 'a failed frozen attempt fails what is compared with it',
      from: 'return failure.length > 0 ? failure : attempts[index]!;',
      to: 'return attempts[index]!;',
    },
    {
      control: 'the frozen model is asked once a problem',
      from: '.filter(({ problemId }) => !this.baselines.has(problemId))',
      to: '.filter(({ problemId }) => problemId.length > 0)',
    },
    {
      control: "a batch's own frozen attempts are not forgotten",
      from: 'if (!asked.has(problemId)) this.baselines',
      to: 'this.baselines',
    },
  ]),
  ...quick('libs/experiment-tracking/src/tracker.files.adapter.ts', 'libs/experiment-tracking/src/trackers.spec.ts', [
    {
      control: 'a run lies in its folder',
      from: '/^[A-Za-z0-9_-]{1,128}$/.test(run.id)',
      to: "run.id !== ''",
    },
  ]),
  ...quick('libs/experiment-tracking/src/run-plots.ts', 'libs/experiment-tracking/src/run-plots.spec.ts', [
    { control: "a run's name is text", from: ".replaceAll('<', '&lt;')", to: '' },
    { control: 'what is drawn stays in its panel', from: 'Math.min(1, Math.max(0, value))', to: 'value' },
    { control: 'a trend has the slope of least squares', from: '(step - x) ** 2', to: '(step - x) ** 2 + 1' },
  ]),
  ...quick('libs/experiment-tracking/src/tracker.mlflow.adapter.ts', 'libs/experiment-tracking/src/trackers.spec.ts', [
    { control: 'an answer without end is refused', from: 'if (size > MAX_ANSWER_BYTES)', to: 'if (size < 0)' },
    { control: 'nothing is sent elsewhere', from: "redirect: 'manual'", to: "redirect: 'follow'" },
  ]),
  ...quick('libs/operations/src/restem/track-restem.ts', 'libs/operations/src/restem/self-training.spec.ts', [
    {
      control: 'figures of an iteration under way are not final',
      from: 'run !== null && run.endedAt !== null',
      to: 'run !== null',
    },
  ]),
  ...quick('libs/language-model/src/generation/generation-queue.ts', 'generation/generation-queue.spec.ts', [
    {
      control: 'a candidate that had its time ends as late',
      from: 'if (timeoutMs === undefined || group.tookMs < timeoutMs) continue;',
      to: 'if (timeoutMs !== 0) continue;',
    },
    {
      control: 'the time of a candidate begins with its writing',
      from: 'shareTime(members, performance.now() - startedMs);',
      to: 'for (const each of [...members, ...this.#queue]) shareTime([each], performance.now() - startedMs);',
    },
    {
      control: 'the time of a wave is divided among its groups',
      from: 'group.tookMs += ranForMs / members.length;',
      to: 'group.tookMs += ranForMs;',
    },
  ]),
  ...quick('libs/rollout/src/explore-edits.ts', 'libs/rollout/src/explore-edits.spec.ts', [
    {
      control: 'further tries are of one passage at a time',
      from: 'attempt === 1 && groups.length > 0 ? [groups] : groups.map((group) => [group])',
      to: '[groups]',
    },
    {
      control: 'edits that an ended call wrote are not asked for again',
      from: 'asked.filter((edit) => !this.written.has(edit))',
      to: 'asked',
    },
    {
      control: 'an outage is no try of an edit',
      from: 'if (code === undefined) throw error;',
      to: '',
    },
    {
      control: 'a group is reported once all of it is written',
      from: 'every((edit) => this.written.has(edit))',
      to: 'some((edit) => this.written.has(edit))',
    },
  ]),
  ...quick('libs/model-clients/src/vllm-completions.ts', 'libs/model-clients/src/vllm-completions.spec.ts', [
    {
      control: 'a candidate of a server that had its time is late',
      from: "if (isSeamError(error, 'DEADLINE_EXCEEDED')) return sequence([], [], [], 'late');",
      to: '',
    },
    {
      control: 'no wait for a server is the time of a candidate',
      from: 'return await write({ signal, time: { leftMs: timeoutMs } });',
      to: 'const late = new Promise<GeneratedSequence>((end) => setTimeout(end, timeoutMs, sequence([], [], [], "late"))); return await Promise.race([late, write({ signal, time: { leftMs: timeoutMs } })]);',
    },
  ]),
  ...quick('libs/openai-endpoint/src/endpoint-client.ts', 'libs/model-clients/src/vllm-completions.spec.ts', [
    {
      control: 'an outage takes no time of a task',
      from: "if (time !== undefined && reading.kind !== 'outage')",
      to: 'if (time !== undefined)',
    },
    {
      control: 'the requests of a task share its time',
      from: 'time.leftMs -= nowMs - startedMs;',
      to: 'void startedMs;',
    },
    {
      control: 'a task without time left is not asked for',
      from: 'if (task.time !== undefined && task.time.leftMs <= 0) throw this.late();',
      to: '',
    },
    {
      control: 'a request ends with the time of its task',
      from: 'const withinMs = isShort ? time.leftMs : limits.requestTimeoutMs;',
      to: 'const withinMs = limits.requestTimeoutMs;',
    },
  ]),
  ...quick('libs/openai-endpoint/src/http-exchange.ts', 'libs/openai-endpoint/src/endpoint-client.spec.ts', [
    {
      control: 'a short time does not hide that there is no connection',
      from: 'if (this.numOpen === 0)',
      to: 'if (this.numOpen < 0)',
    },
  ]),
  ...quick('apps/generator/src/write-experiences.handler.ts', 'apps/generator/src/edits.spec.ts', [
    {
      control: 'edits of the service have a time and tries',
      from: 'return editLimits === null',
      to: 'return editLimits !== undefined',
    },
    {
      control: 'the edits of a group that was begun are kept for the next delivery',
      from: 'const written = this.begun.get(keys[at]!) ?? [];',
      to: 'const written: never[] = [];',
    },
  ]),
  ...quick('apps/generator/src/app.module.ts', 'apps/generator/src/edits.spec.ts', [
    {
      control: 'the tries of an edit fit into the deadline',
      from: 'if (longest.ms < deadlineMs) return;',
      to: 'if (longest.ms !== deadlineMs + 1) return;',
    },
  ]),
  ...quick('apps/generator/src/edits-in-time.decide.ts', 'apps/generator/src/edits-in-time.decide.spec.ts', [
    {
      control: 'the deadline covers two writers of an answer',
      from: 'Math.max(2, exploring, turnsOf(groupSize))',
      to: 'Math.max(exploring, turnsOf(groupSize))',
    },
    {
      control: 'the deadline covers all turns of a group',
      from: 'Math.ceil(candidates / most)',
      to: 'Math.min(1, candidates)',
    },
    {
      control: 'the deadline covers the turns at a server',
      from: "if (driver === 'vllm') return vllm.concurrency;",
      to: '',
    },
    {
      control: 'the deadline covers the scouts',
      from: 'turnsOf(groupSize - numScouts) + turnsOf(numScouts)',
      to: 'turnsOf(groupSize - numScouts)',
    },
  ]),
  ...quick('apps/executor/src/execute-experiences.handler.ts', 'apps/executor/src/refused-edits.spec.ts', [
    {
      control: 'an edit that was not written is no attempt of the writer',
      from: 'if (unaugmented == null || !isUnwritten(experience)) return undefined;',
      to: 'return undefined;',
    },
    {
      control: 'a passage without an edit is answered where an answer is wanted',
      from: "|| experience.arm !== 'explore') return undefined;",
      to: ') return undefined;',
    },
    {
      control: 'a passage without an edit earns what its answers are worth',
      from: ' || isUnwritten(experience))',
      to: ')',
    },
  ]),
  ...quick('apps/executor/src/execute-experiences.handler.ts', 'apps/executor/src/unwritten-edits.spec.ts', [
    {
      control: 'a record names no failure of a writing that generators do not have',
      from: "code: UNWRITTEN_CODES.find((each) => each === code) ?? 'INTERNAL',",
      to: 'code: code as ErrorCode,',
    },
    {
      control: 'an edit that was not written is concluded without the executor',
      from: 'if (ended !== undefined) return done(',
      to: 'if (ended?.code === UNWRITTEN_CODES[0]) return done(',
    },
  ]),
  ...quick('libs/rollout/src/explore-edits.ts', 'apps/executor/src/unwritten-edits.spec.ts', [
    {
      control: 'the failures of a writing are no outage',
      from: "  'NON_FINITE',\n] as const",
      to: "  'NON_FINITE',\n  'ENDPOINT_UNAVAILABLE',\n] as const",
    },
  ]),
  ...quick('libs/events/src/unwritten.ts', 'apps/executor/src/unwritten-edits.spec.ts', [
    {
      control: 'an experience with an entry is judged by it, also where it names a failure of its writing',
      from: " && entry === ''",
      to: '',
    },
    {
      control: 'an experience with tokens is judged, also where it names a failure of its writing',
      from: ' && tokenIds.length === 0',
      to: '',
    },
  ]),
  ...quick('apps/standalone/src/read-log.ts', 'apps/standalone/src/read-log.spec.ts', [
    {
      control: 'the report counts no entry that was not written',
      from: 'if (isUnwritten(event)) continue;',
      to: '',
    },
  ]),
  ...quick('apps/executor/src/app.module.ts', 'apps/executor/src/attempts-recorded.spec.ts', [
    {
      control: 'attempts that train are recorded one by one',
      from: 'trains ? attemptsAtOnce : undefined',
      to: 'trains ? undefined : attemptsAtOnce',
    },
  ]),
  ...quick('libs/model-clients/src/executor.batches.ts', 'apps/executor/src/attempts-recorded.spec.ts', [
    {
      control: 'as many trainings are under way as the setting says',
      from: '{ maxBatchRecords: 1, maxConcurrentPartitions: trainingsAtOnce }',
      to: '{ maxBatchRecords: 1, maxConcurrentPartitions: trainingsAtOnce + 1 }',
    },
  ]),
];
