// Mutants that no test can notice, each with the reason. They are not run, and count neither as killed nor as survived. A row has the form
// in which `npm run mutants:generated -- --json` lists a survivor: { file, within (the line), from, to }, and `why`. `--check` refuses a
// row whose mutant is not there any more.
export const reviewed = [
  {
    file: 'libs/language-model/src/generation/candidate.ts',
    within: 'grammar && candidate.state !== undefined',
    from: 'grammar && candidate.state !== undefined',
    to: 'grammar || candidate.state !== undefined',
    why: 'A candidate has a state exactly where its job has a grammar: both come from the same line of the lane.',
  },
  {
    file: 'apps/executor/src/rewarded-attempts.ts',
    within: "const BASELINE_SEED = 'baseline';",
    from: "'baseline'",
    to: '""',
    why: 'Any fixed text is as good a seed.',
  },
  {
    file: 'libs/success-buffer/src/distinct-contents.ts',
    within: 'if (before === cluster.best) continue;',
    from: 'before === cluster.best',
    to: 'false',
    why: 'To leave and to enter again cancel each other in Changes.',
  },
  {
    file: 'libs/language-model/src/training/training-lane.ts',
    within: "const session = await this.#session(isMasked ? 'loss masked' : 'loss', () =>",
    from: "'loss'",
    to: '""',
    why: 'The name of a session in a table; the other names stay different from it.',
  },
  {
    file: 'libs/language-model/src/generation/sampler.ts',
    within: 'if (logit > largest) largest = logit;',
    from: 'logit > largest',
    to: 'logit >= largest',
    why: 'An equal value is assigned again.',
  },
  {
    file: 'libs/language-model/src/generation/sampler.ts',
    within: 'if (probabilities && size >= MANY) {',
    from: 'size >= MANY',
    to: 'size > MANY',
    why: 'Both ways sample from the same distribution; the limit decides on speed.',
  },
  {
    file: 'libs/language-model/src/generation/sampler.ts',
    within:
      'const legalMass = legal === null ? 1 : (massFrom(probabilities, legal) ?? massOf(logits, bestLogit, legalSum));',
    from: 'legal === null',
    to: 'false',
    why: 'The mass of all tokens is computed as 1 as well: the same sum, divided by itself.',
  },
  {
    file: 'libs/language-model/src/graphs/generation-graphs.ts',
    within: "const causal = graph.input('causal', 'float32', [stackedQueries(decoder.config), 'T']);",
    from: "[stackedQueries(decoder.config), 'T']",
    to: '[]',
    why: 'The shape is a statement for people: the sum that reads it has the shape of its other operand.',
  },
  {
    file: 'libs/tensor-graph/src/derivative-rules.ts',
    within: "const symbolic = like.shape.filter((size) => typeof size === 'string').length;",
    from: "typeof size === 'string'",
    to: 'true',
    why: 'The shape is then read at run time instead of being a constant: the same values.',
  },
  {
    file: 'libs/language-model/src/generation/decode-batch.ts',
    within: '#suffix: Cache = { keys: [], values: [] };',
    from: '[]',
    to: '["Stryker was here"]',
    why: 'Replaced before it is read: to read a layer of the empty list would fail as well.',
  },
  {
    file: 'libs/language-model/src/graphs/training-graph.ts',
    within: "const entropy = op('Neg', graph.apply('ReduceSum', [surprise, graph.integer([-1])], { keepdims: 0 }));",
    from: '-1',
    to: '+1',
    why: 'The last axis of two is axis 1.',
  },
  {
    file: 'libs/statistics/src/fixed-bets.ts',
    within: 'if (evidence(middle, side) >= needed) outside = middle;',
    from: 'evidence(middle, side) >= needed',
    to: 'evidence(middle, side) > needed',
    why: 'The bisection meets equality in real numbers at most once, and both halves then end at the same edge.',
  },
  {
    file: 'libs/language-model/src/generation/sampler.ts',
    within: 'least = sample[Math.max(0, sample.length - 2 * Math.ceil(topK / 64) - 8)]!;',
    from: 'sample.length - 2 * Math.ceil(topK / 64) - 8',
    to: 'sample.length - 2 * Math.ceil(topK / 64) + 8',
    why: 'A bound that is too high is given up in the next lines: then all are sorted.',
  },
  {
    file: 'libs/language-model/src/adapters/merge-adapter.ts',
    within: "if (settings.kind !== 'lora' || !a || !b) return { weight, changed: undefined };",
    from: "settings.kind !== 'lora'",
    to: 'false',
    why: 'An adapter of whole weights has no factors, so the other conditions hold; this one is for the types.',
  },
];
