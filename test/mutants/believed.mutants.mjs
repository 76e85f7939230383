// The log is not believed: results, promotions and adapters count only with what they rest on (docs/adr/0030).
const results = {
  file: 'libs/evidence/src/doubt.decide.ts',
  suite: 'quick',
  spec: 'libs/evidence/src/evidence',
};
/** Bytes that are looked at where they lie; a window is of use only if it says what decoding says. */
const encoded = {
  file: 'libs/events/src/encoded-fields.ts',
  suite: 'quick',
  spec: 'libs/events/src/encoded-fields.spec.ts',
};
const walked = { ...encoded, file: 'libs/events/src/encoded-walk.ts' };
/** What strangers write costs what it costs, and no more. */
const attacked = { suite: 'quick', spec: 'libs/evidence/src/evidence-under-attack.spec.ts' };
/** Content that is named by digest (docs/adr/0058). */
const contents = {
  file: 'libs/evidence/src/problem-contents.ts',
  suite: 'quick',
  spec: 'libs/evidence/src/problem-contents.spec.ts',
};
const promotions = {
  file: 'libs/release/src/promotion-evidence.decide.ts',
  suite: 'quick',
  spec: 'libs/release/src/served-adapter.projection',
};
const served = { ...promotions, file: 'libs/release/src/served-adapter.projection.ts' };

/** What a slot is served with is its own affair. */
const slots = { ...promotions, spec: 'libs/release/src/served-slots.projection.spec.ts', title: 'slots' };

const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

