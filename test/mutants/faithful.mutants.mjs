// Entries tell the truth: what counts as a quote, and every place that must ask. Each row switches one off.
const FAITHFUL = 'libs/experience/src/faithful.spec.ts';
const OCCURRENCE = 'libs/experience/src/occurrence.spec.ts';
const GROUNDED = 'libs/experience/src/grounded-schema.spec.ts';
const quick = (file, spec, rows) => rows.map((row) => ({ file, suite: 'quick', spec, ...row }));

export default [
  {
    control: 'the share of faithful entries leaves out those that were not to quote',
    file: 'libs/read-models/src/faithful-entries.projection.ts',
    from: 'if (faithful === null) continue;',
    to: '',
    suite: 'quick',
    spec: 'libs/read-models/src/read-models.spec.ts',
  },
  {
    control: 'a run is shown with the entries of the adapter that it made',
    file: 'libs/operations/src/read-models/recorded-runs.ts',
    from: 'faithful: run.adapterDigest === null ? null : faithfulBy(written, run.adapterDigest),',
    to: 'faithful: run.adapterDigest === null ? null : faithfulBy(written, run.parentAdapter),',
    suite: 'quick',
    spec: 'apps/cli/src/runs/runs.command.spec.ts',
  },
  ...quick('libs/experience/src/occurrence.ts', OCCURRENCE, [
    {
      control: 'a quote is whole words',
      from: 'if (WORD.test(left) && WORD.test(right)) return !',
      to: 'if (WORD.test(left) && WORD.test(right)) return false && !',
    },
    {
      control: 'what an apostrophe or a hyphen joins is one word',
      from: `(joint === "'" || joint === '-') && LETTER.test(left)`,
      to: `joint === '' && LETTER.test(left)`,
    },
    {
      control: 'x² is not x2',
      from: ".normalize('NFC')\n    .toUpperCase()",
      to: ".normalize('NFKC')\n    .toUpperCase()",
    },
    { control: 'white space is compared as one blank', from: ".replaceAll(/\\s+/gu, ' ')", to: '' },
  ]),
  ...quick('libs/experience/src/faithful.ts', FAITHFUL, [
    { control: 'a list quotes a span as often as it stands there', from: 'quoted.set(words, times);', to: '' },
    {
      control: 'a quote says something',
      from: "if (!hasWords(words)) return 'holds neither letter nor digit';",
      to: '',
    },
    {
      control: 'leaving the quote out is no way to be faithful',
      from: "if (quotes.length === 0) return { path, quote: null, fault: 'it quotes nothing' };",
      to: '',
    },
    {
      control: 'an open quote does not count',
      from: 'if (end < 0) return undefined;\n    quotes.push',
      to: 'if (end < 0) return quotes;\n    quotes.push',
    },
    {
      control: 'every quote of a text is looked for',
      from: 'open = text.indexOf(before, end + after.length);',
      to: 'open = -1;',
    },
    {
      control: 'invisible characters are not passed over',
      from: "if (isPlainCodePoint(codePoint) || character === '\\n' || character === '\\t') continue;",
      to: 'if (codePoint >= 0) continue;',
    },
  ]),
  ...quick('libs/experience/src/quote-rules.ts', FAITHFUL, [
    {
      control: 'a rule that would have no effect is refused',
      from: 'for (const [place, each] of elsewhere(schema, path)) refuseWithin(each, place);',
      to: '',
    },
    { control: 'unknown words in a rule are refused', from: 'if (unknown.length > 0)', to: 'if (unknown.length > 99)' },
  ]),
  ...quick('libs/experience/src/grounded-schema.ts', GROUNDED, [
    {
      control: 'a list counts its quotes up to the length that its rule says',
      from: 'maxItems > rule.countUpTo',
      to: 'maxItems > 4',
    },
    {
      control: 'the mask of a problem leaves its own words',
      from: 'const texts = schema.enum.filter(isTrue);',
      to: 'const texts = schema.enum;',
    },
    {
      control: 'earlier entries are learned from under the mask of their time',
      from: 'entrySchema === schemaDigest(schema)',
      to: 'entrySchema.length > 0',
    },
    {
      control: 'a list may not quote a thing more often than it stands there',
      from: 'return withoutRepeats(grounded, rules.items.rule, prompt);',
      to: 'return grounded;',
    },
    {
      control: 'a list of which nothing is left stays empty where it may',
      from: '? { ...grounded, maxItems: 0 } : grounded',
      to: '? grounded : grounded',
    },
  ]),
  ...quick('libs/token-grammar/src/layout.ts', GROUNDED, [
    {
      control: 'a grammar counts how often texts of one part were written',
      from: 'used.with(part, used[part]! + 1)',
      to: 'used.with(0, used[0]! + 1)',
    },
  ]),
  ...quick('libs/rollout/src/explore.ts', 'libs/rollout/src/rollout.spec.ts', [
    {
      control: 'a generator writes under what its problem leaves of the schema',
      from: 'schema: groundedSchema(guided(schema, problem), problem.prompt),',
      to: "schema: groundedSchema(guided(schema, problem), ''),",
    },
  ]),
  ...quick('libs/evaluation/src/faithful-share.ts', 'libs/evaluation/src/', [
    {
      control: 'an evaluation counts the faithful entries',
      from: 'judged.filter(Boolean).length',
      to: 'judged.length',
    },
  ]),
  ...quick('apps/executor/src/execute-experiences.handler.ts', 'apps/executor/src/app.module.spec.ts', [
    {
      control: 'a misquote earns nothing',
      from: "'the entry gives the answer away' : misquote;",
      to: "'the entry gives the answer away' : undefined;",
    },
  ]),
  ...quick('libs/experience/src/entry-worth.ts', 'apps/executor/src/app.module.spec.ts', [
    {
      control: 'what a schema said that this service does not know is not judged',
      from: 'if (schemaDigest(schema) !== entrySchema)',
      to: 'if (entrySchema === "")',
    },
  ]),
  ...quick('apps/buffer/src/app.module.ts', 'apps/buffer/src/app.module.spec.ts', [
    {
      control: 'a misquote is no success to imitate',
      from: 'const misquote = misquoteIn(entry, schema, prompt);',
      to: 'const misquote = misquoteIn(entry, {}, prompt);',
    },
  ]),
  ...quick('libs/training-runs/src/gradient-method.ts', 'apps/trainer/src/app.module.spec.ts', [
    {
      control: 'an entry is learned from under the mask of its problem',
      from: 'sampledUnder(written, schemaFor(domain))',
      to: "sampledUnder({ ...written, entrySchema: '' }, schemaFor(domain))",
    },
  ]),
  ...quick('apps/standalone/src/round-progress.ts', 'apps/standalone/src/round-progress.spec.ts', [
    {
      control: 'a round counts its faithful entries',
      from: 'counted(row.quoting, told.faithful, by)',
      to: 'counted(row.quoting, true, by)',
    },
  ]),
];
