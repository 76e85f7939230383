/** The world of attributes: its splits, its lore, its baselines, and what its report claims. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const WORLD = 'libs/attribute-world/src';
const STANDALONE = 'apps/standalone/src';

export default [
  ...quick(`${WORLD}/problems.ts`, `${WORLD}/attribute-world.spec.ts`, [
    {
      control: 'no split calls for an entry of another one',
      from: 'while (!isMember(domain, statement))',
      to: 'while (false)',
    },
    {
      control: 'a split is decided by the plan and not by words or dial',
      from: '[domain.name, ...valuesOf(domain, statement)].join',
      to: '[domain.name, ...statement.asked].join',
    },
    {
      control: 'new words call for plans that training has not',
      from: "own === undefined || own === 'heldOut' : own === split",
      to: 'true : own === split',
    },
    {
      control: 'new words are in no other split',
      from: "if (split === 'newWords') return world.unseen;",
      to: '',
    },
    {
      control: 'the answer is that of the lore, step by step',
      from: 'return operators.reduce(moved, start);',
      to: 'return operators.slice(1).reduce(moved, start);',
    },
  ]),
  ...quick(`${WORLD}/pairs.ts`, `${WORLD}/pairs.spec.ts`, [
    {
      control: 'a partner turns the operators of its kind, so that no attribute decides alone',
      from: 'own.get(value)! + (turning.has(partner) ? 1 : 0)',
      to: 'own.get(value)!',
    },
    {
      control: 'no thing that training asks about has a pair that is held out',
      from: 'if (!held.includes(true)) found.known.push(thing);',
      to: 'if (!held.includes(true) || !held.includes(false)) found.known.push(thing);',
    },
    {
      control: 'every pair of a thing that is reported is held out',
      from: 'else if (!held.includes(false))',
      to: 'else',
    },
  ]),
  ...quick(`${WORLD}/problems.ts`, `${WORLD}/pairs.spec.ts`, [
    {
      control: 'settings are chosen on pairs that training has not',
      from: "split === 'development' ? world.development : world.known",
      to: 'world.known',
    },
  ]),
  ...quick(`${WORLD}/lore.ts`, `${WORLD}/pairs.spec.ts`, [
    {
      control: 'a name of a world of pairs says nothing',
      from: 'new Map(of.map((name) => [name, likes]));',
      to: 'new Map(of.map((name, at) => [name, [likes[at % likes.length]!]]));',
    },
  ]),
  ...quick(`${WORLD}/baselines.ts`, `${WORLD}/baselines.spec.ts`, [
    {
      control: 'a table of pairs goes by the quoted attribute where it never met a pair',
      from: 'attributes), value]);',
      to: 'attributes)]);',
    },
  ]),
  ...quick(`${WORLD}/entries.ts`, `${WORLD}/shipped-models.spec.ts`, [
    {
      control: 'no plan of six steps quotes an attribute more often than it occurs',
      from: ', quotesCountUpTo: 6',
      to: '',
    },
  ]),
  ...quick(`${WORLD}/lore.ts`, `${WORLD}/attribute-world.spec.ts`, [
    {
      control: 'no known word has the three attributes of a new one',
      from: 'if (new Set([...taken, ...keys]).size < taken.size + keys.length) continue;',
      to: '',
    },
    {
      control: 'a strange world contradicts custom everywhere',
      from: 'filter((operator) => operator !== CUSTOM.get(value))',
      to: 'filter(() => true)',
    },
    {
      control: 'the seed draws the world',
      from: "Random.of('attribute-world', seed, preset, attempt)",
      to: "Random.of('attribute-world', preset, attempt)",
    },
  ]),
  ...quick(`${WORLD}/baselines.ts`, `${WORLD}/baselines.spec.ts`, [
    { control: 'a table counts by the word alone', from: '({ thing }) => [thing]', to: '({ value }) => [value]' },
    {
      control: 'a table counts by the word that an entry quotes',
      from: '...(byWord.get(value) ?? operators)',
      to: '...operators',
    },
    {
      control: 'a table finds the places that entries quote',
      from: 'if (word === value) places',
      to: 'if (place > 1) places',
    },
    {
      control: 'a case is a success',
      from: 'attempts.filter(({ success }) => success)',
      to: 'attempts.filter(() => true)',
    },
  ]),
  ...quick(`${STANDALONE}/problem-stream.ts`, `${STANDALONE}/attribute-splits.spec.ts`, [
    {
      control: 'rounds in a world of attributes ask what is for training',
      from: "const ATTRIBUTE_SPLIT: Split = 'train';",
      to: "const ATTRIBUTE_SPLIT: Split = 'heldOut';",
    },
  ]),
  ...quick(`${STANDALONE}/world-files.ts`, `${STANDALONE}/world-files.spec.ts`, [
    {
      control: 'a killed start leaves no problems of another world',
      from: 'if (!isKept) await rm(files.validation, { force: true });',
      to: '',
    },
  ]),
  ...quick(`${STANDALONE}/world-files.ts`, `${STANDALONE}/attribute-splits.spec.ts`, [
    {
      control: 'promotions are not decided on what is reported',
      from: "const early = attributeSet(world, 'validation', count);",
      to: "const early = attributeSet(world, 'heldOut', count);",
    },
  ]),
  ...quick(`${STANDALONE}/world-files.ts`, `${STANDALONE}/world-files.spec.ts`, [
    {
      control: 'validation problems that a planned run names stay as another release wrote them',
      from: 'if (isKept) return;',
      to: '',
    },
    {
      control: 'a folder of another world has its own validation problems',
      from: 'const isKept = isSame && existsSync',
      to: 'const isKept = existsSync',
    },
  ]),
  ...quick(`${STANDALONE}/config.ts`, `${STANDALONE}/config.spec.ts`, [
    {
      control: 'files of one’s own are read by the method that knows them',
      from: '(namesFiles(options) ? OWN_FILES_DEMONSTRATION : DEFAULT_DEMONSTRATION)',
      to: 'DEFAULT_DEMONSTRATION',
    },
  ]),
  ...quick(`${STANDALONE}/config.ts`, `${STANDALONE}/read-start.spec.ts`, [
    {
      control: 'a folder resumes in its own method',
      from: '...options, method, ...unsaid({',
      to: '...options, ...unsaid({',
    },
  ]),
  ...quick(`${STANDALONE}/run-loop.ts`, `${STANDALONE}/run-loop.spec.ts`, [
    {
      control: 'services that are hosted without rounds are held against the log',
      from: 'else assertHosted(dataDir, settings, recorded.streams);',
      to: '',
    },
  ]),
  ...quick(`${STANDALONE}/config.ts`, `${STANDALONE}/config.spec.ts`, [
    {
      control: 'no trainer is hosted that does not know a team',
      from: "method === 'team' && !said.has('services')",
      to: 'false',
    },
  ]),
  ...quick(`${STANDALONE}/world-sets.ts`, `${STANDALONE}/world-sets.spec.ts`, [
    {
      control: 'a set that a world lacks is refused',
      from: 'if (problems !== undefined) return problems();',
      to: "return (problems ?? sets['held-out']!)();",
    },
    {
      control: 'a command measures on the world of the seed',
      from: 'attributeWorldOf(settings);',
      to: 'attributeWorldOf({ ...settings, seed: 1 });',
    },
  ]),
  ...quick('apps/cli/src/process-runtime.ts', 'apps/cli/src/process-runtime.spec.ts', [
    {
      control: 'a command measures on the world of its folder',
      from: '(await settingsOfFolder(dataFolder)) ?? EARLIER_WORLD);',
      to: 'EARLIER_WORLD);',
    },
    {
      control: 'a command reads the settings of the folder that it is given',
      from: 'embeddedEnvironment({ ...begunWith, dataFolder }',
      to: "embeddedEnvironment({ ...begunWith, method: 'experiences', dataFolder }",
    },
  ]),
  ...quick(`${STANDALONE}/run-settings.ts`, `${STANDALONE}/run-settings.spec.ts`, [
    {
      control: 'services in a log of another world are refused',
      from: '=== method);',
      to: "!== '');",
    },
    {
      control: 'services in a log of a world that another seed draws are refused',
      from: 'ATTRIBUTE_PRESETS[method] === undefined;',
      to: 'true;',
    },
    {
      control: 'a folder of an earlier release is of the world of sixty words',
      from: '{ method: OWN_FILES_DEMONSTRATION, seed: 1 }',
      to: "{ method: 'attributes', seed: 1 }",
    },
    {
      control: 'a team is hosted without its stages being driven',
      from: "method === 'team' && drive ?",
      to: "method === 'team' ?",
    },
  ]),
  ...quick(`${STANDALONE}/read-start.ts`, `${STANDALONE}/read-start.spec.ts`, [
    {
      control: 'rounds of new words are refused where none come',
      from: 'if (wanted.maxShiftedRounds !== undefined) assertShifts',
      to: 'if (wanted.maxShiftedRounds === -1) assertShifts',
    },
    {
      control: 'a resumed run is measured on as many problems as its method has',
      from: 'heldOut: options.heldOut',
      to: 'heldOut: given.heldOut',
    },
    {
      control: 'a hosted world does not decide how one’s own files are learned from',
      from: 'const isBegun = !namesFiles(options) ||',
      to: 'const isBegun = options.drive ||',
    },
  ]),
  ...quick(`${STANDALONE}/report/commands-of.ts`, `${STANDALONE}/report/commands-of.spec.ts`, [
    {
      control: 'a report names rounds of new words where some come alone',
      from: 'hasNewWords(settings) ?',
      to: 'problems === null ?',
    },
  ]),
  ...quick(`${STANDALONE}/study/comparison.ts`, `${STANDALONE}/study/study.spec.ts`, [
    {
      control: 'an arm is chosen on the development problems',
      from: 'rateOf(verdicts.development)',
      to: 'rateOf((verdicts as ArmRun["verdicts"]).heldOut ?? verdicts.development)',
    },
    {
      control: 'arms are compared on the same seed',
      from: 'const other = others.get(run.seed);',
      to: 'const other = others.get(run.seed + 1);',
    },
  ]),
  ...quick(`${STANDALONE}/report/attributes-report.ts`, `${STANDALONE}/report/attributes-report.spec.ts`, [
    { control: 'entries may break few problems', from: '(trained?.broken ?? 1) > BARS.broken', to: 'false' },
    {
      control: 'entries that quote what is not there are no success',
      from: '(faithful ?? 0) < BARS.faithful',
      to: 'false',
    },
    {
      control: 'a terminal has words for the sets of a report',
      from: 'return `${SPLIT_WORDS[split]}: rescued',
      to: 'return `${split}: rescued',
      title: 'has words for its sets',
    },
    {
      control: 'a report says how many entries hold the answer',
      from: 'the answer is in ${withAnswer} of',
      to: 'the answer is in ${byChance} of',
      title: 'has words for its sets',
    },
    { control: 'new words have a bar', from: "success('newWords', 'trained') < BARS.newWords", to: 'false' },
    {
      control: 'a curve has the baselines of the same problems',
      from: 'report.sets.find((each) => each.split === split)',
      to: 'report.sets.at(0)',
      title: 'each with the baselines of the same problems',
    },
    {
      control: 'new words are no validation problems on a curve',
      from: "const isOfRounds = split === 'heldOut';",
      to: 'const isOfRounds = true;',
      title: 'each with the baselines of the same problems',
    },
  ]),
  ...quick(`${STANDALONE}/report/curve-part.ts`, `${STANDALONE}/report/curve-part.spec.ts`, [
    {
      control: 'names of close levels do not cover each other',
      from: '(places.at(-1) ?? -LEVELS.height) + LEVELS.height',
      to: '0',
    },
    {
      control: 'names of levels stay within the drawing',
      from: 'Math.min(places[at]!, lowest)',
      to: 'places[at]!',
    },
  ]),
  ...quick(`${STANDALONE}/report/example-part.ts`, `${STANDALONE}/report/example-part.spec.ts`, [
    {
      control: 'an example was not solved before the training',
      from: '!each.untrained.solved && each.trained.solved',
      to: 'each.trained.solved',
    },
    {
      control: 'a problem that is still failed is one',
      from: 'filter(({ trained }) => !trained.solved)',
      to: 'filter(({ untrained }) => !untrained.solved)',
    },
    { control: 'an example is text on the page', from: '<pre>${escapeHtml(prompt)}</pre>', to: '<pre>${prompt}</pre>' },
  ]),
  ...quick(`${STANDALONE}/trained-executor.ts`, `${STANDALONE}/trained-executor.spec.ts`, [
    {
      control: 'an executor is trained on the verified answer that was given most often',
      from: 'next[1].length > most[1].length',
      to: 'next[1].length < most[1].length',
    },
    {
      control: 'an executor is trained on verified answers alone',
      from: 'byProblem(attempts.filter(({ success }) => success))',
      to: 'byProblem(attempts)',
    },
  ]),
  ...quick(`${STANDALONE}/compared-executors.ts`, `${STANDALONE}/trained-executor.spec.ts`, [
    {
      control: 'an executor obeys where it answers as the plan says',
      from: "answer.status === 'answered' && answer.text === followPlan(problem, plans[at]!)",
      to: "answer.status === 'answered'",
    },
  ]),
  ...quick(`${WORLD}/baselines.ts`, `${WORLD}/baselines.spec.ts`, [
    {
      control: 'the most similar case is tried first',
      from: 'other.alike - one.alike',
      to: 'one.alike - other.alike',
    },
  ]),
  ...quick('libs/evaluation/src/time-to-correct.ts', 'libs/evaluation/src/controls-study.spec.ts', [
    {
      control: 'a case that was looked up is tried once, and then the next one',
      from: 'texts[candidate] ?? texts.at(-1)',
      to: 'texts[0]',
    },
  ]),
  ...quick(`${WORLD}/problems.ts`, `${WORLD}/late-attributes.spec.ts`, [
    {
      control: 'every late problem calls for a late attribute',
      from: 'valuesOf(domain, statement).some((value) => holding.has(value))',
      to: 'true',
    },
    {
      control: 'late problems of a world without late attributes are refused',
      from: 'if (isLate) assertLate(world, split);',
      to: '',
    },
    {
      control: 'a world with late attributes has problems apart',
      from: "${world.late.size === 0 ? '' : '/late attributes'}",
      to: '',
    },
    {
      control: 'a late problem is another one than the early problem of its place',
      from: "${isLate ? 'late ' : ''}",
      to: '',
    },
  ]),
  ...quick(`${WORLD}/lore.ts`, `${WORLD}/late-attributes.spec.ts`, [
    {
      control: 'no known or new word has a late attribute',
      from: 'ATTRIBUTES[kind].filter((value) => !lateValues.has(value))',
      to: 'ATTRIBUTES[kind].filter(() => true)',
    },
    {
      control: 'a world without a shift keeps no attribute back',
      from: ': KINDS.map(() => []);',
      to: ': KINDS.map((kind) => ATTRIBUTES[kind].slice(0, LATE_VALUES));',
    },
    {
      control: 'every late value comes',
      from: 'later[kind]![turn % LATE_VALUES]!',
      to: 'later[kind]![0]!',
    },
  ]),
  ...quick(`${WORLD}/baselines.ts`, `${WORLD}/late-attributes.spec.ts`, [
    {
      control: 'a retrieved case is one of the same work',
      from: 'return domainOf(domain).verb;',
      to: 'return domain;',
    },
  ]),
  ...quick(`${STANDALONE}/problem-stream.ts`, `${STANDALONE}/late-attributes.spec.ts`, [
    {
      control: 'no late problem is asked before the shift',
      from: "const isLate = phase === 'shifted' && Random",
      to: 'const isLate = Random',
    },
    {
      control: 'a round that is published in parts is the same round',
      from: "Random.of('shift', stream, number)",
      to: "Random.of('shift', stream, index)",
    },
  ]),
  ...quick(`${STANDALONE}/run-settings.ts`, `${STANDALONE}/late-attributes.spec.ts`, [
    {
      control: 'a log of a world with late attributes is not one of the world without',
      from: "${lateAttributes === true ? `/${LATE}` : ''}",
      to: '',
    },
    {
      control: 'rounds for a shift begin a world with late attributes',
      from: 'settings: { ...fixed, ...keptForShift(fixed, maxShiftedRounds) },',
      to: 'settings: fixed,',
    },
    {
      control: 'a world keeps attributes back for a shift alone',
      from: 'problems === null && maxShiftedRounds > 0',
      to: 'problems === null',
    },
  ]),
  ...quick(`${STANDALONE}/read-start.ts`, `${STANDALONE}/late-attributes.spec.ts`, [
    {
      control: 'a folder whose rounds asked about every attribute has no shift',
      from: 'if (problems === null && canKeepAttributes(method))',
      to: 'if (canKeepAttributes(method)) return;\n  if (problems === null && canKeepAttributes(method))',
    },
  ]),
  ...quick(`${STANDALONE}/config.ts`, `${STANDALONE}/late-attributes.spec.ts`, [
    {
      control: 'a world that services were hosted in with late attributes is begun so',
      from: 'lateAttributes === true ? SHIFTED_ROUNDS : usual.maxShiftedRounds',
      to: 'usual.maxShiftedRounds',
    },
  ]),
  ...quick(`${STANDALONE}/world-files.ts`, `${STANDALONE}/late-attributes.spec.ts`, [
    {
      control: 'late domains have schemas where a world without them was hosted before',
      from: ' || (lateAttributes === true && !isKept)',
      to: '',
    },
    {
      control: 'late problems of the promotions are not those that rounds ask',
      from: "attributeSet(world, 'validation', count, { isLate: true })",
      to: "attributeProblems({ world, seed: 'stream', split: 'train', count, isLate: true })",
    },
  ]),
  ...quick(`${STANDALONE}/measure-shift.ts`, `${STANDALONE}/measure-shift.spec.ts`, [
    {
      control: 'before a shift is what was served when the last round before it had ended',
      from: 'before: servedAfter(rounds[baseRounds - 1]?.round ?? 0, baseRounds)',
      to: 'before: servedAfter(rounds[baseRounds - 1]?.round ?? 0, baseRounds + 1)',
    },
    {
      control: 'each round of a shift has the adapter that was served after it',
      from: 'servedAfter(round, baseRounds + index + 1)',
      to: 'servedAfter(round, runs.length)',
    },
    {
      control: 'old problems are measured with the adapter of the round',
      from: 'onOld.set(digest, await resultOf(adapter, problems.old',
      to: 'onOld.set(digest, await resultOf(adapter, problems.new',
    },
  ]),
  ...quick(`${STANDALONE}/study/real-model/study-report.ts`, `${STANDALONE}/study/real-model/study-report.spec.ts`, [
    {
      control: 'an entry that is the answer in another form is read for the problem that it was written for',
      from: 'essence.inEntry(entry) === essence.ofAnswer(problem)',
      to: 'essence.inEntry(entry) !== null',
    },
    {
      control: 'what entries hold the answer in another form is counted by the solved problems too',
      from: 'each === true && isSolved(at)',
      to: 'each === true',
    },
  ]),
  ...quick(`${STANDALONE}/measure-by-attempts.ts`, `${STANDALONE}/measure-by-attempts.spec.ts`, [
    {
      control: 'a table next to the loop has no attempt of a later round',
      from: 'recorded.filter((attempt) => attempt.round <= round)',
      to: 'recorded.filter(() => true)',
    },
  ]),
  ...quick(`${STANDALONE}/report/late-part.ts`, `${STANDALONE}/report/late-part.spec.ts`, [
    {
      control: 'what was known of late attributes before they came has a bar',
      from: 'isStrange && curve[0]!.late.success > BARS.newBefore',
      to: 'false',
    },
    {
      control: 'a word table that solves late problems before they come is named',
      from: 'isStrange && (wordTable?.before.success ?? 1) > BARS.wordTableBefore',
      to: 'false',
    },
    {
      control: 'late problems have a bar at the end',
      from: 'if (curve.at(-1)!.late.success < BARS.learned)',
      to: 'if (curve[0]!.late.success > 1)',
    },
    {
      control: 'what is forgotten has a bar, by the low end of its interval',
      from: '(kept?.interval95[0] ?? -1) < BARS.kept',
      to: '(kept?.value ?? -1) < BARS.kept',
    },
    {
      control: 'recovery counts rounds of the shift alone',
      from: 'index > 0 && late.success',
      to: 'late.success',
    },
  ]),
];
