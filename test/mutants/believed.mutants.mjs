// The log is not believed: results, promotions and adapters count only with what they rest on (docs/adr/0030).
const results = {
  file: 'libs/evidence/src/doubt.decide.ts',
  suite: 'quick',
  spec: 'libs/evidence/src/evidence.spec.ts',
};
const promotions = {
  file: 'libs/release/src/promotion-evidence.decide.ts',
  suite: 'quick',
  spec: 'libs/release/src/served-adapter.projection.spec.ts',
};
const served = { ...promotions, file: 'libs/release/src/served-adapter.projection.ts' };

export default [
  {
    ...results,
    control: 'the problem of an experience is the published one',
    from: "differences(experience.problem, published!.problem, 'problem_differs', 'the published problem') ??",
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
    from: "follows(result.meta, experience.meta, 'outcome') ??",
    to: '',
  },
  {
    ...results,
    control: 'a result is about what its experience holds',
    from: 'ofExperience(result, experience) ??',
    to: '',
  },
  { ...results, control: 'a reward is 0 to 1', from: 'ofVerdict(result)\n', to: 'undefined\n' },
  {
    control: 'what one result rests on does not stand in for another of its batch',
    file: 'libs/evidence/src/evidence.ts',
    from: 'return JSON.stringify([key, id]);',
    to: 'return id;',
    suite: 'quick',
    spec: 'apps/buffer/src/forged-results.spec.ts',
  },
  {
    control: 'the buffer counts no result that is doubted',
    file: 'apps/buffer/src/refused-results.ts',
    from: '(doubts.get(index) ?? told(fold, placed))',
    to: 'told(fold, placed)',
    suite: 'quick',
    spec: 'apps/buffer/src/forged-results.spec.ts',
  },
  {
    control: 'of two verdicts on one experience the second is told',
    file: 'apps/buffer/src/refused-results.ts',
    from: '(doubts.get(index) ?? told(fold, placed))',
    to: 'doubts.get(index)',
    suite: 'quick',
    spec: 'apps/buffer/src/forged-results.spec.ts',
  },
  {
    control: 'tokens spell the entry that they are learned for',
    file: 'apps/trainer/src/spelled-input.ts',
    from: '!spells(decode(tokenIds), entry)',
    to: 'false',
    suite: 'quick',
    spec: 'apps/trainer/src/spelled-input.spec.ts',
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
    from: 'if (digest === at && parent !== null) origins.add(parent);',
    to: 'if (digest === at && parent !== null && origins.size === 0) origins.add(parent);',
  },
  {
    ...results,
    control: 'an experience is by an adapter that the log has',
    from: 'ofAdapter(experience, basesOf) ??',
    to: '',
  },
  {
    control: 'an adapter is proven before a promotion of it is recorded',
    file: 'apps/cli/src/adapters/serve-adapters.command.ts',
    from: 'await prove(runtime, version);',
    to: '',
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
    file: 'libs/language-model/src/adapter.ts',
    from: 'if (intake.shapesFor !== undefined) checkShapes(adapter.tensors, shapesBy(intake.shapesFor, adapter.settings));',
    to: '',
    suite: 'quick',
    spec: 'libs/language-model/src/adapter.spec.ts',
  },
];
