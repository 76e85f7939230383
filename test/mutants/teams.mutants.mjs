// Teams and their sequential tuning (docs/adr/0074, docs/adr/0075).
const formulas = { suite: 'quick', spec: 'libs/team-tuning/src/formulas/formulas.spec.ts' };
const values = { suite: 'quick', spec: 'libs/team-tuning/src/value-head.spec.ts' };
const turns = { suite: 'quick', spec: 'libs/team-tuning/src/trained-turns.spec.ts' };
const shares = { suite: 'quick', spec: 'libs/team-tuning/src/problem-shares.spec.ts' };
const teams = { suite: 'quick', spec: 'libs/team-tuning/src/team.spec.ts' };
const measured = { suite: 'quick', spec: 'apps/cli/src/evaluate/evaluate-team.spec.ts' };
const swap = { suite: 'quick', spec: 'apps/trainer/src/team-of-file.spec.ts' };
const warmUp = { suite: 'quick', spec: 'apps/trainer/src/team-warm-up.spec.ts' };
const twice = { suite: 'quick', spec: 'apps/trainer/src/asked-twice.spec.ts' };
const prefer = { suite: 'quick', spec: 'apps/cli/src/team/prefer.spec.ts' };
const kept = { suite: 'quick', spec: 'libs/team-tuning/src/update-agent.spec.ts' };
const stage = { suite: 'quick', spec: 'apps/trainer/src/team-stage.spec.ts' };

const rows = (base, file, title, controls) =>
  controls.map((each) => ({ ...base, file: `libs/team-tuning/src/${file}`, title, ...each }));

const apart = { suite: 'quick', spec: 'libs/team-tuning/src/judged-alike.spec.ts' };
const recorded = { suite: 'quick', spec: 'libs/team-tuning/src/team-records.spec.ts' };

const study = { suite: 'quick', spec: 'apps/standalone/src/team/team-study.spec.ts' };