export default [
  ...quick('libs/evidence/src/doubt.decide.ts', 'libs/evidence/src/gateway-failures.spec.ts', [
    {
      control: "a gateway's failure counts before its entry came",
      from: '  if (published !== undefined && endsUnwritten(result, published)) return undefined;\n',
      to: '',
    },
    {
      control: "only what a gateway answers has a gateway's failure",
      from: 'answeredBy !== null &&\n    publicationOfUnwritten',
      to: 'publicationOfUnwritten',
    },
    {
      control: "a gateway's failure is in the arm that was drawn",
      from: "result.arm === (assignment !== null && isControl(assignment) ? 'control' : mode) &&",
      to: '',
    },
    {
      control: "a gateway's failure is about the published problem",
      from: 'ofPublished(result.problem, problem) === undefined &&\n    follows',
      to: 'follows',
    },
    {
      control: "a gateway's failure has the ids that follow from its problem",
      from: 'follows(result.meta, cause, resultRole(result)) === undefined &&',
      to: '',
    },
    {
      control: "feedback on a gateway's answer without its entry counts",
      from: "if (result.type === 'OutcomeRecorded') return isFeedbackWithoutEntry(result);",
      to: "if (result.type === 'OutcomeRecorded') return false;",
    },
    {
      control: 'feedback on an answer without its entry earns no reward',
      from: 'withoutEntry !== null && reward === 0)',
      to: 'withoutEntry !== null)',
    },
    {
      control: 'feedback without an entry is about an answer that had to do without',
      from: ': withoutEntry !== null && reward === 0)',
      to: ': reward === 0)',
    },
    {
      control: 'feedback without an entry is what a person said',
      from: '    feedbackId !== null &&\n',
      to: '',
    },
    {
      control: 'feedback on an answer in the control arm counts before its experience came',
      from: "(arm === 'control' ? withoutEntry === null : withoutEntry !== null && reward === 0)",
      to: 'withoutEntry !== null && reward === 0',
    },
    {
      control: 'an answer in the control arm lacks no entry',
      from: "arm === 'control' ? withoutEntry === null :",
      to: "arm === 'control' ||",
    },
    {
      control: 'feedback without an entry copies nothing of one',
      from: '    entry === null &&\n    baseModelDigest === null &&\n',
      to: '',
    },
    {
      control: 'no feedback counts without an entry where a verifier judges',
      from: " || (result.type === 'OutcomeRecorded' && isGraded(problem))",
      to: '',
    },
    {
      control: 'a gateway has no ungraded result where a verifier judges',
      from: ' &&\n    ofVerdict(result, problem) === undefined\n',
      to: '\n',
    },
    {
      control: "a gateway's failure names no adapter, no other attempt and no group",
      from: 'if (adapterDigest !== null || (attemptId ?? null) !== null || candidateIndex !== 0 || groupSize !== 1) return null;',
      to: '',
    },
    {
      control: "a gateway's failure is of the problem's own experience and group",
      from: 'return experienceId === experienceIdOf(eventId, 0) && groupId === groupIdOf(eventId) ? eventId : null;',
      to: "return experienceId === '' ? groupId : eventId;",
    },
  ]),
  ...quick('libs/evidence/src/evidence.ts', 'apps/gateway/src/chat/believed-failures.spec.ts', [
    {
      control: 'what was published is looked for where no experience came',
      from: 'publicationOfUnwritten(event) ?? experience?.causationId',
      to: 'experience?.causationId',
    },
  ]),
  ...quick('libs/evidence/src/true-answers.decide.ts', 'libs/evidence/src/true-answers.decide.spec.ts', [
    {
      control: "no gateway's executor answers an executor's experience",
      from: 'if (isConversation(answer.executor) || !isReward(answer.reward)) return NONE;',
      to: 'if (!isReward(answer.reward)) return NONE;',
    },
    {
      control: 'an answer is of the tenant of what it answers',
      from: 'subject, tenant ?? null, copied]',
      to: 'subject, copied]',
    },
    {
      control: 'an outcome copies the content of its experience',
      from: "case 'OutcomeRecorded':\n      if (isConversation(answer.executor) || !isReward(answer.reward)) return NONE;\n      return follows(digestOf(answer.meta, answer, COPIED_FIELDS), resultRole(answer), COPIED_FIELDS);",
      to: "case 'OutcomeRecorded':\n      if (isConversation(answer.executor) || !isReward(answer.reward)) return NONE;\n      return follows(digestOf(answer.meta, answer, IDENTITY), resultRole(answer), IDENTITY);",
    },
    {
      control: 'what a verifier judges is never ungraded',
      from: 'return isWhole(problem) && isGraded(problem);',
      to: 'return false;',
    },
    {
      control: 'a problem that has not expired was not answered by its expiry',
      from: 'cause.expiresAt <= expiredAt &&',
      to: '',
    },
    {
      control: 'an experience has the id that follows from its problem',
      from: 'experienceId === experienceIdOf(causeId, place.candidateIndex) &&',
      to: '',
    },
  ]),
  ...quick('libs/evidence/src/doubt.decide.ts', 'libs/evidence/src/true-answers.decide.spec.ts', [
    {
      control: 'a result that is ungraded is of a problem that no verifier judges',
      from: "if (result.type === 'AttemptUngraded' && isGraded(published))",
      to: 'if (false)',
    },
  ]),
  ...quick('apps/executor/src/partition-answers.ts', 'apps/executor/src/foreign-answers.spec.ts', [
    {
      control: 'a foreign answer waits for nothing',
      from: "if (standing === 'foreign') {",
      to: 'if (offset < 0) {',
    },
    {
      control: 'a foreign end after the answer ends nothing',
      from: 'const isFalse = known !== undefined && ',
      to: 'const isFalse = offset < 0 && ',
    },
    {
      control: 'a foreign end before the answer ends nothing',
      from: 'ends.filter(({ event }) => isEndOf(event, answer))',
      to: 'ends.filter(() => true)',
    },
  ]),
  ...quick('apps/executor/src/open-answers.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: 'an end without its result ends no wait',
      from: 'borneOut.has(event) || !reading.answers.mayEnd(event)',
      to: 'true',
      title: 'waits on although',
    },
  ]),
  ...quick('apps/executor/src/doubtful-ends.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: 'an end counts once its result is seen',
      from: 'if (borneOut.has(end)) this.answers.ended(end.event, end.offset);\n      else if',
      to: 'if',
      title: 'which may be a moment later',
    },
    {
      control: 'an attempt is held up once by ends without a result',
      from: ' || this.refused.has(end.event.meta.messageId)',
      to: '',
      title: 'waits on although',
    },
  ]),
  ...quick('apps/executor/src/settle-answers.handler.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: 'an attempt whose result may be about to come is not ended by its deadline',
      from: '.filter((attempt) => !ended.has(attempt))',
      to: '',
      title: 'waits on although',
    },
  ]),
  ...quick('libs/operations/src/show/read-story.ts', 'apps/cli/src/show/show-problem.command.spec.ts', [
    {
      control: 'a forged answer is not in the cost of a problem',
      from: 'isBelievedAnswer(event, known)',
      to: 'true',
      title: 'adds no forged answer',
    },
  ]),
  ...quick('libs/evidence/src/true-answers.decide.ts', 'apps/cli/src/show/show-problem.command.spec.ts', [
    {
      control: 'an answer whose experience did not come is in the group of its problem',
      from: 'answer.groupId === groupIdOf(meta.messageId) &&',
      to: '',
      title: 'adds no forged answer',
    },
    {
      control: 'an answer whose experience did not come is about what was published',
      from: 'problemDigest(derivedFrom(experience, derivedId',
      to: "problemDigest(answer.meta, answer.problem) || '' === problemDigest(derivedFrom(experience, derivedId",
      title: 'adds no forged answer',
    },
    {
      control: 'an answer whose experience did not come is in the arm that was drawn',
      from: "answer.arm === (isControl(assignment) ? 'control' : 'deploy')",
      to: "answer.arm !== ''",
      title: 'adds no forged answer',
    },
  ]),
  ...quick('libs/evidence/src/written-results.ts', 'libs/evidence/src/written-results.spec.ts', [
    {
      control: 'a forged end does not have all results read',
      from: ' || later >= LATER_IN_A_ROW',
      to: '',
    },
    {
      control: 'a wrong clock of one record hides no result',
      from: 'later = timestampMs > lastMs ? later + 1 : 0',
      to: 'later += timestampMs > lastMs ? LATER_IN_A_ROW : 0',
    },
  ]),
  ...quick('apps/executor/src/partition-answers.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: "a foreign early answer does not take a true one's place",
      from: 'this.early.set(attempt, [...known, answer])',
      to: 'this.early.set(attempt, known.length > 0 ? known : [answer])',
    },
    {
      control: 'an early answer does not end by the deadline of another one',
      from: 'this.earlyOf(attempt).some(({ feedbackUntil }) => feedbackUntil >= nowMs)',
      to: 'this.earlyOf(attempt).every(({ feedbackUntil }) => feedbackUntil >= nowMs)',
    },
    {
      control: 'early answers alone end an attempt after an hour, and not at a deadline that anyone may have set',
      from: 'return !isEarly || nowMs',
      to: 'return isEarly || nowMs',
    },
    {
      control: 'the experience of an overdue early answer is looked for again',
      from: 'if (nowMs < known.lookMs) return false;',
      to: 'if (nowMs !== known.sinceMs) return false;',
    },
    {
      control: 'a confirmed end stays',
      from: '(known === undefined && this.confirmed.has(attempt))',
      to: 'false',
    },
  ]),
  ...quick('apps/executor/src/open-answers.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: 'no later experience makes an answer foreign',
      from: "(standing === 'foreign' || ",
      to: '(',
    },
  ]),
  ...quick('apps/executor/src/settle-answers.decide.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: 'an early answer names no other attempt',
      from: ' && answer.attemptId === null',
      to: '',
      title: 'of the attempt of its experience',
    },
  ]),
  ...quick('libs/evidence/src/true-answers.decide.ts', 'apps/executor/src/open-answers.spec.ts', [
    {
      control: "a gateway's answer is of the attempt of its experience",
      from: 'answer.attemptId === experience.attemptId &&',
      to: '',
      title: 'of the attempt of its experience',
    },
  ]),
  ...quick('apps/executor/src/frozen-executor.ts', 'apps/executor/src/foreign-answers.spec.ts', [
    {
      control: 'a forged outcome stops no executor',
      from: 'experience !== undefined && answersExperience(outcome)(experience);',
      to: 'true;',
    },
  ]),
  ...quick('apps/executor/src/settle-answers.decide.ts', 'apps/executor/src/foreign-answers.spec.ts', [
    {
      control: 'an answer that waits says what its experience says',
      from: "gatewayAnswers(answer, experience) ? 'ours' : 'foreign'",
      to: "gatewayAnswers(answer, experience) ? 'ours' : 'ours'",
    },
  ]),
  {
    ...promotions,
    control: 'counts side by side fit the shares of their evaluation',
    from: 'Math.abs(lead - (rescued - broken)) < 0.5',
    to: 'true',
    title: 'an evaluation',
  },
  {
    ...slots,
    control: 'an artefact that was made for one slot is served in no other',
    from: 'if (run.started.slot !== slot) return `run ${runId} was started for slot ${run.started.slot}`;',
    to: '',
  },
  {
    ...slots,
    file: 'libs/release/src/served-adapter.projection.ts',
    control: 'what is said of another slot changes nothing',
    from: 'event.slot === state.slot ? bounded',
    to: 'true ? bounded',
  },
  {
    ...slots,
    file: 'libs/release/src/served-slots.projection.ts',
    control: 'a slot knows the runs that the log named before it',
    from: 'runs: slots.get(GENERATOR_SLOT)!.runs',
    to: '',
  },
  {
    ...contents,
    control: 'what a stranger claims of the same content does not hide it from its problem',
    from: 'return `${digest} ${problemId}`;',
    to: 'return digest;',
    title: 'the content of a problem',
  },
  {
    ...contents,
    control: 'content that is not at its place is looked for under its key',
    from: 'if (wanted.size > 0) await this.turn.run(() => this.lookUp(wanted, found));',
    to: '',
    title: 'the content of a problem',
  },
  {
    ...contents,
    file: 'libs/evidence/src/bears-out.decide.ts',
    control: 'named content is that of the published problem, by bytes',
    from: 'shown.saysIn(leaves.prompt, BY_REFERENCE, problem.contentDigest)',
    to: 'true',
    title: 'a result that names its content',
  },
  {
    ...contents,
    file: 'libs/evidence/src/doubt.decide.ts',
    control: 'named content is that of the published problem, by values',
    from: ' && prompt.digest === contentDigest(published)',
    to: '',
    title: 'a result that names its content',
  },
  {
    ...contents,
    file: 'libs/training-runs/src/learning-input.ts',
    spec: 'libs/training-runs/src/named-content.spec.ts',
    control: 'nothing is learned from an entry whose content is gone',
    from: 'experiences: filled.filter(({ problem }) => isWhole(problem)) }',
    to: 'experiences: filled }',
  },
  {
    ...contents,
    control: 'what follows a place that was right is remembered',
    from: 'if (last >= 0) await',
    to: 'if (last < -1) await',
    title: 'the content of a problem',
  },
  {
    ...contents,
    control: 'places outside the log are not read',
    from: '.filter(({ offset }) => offset >= low && offset < high)',
    to: '',
    title: 'the content of a problem',
  },
  {
    ...contents,
    file: 'apps/buffer/src/refused-results.ts',
    spec: 'apps/buffer/src/refused-results.spec.ts',
    control: 'what does not count costs no search for its content',
    from: ' && doubts?.has(index) !== true',
    to: '',
  },
  {
    ...contents,
    file: 'apps/executor/src/execute-experiences.handler.ts',
    spec: 'apps/executor/src/named-content.spec.ts',
    control: 'a problem without a reference at hand is no ungraded one',
    from: 'if (!isGraded(problem)) return done',
    to: 'if (!isGraded(event.problem as Problem)) return done',
  },
  {
    ...results,
    file: 'libs/evidence/src/first-uses.ts',
    control: 'a candidate’s experience is used once, another one under its id is looked up',
    from: ' || (known.candidates & bit) !== 0',
    to: '',
    title: 'of two experiences',
  },
  {
    ...results,
    file: 'libs/evidence/src/evidence.ts',
    control: 'what one result of a batch has taken is not hidden from the next one',
    from: 'if (found !== BORNE_OUT) held.set(nameOf(event), experience);',
    to: '',
    title: 'of two experiences',
  },
  {
    ...results,
    file: 'libs/evidence/src/first-uses.ts',
    control: 'after a restart, results of problems from before it are looked up',
    from: 'if (offset < (this.forgottenTo.get(partition) ?? this.began(partition))) return false;',
    to: '',
    title: 'of two experiences',
  },
  {
    ...results,
    file: 'libs/service-kit/src/transport/dead-letter.ts',
    spec: 'libs/service-kit/src/transport/dead-letter.spec.ts',
    control: 'a dead letter copies no meta data without end',
    from: 'meta: bounded(meta),',
    to: 'meta,',
  },
  {
    ...results,
    file: 'apps/buffer/src/refused-results.ts',
    spec: 'apps/buffer/src/forged-results.spec.ts',
    control: 'what is said of a refused result is bounded',
    from: '    outcomeId: claim(outcomeId),',
    to: '    outcomeId,',
    title: 'when a forged result claims ids',
  },
  {
    ...results,
    control: 'the problem of an experience is the published one',
    from: 'ofPublished(experience.problem, published!.problem) ??',
    to: '',
  },
  {
    ...results,
    control: 'an experience has the ids that follow from its problem',
    from: 'ofProblem(experience, published!) ??',
    to: '',
  },
  {
    ...results,
    control: 'a result has the id, cause and subject that follow from its experience',
    from: 'follows(result.meta, experience.meta, resultRole(experience)) ??',
    to: '',
  },
  {
    ...results,
    control: 'a result is about what its experience holds',
    from: 'ofExperience(result, experience) ??',
    to: '',
  },
  { ...results, control: 'a reward is 0 to 1', from: 'ofVerdict(result, published!.problem)\n', to: 'undefined\n' },
  {
    control: 'evidence of one result does not count for another of its batch',
    file: 'libs/evidence/src/reading.ts',
    from: 'if (ids === undefined) wanted.set(key, new Set([id]));',
    to: 'if (wanted.values().some((each) => each.has(id))) continue;\n    if (ids === undefined) wanted.set(key, new Set([id]));',
    ...attacked,
  },
  {
    ...walked,
    control: 'what is copied is compared four bytes at a time',
    from: 'if (view.getInt32(place) !== otherView.getInt32(place + further)) return false;',
    to: ';',
  },
  {
    ...walked,
    control: 'what is copied is compared to its last byte',
    from: 'if (bytes.each[place] !== others.each[place + further]) return false;',
    to: ';',
  },
  {
    ...encoded,
    control: 'a result is not believed without a look at its bytes',
    from: 'if (!window.isSame(from, to, { bytes, at })) return false;',
    to: '',
  },
  {
    ...walked,
    control: 'a text is compared with each of its bytes at its place in the record',
    from: 'if (byte !== text.charCodeAt(each)) return false;',
    to: '',
  },
  {
    ...walked,
    control: 'a text that is longer than the rest of the record is another one',
    from: 'if (text.length > length) return false;',
    to: '',
  },
  {
    ...walked,
    control: 'a record that decoding refuses is not shown',
    from: 'isUtf8(bytes.each.subarray(at, end)) ? end : -1',
    to: 'true ? end : -1',
  },
  {
    ...walked,
    control: 'a number that decoding refuses is not shown',
    from: 'if ((view.getInt32(at, true) & EXPONENT) === EXPONENT) return -1;',
    to: '',
  },
  {
    ...walked,
    control: 'a key that decoding refuses is left to decoding, however its length is spelled',
    from: 'return at > from && beginsAt',
    to: 'return at === from + 1 && beginsAt',
  },
  ...[
    ['the problem of an experience', 'this.isOfProblem(problem) &&'],
    ['the event of an experience', 'shown.says(experienceMeta.messageId, experienceId) &&'],
    ['the subject of an experience', 'shown.says(experienceMeta.subject, subject) &&'],
    ['the place in its group', 'candidateIndex < groupSize &&'],
    ['the arm', 'result.arm === published.mode &&'],
    ['the group', 'result.groupId === problem.groupId &&'],
    ['what a result copies', 'this.copied.areIn(shown, value) &&'],
    ['the attempt', 'shown.says(attemptId, result.attemptId) &&'],
    ['the cause of a result', 'meta.causationId === experienceId &&'],
    ['the subject of a result', 'meta.subject === subject &&'],
    ['the adapter', '(adapterDigest === null || basesOf(adapterDigest).has(result.baseModelDigest!)) &&'],
    ['the reward', 'reward <= 1 &&'],
    ["the experience's id", 'experienceId === experienceIdOf(eventId, candidateIndex) &&'],
    ["the result's id", 'meta.messageId === derivedId(experienceId, resultRole(result))', 'true'],
  ].map(([what, from, to = '']) => ({
    control: `bytes alone bear a result out only with ${what}`,
    file: 'libs/evidence/src/bears-out.decide.ts',
    ...{ from, to },
    suite: 'quick',
    spec: 'libs/evidence/src/(evidence|bears-out.decide).spec.ts',
  })),
  {
    control: 'the buffer counts no result that is doubted',
    file: 'apps/buffer/src/refused-results.ts',
    from: '(doubts.get(index) ?? told(fold, folded))',
    to: 'told(fold, folded)',
    suite: 'quick',
    spec: 'apps/buffer/src/forged-results.spec.ts',
  },
  {
    control: 'of two verdicts on one experience the second is refused',
    file: 'apps/buffer/src/refused-results.ts',
    from: '(doubts.get(index) ?? told(fold, folded))',
    to: 'doubts.get(index)',
    suite: 'quick',
    spec: 'apps/buffer/src/forged-results.spec.ts',
  },
  {
    control: 'tokens spell the entry that they are learned for',
    file: 'libs/training-runs/src/spelled-input.ts',
    from: '!spells(decode(tokenIds), entry)',
    to: 'false',
    suite: 'quick',
    spec: 'libs/training-runs/src/spelled-input.spec.ts',
  },
  {
    ...promotions,
    control: 'a rule of promotion that is not known lets nothing pass',
    from: "if (rule !== 'tolerance') return undefined;",
    to: '',
    title: 'a forged decision',
  },
  {
    ...promotions,
    control: 'a promotion counts only after its run has completed',
    from: 'if (run.completed === undefined)',
    to: 'if (false)',
  },
  {
    ...promotions,
    control: 'a promotion counts only with an evaluation',
    from: "if (evaluation === null) return 'it names no evaluation';",
    to: '',
  },
  {
    ...promotions,
    control: 'a person promotes by name only',
    from: 'if (isBlank(promotedBy))',
    to: 'if (false)',
  },
  {
    ...promotions,
    control: 'a person promotes only on a measurement that is on record',
    from: "recorded.includes(canonicalJson(evaluation)) ? undefined : 'its evaluation is not on record before it'",
    to: 'undefined',
  },
  {
    ...promotions,
    control: 'a rollback is in the name of a person',
    from: "if (isBlank(by)) return 'it names no person';",
    to: '',
  },
  {
    ...served,
    control: 'what is pinned stays served',
    from: 'if (pin !== null) return pinnedReason(pin);',
    to: '',
  },
  {
    ...served,
    control: 'no run brings back what a person rolled back',
    from: 'if (taken !== undefined) {',
    to: 'if (false) {',
  },
  {
    ...served,
    control: 'what was rolled back is not washed clean by being published once more',
    from: 'for (const { parent } of borneOut.length > 0 ? borneOut : told)',
    to: 'for (const { parent } of told.slice(-1))',
  },
  {
    ...served,
    control: 'no client gives an adapter a parent that its run did not record',
    from: 'borneOut.length > 0 ? borneOut : told',
    to: 'told',
  },
  {
    ...served,
    control: 'what is learned of a run late counts for promotions of what descends from it',
    from: "(step.type === 'AdapterPublished' || step.type === 'AdapterPromoted') && step.runId === runId",
    to: "step.type === 'AdapterPromoted' && step.runId === runId",
  },
  {
    ...served,
    control: 'an act under the id of a promotion does not block it',
    from: 'event.type === step.type &&\n      runOf(event) === runOf(step),',
    to: 'true,',
  },
  {
    ...results,
    file: 'libs/evidence/src/evidence.ts',
    control: 'of two experiences under one id the first counts, wherever reading began',
    from: "this.judge(uncertain, 'findFirst', new Map())",
    to: "this.judge(uncertain, 'find', new Map())",
    spec: 'libs/evidence/src/evidence',
  },
  {
    ...results,
    control: 'an experience is by an adapter that the log has',
    from: 'ofAdapter(experience, basesOf) ??',
    to: '',
  },
  {
    control: 'an adapter is proven before a promotion of it is recorded',
    file: 'libs/operations/src/adapters/act-on-adapters.ts',
    from: "if (event.type === 'AdapterPromoted') await proveArtefact(",
    to: "if ((event.type as string) === '') await proveArtefact(",
    suite: 'quick',
    spec: 'apps/cli/src/adapters/serve-adapters.command.spec.ts',
  },
  {
    ...promotions,
    control: 'a rollback leads only to what was served',
    from: 'return isKnown ? undefined :',
    to: 'return true ? undefined :',
  },
  {
    control: 'an adapter has the tensors that follow from its settings',
    file: 'libs/language-model/src/adapters/adapter.ts',
    from: 'if (intake.shapesFor !== undefined) checkShapes(adapter.tensors, shapesBy(intake.shapesFor, adapter.settings));',
    to: '',
    suite: 'quick',
    spec: 'libs/language-model/src/adapters/adapter.spec.ts',
  },
  ...[
    [
      'what is remembered is counted with its objects and keys',
      'memory.ts',
      'values * (entryBytes + ',
      'values * (0 * entryBytes + ',
    ],
    [
      'what is remembered is counted with the memory that it lies in',
      'memory.ts',
      'if (piece.values === 0) bytes += buffer.byteLength;',
      '',
    ],
    [
      'no awaited record makes room for later ones',
      'reading.ts',
      'const room = this.roomForRecords();',
      'const room = CHUNK_RECORDS;',
    ],
    [
      'a result without evidence does not make the log be read to its end',
      'reading.ts',
      'Math.min(high, this.reach)',
      'high',
    ],
    [
      'an old record that no result asked for is forgotten',
      'reading.ts',
      'if (offset >= this.next - AGE_RECORDS) break;',
      'break;',
    ],
    [
      'what is given back is no younger than before',
      'reading.ts',
      'if (offset < this.next - AGE_RECORDS) {',
      'if (offset < 0) {',
    ],
    ['reading catches up with results far ahead of it', 'reading.ts', '--this.confidence < 0', 'false'],
    [
      'what was forgotten unused is looked up',
      'evidence.ts',
      '!this.experiences.of(problemId).mayHaveForgotten(problemId) &&',
      '',
    ],
    [
      'of what was used and forgotten nothing is believed unseen',
      'first-uses.ts',
      'this.forgottenTo.set(partition, ',
      'new Map<number, number>().set(partition, ',
    ],
    ['what is long ago is known coarsely, but known', 'key-directory.ts', 'left.keys.addAll(right.keys);', ''],
    [
      'adapters that were forgotten are read again',
      'known-adapters.ts',
      'this.hasForgotten ? used',
      'used.length < 0 ? used',
    ],
  ].map(([control, file, from, to]) => ({ ...attacked, control, file: `libs/evidence/src/${file}`, from, to })),
];
