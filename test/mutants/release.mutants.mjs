// Releases are decided from counts, and the statistics keep their promises (docs/adr/0089, 0090).
const quick = (file, spec) => ({ suite: 'quick', file, spec });
const rule = quick('libs/release/src/release.decide.ts', 'libs/release/src/release.decide.spec.ts');
const facts = quick('libs/release/src/releases.projection.ts', 'apps/cli/src/release/release.command.spec.ts');
const draws = quick('apps/generator/src/release-draw.decide.ts', 'apps/generator/src/release-draw.decide.spec.ts');
const writing = quick('apps/generator/src/write-experiences.handler.ts', 'apps/generator/src/releases.spec.ts');
const lift = quick('libs/read-models/src/lift.projection.ts', 'libs/read-models/src/lift.projection.spec.ts');
const tallies = { ...lift, file: 'libs/read-models/src/lift-tallies.ts' };
const estimate = quick(
  'libs/operations/src/read-models/lift-estimate.ts',
  'libs/operations/src/read-models/lift-estimate.spec.ts',
);
const allocation = quick(
  'libs/statistics/src/allocation-evidence.ts',
  'libs/statistics/src/allocation-evidence.spec.ts',
);
const harm = quick('libs/statistics/src/harmful-strata.ts', 'libs/statistics/src/harmful-strata.spec.ts');

const once = quick(
  'libs/operations/src/release/hold-decisions.ts',
  'libs/operations/src/release/decide-releases.spec.ts',
);
const deciding = { ...once, file: 'libs/operations/src/release/decide-releases.ts' };
const acts = quick(
  'libs/operations/src/adapters/act-on-adapters.ts',
  'apps/cli/src/adapters/serve-adapters.command.spec.ts',
);
const releaser = quick('apps/trainer/src/decide-releases.ts', 'apps/trainer/src/decide-releases.spec.ts');

const muting = quick('libs/release/src/guard.decide.ts', 'libs/release/src/guard.decide.spec.ts');
const guards = quick('libs/release/src/guards.projection.ts', 'libs/release/src/guards.projection.spec.ts');
const guarding = quick('libs/operations/src/release/guard-evidence.ts', 'libs/operations/src/release/guard.spec.ts');
const arms = quick('apps/generator/src/arm.decide.ts', 'apps/generator/src/arm.decide.spec.ts');
const chat = quick('apps/gateway/src/chat/answer-chat.handler.ts', 'apps/gateway/src/chat/muted-domains.spec.ts');
const extra = quick('libs/operations/src/cost/extra-solved.decide.ts', 'libs/operations/src/cost/extra-solved.spec.ts');
const spent = { ...extra, file: 'libs/operations/src/cost/extra-solved.ts' };