export default [
  {
    control: 'no stage is planned for a team with an agent that was not aligned',
    file: 'libs/team-tuning/src/team-method.ts',
    from: 'if (this.joining !== null &&',
    to: 'if (false &&',
    suite: 'quick',
    spec: 'apps/trainer/src/team-of-file.spec.ts',
    title: 'yet to be aligned',
  },
  {
    control: 'a stage that was planned is finished',
    file: 'libs/training-runs/src/plan-run.handler.ts',
    from: 'if (killed !== undefined) return killed;\n    method.assertPlannable',
    to: 'if (killed !== undefined && method.assertPlannable === undefined) return killed;\n    method.assertPlannable',
    suite: 'quick',
    spec: 'apps/trainer/src/team-of-file.spec.ts',
    title: 'planned and killed',
  },
  ...[
    {
      control: 'a study of teams holds every seed to its bar',
      from: 'rateOf(run.heldOut) >= LEAST_HELD_OUT',
      to: 'true',
    },
    {
      control: 'a study of teams says where one after the other ends lower',
      from: 'simultaneous.all.interval95[1] < 0',
      to: 'false',
    },
    { control: 'a study of teams wants a stage that falls less', from: 'falls(SHOWN) < falls(UNGATED)', to: 'true' },
    {
      control: 'a study of teams compares equal rollouts',
      from: '.map(spentOf)).size > 1',
      to: '.map(spentOf)).size > 9',
    },
    { control: 'a study of teams says what was not run', from: 'absent.length === 0', to: 'true' },
  ].map((row) => ({ ...study, file: 'apps/standalone/src/team/team-study.ts', title: 'a study of a team', ...row })),
  ...rows(apart, 'judged-alike.ts', 'are not compared within a group', [
    {
      control: 'a group of several revisions teaches nothing',
      from: 'areOfOneJudge(tallyJudges(group.map(judgeOf)))',
      to: 'areOfOneJudge([])',
    },
  ]),
  ...rows(apart, 'judged-alike.ts', 'are not compared by values', [
    {
      control: 'values rest on no mix of revisions',
      from: '.find((tally) => !isMix(tally))',
      to: '[0]',
    },
  ]),
  ...rows(apart, 'trained-turns.ts', 'are not compared by values', [
    {
      control: 'values rest on one revision',
      from: 'judgedBy(rollouts, mainJudge(rollouts))',
      to: 'rollouts',
    },
    {
      control: 'the values of earlier batches rest on the same revision',
      from: 'earlier.map((each) => judgedBy(each, judge))',
      to: 'earlier',
    },
  ]),
  ...rows(apart, 'agent-order.ts', 'which agent is updated first', [
    {
      control: 'the order of agents rests on one revision in each group',
      from: 'alikeInGroups(rollouts)',
      to: 'rollouts',
    },
  ]),
  ...rows(recorded, 'team-records.ts', 'a batch of rollouts', [
    {
      control: 'a rollout on record names its judge',
      from: 'success, reward, executor, judge }',
      to: 'success, reward, executor }',
    },
    {
      control: 'another judge is another batch',
      from: '...(judge === null ? {} : { judge }) };',
      to: '...(judge === null ? {} : {}) };',
    },
    {
      control: 'a batch of an earlier version has the digest that it had',
      from: '...(judge === null ? {} : { judge }) };',
      to: 'judge };',
    },
  ]),
  {
    suite: 'quick',
    spec: 'apps/trainer/src/judged-comparisons.spec.ts',
    file: 'libs/team-tuning/src/team-runner.ts',
    control: 'a stage in which no rollout counts makes no team',
    from: 'state.updates.every(({ rollouts }) => rollouts === 0)',
    to: 'state.updates.length === 0',
    title: 'makes no team',
  },
  {
    ...measured,
    file: 'libs/team-tuning/src/team-samples.ts',
    control: 'a team is judged by the judge that it is given',
    from: "await judgeOf('the team', problem, { text, finished }, verifiers)",
    to: "await judgeOf('the team', problem, { text, finished }, undefined)",
    title: 'asks the judge once',
  },
  {
    suite: 'quick',
    spec: 'libs/team-tuning/src/team-samples.spec.ts',
    file: 'libs/team-tuning/src/team-rollout.ts',
    control: 'no agent is asked where no model can judge',
    from: '  verifiers.assertCanJudge(problems);\n',
    to: '',
    title: 'are refused before an agent is asked',
  },
  {
    suite: 'quick',
    spec: 'apps/trainer/src/judged-comparisons.spec.ts',
    file: 'apps/trainer/src/team-of-file.ts',
    control: 'a trainer compares teams by its judge',
    from: '...{ team, schemaFor, environmentOf, verifiers, terms:',
    to: '...{ team, schemaFor, environmentOf, terms:',
    title: 'tunes a team',
  },
  {
    suite: 'quick',
    spec: 'apps/trainer/src/judged-comparisons.spec.ts',
    file: 'apps/trainer/src/team-of-file.ts',
    control: 'a stage of a team is judged by the trainer’s judge',
    from: 'schemaFor, environment, verifiers, evaluation }',
    to: 'schemaFor, environment, evaluation }',
    title: 'tunes a team',
  },
  ...rows(formulas, 'formulas/sequence-ratio.ts', 'the ratio of a turn', [
    {
      control: 'one token cannot carry a ratio away',
      from: 'sum += clamped(difference, TOKEN_CLAMP_NATS);',
      to: 'sum += difference;',
    },
    {
      control: 'a whole turn cannot carry a ratio away',
      from: 'Math.exp(clamped(sum, SEQUENCE_CLAMP_NATS))',
      to: 'Math.exp(sum)',
    },
    {
      control: 'what is clamped has no slope',
      from: 'isWithin.map((each) => each && isSumWithin)',
      to: 'isWithin.map(() => true)',
    },
    {
      control: 'a rollout that the changed team likes better weighs one',
      from: '  return Math.min(\n    1,',
      to: '  return Math.min(\n    1e9,',
    },
  ]),
  ...rows(formulas, 'formulas/surrogate.ts', 'what an update maximises', [
    {
      control: 'a turn is not moved past its clip',
      from: 'const slope = isClipped ? 0 : weight * plain;',
      to: 'const slope = weight * plain;',
    },
    {
      control: 'the distance pulls the policy back',
      from: ' - share * Math.expm1(difference)',
      to: ' + share * Math.expm1(difference)',
    },
    {
      control: 'a truncated weight weighs',
      from: 'const slope = isClipped ? 0 : weight * plain;',
      to: 'const slope = isClipped ? 0 : plain;',
    },
  ]),
  ...rows(formulas, 'formulas/kl-gate.ts', 'the gate', [
    {
      control: 'what is no number is not accepted',
      from: 'if (distance <= target && ',
      to: 'if (!(distance > target) && ',
    },
    {
      control: 'a step that takes much from what succeeded is not accepted',
      from: '(mostLost === null || lost <= mostLost)',
      to: 'true',
    },
    {
      control: 'the distance is a quantile and no mean',
      from: 'Math.ceil(share * sorted.length - 1e-9)',
      to: 'Math.ceil(0.5 * sorted.length - 1e-9)',
    },
    {
      control: 'back-tracks come to an end',
      from: 'return backtracks < maxBacktracks',
      to: 'return true',
    },
  ]),
  ...rows(turns, 'trained-turns.ts', 'turns to train on', [
    {
      control: 'a success that was judged apart does not count',
      from: 'success: rollout.success && counted.has(rollout),',
      to: 'success: rollout.success,',
    },
  ]),
  ...rows(formulas, 'formulas/lost-successes.ts', 'the gate', [
    {
      control: 'what failed may be lost',
      from: 'turns.filter(({ success, logProbs }) => success && logProbs.length > 0)',
      to: 'turns.filter(({ logProbs }) => logProbs.length > 0)',
    },
    {
      control: 'what failed is not kept',
      from: 'turn.success && (lostBy',
      to: '(lostBy',
      title: 'what an update keeps',
    },
    {
      control: 'what lost half of the limit is kept before it is lost',
      from: '> mostLost / 2',
      to: '> mostLost',
      title: 'what an update keeps',
    },
    {
      control: 'a larger advantage stays',
      from: 'Math.max(turn.advantage, keptAdvantage)',
      to: 'keptAdvantage',
      title: 'what an update keeps',
    },
    {
      control: 'what one state gains makes up for no other',
      from: '({ state }) => state,\n  );',
      to: "() => 'all',\n  );",
    },
  ]),
  ...rows(formulas, 'formulas/advantages.ts', 'advantages', [
    {
      control: 'an advantage is clipped',
      from: 'rewards.map((reward) => clippedTo((reward - mean) / scale, most))',
      to: 'rewards.map((reward) => (reward - mean) / scale)',
    },
    {
      control: 'a value gains nothing by moving further than its range',
      from: 'Math.abs(moved) > range && held >= free',
      to: 'Math.abs(moved) > 9 * range',
    },
    {
      control: 'the slope of a value loss is that of its loss',
      from: 'slope: 2 * (value - target) };',
      to: 'slope: value - target };',
    },
  ]),
  ...rows(teams, 'team-rollout.ts', 'what a team comes to', [
    {
      control: 'a vote counts answers that mean the same as one',
      from: 'majorityVote(await answerClasses(answers, verifier, verifiers))',
      to: 'majorityVote(answers.map((answer) => (answer === null ? null : answers.indexOf(answer))))',
    },
  ]),
  {
    ...{ suite: 'quick', spec: 'apps/standalone/src/team/stage-progress.spec.ts' },
    file: 'apps/standalone/src/team/stage-progress.ts',
    control: 'each agent is named as it begins',
    from: 'subject === this.subject && now',
    to: 'now',
    title: 'the progress of a stage',
  },
  ...rows(values, 'value-head.ts', 'values of what agents were asked', [
    {
      control: 'a value goes towards the return',
      from: 'COEFFICIENT * rate * slope',
      to: '-COEFFICIENT * rate * slope',
    },
  ]),
  ...rows(turns, 'trained-turns.ts', 'advantages by values', [
    {
      control: 'no reward is compared with a value that it is in',
      from: "baseline === 'before-fit' ? fitted : [...fitted, compared]",
      to: '[...fitted, compared]',
    },
  ]),
  ...rows(turns, 'tuning.config.ts', 'advantages by values', [
    {
      control: 'new runs take the values of before',
      from: "advantage: { baseline: 'before-fit', ...advantage }",
      to: 'advantage',
    },
  ]),
  ...rows(shares, 'problem-shares.ts', 'the problems of the batches', [
    {
      control: 'no agent is left without problems',
      from: 'Math.floor((batch * length) / count)',
      to: 'Math.min(length, batch * Math.ceil(length / count))',
    },
    {
      control: 'fewer problems than agents are refused',
      from: 'if (length < count)',
      to: 'if (length < 0)',
    },
  ]),
  ...rows(shares, 'tuning.config.ts', 'the problems of the batches', [
    {
      control: 'new stages divide their problems evenly',
      from: "    division: 'even',\n",
      to: '',
    },
  ]),
  ...rows(formulas, 'formulas/certificate.ts', 'the certificate', [
    { control: 'a vacuous bound is reported as one', from: '=> !(bound > -1)', to: '=> false' },
  ]),
  ...rows(teams, 'team.ts', 'a team file', [
    {
      control: 'braces of a problem are text',
      from: 'role.replaceAll(PLACES, (_, place: ',
      to: "role.replace('{problem}', given.problem).replaceAll(PLACES, (_, place: ",
    },
    {
      control: 'a team does not claim the slot of the generators',
      from: 'alike(slot) !== GENERATOR_SLOT',
      to: "alike(slot) !== ''",
    },
    {
      control: 'a slot is a path of plain names',
      from: '/^[a-z0-9][a-z0-9._-]*(\\/[a-z0-9][a-z0-9._-]*)*$/i',
      to: '/./',
    },
    {
      control: 'two agents do not share a slot',
      from: 'else if (slotted < at)',
      to: 'else if (slotted < 0)',
    },
    {
      control: 'names that differ by case only are one',
      from: 'return name.toLowerCase();',
      to: 'return name;',
    },
  ]),
  ...rows(kept, 'update-agent.ts', 'an update of an agent', [
    {
      control: 'the next try keeps what succeeded',
      from: 'turns = keptTurns(turns, lostBy, gate!);',
      to: '',
    },
  ]),
  ...rows(stage, 'update-agent.ts', 'the gate of a stage', [
    {
      control: 'what the gate refuses is taken back',
      from: 'await weights.restoreState(before!);',
      to: '',
    },
  ]),
  ...rows(stage, 'team-runner.ts', 'a stage of a team', [
    {
      control: 'the team is sampled as it is by then',
      from: '        adapter: state.adapters[place]!,\n      })),\n    });',
      to: '        adapter: stage.before[place]!,\n      })),\n    });',
    },
    {
      control: 'a stage is saved after each agent',
      from: 'await recording.saving.save(state, { distance: update.distance });',
      to: '',
    },
  ]),
  ...[
    {
      ...stage,
      file: 'libs/training-runs/src/train-on-demand.handler.ts',
      control: 'a run whose plan is not believed is not carried out for who asks',
      from: 'if (doubt !== undefined) throw notBelieved(plan, doubt);',
      to: '',
      title: 'a stage for a slot that learns from attempts',
    },
    {
      ...{ suite: 'quick', spec: 'apps/generator/src/app.module.spec.ts', file: 'libs/rollout/src/served.ts' },
      control: 'a generator takes no team for weights',
      from: 'if (isTeamKey(key)) throw ofTeam(key);',
      to: '',
      title: 'when a team is promoted into its slot',
    },
  ],
  ...rows(stage, 'team-batch.ts', 'a stage of a team', [
    {
      control: 'what the log has is not asked again',
      from: 'if (recorded !== undefined) return recorded;',
      to: '',
    },
  ]),
  ...rows(swap, 'swap/swap-agent.ts', 'an agent of a team', [
    {
      control: 'what leaves is asked as it was, not what joins',
      from: 'return { engines: agents.map((each) => each.replaced ?? each), adapters',
      to: 'return { engines: agents, adapters',
    },
    {
      control: 'an adapter that joins is the one that was named',
      from: 'engine: agents[place]!.engine, adapter: joining,',
      to: 'engine: agents[place]!.engine, adapter: present.adapters[place]!,',
    },
    {
      control: 'what stays too far away does not join',
      from: 'if (!aligned.isWithin) {',
      to: 'if (metrics.passes < 0) {',
    },
    {
      control: 'only one agent joins at a time',
      from: 'if (other !== undefined)',
      to: 'if (other === null)',
    },
  ]),
  ...rows(swap, 'swap/align-agent.ts', 'an agent of a team', [
    {
      control: 'steps go towards the agent that is replaced',
      from: 'clipHigh: 1, beta: 1 }',
      to: 'clipHigh: 1, beta: 0 }',
    },
    {
      control: 'passes end at the first one within the target',
      from: 'if (isWithin || passes === settings.maxPasses)',
      to: 'if (passes === settings.maxPasses)',
    },
  ]),
  ...rows(swap, 'team-runner.ts', 'an agent of a team', [
    {
      control: 'a stage refuses a team of other base models',
      from: 'if (parent.baseModelDigest !== this.baseModelDigest) throw',
      to: 'if (parent === undefined) throw',
    },
  ]),
  ...[
    {
      control: 'problems of a run that failed stay unread',
      from: "if ((run.status !== 'promoted' && run.status !== 'rejected') || run.plan.slot !== slot) continue;",
      to: "if (run.status === 'unknown' || !hasEnded(run) || run.plan.slot !== slot) continue;",
    },
  ].map((each) => ({
    ...swap,
    file: 'libs/training-runs/src/plan-published.ts',
    title: 'an agent of a team',
    ...each,
  })),
  ...rows(warmUp, 'warm-up/warm-up-agent.ts', 'a warm-up of an agent', [
    {
      control: 'the chosen answer is learned',
      from: 'await model.spell?.(chosen, schema)',
      to: 'await model.spell?.(pair.rejected, schema)',
    },
    {
      control: 'what is asked is no part of the loss',
      from: '[continuationStart + at],',
      to: '[at + 1],',
    },
    {
      control: 'a warm-up is saved on its way',
      from: 'await saving.save(weights, { loss });',
      to: '',
    },
    {
      control: 'an answer that does not fit is not cut',
      from: 'if (tokenIds.length > maxPositions)',
      to: 'if (false)',
    },
  ]),
  ...[
    {
      file: 'libs/training-runs/src/preference-set.ts',
      control: 'a set that was changed is not learned from',
      from: 'preferenceSetDigest(pairs) === setDigest) return;',
      to: 'pairs.length > 0) return;',
    },
    {
      file: 'libs/training-runs/src/preference-set.ts',
      control: 'a set that is published again mends it',
      from: 'pairs.set(event.index, event);',
      to: 'if (!pairs.has(event.index)) pairs.set(event.index, event);',
    },
    {
      file: 'libs/training-runs/src/preference-set.ts',
      control: 'a pair that was added to a set is left out where it is published again',
      from: '({ index }) => index < count',
      to: '() => true',
    },
    {
      file: 'libs/training-runs/src/run-lease.ts',
      spec: 'apps/trainer/src/asked-twice.spec.ts',
      title: 'a stage that is asked for twice',
      control: 'a process of another container has not ended because none here has its number',
      from: "machine === '' || machine !== OWN_PROCESS.machine || ",
      to: '',
    },
    {
      file: 'libs/training-runs/src/believed-plans.ts',
      control: 'a plan of a warm-up is borne out by its pairs',
      from: ', TOPIC.problems, TOPIC.teams, TOPIC.feedback])',
      to: ', TOPIC.problems, TOPIC.feedback])',
    },
    {
      file: 'libs/training-runs/src/plan-published.ts',
      control: 'a warm-up is compared on the domains of the problems',
      from: ', ...domainsOf(problems)])].sort();',
      to: '])].sort();',
    },
  ].map((each) => ({ ...warmUp, title: 'a warm-up of an agent', ...each })),
  ...[
    {
      file: 'libs/datasets/src/read-preferences.ts',
      control: 'a pair prefers something',
      from: 'chosen !== rejected, {',
      to: 'true, {',
    },
    {
      file: 'libs/operations/src/team/publish-preferences.ts',
      control: 'one bad row keeps a file out',
      from: 'if (badRows === 0 && rows > 0) return pairs;',
      to: 'if (pairs.length > 0) return pairs;',
    },
    {
      file: 'libs/operations/src/team/publish-preferences.ts',
      control: 'a set is recorded once',
      from: 'preferenceSetDigest(known.pairs) === setDigest)',
      to: 'false)',
    },
  ].map((each) => ({ ...prefer, title: 'seam team prefer', ...each })),
  ...[
    {
      file: 'libs/training-runs/src/train-on-demand.handler.ts',
      control: 'who asks second takes nothing away',
      from: 'return leases.alone(plan.runId, asked, signal, () => this.carryOut(plan, asked.by, signal));',
      to: 'return this.carryOut(plan, asked.by, signal);',
    },
    {
      file: 'libs/training-runs/src/run-lease.ts',
      control: 'a lease that runs out is taken',
      from: 'if (!hasEnded(other) && !(await this.isLeft(found, signal)))',
      to: 'if (!hasEnded(other))',
    },
  ].map((each) => ({ ...twice, title: 'a stage that is asked for twice', ...each })),
  ...[
    {
      control: 'of several that ask at once one gets the lease',
      from: "{ ifMatch: found === undefined ? 'absent' : { etag: found.etag } });",
      to: '{});',
    },
    {
      control: 'a process that was killed is in no way',
      from: "return (error as NodeJS.ErrnoException).code === 'ESRCH';",
      to: 'return false;',
    },
  ].map((each) => ({
    ...{ suite: 'slow', spec: 'test/resilience/asked-twice.spec.ts', file: 'libs/training-runs/src/run-lease.ts' },
    ...{ title: 'R44', ...each },
  })),
  ...[
    {
      control: 'what was measured is on record only where it was asked for',
      from: 'if (request.record !== undefined) {',
      to: '{',
    },
    {
      control: 'a record names every answer',
      from: 'digest.update(line);',
      to: '',
    },
  ].map((each) => ({
    ...{
      ...measured,
      file: 'libs/operations/src/evaluate/evaluate-team.ts',
      title: 'seam eval --team --record',
      ...each,
    },
  })),
  ...rows(stage, 'team-runner.ts', 'other ways to tune', [
    {
      control: 'a batch of an older team has truncated weights',
      from: "const isStale = settings.updates === 'sequential' && batch !== position;",
      to: 'const isStale = false;',
    },
  ]),
  ...rows(stage, 'team-rollout.ts', 'a stage of a team', [
    {
      control: 'an agent of a chain reads what came before',
      from: "const before = team.topology === 'vote' ? '' : ",
      to: "const before = true ? '' : ",
    },
    {
      control: 'what is learned from live is what the log holds',
      from: 'logProbs: logProbs.map(Math.fround)',
      to: 'logProbs',
    },
  ]),
  ...rows(
    { suite: 'quick', spec: 'libs/team-tuning/src/team-samples.spec.ts' },
    'team-samples.ts',
    'figures of a team',
    [
      {
        control: 'answers of all agents are pooled',
        from: 'const answers = samples * Math.max(1, voters.length);',
        to: 'const answers = samples;',
      },
      {
        control: 'what was not asked counts nowhere',
        from: 'const asked = predictions.filter(({ unjudged }) => unjudged === null);',
        to: 'const asked = predictions;',
      },
      {
        control: 'an agent is measured by its own answers',
        from: 'each.answers.filter(({ agent }) => agent === name)',
        to: 'each.answers',
      },
    ],
  ),
  ...rows(
    { suite: 'quick', spec: 'libs/team-tuning/src/team-samples.spec.ts' },
    'team-rollout.ts',
    'a sample that an agent',
    [
      {
        control: 'a problem counts where one sample of it could be asked',
        from: 'return reasons.includes(null) ? null : (reasons[0] ?? null);',
        to: 'return reasons.find((reason) => reason !== null) ?? null;',
      },
      {
        control: 'who comes after an agent that was not asked is not asked',
        from: "return topology === 'chain' && untaken.some((reason) => reason !== null);",
        to: 'return false;',
      },
    ],
  ),
  ...[
    {
      control: 'a killed stage is resumed, not planned again',
      from: 'return plans.findLast(',
      to: 'return [].findLast(',
    },
    {
      control: 'a killed stage keeps no problem from another one',
      from: "(run.status !== 'promoted' && run.status !== 'rejected') ||",
      to: "run.status === 'unknown' ||",
    },
  ].map((each) => ({
    ...stage,
    file: 'libs/training-runs/src/plan-published.ts',
    title: 'a stage of a team',
    ...each,
  })),
  ...rows(measured, 'team-samples.ts', 'seam eval --team', [
    {
      control: 'a prompt that does not fit leaves the others alone',
      from: "tooLong: 'no answer'",
      to: "tooLong: 'error'",
    },
    {
      control: 'an answer that was cut off does not count',
      from: 'finished: finished[at] ?? true',
      to: 'finished: true',
    },
  ]),
  ...rows(measured, 'team-artefact.ts', 'seam eval --team', [
    {
      control: 'a tuned team has the agents of the file',
      from: 'if (canonicalJson(expected) === canonicalJson(got)) return;',
      to: 'return;',
    },
  ]),
  {
    ...measured,
    file: 'libs/operations/src/evaluate/evaluate-team.ts',
    title: 'seam eval --team',
    control: 'a tuned team is measured on the models that it was tuned on',
    from: 'if (measured === artefact.baseModelDigest) return artefact;',
    to: 'return artefact;',
  },
  ...[
    {
      control: 'an artefact is acted on in its own slot',
      from: 'if (meant !== undefined) return meant;',
      to: 'return meant ?? servedIn(slots, named);',
    },
    {
      control: 'a slot has to be in the log',
      from: 'if (named !== undefined && !slots.has(named))',
      to: 'if (false)',
    },
    {
      control: 'of two slots one has to be named',
      from: 'if (only !== undefined && others.length === 0) return only;',
      to: 'if (only !== undefined) return only;',
    },
  ].map((each) => ({
    ...{ suite: 'quick', spec: 'apps/cli/src/adapters/slots.spec.ts', title: 'what a person decides on a team' },
    ...{ file: 'libs/operations/src/adapters/slot-meant.decide.ts', ...each },
  })),
  ...[
    {
      control: 'who is promoted answers as it was published',
      from: 'if (sameFingerprint(measured, published.fingerprint)) return;',
      to: 'return;',
    },
    {
      control: 'agents’ weights are there before a team is promoted',
      from: 'if (isTeamKey(key)) return await loadTeam(objects, { key, adapterDigest });',
      to: "if (isTeamKey(key)) return { kind: 'team', members: [], digest: adapterDigest, baseModelDigest: baseModelDigest ?? '' };",
    },
  ].map((each) => ({
    ...{ suite: 'quick', spec: 'apps/cli/src/adapters/slots.spec.ts', title: 'promotes nothing' },
    ...{ file: 'libs/operations/src/adapters/prove-artefact.ts', ...each },
  })),
  {
    ...{ suite: 'quick', spec: 'apps/cli/src/adapters/slots.spec.ts', title: 'a team of several base models' },
    file: 'libs/operations/src/adapters/prove-artefact.ts',
    control: 'a team is proven on the base models that it was tuned on',
    from: 'if (measured === artefact.baseModelDigest) return bases;',
    to: 'return bases;',
  },
  {
    ...{ suite: 'quick', spec: 'apps/trainer/src/team-of-file.spec.ts', title: 'the team of a file' },
    file: 'apps/trainer/src/config.ts',
    control: 'a team without its method is refused',
    from: 'method === TEAM_METHOD || team === undefined',
    to: 'true',
  },
];
