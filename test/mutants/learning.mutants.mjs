// The path of learning, from the sampled token to the served adapter: formulas within one function, and what one part hands to the next.
// `npm run mutants:learning` runs these alone and prints how many were noticed.
const quick = (file, spec, rows) => rows.map((row) => ({ file, suite: 'quick', spec, ...row }));

const TRAINER = 'apps/trainer/src/app.module.spec.ts';
const PLANNING = 'apps/trainer/src/planner-and-worker.spec.ts';
const GOLDEN = 'libs/language-model/src/golden.spec.ts';
const GRPO = 'libs/learning/src/grpo';
const MASK = 'test/quick/masked-training.spec.ts';
const ROLLOUT = 'libs/rollout/src/rollout.spec.ts';
const EVALUATION = 'libs/evaluation/src/';
const BUFFER = 'libs/success-buffer/src/';
const SPLITS = 'apps/standalone/src/splits.spec.ts';
const LMDB = 'libs/event-log-lmdb/src/lmdb-event-log';
const DEMONSTRATION = { suite: 'learning', spec: 'test/learning/demonstration.spec.ts' };

const LOSES_THE_GRAMMAR = {
  file: 'libs/learning/src/example.ts',
  from: '...(schema === undefined ? {} : { schema, continuationStart }),',
  to: '',
};
const FORGETS_THE_PARENT = {
  file: 'libs/training-runs/src/gradient-runner.ts',
  from: 'adapter: parent, trainable,',
  to: 'adapter: parent === null ? parent : null, trainable,',
};

