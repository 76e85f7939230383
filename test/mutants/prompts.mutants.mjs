// What strangers wrote stands in a prompt as words, and answers in entries earn nothing.
const slot = { file: 'libs/experience/src/slot.ts', suite: 'quick', spec: 'libs/experience/src/slot.spec.ts' };
const hostile = { suite: 'quick', spec: 'test/quick/hostile-entries.spec.ts' };

export default [
  {
    ...slot,
    control: "a problem writes no heading of its template's",
    from: 'headings.test(plainLine(line))',
    to: 'headings.test(line)',
    title: 'whatever thousands',
  },
  {
    control: 'an entry begins no section',
    file: 'libs/experience/src/prompts.ts',
    from: 'data(onOneLine(withoutAddresses(asData(memoryItemBlock(entry) ?? entry))), controlTokens)',
    to: 'onOneLine(withoutAddresses(asData(memoryItemBlock(entry) ?? entry)))',
    suite: 'quick',
    spec: 'libs/experience/src/slot.spec.ts',
    title: 'whatever thousands',
  },
  {
    ...slot,
    control: 'addresses in an entry lead nowhere',
    from: "return entry.replaceAll(ADDRESSES, ' ');",
    to: 'return entry;',
    ...hostile,
  },
  {
    control: "control tokens of the executor's own vocabulary are broken",
    file: 'libs/experience/src/own-tokens.ts',
    from: 'if (own.length === 0) return (text) => text;',
    to: 'if (own.length >= 0) return (text) => text;',
    ...hostile,
  },
  {
    control: "an executor's own control tokens reach its prompts",
    file: 'libs/rollout/src/executor.language-model.adapter.ts',
    from: 'this.controlTokens = controlTokens;',
    to: 'this.controlTokens = controlTokens.slice(0, 0);',
    suite: 'quick',
    spec: 'libs/rollout/src/prompt-form.spec.ts',
  },
  {
    control: "a generator's own control tokens reach its prompts",
    file: 'libs/rollout/src/explore.ts',
    from: 'prompts.generator(problem.prompt, model.tokenizer.controlTokens)',
    to: 'prompts.generator(problem.prompt)',
    suite: 'quick',
    spec: 'libs/rollout/src/prompt-form.spec.ts',
  },
  {
    control: 'an entry that gives the answer away earns nothing',
    file: 'apps/executor/src/execute-experiences.handler.ts',
    from: 'this.isValid(experience) && !isLeak',
    to: 'this.isValid(experience)',
    suite: 'quick',
    spec: 'apps/executor/src/app.module.spec.ts',
    title: 'tells it',
  },
  {
    control: 'a number is the answer however it is written',
    file: 'libs/rollout/src/leaks.ts',
    from: 'isTold((text) => holdsNumber(text, problem)) ||',
    to: '',
    suite: 'quick',
    spec: 'libs/rollout/src/leaks.spec.ts',
  },
  {
    control: 'the buffer keeps no success that earned nothing',
    file: 'libs/success-buffer/src/candidate.ts',
    from: 'if (pair.reward === 0)',
    to: 'if (pair.reward < 0)',
    suite: 'quick',
    spec: 'libs/success-buffer/src/success-buffer.spec.ts',
    title: 'earned no reward',
  },
];
