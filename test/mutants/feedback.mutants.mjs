/** What people say of answers joins a reward within bounds, and a plan that heard it comes out the same (docs/adr/0128). */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const HEARD = 'apps/trainer/src/heard-people.spec.ts';

export default [
  ...quick('libs/operations/src/feedback/give-feedback.ts', 'apps/cli/src/feedback/give-feedback.command.spec.ts', [
    {
      control: "feedback on an answer of a session's adapter is refused for what it is",
      from: 'if (sessionAdapter !== null)',
      to: 'if (sessionAdapter === undefined)',
    },
    {
      control: 'an answer that ended without feedback is no judged one',
      from: "feedbackId === null ? 'ungraded' : 'judged'",
      to: "feedbackId === null ? 'judged' : 'judged'",
    },
    {
      control: 'an answer whose end has no result waits for feedback',
      from: 'if (!isBorneOut) return;',
      to: '',
    },
    {
      control: 'an answer waits for feedback though a client says that its wait is over',
      from: 'isEndOf(event, each)) !== true',
      to: 'isEndOf(event, each)) === undefined',
    },
  ]),
  ...quick('libs/read-models/src/waiting-answers.projection.ts', 'libs/read-models/src/waiting-answers', [
    {
      control: 'an end without its result leaves an answer in the count of those that wait',
      from: 'if (cells.get(result) === undefined) {',
      to: "if (cells.get(result) === '') {",
      title: 'in any order',
    },
    {
      control: 'an end whose result comes later takes an answer out of the count',
      from: "waiting.delete(cells.get(result) ?? '');",
      to: '',
      title: 'in any order',
    },
    {
      control: 'an end that does not follow from an answer leaves it in the count',
      from: ' || !isEndOf(event, { answerId, resultId: wait.resultId })',
      to: '',
      title: 'free id',
    },
    {
      control: 'an answer that can get no end is not in the count',
      from: "if (meta.causationId !== experienceId || meta.messageId !== derivedId(experienceId, 'answer')) return;",
      to: '',
      title: 'can get no end',
    },
    {
      control: 'an end whose result may be deleted takes an answer out of the count',
      from: 'endedAt === null || endedAt >= resultsSinceMs',
      to: 'endedAt === null || endedAt >= 0',
      title: 'in the log no more',
    },
    {
      control: 'a log with its first results says of each end whether it has one',
      from: ' && position.offset > 0)',
      to: ')',
      title: 'in the log no more',
    },
  ]),
  ...quick('libs/learning/src/feedback.ts', 'libs/learning/src/feedback.spec.ts', [
    {
      control: 'of each person the last word counts',
      from: 'known === undefined || isLater(each, known)',
      to: 'known === undefined || !isLater(each, known)',
    },
    {
      control: 'a person who repeats a word counts once',
      from: 'last.set(person, each);',
      to: 'last.set(person + each.meta.messageId, each);',
    },
    {
      control: 'feedback of another tenant does not count',
      from: ' && tenantOf(meta) === tenantOf(own);',
      to: ';',
    },
    {
      control: 'who published the problem does not judge its answers',
      from: 'meta.subject !== null && meta.subject !== own.subject',
      to: 'meta.subject !== null',
    },
    {
      control: 'who names only themselves is not heard',
      from: 'meta.subject !== null && meta.subject !== own.subject',
      to: 'meta.subject !== own.subject',
    },
    {
      control: 'feedback names the problem of its attempt',
      from: 'isMeasured && problemId === problem.problemId',
      to: 'isMeasured',
    },
    {
      control: 'a score does not join itself',
      from: 'isMeasured && problemId',
      to: 'problemId',
    },
    { control: 'a score is from 0 to 1', from: '&& score >= 0 && score <= 1 ?', to: '?' },
    {
      control: 'one person has no more than their share',
      from: 'Math.max(words.length, people)',
      to: 'words.length',
    },
    {
      control: 'a reward of 0 stays 0',
      from: 'member.reward * (1 + settings.weight * voiceOf(words, settings.people))',
      to: 'member.reward + settings.weight * voiceOf(words, settings.people)',
    },
    { control: 'people do not turn a reward over', from: 'z.number().min(0).max(1),', to: 'z.number().min(0),' },
    { control: 'one person alone has never all of the weight', from: 'z.int().min(2)', to: 'z.int().min(1)' },
  ]),
  ...quick('libs/learning/src/rest-em.ts', 'libs/learning/src/rest-em.spec.ts', [
    {
      control: 'people alone call no entry solved',
      from: 'reward === 1 && rewards[index]! >= 1',
      to: 'rewards[index]! >= 1',
    },
    {
      control: 'a solved entry that people speak against is not kept',
      from: 'reward === 1 && rewards[index]! >= 1',
      to: 'reward === 1',
    },
    {
      control: 'gains are those with feedback',
      from: 'const gains = gainsOf(rewards, control)',
      to: 'const gains = gainsOf(asMeasured(group).rewards, control)',
    },
    {
      control: 'people lift nothing over the bar',
      from: 'measuredGains[index]! > minimumGain && gains',
      to: 'gains',
    },
    {
      control: 'people rank what passed the bar alone',
      from: 'passed[index] && gains[index] === most',
      to: 'gains[index] === Math.max(...gains)',
    },
  ]),
  ...quick('libs/learning/src/grpo.ts', 'libs/learning/src/grpo', [
    {
      control: 'advantages are those with feedback',
      from: 'rewards[index]! + punishmentOf(member, config)',
      to: 'member.reward + punishmentOf(member, config)',
    },
  ]),
  ...quick('libs/training-runs/src/recorded-feedback.ts', HEARD, [
    { control: 'a revoked key is not heard', from: ' && !revoked.has(keyId)', to: '' },
    { control: 'a viewer is not heard', from: '!isViewer && ', to: '' },
    { control: 'an unknown client is not heard', from: 'judges.has(clientOf(event))', to: 'true' },
    { control: 'users are heard', from: 'isUserId(subject) || ', to: '' },
    {
      control: 'a plan names no feedback on other problems',
      from: 'inSteps(source, whole, isAbout(problems), signal)',
      to: 'inSteps(source, whole, () => true, signal)',
    },
  ]),
  ...quick('libs/training-runs/src/recorded-feedback.ts', 'libs/training-runs/src/recorded-feedback.spec.ts', [
    {
      control: 'a key speaks for its own tenant',
      from: 'client: `${tenantOf(event.meta)}/${event.keyId}`',
      to: 'client: `default/${event.keyId}`',
    },
    {
      control: 'a name with a slash is no key of another tenant',
      from: 'return `${tenantOf(meta)}/${meta.subject}`;',
      to: "return meta.subject!.includes('/') ? meta.subject! : `${tenantOf(meta)}/${meta.subject}`;",
    },
    {
      control: 'a key that a plan does not name is not read',
      from: "if (event.type === 'FeedbackGiven' && counts(event, judges)) given.push(event);",
      to: "if (event.type === 'FeedbackGiven') given.push(event);",
    },
    {
      control: 'a replay reads no feedback under another key',
      from: 'inSteps(source, range, isAbout(problems))',
      to: 'inSteps(source, range, () => true)',
    },
    {
      control: 'forged names make a plan no longer',
      from: ' || !counts(event, judges)) continue;',
      to: ') continue;',
    },
    { control: 'feedback is read in steps', from: 'from += LOOK_AHEAD)', to: 'from += 1e9)' },
  ]),
  {
    control: 'a trainer that hears people may read who they are',
    file: 'infra/kafka/acls.json',
    from: '        "seam.access",\n',
    to: '',
    suite: 'quick',
    spec: HEARD,
  },
  ...quick('libs/training-runs/src/plan-run.handler.ts', HEARD, [
    {
      control: 'a run that is not to hear people has a plan as before',
      from: 'algorithm.hearsFeedback?.(settings) === true',
      to: 'algorithm.hearsFeedback !== undefined',
    },
  ]),
  ...quick('libs/training-runs/src/learning-input.ts', HEARD, [
    {
      control: 'a run hears up to where its plan says',
      from: 'await readFeedback(source, feedback, problems)',
      to: 'await readFeedback(source, { ...feedback, ranges: feedback.ranges.map((each) => ({ ...each, to: each.to + 15 })) }, problems)',
    },
  ]),
  ...quick('libs/training-runs/src/plan-doubt.decide.ts', 'libs/training-runs/src/plan-doubt.decide.spec.ts', [
    {
      control: 'a plan that hears another topic is not believed',
      from: 'topic === TOPIC.feedback ? ends.get(partitionName(topic, partition)) : undefined',
      to: 'ends.get(partitionName(topic, partition))',
    },
    {
      control: 'a plan that hears what is not there is not believed',
      from: '    feedbackDoubt(plan, grounds) ??\n',
      to: '',
    },
    {
      control: 'a plan that hears a partition twice is not believed',
      from: 'if (heard.has(partition)) return',
      to: 'if (false) return',
    },
  ]),
  ...quick('libs/training-runs/src/believed-plans.ts', HEARD, [
    {
      control: 'plans that hear feedback are believed',
      from: 'TOPIC.problems, TOPIC.teams, TOPIC.feedback])',
      to: 'TOPIC.problems, TOPIC.teams])',
    },
  ]),
  ...quick('libs/training-runs/src/train-on-demand.handler.ts', HEARD, [
    {
      control: 'trials of a search hear the same',
      from: 'domains, evaluation, ...heard]',
      to: 'domains, evaluation]',
    },
  ]),
  ...quick('libs/operations/src/restem/self-training.decide.ts', 'libs/operations/src/restem/self-training.spec.ts', [
    {
      control: 'people have their time before a training',
      from: 'return now < until ? {',
      to: 'return now < 0 ? {',
    },
    {
      control: 'a result of the future holds nothing up',
      from: '.filter((at) => at <= now + MOST_AHEAD)',
      to: '',
    },
    {
      control: 'a result of a clock that is ahead gives people their time',
      from: '.filter((at) => at <= now + MOST_AHEAD)',
      to: '.filter((at) => at <= now)',
    },
    {
      control: 'a clock that is ahead gives people no more than their time',
      from: '.map((at) => Math.min(at, now))',
      to: '',
    },
  ]),
  ...quick('libs/operations/src/restem/idle.decide.ts', 'libs/operations/src/restem/idle.spec.ts', [
    {
      control: 'who listens in idle time does not turn to rest and back',
      from: "if (step.kind === 'listen') return step;",
      to: '',
    },
  ]),
  ...quick('libs/operations/src/restem/run-restem.ts', 'libs/operations/src/restem/run-idle.spec.ts', [
    {
      control: 'idle time that is given to people is not spent',
      from: "step.kind === 'explore' || step.kind === 'wait' ||",
      to: "step.kind === 'explore' || step.kind === 'wait' || step.kind === 'listen' ||",
    },
  ]),
  ...quick('apps/gateway/src/api/feedback.controller.ts', 'apps/gateway/src/api/api.spec.ts', [
    {
      control: 'feedback is about the attempt that it names',
      from: 'given.attemptId ?? experienceIdOf',
      to: 'experienceIdOf',
    },
  ]),
];
