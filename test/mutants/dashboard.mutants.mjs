// The dashboard's numbers are those of the log, and its interval holds at every look (docs/adr/0079).
const lift = {
  file: 'libs/read-models/src/lift.projection.ts',
  suite: 'quick',
  spec: 'libs/read-models/src/lift.projection.spec.ts',
};
const interval = {
  file: 'libs/statistics/src/lift-interval.ts',
  suite: 'quick',
  spec: 'libs/statistics/src/lift-interval.spec.ts',
};
const estimate = {
  file: 'libs/release/src/stage-estimate.ts',
  suite: 'quick',
  spec: 'libs/release/src/stage-estimate.spec.ts',
};
const views = { suite: 'quick', spec: 'libs/operations/src/views/views.spec.ts' };

export default [
  {
    ...{
      file: 'libs/event-log/src/past-event-log.ts',
      suite: 'quick',
      spec: 'libs/event-log/src/past-event-log.spec.ts',
    },
    control: 'a log as it was has the records of that moment, and no later one',
    from: 'this.asOfMs + 1)',
    to: 'this.asOfMs)',
  },
  {
    ...{
      file: 'libs/event-log/src/past-event-log.ts',
      suite: 'quick',
      spec: 'libs/event-log/src/past-event-log.spec.ts',
    },
    control: 'a log as it was takes nothing',
    from: 'override append = refused;',
    to: '',
  },
  {
    ...{ file: 'apps/gateway/src/views/live-views.ts', suite: 'quick', spec: 'apps/gateway/src/views/past.spec.ts' },
    control: 'the first page as of a moment has nothing later',
    from: 'log: new PastEventLog(this.kept.log, asOfMs)',
    to: 'log: asOfMs < 0 ? new PastEventLog(this.kept.log, asOfMs) : this.kept.log',
  },
  {
    file: 'apps/gateway/src/page/page.controller.ts',
    suite: 'quick',
    spec: 'apps/gateway/src/page/page.spec.ts',
    control: 'the address of one thing of a page is served',
    from: '[name, `${name}/:id`]',
    to: '[name]',
  },
  {
    ...lift,
    control: 'a problem counts before those that were published before it',
    from: '    if (!isSettled(known)) break;',
    to: '    if (!isSettled(known)) continue;',
  },
  {
    ...lift,
    file: 'libs/read-models/src/lift-tallies.ts',
    control: 'a failure of the infrastructure counts as a problem that was not solved',
    from: 'filter((each) => each !== NO_VERDICT)',
    to: 'filter(() => true)',
  },
  {
    ...interval,
    file: 'libs/statistics/src/fixed-bets.ts',
    control: 'the interval holds at one look alone',
    from: 'const needed = Math.log(2 / alpha);',
    to: 'const needed = Math.log(2 / alpha) / 4;',
  },
  {
    ...views,
    file: 'libs/operations/src/views/browse-log.ts',
    control: 'the browser shows the digests of keys',
    from: '.filter((name) => name !== TOPIC.access)',
    to: '',
  },
  {
    ...views,
    file: 'libs/operations/src/views/log-filter.ts',
    control: 'a filter reaches what a record inherits',
    from: ' || !Object.hasOwn(found, name)',
    to: '',
  },
  {
    ...estimate,
    control: 'a verdict that is missing does not lower the interval of a shadow',
    from: 'interval: [worst.interval95[0], known.interval95[1]]',
    to: 'interval: known.interval95',
  },
  {
    ...estimate,
    control: "the interval of a canary has another risk than its plan's",
    from: 'liftsUpTo(plan, stage, evidence), plan.alpha)',
    to: 'liftsUpTo(plan, stage, evidence))',
  },
  {
    ...views,
    file: 'libs/operations/src/release/release-status.ts',
    control: 'a release does not say that a pin keeps its promotion back',
    from: 'pin: pin === null ? null : {',
    to: 'pin: pin !== undefined ? null : {',
  },
  {
    ...views,
    file: 'libs/operations/src/views/find-anything.ts',
    control: 'a release is not found by its id',
    from: '.filter(({ event }) => isNamed(event.releaseId))',
    to: '.filter(() => false)',
  },
  {
    suite: 'quick',
    spec: 'apps/dashboard/src/parts/word-diff.spec.ts',
    file: 'apps/dashboard/src/parts/word-diff.ts',
    control: 'a word that differs is shown as the same',
    from: 'now.length && old[i] === now[j]) {',
    to: 'now.length && old[i]?.length === now[j]?.length) {',
  },
  {
    suite: 'quick',
    spec: 'apps/cli/src/library/library.command.spec.ts',
    title: 'library list',
    file: 'libs/operations/src/library/list-libraries.ts',
    control: 'weights are listed as a library',
    from: '.filter(({ key }) => isLibraryKey(key))',
    to: '',
  },
  {
    control: 'the control arm has no share in what an adapter learned',
    file: 'libs/read-models/src/learned-facts.projection.ts',
    suite: 'quick',
    spec: 'apps/cli/src/learned/show-learned.command.spec.ts',
    from: "arm === 'control' ? CONTROL : (adapterDigest ?? '')",
    to: "adapterDigest ?? ''",
  },
  {
    control: 'facts of a domain are bounded',
    file: 'libs/read-models/src/learned-facts.projection.ts',
    suite: 'quick',
    spec: 'libs/read-models/src/read-models.spec.ts',
    from: '!facts.has(fact) && facts.size >= MOST_FACTS.ofADomain',
    to: 'facts.size < 0',
  },
  {
    suite: 'quick',
    spec: 'libs/read-models/src/team-stages.projection.spec.ts',
    file: 'libs/read-models/src/team-stages.projection.ts',
    control: 'a pass that a killed stage records again counts twice',
    from: 'if (!passes.some((each) => each.pass === pass && each.attempt === attempt))',
    to: 'if (passes.length < 100)',
  },
  {
    suite: 'quick',
    spec: 'libs/read-models/src/edited-passages.projection.spec.ts',
    file: 'libs/read-models/src/edited-passages.projection.ts',
    control: 'problems without edits are among the passages',
    from: ' || !isOfPassage(event)',
    to: '',
  },
];