export default [
  {
    ...muting,
    control: 'a domain is muted at its part of the risk',
    from: 'weight > 0 ? -Math.log(alpha * weight) : Infinity',
    to: 'weight > 0 ? -Math.log(alpha) : Infinity',
  },
  {
    ...muting,
    control: 'an uneven comparison mutes nothing',
    from: 'if (figures[name] >= -Math.log(risk))',
    to: 'if (figures[name] === Infinity)',
  },
  {
    ...guards,
    control: 'a muting counts where its counts bear it out',
    from: 'return isSame ? undefined : `its counts do not bear it out: ${reason}`;',
    to: 'return undefined;',
  },
  {
    ...guards,
    control: 'a muting is of one adapter',
    from: 'ended === null && event.adapterDigest === adapterDigest);',
    to: 'ended === null && adapterDigest !== undefined);',
  },
  {
    ...guards,
    control: 'the rule does not overrule a person',
    from: 'if (known !== undefined)\n    return known.ended === null',
    to: 'if (known !== undefined && known.ended === null)\n    return known.ended === null',
  },
  {
    ...guards,
    control: 'muting moves no unit out of the control arm',
    from: 'Math.max(controlShare, 1 - guard.share)',
    to: '1 - guard.share',
  },
  {
    ...guarding,
    control: 'a new domain has its place by publication, settled or not',
    from: 'rank: ranks.get(domain) ?? null,',
    to: 'rank: ranks.has(domain) ? 1 : null,',
  },
  {
    ...guarding,
    control: 'what is muted is not muted again',
    from: 'if (mutingOf(guard, { adapterDigest, domain: counts.domain }) !== undefined) return [];',
    to: '',
  },
  {
    ...arms,
    control: 'a problem that a release draws for its candidate counts for no guard',
    from: ' || draw?.isCandidate === true',
    to: '',
  },
  {
    ...arms,
    control: 'groups to learn from are not muted',
    from: "mode === 'deploy' ? controlShareIn(guard, domain, controlShare) : controlShare",
    to: 'controlShareIn(guard, domain, controlShare)',
  },
  {
    ...chat,
    control: 'the gateway draws with the share that is in force',
    from: 'this.world.muted.controlShare(domainOf(request), this.settings.controlShare)',
    to: 'this.settings.controlShare',
  },
  {
    ...extra,
    control: 'an interval that holds 0 shows no extra problem',
    from: "low > 0 ? 'extra' :",
    to: "high > 0 ? 'extra' :",
  },
  {
    ...extra,
    control: 'a cost without a price is unknown',
    from: 'items === unknown ? null : money / (items - unknown)',
    to: 'items === unknown ? 0 : money / (items - unknown)',
  },
  {
    ...spent,
    control: 'a shadow is no treated problem',
    from: "arm === 'deploy' && candidateIndex > 0;",
    to: "arm === 'deploy' && candidateIndex > 99;",
  },
  {
    ...once,
    control: 'a decision is recorded by its latest holder alone',
    from: 'log.transact({ records: events.map(encodeEvent), consumed: { claim, offsets: [] } })',
    to: 'log.append(events.map(encodeEvent))',
  },
  {
    ...once,
    control: 'who was overtaken looks again',
    from: "if (!isSeamError(error, 'FENCED') || tries === MOST_TRIES) throw error;",
    to: 'throw error;',
  },
  {
    ...deciding,
    control: 'a conflict in one slot leaves the others alone',
    from: 'if (!isSeamError(error)) throw error;\n      hindered',
    to: 'throw error;\n      hindered',
  },
  {
    ...deciding,
    control: 'a promotion is over the parent that was compared',
    from: '...{ parent, onlyOverParent: true },',
    to: '',
  },
  {
    ...deciding,
    control: 'without a release no result is read',
    from: 'if (!isTried && guards.guards.size === 0) return NOTHING;',
    to: '',
  },
  {
    ...acts,
    control: "a person's act ends the release that it crosses",
    from: 'ended = isTried ? endOfRunning(event, await reader.facts(options), act) : null;',
    to: 'ended = null;',
  },
  {
    ...acts,
    control: "a person's act is checked again when no other decision is recorded any more",
    from: 'mustCount(event, servedIn(progress.slots, event.slot));',
    to: '',
  },
  {
    ...acts,
    file: 'libs/operations/src/release/end-running.decide.ts',
    control: 'a person who promotes the candidate decides its release',
    from: "end: isItsPromotion ? 'promoted' : 'undecided',",
    to: "end: 'undecided',",
  },
  {
    ...releaser,
    control: 'the releaser outlives what hinders it',
    from: 'if (isStopped()) break;',
    to: 'if (isStopped() || !isOutage(error)) break;',
  },
  {
    ...facts,
    control: 'refused releases are kept up to a bound',
    from: '.slice(-MOST_SHOWN)',
    to: '',
  },
  {
    ...quick('libs/release/src/served-adapter.projection.ts', 'libs/release/src/served-adapter.projection'),
    control: 'refused decisions about adapters are kept up to a bound',
    from: 'if (forgotten.size === 0) return state;',
    to: 'if (forgotten.size >= 0) return state;',
  },
  {
    ...rule,
    control: 'a harmful candidate is rolled back',
    from: 'if (figures.harm !== null && figures.harm >= needed.harm)',
    to: 'if (false)',
  },
  {
    ...rule,
    control: 'a comparison that did not go as it was drawn decides nothing',
    from: 'if (logEvidence !== null && logEvidence >= needed[name])',
    to: 'if (false)',
  },
  {
    ...rule,
    control: 'a stage has its fewest problems',
    from: 'problems >= own.minProblems &&',
    to: '',
  },
  {
    ...rule,
    control: 'what is undecided at the horizon ends',
    from: 'onStream(plan, evidence) >= plan.horizon',
    to: 'false',
  },
  {
    ...rule,
    control: 'earlier canaries are weighed with their own share',
    from: "planned?.kind === 'canary' && at <= stage",
    to: "planned?.kind === 'canary' && at === stage",
  },
  {
    ...rule,
    control: 'evidence has to reach what half of the risk asks for',
    from: 'const bar = Math.log(2 / alpha);',
    to: 'const bar = 0;',
  },
  {
    ...facts,
    control: 'a decision counts when the rule decides so from its counts',
    from: 'return decidedBy === null ? ruleDoubt(release, event) : actDoubt(decidedBy, reason);',
    to: 'return undefined;',
  },
  {
    ...facts,
    control: 'a release ends when something else is served than its parent',
    from: "return changed(state, { ...running, status: 'overtaken' });",
    to: 'return state;',
  },
  {
    ...facts,
    control: 'one release of a slot at a time',
    from: 'if (running !== undefined) return `release ${running.event.releaseId} of this slot is not over`;',
    to: '',
  },
  {
    ...facts,
    file: 'libs/operations/src/release/recompute-releases.ts',
    control: 'a decision whose counts the log does not have is reported',
    from: 'made !== null && areSameBytes(made, recorded)',
    to: 'true',
  },
  {
    ...draws,
    control: 'all problems of a unit are drawn together',
    from: 'const unit = assignment?.unit ?? problem.problemId;',
    to: 'const unit = problem.problemId;',
  },
  {
    ...draws,
    control: 'two releases divide the same problems differently',
    from: 'experiment: releaseId, unit',
    to: "experiment: 'release', unit",
  },
  {
    ...writing,
    control: "a shadow's first entry is the parent's",
    from: 'candidate.candidateIndex === 1 }',
    to: 'candidate.candidateIndex === 0 }',
  },
  {
    ...tallies,
    control: 'a shadow adds nothing to the treated arm',
    from: 'const all = release?.share === null ? group.results.slice(0, 1) : group.results;',
    to: 'const all = group.results;',
  },
  {
    ...once,
    file: 'libs/operations/src/cost/extra-solved.ts',
    ...{ suite: 'quick', spec: 'libs/operations/src/cost/extra-solved.spec.ts' },
    control: 'what an extra solved problem costs is not causal where arms are not as they were drawn',
    from: "isCausal: wentAsDrawn(wanted.lift.modes.find(({ mode }) => mode === 'deploy')?.experiments ?? [])",
    to: 'isCausal: true',
  },
  {
    ...lift,
    control: 'the first problem of a unit counts, whichever is read first',
    from: 'const repeated = isBefore ? first?.[1] : own[1];',
    to: 'const repeated = first === undefined ? undefined : own[1];',
  },
  {
    ...lift,
    control: 'what is learned of a counted problem changes how it counts',
    from: 'add(state, known, -1);',
    to: '',
  },
  {
    ...lift,
    control: 'the counts of a mode wait for no problem of the other one',
    from: "`${partition}/${mode}/${isGraded(problem) ? 'verifier' : 'feedback'}`",
    to: "`${partition}/${isGraded(problem) ? 'verifier' : 'feedback'}`",
  },
  {
    ...lift,
    control: 'releases and guards of rule 1 count in the order of both modes',
    from: 'queues: ({ queues }) => queues,',
    to: 'queues: ({ queuesOfKinds }) => queuesOfKinds,',
  },
  {
    ...lift,
    control: 'where a verifier judges neither lift nor a release of rule 2 waits for a chat',
    from: "${mode}/${isGraded(problem) ? 'verifier' : 'feedback'}`",
    to: '${mode}`',
  },
  {
    ...lift,
    control: 'chats wait for the chats before them',
    from: "${mode}/${isGraded(problem) ? 'verifier' : 'feedback'}`",
    to: "${mode}/${isGraded(problem) ? 'verifier' : problemId}`",
  },
  {
    ...lift,
    control: 'a problem without a reference waits for feedback, also where it names a verifier',
    from: "isGraded(problem) ? 'verifier' : 'feedback'",
    to: "problem.verifier === null ? 'feedback' : 'verifier'",
  },
  {
    ...once,
    file: 'libs/operations/src/release/release-evidence.ts',
    control: 'a release is decided by the rule that its plan names, also when it is decided again',
    from: 'lift.decisions[plan.version]',
    to: 'lift.decisions[2]',
  },
  {
    ...rule,
    file: 'libs/release/src/release-plan.ts',
    control: 'a release that was planned by an earlier rule is read',
    from: 'z.literal(RULE_VERSIONS)',
    to: 'z.literal(NEWEST_RULE)',
  },
  {
    ...muting,
    file: 'libs/release/src/guard-plan.ts',
    control: 'a guard that was planned by an earlier rule is read',
    from: 'z.literal(RULE_VERSIONS)',
    to: 'z.literal(NEWEST_RULE)',
  },
  {
    ...guarding,
    control: 'a guard mutes by the rule that its plan names',
    from: 'lift.decisions[plan.version]',
    to: 'lift.decisions[2]',
  },
  {
    ...lift,
    control: 'a problem is forgotten once all counts have it',
    from: 'COUNTINGS.every(({ mark }) => known[mark] === true)',
    to: 'COUNTINGS.some(({ mark }) => known[mark] === true)',
  },
  {
    ...estimate,
    control: 'shares are not pooled',
    from: 'stages.set(share, [...(stages.get(share) ?? []), each]);',
    to: 'stages.set(0.5, [...(stages.get(0.5) ?? []), each]);',
  },
  {
    ...allocation,
    control: 'an arm that loses problems is seen',
    from: '- treated * Math.log(share) - control * Math.log1p(-share)',
    to: '- (treated + control) * Math.log(0.5)',
  },
  {
    ...allocation,
    control: 'missing verdicts are bet on with the share',
    from: '{ score: 1 / share, problems: treatedMissing }',
    to: '{ score: 1, problems: treatedMissing }',
  },
  {
    ...harm,
    control: 'many domains share one risk',
    from: '-Math.log(alpha * weight)',
    to: '-Math.log(alpha)',
  },
];
