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

export default [
  {
    ...rule,
    control: 'a harmful candidate is rolled back',
    from: 'if (figures.harm !== null && figures.harm >= bar)',
    to: 'if (false)',
  },
  {
    ...rule,
    control: 'a comparison that did not go as it was drawn decides nothing',
    from: 'if (logEvidence !== null && logEvidence >= -Math.log(risk))',
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
    from: 'const bar = Math.log(2 / plan.alpha);',
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
    from: "isSame: false, difference: 'from these records the stage continues'",
    to: "isSame: true, difference: ''",
  },
  {
    ...draws,
    control: 'all problems of a unit are drawn together',
    from: 'const unit = assignment?.unit ?? problemId;',
    to: 'const unit = problemId;',
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
    ...lift,
    control: 'the first problem of a unit counts, whichever is read first',
    from: 'const repeated = isBefore ? first?.[1] : own[1];',
    to: 'const repeated = first === undefined ? undefined : own[1];',
  },
  {
    ...lift,
    control: 'what is learned of a counted problem changes how it counts',
    from: 'addTo(state.tallies, known, -1);',
    to: '',
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
