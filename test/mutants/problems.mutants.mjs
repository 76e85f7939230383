/** What a problem is, and when an answer without a verifier counts. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

export default [
  ...quick('apps/executor/src/settle-answers.decide.ts', 'apps/executor/src/ungraded.spec.ts', [
    {
      control: 'feedback has a score of 0 to 1',
      from: 'if (!(score >= 0 && score <= 1))',
      to: 'if (Number.isNaN(score))',
    },
    {
      control: 'an attempt is settled once',
      from: 'if (settled !== undefined) return',
      to: 'if (settled !== undefined && score < 0) return',
    },
    {
      control: 'feedback is about the problem that it names',
      from: 'if (open?.problemId !== problemId ||',
      to: 'if (open === undefined ||',
    },
    {
      control: 'feedback after the deadline does not count',
      from: 'if (meta.occurredAt <= open.feedbackUntil) return undefined;',
      to: 'if (meta.occurredAt > 0) return undefined;',
    },
    {
      control: 'a result by feedback has the id that follows from its experience',
      from: "derivedId(meta.causationId ?? '', resultRole(answer))",
      to: 'derivedId(meta.messageId, resultRole(answer))',
    },
  ]),
  ...quick('apps/executor/src/settle-answers.handler.ts', 'apps/executor/src/ungraded.spec.ts', [
    { control: 'of two in one batch the first counts', from: 'taken.has(own) ? { isOfSession: false } : ', to: '' },
    {
      control: 'no deadline is ended before the feedback of its time was looked at',
      from: 'overdue.size > 0 && (await this.isJudgedTo(latestOf(overdue)))',
      to: 'overdue.size > 0',
    },
    {
      control: 'what is overdue ends wherever it stands',
      from: '[...overdue.keys()].filter((attempt) => !ended.has(attempt))',
      to: '[...overdue.keys()].filter((attempt) => !ended.has(attempt)).slice(0, 1)',
    },
  ]),
  ...quick('libs/read-models/src/ledger.projection.ts', 'libs/read-models/src/ledger.projection.spec.ts', [
    {
      control: 'of contradicting results the ledger counts the one that counts for everybody',
      from: 'compareDefiniteness(came, known) >= 0',
      to: 'known.hasVerdict',
    },
    {
      control: 'a group that is judged whole is closed',
      from: 'judged === size ? null : withResult',
      to: 'judged === -1 ? null : withResult',
    },
  ]),
  ...quick('libs/read-models/src/counted-verdicts.ts', 'libs/read-models/src/ledger.projection.spec.ts', [
    {
      control: 'of contradicting verdicts success is counted by the one that the ledger counts',
      from: 'known !== undefined && isLessDefinite(known)',
      to: 'known !== undefined',
    },
    {
      control: 'a verdict that is replaced is counted no more',
      from: '[known[2], -1],',
      to: '',
    },
    {
      control: 'success of a group that is judged whole is closed',
      from: 'cell === ALL_JUDGED ||',
      to: '',
    },
  ]),
  ...quick('libs/verifiers/src/passage.verifier.ts', 'libs/datasets/src/tasks.spec.ts', [
    {
      control: 'a passage is worth the share of its questions right',
      from: 'const share = right / verdicts.length;',
      to: 'const share = Number(right > 0);',
    },
    {
      control: 'an answer is judged by the reference of its number',
      from: 'answers.get(index + 1)',
      to: 'answers.get(judges.length - index)',
    },
  ]),
  ...quick('libs/tasks/src/task.types.ts', 'libs/datasets/src/tasks.spec.ts', [
    {
      control: 'what is asked belongs to the digest of a task',
      from: '[role, text, reference]',
      to: '[role, reference]',
    },
  ]),
  ...quick('libs/tasks/src/turns.task.ts', 'libs/datasets/src/tasks.spec.ts', [
    { control: 'a dialogue ends with its user', from: "turns.at(-1)?.role !== 'user'", to: 'turns.length === 0' },
  ]),
  ...quick('libs/experience-groups/src/experience-group.ts', 'libs/read-models/src/ledger.projection.spec.ts', [
    {
      control: 'a problem that was not judged has not failed',
      from: "isUngraded ? 'ungraded' : 'failed'",
      to: "isUngraded ? 'failed' : 'failed'",
    },
  ]),
  ...quick('libs/experience-groups/src/experience-group.ts', 'libs/experience-groups/src/experience-group.spec.ts', [
    {
      control: 'in a group a verdict counts before none',
      from: 'Number(b.hasVerdict) - Number(a.hasVerdict) || ',
      to: '',
    },
    { control: 'of two verdicts the smaller id counts', from: '|| compareText(a.id, b.id)', to: '|| 0' },
    {
      control: 'results count by their attempt',
      from: 'const attemptId = attemptIdOf(result);',
      to: 'const attemptId = result.experienceId;',
    },
  ]),
];