export default [
  // --- what an entry is worth ---------------------------------------------------------------------------------------
  ...quick('libs/learning/src/advantage.ts', 'libs/learning/src/advantage.spec.ts', [
    {
      control: 'A1: an entry better than its siblings has a positive advantage',
      from: '(reward - mean) / scale',
      to: '(mean - reward) / scale',
    },
  ]),
  ...quick('libs/learning/src/importance.ts', 'libs/learning/src/importance.spec.ts', [
    {
      control: 'A4: importance weights are truncated',
      from: 'return Math.min(ratio, cap);',
      to: 'return Math.min(ratio, cap * 1e9);',
    },
    {
      control: 'A5: an importance weight is π / μ, not μ / π',
      from: 'proximal[token]! - logged',
      to: 'logged - proximal[token]!',
    },
    {
      control: 'A5b: an entry has the geometric mean of its ratios, and not their product',
      from: 'Math.exp(mean(differences))',
      to: 'Math.exp(mean(differences) * differences.length)',
    },
  ]),
  ...quick('libs/learning/src/grpo.ts', GRPO, [
    {
      control: 'A6: the KL reference is the one that was computed',
      from: "referenceLogProbs === null ? proximal : checkedLogProbs(plan, 'reference', computed)",
      to: 'referenceLogProbs === null ? proximal : proximal',
    },
    {
      control: 'B1: the logged log-probability of a token is its own',
      from: 'experience.logProbs[target - example.continuationStart]!',
      to: 'experience.logProbs[target - example.continuationStart - 1]!',
    },
    {
      control: 'B29: groups that were judged alike teach nothing',
      from: '!isDead(group.members.map(({ reward }) => reward)) && !(isTapered(config)',
      to: '!(isTapered(config)',
    },
  ]),
  ...quick('libs/learning/src/groups.ts', GRPO, [
    {
      control: 'A8: entries older than the window are left out',
      from: 'age <= maxStaleness)',
      to: 'age <= maxStaleness || age > 0)',
    },
    {
      control: 'A9: a failure of the infrastructure is no reward of 0',
      from: "if (result?.type !== 'OutcomeRecorded') return [];",
      to: "if (result?.type !== 'OutcomeRecorded') return [{ ...member, reward: 0, isMeasured: true, responseTokens: 0 }];",
    },
  ]),
  ...quick('libs/learning/src/example.ts', GRPO, [
    {
      control: 'A10: tokens that were no choice are not trained on',
      from: '(isForced ? [] : [position])',
      to: '(isForced ? [position] : [position])',
    },
  ]),
  ...quick('libs/learning/src/rest-em.ts', 'libs/learning/src/rest-em.spec.ts', [
    { control: 'only the present writer teaches', from: 'maxStaleness: 0,', to: 'maxStaleness: 9,' },
    {
      control: 'an entry needs a gain',
      from: 'gains[index]! > minimumGain',
      to: 'gains[index]! >= minimumGain',
    },
    { control: 'the best entry is kept', from: 'Math.max(...gains.filter', to: 'Math.min(...gains.filter' },
    { control: 'solved entries alone are kept on demand', from: 'reward === 1 && ', to: 'reward > 0.5 && ' },
    {
      control: 'too few entries are refused',
      from: 'if (examples.length < config.minExamples)',
      to: 'if (examples.length < 0)',
    },
  ]),
  ...quick('libs/learning/src/gains.ts', 'libs/learning/src/rest-em.spec.ts', [
    {
      control: 'the control arm is the baseline where there is one',
      from: 'control ?? mean(rewards)',
      to: 'mean(rewards)',
    },
  ]),
  ...quick('libs/doctor/src/self-edits.decide.ts', 'libs/doctor/src/self-edits.spec.ts', [
    {
      control: 'few self-edits say nothing of their writer',
      from: 'gains.length < LIMITS.minEditAttempts',
      to: 'gains.length < 1',
    },
    {
      control: 'nearly all self-edits help: a finding over passages without one alone',
      from: '&& controls.size > 0;',
      to: ';',
    },
    {
      control: 'entries of a prompt are no self-edits',
      from: 'TRAINED_ON.some((name) => result.executor.template.startsWith(name))',
      to: 'TRAINED_ON.length > 0',
    },
  ]),
  ...quick('libs/operations/src/doctor/facts-reader.ts', 'test/quick/doctor.spec.ts', [
    {
      control: 'the doctor compares self-edits with passages without one',
      from: "controls: results.filter(({ arm }) => arm === 'control'),",
      to: 'controls: [],',
    },
  ]),
  ...quick('libs/learning/src/sft.ts', 'libs/learning/src/sft.spec.ts', [
    {
      control: 'B26: imitation prefers what helped',
      from: 'row.helpfulness ** preference.power + preference.floor',
      to: '0 * row.helpfulness + preference.floor',
    },
  ]),
  ...quick('libs/learning/src/curriculum.decide.ts', 'libs/learning/src/curriculum.spec.ts', [
    {
      control: 'B35: scouts of the base model say nothing about the served adapter',
      from: 'isServed ? explored.filter(({ adapterDigest }) => adapterDigest !== null) : explored',
      to: 'isServed ? explored : explored',
    },
  ]),

  // --- the loss, and the model under it -----------------------------------------------------------------------------
  ...quick('libs/language-model/src/graphs/training-graph.ts', GOLDEN, [
    {
      control: 'A2: the KL term is part of the loss',
      from: "perToken = op('Add', op('Neg', gain), op('Mul', kl, number(klCoefficient)));",
      to: "perToken = op('Neg', gain);",
      title: 'clipped policy objective',
    },
    {
      control: 'B6: of the two gains the smaller one counts',
      from: "op('Min', plain, clipped)",
      to: "op('Max', plain, clipped)",
      title: 'clipped policy objective',
    },
    {
      control: 'B7: a ratio may rise further than it may fall',
      from: 'number(1 + clipHigh)',
      to: 'number(1 + clipLow)',
      title: 'clipped policy objective',
    },
    {
      control: 'B8: entropy is rewarded, not punished',
      from: "perToken = op('Sub', perToken, op('Mul', entropy",
      to: "perToken = op('Add', perToken, op('Mul', entropy",
      title: 'clipped policy objective',
    },
    {
      control: 'B9: what is imitated becomes more likely',
      from: "op('Add', compared, op('Mul', vector('imitation'), chosen))",
      to: "op('Sub', compared, op('Mul', vector('imitation'), chosen))",
      title: 'only imitates',
    },
  ]),
  ...quick('libs/language-model/src/generation/sampler.ts', 'libs/language-model/src/generation/sampler.spec.ts', [
    {
      control: 'A3: log-probabilities are recorded under the mask',
      from: 'logProb: logits[id]! - bestLogit - Math.log(legalSum),',
      to: 'logProb: logits[id]! - bestLogit - Math.log(legalSum) + Math.log(legalMass),',
    },
  ]),
  ...quick('libs/language-model/src/graphs/rotary.ts', GOLDEN, [
    {
      control: 'A11: rotary frequencies begin at the first pair',
      from: 'Math.fround((2 * i) / headDimension)',
      to: 'Math.fround((2 * i + 2) / headDimension)',
      title: 'logits of transformers',
    },
  ]),
  ...quick('libs/language-model/src/training/sequence-batch.ts', GOLDEN, [
    {
      control: 'A12: a token is predicted from what stands before it',
      from: 'places[n] = b * T + target - 1;',
      to: 'places[n] = b * T + target;',
      title: 'loss of PyTorch',
    },
  ]),
  ...quick(
    'libs/language-model/src/training/training-session.ts',
    'libs/language-model/src/training/training-session.spec.ts',
    [
      {
        control: 'a run that begins in another one’s session begins without its moments',
        from: '      firstMoments.fill(0);\n',
        to: '',
        title: 'begins another run',
      },
      {
        control: 'a run that begins in another one’s session begins at step 0',
        from: '      this.#step = 0;\n      this.settings',
        to: '      this.settings',
        title: 'begins another run',
      },
    ],
  ),
  ...quick('libs/language-model/src/training/adamw.ts', 'libs/language-model/src/training/adamw.spec.ts', [
    {
      control: 'B10: the second moment is corrected for its beginning at 0',
      from: 'const shrink = 1 / Math.sqrt(1 - beta2 ** step);',
      to: 'const shrink = 1;',
    },
  ]),

  // --- joins: trainer and engine, learning and grammar --------------------------------------------------------------
  ...quick('libs/training-runs/src/computed-log-probs.ts', TRAINER, [
    {
      control: 'A7: the base model as reference is the base model, not the parent',
      from: "referenceLogProbs === 'parent' || !hasParent;",
      to: 'true;',
    },
  ]),
  ...quick('libs/training-runs/src/gradient-runner.ts', TRAINER, [
    {
      control: 'B4: a resumed run takes its ratios to the weights that it began with',
      from: 'const computed = await this.logProbabilitiesFor(learning, weights, recording, parent);',
      to: 'await recording.resume(weights);\n      const computed = await this.logProbabilitiesFor(learning, weights, recording, parent);',
    },
    { control: 'B5: training begins from the parent', ...FORGETS_THE_PARENT },
  ]),
  ...quick('libs/training-runs/src/judge-adapter.ts', TRAINER, [
    {
      control: "A16: a parent's recorded success counts on the set that it was measured on",
      from: 'recorded?.problemSetDigest === measured.problemSetDigest',
      to: 'recorded !== null && recorded !== undefined',
    },
  ]),
  ...quick('libs/training-runs/src/run-training.ts', TRAINER, [
    {
      control: 'B28: an adapter that is not reproduced is reported',
      from: 'matches: actual === adapterDigest',
      to: 'matches: true',
    },
  ]),
  ...quick('libs/learning/src/example.ts', GRPO, [
    {
      control: 'B2: log-probabilities before the first step are computed under the grammar',
      from: 'plan.examples.map((example) => sequenceOf(example, 0))',
      to: 'plan.examples.map(({ schema: _, ...example }) => sequenceOf(example, 0))',
    },
    { control: 'B3: steps are computed under the grammar', ...LOSES_THE_GRAMMAR },
    {
      control: 'B3b: steps are computed under the budget that an entry was sampled with',
      from: '...(schema === undefined || maxTokens === undefined ? {} : { maxTokens }),',
      to: '',
    },
  ]),
  ...quick('libs/learning/src/example.ts', MASK, [
    {
      control: 'B2 with a real model: fresh entries have ratios of one',
      from: 'plan.examples.map((example) => sequenceOf(example, 0))',
      to: 'plan.examples.map(({ schema: _, ...example }) => sequenceOf(example, 0))',
    },
    { control: 'B3 with a real model: another adapter comes out without the grammar', ...LOSES_THE_GRAMMAR },
  ]),
  ...quick('libs/training-runs/src/outcome-window.ts', 'libs/training-runs/src/outcome-window.spec.ts', [
    {
      control: 'A13: a problem is complete with its last candidate',
      from: 'if (!isComplete({ groupSize: event.groupSize, members: members.size }))',
      to: 'if (!isComplete({ groupSize: event.groupSize, members: members.size - 1 }))',
    },
  ]),
  ...quick('libs/training-runs/src/training-history.ts', PLANNING, [
    {
      control: 'a history with a gap is refused',
      from: 'if (this.fault !== undefined) throw this.fault;',
      to: '',
    },
  ]),
  ...quick('libs/training-runs/src/plan-run.handler.ts', PLANNING, [
    {
      control: 'a planner keeps all windows that it may look back at',
      from: 'this.recent.forgetBefore(coveringRanges(rangesOf(replayable)));',
      to: 'this.recent.forgetBefore(rangesOf(replayable));',
    },
  ]),
  ...quick('libs/training-runs/src/recorded-events.ts', PLANNING, [
    {
      control: 'a planner reads no record of a window twice',
      from: 'const before = await this.source.placed({ ...range, to: held.from }, signal);',
      to: 'const before = await this.source.placed({ ...range, to: held.from }, signal); await this.source.placed(range);',
    },
  ]),
  ...quick('libs/training-runs/src/run-lease.ts', PLANNING, [
    {
      control: 'a run whose lease is renewed is left to its worker',
      from: 'if (seen?.text === text) return this.clock.now() - seen.sinceMs >= this.leaseMs;',
      to: 'if (text.length > 0) return true;',
    },
    {
      control: 'a run whose lease is not renewed is taken',
      from: 'return this.clock.now() - seen.sinceMs >= this.leaseMs;',
      to: 'return false;',
    },
  ]),
  ...quick('libs/training-runs/src/hold-run.ts', PLANNING, [
    {
      control: 'what a worker records of a run that another holds is fenced',
      from: 'log.transact({ records: events.map(encodeEvent), consumed: { claim, offsets: [] } });',
      to: 'log.append(events.map(encodeEvent));',
    },
  ]),
  ...quick('libs/training-runs/src/queue.ts', PLANNING, [
    {
      control: 'a worker takes the runs of its queue',
      from: 'return isOlder || run.queue === queue;',
      to: 'return isOlder || run.queue !== null;',
    },
    {
      control: 'a run that an older release began is taken',
      from: 'return isOlder || run.queue === queue;',
      to: 'return run.queue === queue;',
    },
    {
      control: 'a run in progress keeps the worker that is scaled by it',
      from: 'if (hasEnded(run)) return false;',
      to: "if (hasEnded(run) || run.status === 'started') return false;",
    },
  ]),
  ...quick('apps/trainer/src/plan-windows.handler.ts', `${TRAINER}|${PLANNING}`, [
    {
      control: 'A14: a run is planned with the last problem of its window',
      from: 'window.completedProblems < this.settings.trainEveryProblems',
      to: 'window.completedProblems <= this.settings.trainEveryProblems',
    },
    {
      control: 'a plan is committed with the record that completes its window',
      from: 'if (held.ended?.by !== by)',
      to: 'if (held.ended === undefined)',
    },
    {
      control: 'a window is planned when the run of the one before has ended',
      from: 'if (this.waitsFor !== undefined) return undefined;',
      to: '',
    },
  ]),
  ...quick('libs/release/src/promotion.decide.ts', 'libs/release/src/promotion.decide.spec.ts', [
    {
      control: 'gate by shares: the rule of the plan says what is compared',
      from: "if (measure === 'share') return betterByShare(",
      to: 'if (evaluation.shares != null) return betterByShare(',
    },
    {
      control: 'gate by shares: figures are of one measurement',
      from: "if (fault !== undefined) refuse('shares",
      to: "if (fault === '') refuse('shares",
    },
  ]),
  ...quick('libs/release/src/promotion-evidence.decide.ts', 'libs/release/src/served-adapter.projection', [
    {
      control: 'gate by shares: a measure that is not known promotes nothing',
      from: "if (measure !== undefined && measure !== 'share') return undefined;",
      to: '',
    },
  ]),
  ...quick('libs/statistics/src/share-evidence.ts', 'libs/statistics/src/share-evidence.spec.ts', [
    {
      control: 'gate by shares: a difference rounds against the candidate',
      from: 'return Math.floor((candidate - other) * STEPS);',
      to: 'return Math.ceil((candidate - other) * STEPS);',
    },
    {
      control: 'gate by shares: evidence does not grow on average while both are equal',
      from: 'return logBetEvidence(scores, { least: -1, greatest: 1 }, 0, 1);',
      to: 'return logBetEvidence(scores, { least: -1, greatest: 1 }, -0.05, 1);',
    },
  ]),
  ...quick('libs/environments/src/attempts-once.ts', 'libs/environments/src/attempts-once.spec.ts', [
    {
      control: 'an attempt that failed is made again',
      from: 'if (attempt.every(isAnswered)) this.known.set',
      to: 'if (attempt.length > 0) this.known.set',
    },
    {
      control: 'an attempt stands for equal seeds alone',
      from: 'entry, [...seeds], examination',
      to: 'entry, [seeds[0]], examination',
    },
    {
      control: 'an attempt stands for its own examination alone',
      from: 'examination?.id ?? null',
      to: 'null',
    },
  ]),
  ...quick(
    'libs/training-runs/src/adapter-evaluation.rollout.adapter.ts',
    'libs/training-runs/src/judged-comparison.spec.ts',
    [
      {
        control: 'a comparison tries an entry that both wrote once',
        from: 'if (this.latest?.problems === problems) return this.latest.environment;',
        to: '',
      },
    ],
  ),
  ...quick('libs/training-runs/src/compare-adapters.ts', 'libs/training-runs/src/compare-adapters.spec.ts', [
    {
      control: 'gate by shares: shares are recorded as they were measured',
      from: 'shares.add(result.share ?? Number(solved),',
      to: 'shares.add(Number(solved),',
    },
  ]),
  ...quick('libs/release/src/promotion.decide.ts', 'libs/release/src/promotion.decide.spec.ts', [
    {
      control: 'A15: one problem worse is worse',
      from: 'lead >= -tolerance * problems - 1e-9',
      to: 'lead >= -tolerance * problems - 1 - 1e-9',
    },
    {
      control: 'gate: a tie promotes nothing',
      from: 'promote: logPairedEvidence({ rescued, broken }) >= -Math.log(level)',
      to: 'promote: rescued >= broken',
    },
    {
      control: 'gate: what the candidate alone solves speaks for it',
      from: 'promote: logPairedEvidence({ rescued, broken })',
      to: 'promote: logPairedEvidence({ rescued: broken, broken: rescued })',
    },
    {
      control: 'gate: more problems are asked while they may decide',
      from: 'return logPairedEvidence(hoped) >= needed;',
      to: 'return false;',
    },
    {
      control: 'gate: an equal is let go after a portion or two',
      from: 'return logPairedEvidence(hoped) >= needed;',
      to: 'return true;',
    },
  ]),
  ...quick('libs/statistics/src/paired-evidence.ts', 'libs/statistics/src/paired-evidence.spec.ts', [
    {
      control: 'gate: evidence does not grow on average while both are equal',
      from: 'Math.log(sum) + logScale - Math.log(broken + 1)',
      to: 'Math.log(sum) + logScale - Math.log(broken + 0.5)',
    },
  ]),
  ...quick('libs/statistics/src/online-levels.ts', 'libs/statistics/src/online-levels.spec.ts', [
    {
      control: 'gate: every look spends of the risk',
      from: '(look + OFFSET) ** -1.5',
      to: '(1 + OFFSET) ** -1.5',
    },
    {
      control: 'gate: a promotion gives room to the next',
      from: '(look + OFFSET) ** -1.5 * (taken + 1)',
      to: '(look + OFFSET) ** -1.5',
    },
  ]),
  ...quick('libs/training-runs/src/compare-adapters.ts', 'libs/training-runs/src/compare-adapters.spec.ts', [
    {
      control: 'gate: rescued and broken are not exchanged',
      from: 'if (solved && !byParent) counts.rescued++;',
      to: 'if (!solved && byParent) counts.rescued++;',
    },
    {
      control: 'gate: problems that were asked again are counted',
      from: 'all + askedAgain(sizes[domain] ?? count, before[domain] ?? 0, count)',
      to: 'all + askedAgain(sizes[domain] ?? count, 0, count)',
    },
    {
      control: 'gate: candidate and parent are asked the same problems',
      from: 'evaluator.measure(parent, domains, stretch,',
      to: 'evaluator.measure(parent, domains, { ...stretch, from: 0 },',
    },
  ]),
  ...quick('libs/training-runs/src/validation-row.ts', 'libs/training-runs/src/validation-row.spec.ts', [
    {
      control: 'gate: the next comparison asks other problems',
      from: 'const begin = asked[domain] ?? 0;',
      to: 'const begin = 0;',
    },
    {
      control: "gate: problems are not asked in the file's order",
      from: "place: sha256('stretch', problem.problemId)",
      to: "place: ''",
    },
  ]),
  ...quick('libs/training-runs/src/plan-run.handler.ts', TRAINER, [
    {
      control: 'gate: a comparison takes its place in the row of all',
      from: 'const look = looks + 1;',
      to: 'const look = promoted + 1;',
    },
    {
      control: 'gate: a plan begins after what was asked before',
      from: 'asked: { ...asked.get(problemSet) }',
      to: 'asked: {}',
    },
  ]),
  ...quick('libs/training-runs/src/training-history.ts', TRAINER, [
    {
      control: 'gate: a comparison that promoted nothing was a look all the same',
      from: "if (event.type !== 'TrainingRunRejected' && event.type !== 'AdapterPromoted') return undefined;",
      to: "if (event.type !== 'AdapterPromoted') return undefined;",
    },
  ]),
  ...quick('apps/trainer/src/validation-problems.ts', 'apps/trainer/src/validation-problems.spec.ts', [
    {
      control: 'gate: a set on which nothing can be promoted is refused',
      from: "rule === 'better' ? fewestToPromote(promotion) : minProblems",
      to: 'minProblems',
    },
  ]),
  ...quick('apps/standalone/src/rates-as-parent.ts', 'apps/standalone/src/round-progress.spec.ts', [
    {
      control: 'gate: what is served is judged by comparisons after its promotion',
      from: 'const since = runs.slice(promoted + 1).filter(areCompared);',
      to: 'const since = runs.slice(Math.max(0, promoted)).filter(areCompared);',
    },
  ]),

  // --- who sees what ------------------------------------------------------------------------------------------------
  ...quick('libs/embedded-world/src/problems.ts', 'libs/embedded-world/src/problems.spec.ts', [
    {
      control: 'A17: splits share no combination of words',
      from: 'while (splitOf(lore, wording) !== split)',
      to: 'while (splitOf(lore, wording) !== split && random.float() > 0.1)',
    },
  ]),
  ...quick('apps/generator/src/write-experiences.handler.ts', 'apps/generator/src/app.module.spec.ts', [
    {
      control: 'A18: the generator never sees the reference',
      from: 'problem: { problemId, domain, prompt }, written };',
      to: 'problem: { problemId, domain, prompt: `${prompt} ${events[at].problem.reference}` }, written };',
    },
  ]),
  ...quick('apps/executor/src/rewarded-attempts.ts', 'apps/executor/src/app.module.spec.ts', [
    {
      control: 'A19: the executor never sees the reference',
      from: 'problem: statementOf(problem),',
      to: 'problem: { ...problem, prompt: `${problem.prompt} ${problem.reference}` },',
    },
  ]),
  ...quick('libs/evaluation/src/arm-entries.ts', EVALUATION, [
    {
      control: 'A20: the models of an evaluation never see the reference',
      from: 'problems.map(statementOf)',
      to: 'problems.map(({ problemId, domain, prompt, reference }) => ({ problemId, domain, prompt: `${prompt} ${reference}` }))',
    },
    {
      control: "B19: no problem is given its own entry as another problem's",
      from: 'exchanged(statements, settings).map((other) => ofAdapter[other]!)',
      to: 'exchanged(statements, settings).map((_other, own) => ofAdapter[own]!)',
    },
    {
      control: 'B20: the untrained arm has no adapter',
      from: 'return entriesOf(statements, settings, null);',
      to: 'return entriesOf(statements, settings, settings.adapter);',
    },
  ]),
  ...quick('libs/embedded-world/src/entries.ts', 'libs/embedded-world/src/entries.spec.ts', [
    {
      control: 'B30: the schema lists every advice for every word',
      from: 'allAdvice(Object.keys(cues), items)',
      to: 'Object.entries(cues).map(([word, item]) => advise(word, item))',
    },
  ]),
  ...quick('apps/standalone/src/world-files.ts', SPLITS, [
    {
      control: 'B32: the held-out measurement asks for what was never trained on',
      from: "split: 'heldOut'",
      to: "split: 'train'",
    },
    {
      control: 'B33: promotions are decided on problems that are not measured on',
      from: "split: 'validation',\n      variant: 'base'",
      to: "split: 'heldOut',\n      variant: 'base'",
    },
    {
      control: 'B33b: nor are those of the shifted domains',
      from: "split: 'validation',\n      variant: 'shifted'",
      to: "split: 'train',\n      variant: 'shifted'",
    },
  ]),
  ...quick('apps/standalone/src/problem-stream.ts', SPLITS, [
    {
      control: 'B34: the stream is of the training split',
      from: "split: 'train'",
      to: "split: 'heldOut'",
    },
  ]),

  // --- rollouts, verdicts and figures -------------------------------------------------------------------------------
  ...quick('libs/rollout/src/explore.ts', ROLLOUT, [
    {
      control: 'B18: every candidate of a group has a separate seed',
      from: 'candidateSeed(eventId, firstCandidate + at)',
      to: 'candidateSeed(eventId, firstCandidate)',
    },
  ]),
  ...quick('libs/evaluation/src/evaluate.ts', EVALUATION, [
    {
      control: 'B31: a set of problems is named by what they say',
      from: 'sha256(...problems.map((problem) => `${canonicalJson(problem)}\\n`))',
      to: 'sha256(String(problems.length))',
    },
    {
      control: 'B31b: and by their answers',
      from: 'canonicalJson(problem)}',
      to: "canonicalJson({ ...problem, reference: '' })}",
    },
  ]),
  ...quick('libs/experience/src/leaks.ts', 'libs/experience/src/leaks.spec.ts', [
    {
      control: 'B25: an answer within an entry is found',
      from: 'patternOf(problem)?.test(entry) ?? false',
      to: 'patternOf(problem)?.test("") ?? false',
    },
  ]),
  ...quick('libs/statistics/src/intervals.ts', 'libs/statistics/src/intervals.spec.ts', [
    {
      control: 'B27: an interval at 95 % is one at 95 %',
      from: 'const Z = 1.959963984540054;',
      to: 'const Z = 1.6448536269514722;',
    },
  ]),
  ...quick('apps/executor/src/frozen-executor.ts', 'apps/executor/src/app.module.spec.ts', [
    {
      control: 'B21: another executor on the same log is refused',
      from: 'if (differing.length > 0)',
      to: 'if (differing.length > 3)',
    },
  ]),
  ...quick('apps/generator/src/serving-adapter.ts', 'apps/generator/src/app.module.spec.ts', [
    {
      control: 'B22: a swapped adapter is proven by its fingerprint',
      from: 'if (!sameFingerprint(measured, fingerprint))',
      to: "if (measured === '' && !sameFingerprint(measured, fingerprint))",
    },
  ]),
  ...quick('libs/verifiers/src/final-answer.ts', 'libs/verifiers/src/registry.spec.ts', [
    {
      control: 'B23: the last answer is judged',
      from: "if (text[colon] === ':') last =",
      to: "if (text[colon] === ':' && last === null) last =",
    },
  ]),
  ...quick('libs/verifiers/src/exact.verifier.ts', 'libs/verifiers/src/registry.spec.ts', [
    {
      control: 'B24: exact is equal, not contained',
      from: 'accepted.has(normalise(answer))',
      to: 'accepted.size > 0 && normalise(answer).includes(wanted)',
    },
  ]),

  // --- what is kept, and delivered once -----------------------------------------------------------------------------
  ...quick('libs/near-duplicates/src/clusters.ts', 'libs/near-duplicates/src/', [
    {
      control: 'B11: near duplicates are joined',
      from: 'this.parents[Math.max(a, b)] = Math.min(a, b);',
      to: '',
    },
    {
      control: 'B12: what only collides is not joined',
      from: ' || jaccard(set, this.shinglesOf(other)) < this.settings.threshold',
      to: '',
    },
  ]),
  ...quick('libs/success-buffer/src/candidate.ts', `${BUFFER}rejections.spec.ts`, [
    {
      control: 'B13: exact duplicates are kept once',
      from: 'sha256(canonicalJson([domain, prompt, entry]))',
      to: 'sha256(canonicalJson([domain, prompt, entry, pair.outcomeId]))',
    },
    {
      control: 'B14: only valid entries are kept',
      from: 'lengthFault(pair, config) ?? validityFault(pair, validateEntry)',
      to: 'lengthFault(pair, config) ?? validityFault(pair, () => undefined)',
    },
  ]),
  ...quick('libs/event-log-lmdb/src/log-writer.ts', LMDB, [
    {
      control: 'B15: who lost his claim commits nothing',
      from: 'if (consumed) this.checkOwner(consumed);',
      to: '',
    },
    {
      control: 'B16: what was consumed is committed',
      from: 'state.putSync(stateKey.committed(group, topic, partition), Buffer.from(String(nextOffset)));',
      to: '',
    },
  ]),
  ...quick(
    'libs/service-kit/src/transport/idempotency-filter.ts',
    'libs/service-kit/src/transport/event-log.strategy.answered.spec.ts',
    [
      {
        control: 'B17: what was answered is not answered again',
        from: 'const isAnswered = answered.has(item) || causes.has(name) || first.has(name);',
        to: 'const isAnswered = false;',
      },
      {
        control: 'B17: what only names a record as its cause is no answer',
        from: 'if (answers(item.event!)) answered.add(item);',
        to: 'if (true) answered.add(item);',
      },
      {
        control: 'B17: a record of another tenant is another record',
        from: '[tenantOf(event.meta), messageId, correlationId, problemId]',
        to: '[messageId, correlationId, problemId]',
      },
      {
        control: 'B17: a record about another problem is another record',
        from: 'correlationId, problemId]);',
        to: 'correlationId]);',
      },
    ],
  ),
  ...quick(
    'libs/service-kit/src/transport/idempotency-filter.ts',
    'libs/service-kit/src/transport/idempotency-filter.spec.ts',
    [
      {
        control: 'B17: answers that are deleted meanwhile are not read',
        from: "!isSeamError(error, 'OFFSET_OUT_OF_RANGE') || stretch[0]! >= low",
        to: 'true',
      },
    ],
  ),
  ...quick('libs/event-log/src/stretches.ts', 'libs/service-kit/src/transport/idempotency-filter.spec.ts', [
    {
      control: 'B17: what is between two answers far apart is not read',
      from: 'offset - last.at(-1)! <= GAP_RECORDS',
      to: 'true',
    },
  ]),
  ...quick(
    'libs/service-kit/src/transport/claimed-causes.ts',
    'libs/service-kit/src/transport/claimed-causes.spec.ts',
    [
      {
        control: 'B17: all records of one cause keep their places',
        from: 'this.previous[at] = this.last[chain]!;',
        to: 'this.previous[at] = NONE;',
      },
      {
        control: 'B17: places of another cause are left out',
        from: 'if (this.hashes[at] === hash) places',
        to: 'places',
      },
    ],
  ),

  // --- how fast it learns ---------------------------------------------------------------------------------------------
  ...quick('apps/standalone/src/study/learning-speed.ts', 'apps/standalone/src/study/learning-speed.spec.ts', [
    {
      control: 'S1: a comparison of adapters costs calls for both of them',
      from: '?? 2 * (run?.validationProblems ?? 0)',
      to: '?? run?.validationProblems ?? 0',
    },
  ]),
  ...quick('apps/standalone/src/study/reward-server.ts', 'apps/standalone/src/study/reward-server.spec.ts', [
    {
      control: 'S2: an entry that misquotes its problem is not shown to the executor',
      from: 'return isFaithful(entry, schema, problem.prompt) === false ? null : entry;',
      to: 'return entry;',
    },
    {
      control: 'S3: an executor that failed is no reward of zero',
      from: "if (answer.status === 'answered') return (await judge(asked[at]!.problem, answer)).success;",
      to: "if (answer.status === 'answered') return (await judge(asked[at]!.problem, answer)).success; else return false;",
    },
    {
      control: 'S4: measuring is not counted',
      from: "if (set === 'train') this.calls += asked.length;",
      to: 'this.calls += asked.length;',
    },
  ]),

  // --- the demonstration itself -------------------------------------------------------------------------------------
  {
    control: 'C1: in the demonstration, too, training begins from the parent',
    ...FORGETS_THE_PARENT,
    ...DEMONSTRATION,
    title: 'further and further',
  },
  {
    control: 'C2: in the demonstration, too, entries are trained on under their grammar',
    ...LOSES_THE_GRAMMAR,
    ...DEMONSTRATION,
    title: 'toss of a coin',
  },
];
