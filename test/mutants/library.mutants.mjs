/** Libraries of experiences: what is proposed, what becomes of it, how it acts, and what a model is paid for. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));
const LIBRARY = 'libs/experience-library/src';

export default [
  ...quick(`${LIBRARY}/consolidate.decide.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    {
      control: 'a merge has its items for itself',
      from: 'for (const id of ids) this.claimed.set(',
      to: 'for (const id of []) this.claimed.set(',
    },
    { control: 'the cap of a library holds', from: 'this.items.size >= maxItems', to: 'false' },
    { control: 'a near duplicate is refused', from: '< this.limits.nearDuplicate', to: '< 2' },
  ]),
  ...quick(`${LIBRARY}/consolidate.decide.ts`, `${LIBRARY}/says-nothing.spec.ts`, [
    {
      control: 'a text that says nothing is no item',
      from: 'const nothing = saysNothing(text) ?',
      to: 'const nothing = false ?',
    },
    { control: 'what a model was asked is no item', from: 'asked.length === 0', to: 'true' },
    { control: 'a sign that a comparison found is an item', from: 'asked.length === 0', to: 'false' },
    {
      control: 'a long text is no item',
      from: 'wordsOf(text) > maxWords || text.length > mostCharactersOf(maxWords)',
      to: 'false',
    },
  ]),
  ...quick(`${LIBRARY}/says-nothing.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    { control: 'control characters are no part of a text', from: '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\s]+', to: '\\n+' },
  ]),
  ...quick(`${LIBRARY}/says-nothing.ts`, `${LIBRARY}/says-nothing.spec.ts`, [
    { control: 'fillers of scripts show nothing', from: '\\p{Default_Ignorable_Code_Point}', to: '' },
    { control: 'blanks of scripts show nothing', from: '\\u2800\\u{13441}\\u{13442}', to: '' },
    {
      control: 'a sign that a comparison found is served',
      from: 'if (calls.length === 0) return showsNothing(text);',
      to: '',
    },
    { control: 'wide letters are letters', from: ".normalize('NFKC')", to: '' },
    { control: 'a fence of code is no part of a text', from: 'unfenced(seen(text))', to: 'seen(text)' },
    { control: 'brackets alone are no JSON', from: '    JSON.parse(text);\n', to: '' },
    { control: 'JSON is no experience', from: 'if (isOfJson(own))', to: 'if (false)' },
    { control: 'a text that says there is nothing is no item', from: 'if (NO_ANSWER.test(words))', to: 'if (false)' },
    { control: 'a word of the instructions is no item', from: ' || isWordOf(each)', to: '' },
    { control: "a library of its parent's texts is not served", from: '.map(actOf).sort()', to: '.map(actOf)' },
    {
      control: 'a library without a text is not served',
      from: 'items.every((item) => isEmpty(item, needs))',
      to: 'items.length === 0',
    },
  ]),
  ...quick('libs/training-runs/src/library-runner.ts', 'libs/training-runs/src/library-runner.spec.ts', [
    {
      control: 'a run makes no library that must not be served',
      from: 'return hindrance === undefined',
      to: 'return true',
    },
    {
      control: 'a run of the first release is made again as it was',
      from: 'keepsEmpty ? null : extractor.asked',
      to: 'extractor.asked',
    },
    {
      control: 'what a model was asked is kept apart from what it says',
      from: 'asked: askedWords(templates, all)',
      to: 'asked: []',
    },
    {
      control: 'texts that say nothing are counted',
      from: 'filter(({ isEmpty }) => isEmpty)',
      to: 'filter(() => false)',
    },
  ]),
  ...quick('libs/training-runs/src/run-training.ts', 'libs/training-runs/src/run-training.spec.ts', [
    {
      control: 'a published artefact that must not be served is refused',
      from: 'if (unfit !== undefined)',
      to: 'if (false)',
    },
  ]),
  ...quick('libs/operations/src/release/plan-release.ts', 'apps/cli/src/library/library.command.spec.ts', [
    {
      control: 'no release tries a library without a text',
      from: "assertSaysSomething(await openWhole(world, found), 'release')",
      to: 'await openWhole(world, found)',
    },
    {
      control: 'no release tries a library that is not there',
      from: 'if (isLibraryKey(found.key))',
      to: 'if (isLibraryKey(found.key) && (await (await world.openObjects()).head(found.key)) !== undefined)',
    },
  ]),
  ...quick('libs/operations/src/adapters/prove-artefact.ts', 'apps/cli/src/library/library.command.spec.ts', [
    {
      control: 'a person promotes no library without a text',
      from: "artefact.kind !== 'library' || unservable(artefact, null) === undefined",
      to: 'true',
    },
  ]),
  ...quick(`${LIBRARY}/proposals.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    {
      control: 'the weight of a proposal decides, not its place',
      from: 'b.united.groups.length - a.united.groups.length || compareText(a.act, b.act)',
      to: '0',
    },
  ]),
  ...quick(`${LIBRARY}/guided-schema.ts`, `${LIBRARY}/guided-schema.spec.ts`, [
    {
      control: 'a library of several items writes an entry that can be read',
      from: "typeof field.pattern === 'string' ? linesBy",
      to: 'true ? linesBy',
    },
    {
      control: 'a pattern without line breaks loses no item',
      from: 'onLines.length < inOne.length',
      to: 'onLines.length === 0',
    },
  ]),
  ...quick(`${LIBRARY}/contrast.decide.ts`, `${LIBRARY}/contrast.spec.ts`, [
    {
      control: 'writers are compared with themselves alone',
      from: 'JSON.stringify([attempt.groupId, attempt.writer])',
      to: 'JSON.stringify([attempt.groupId])',
    },
    { control: 'many texts are tested at one level together', from: 'level / (ascending.length - i)', to: 'level' },
  ]),
  ...quick(`${LIBRARY}/library.ts`, `${LIBRARY}/library.spec.ts`, [
    {
      control: 'a library is what its digest says',
      from: 'expected.digest !== undefined && expected.digest !== library.digest',
      to: 'false',
    },
  ]),
  ...quick('libs/training-runs/src/recorded-replies.ts', 'libs/training-runs/src/recorded-replies.spec.ts', [
    { control: 'a reply that no record holds is cut', from: '<= MOST_BYTES) return answer', to: '>= 0) return answer' },
    { control: 'a reply is not cut within a character', from: ".replace(/[\\uD800-\\uDBFF]$/, '')", to: '' },
    { control: 'a reply that was cut counts as cut off', from: ', isWhole: false };', to: ' };' },
    { control: 'paid answers that cannot be read are recorded', from: '(each) => unread.push(each)', to: '() => 0' },
    {
      control: 'an answer that cannot be read answers no question',
      from: 'callId: sha256(newId())',
      to: 'callId',
    },
  ]),
  ...quick('libs/training-runs/src/recorded-replies.ts', 'libs/training-runs/src/library-runner.spec.ts', [
    { control: 'a reply is recorded before it is used', from: 'await log.append([encodeEvent(event)]);', to: '' },
    { control: 'what is done again asks no model', from: 'if (!mayAsk || client === undefined)', to: 'if (false)' },
    { control: 'recorded replies are spent', from: 'if (known !== undefined) return known;', to: '' },
    {
      control: 'a run that is taken over has the replies of the process before',
      from: 'await this.training.read()',
      to: 'this.known.size > 0 && this.paid.size === 0 ? [] : await this.training.read()',
    },
    { control: 'replies of other processes are of the same budget', from: '!this.paid.delete(callId)', to: 'false' },
    { control: 'own replies are spent once', from: '!this.paid.delete(callId)', to: 'true' },
    {
      control: 'of two replies to one request the first counts',
      from: 'if (!this.known.has(callId)) this',
      to: 'this',
    },
  ]),
  ...quick('libs/openai-endpoint/src/endpoint-client.ts', 'libs/training-runs/src/recorded-replies.spec.ts', [
    {
      control: 'the end of a budget names answers that could not be read',
      from: '`${this.oddSpending()}${remedy}`',
      to: 'remedy',
    },
    {
      control: 'the end of a budget names a server that reports too much',
      from: 'this.overstated++',
      to: 'this.overstated = 0',
    },
  ]),
  ...quick(
    'libs/model-clients/src/distillation.language-model.adapter.ts',
    'libs/model-clients/src/distillation.language-model.spec.ts',
    [
      {
        control: 'a checkpoint reads no token of control that a text spells',
        from: 'breakerOf(model.tokenizer.controlTokens ?? [])(prompt)',
        to: 'prompt',
      },
      { control: 'a checkpoint writes operations under their form', from: '{ ...asked, schema: form }', to: 'asked' },
      {
        control: 'a checkpoint frees what it reserved for a turn that failed',
        from: 'for (const { worst } of batch) this.budget.settle(worst, NOTHING);',
        to: '',
      },
      { control: 'a checkpoint keeps to its budget', from: 'this.budget.reserve(worst)', to: "'reserved'" },
      {
        control: 'a checkpoint counts what it used, not its worst case',
        from: 'this.budget.settle(worst, answer);',
        to: '',
      },
      {
        control: 'a checkpoint refuses a prompt that does not fit',
        from: 'each.reject(tooLong(',
        to: 'each.resolve(tooLong(',
      },
      {
        control: 'a checkpoint that holds too little is refused at the start',
        from: 'if (shortest > room)',
        to: 'if (false)',
      },
      { control: 'a deadline of a checkpoint is said', from: 'const fault = isLate ?', to: 'const fault = false ?' },
    ],
  ),
  ...quick('libs/model-clients/src/executor.config.ts', 'libs/model-clients/src/distillation.language-model.spec.ts', [
    { control: 'a budget in money needs prices', from: 'money === undefined ||', to: 'true ||' },
  ]),
  ...quick('libs/training-runs/src/recorded-replies.ts', 'libs/training-runs/src/library-runner.spec.ts', [
    {
      control: 'the form of a reply is no part of its question',
      from: '{ runId, stage, prompt, attempt, ...settings }',
      to: "{ runId, stage, prompt, attempt, ...settings, form: '' }",
    },
    {
      control: 'a run begins with a model that can reply',
      from: 'if (mayAsk) await client?.prepare(settings);',
      to: '',
    },
    { control: 'what is done again prepares no model', from: 'if (mayAsk) await client', to: 'await client' },
  ]),
  ...quick('libs/operations/src/train/train-on-demand.ts', 'libs/operations/src/train/train-on-demand.spec.ts', [
    { control: 'what is made again opens no executor', from: '        evaluates: false,\n', to: '' },
  ]),
  ...quick('libs/operations/src/cost/known-prices.ts', 'apps/cli/src/study/study-library.command.spec.ts', [
    { control: 'an unknown price is no price', from: 'return null;', to: 'return 0;' },
    { control: 'a price that is given goes before a declared one', from: 'given.get(model) ?? priceAt', to: 'priceAt' },
  ]),
  ...quick('libs/operations/src/cost/library-estimate.decide.ts', 'libs/operations/src/cost/library-estimate.spec.ts', [
    { control: 'an estimate without replies states no error', from: 'isMeasured && tokens > 0', to: 'tokens > 0' },
    {
      control: 'an estimate has the tries that replies needed',
      from: ' * triesOf(replies, plan.attempts)',
      to: '',
    },
    {
      control: "an estimate by another model's replies states no error",
      from: "(basis === 'own' && replies >= 2)",
      to: 'replies >= 2',
    },
    {
      control: 'an estimate says which stages are assumed',
      from: "if (replies.length === 0) return 'assumed';",
      to: '',
    },
    {
      control: 'an assumed stage has the lengths of the recorded ones',
      from: 'advice?.responseTokens ?? operations',
      to: 'operations',
    },
    { control: 'a stage that is not asked needs nothing', from: "if (calls === 0) return 'unasked';", to: '' },
  ]),
  ...quick('libs/operations/src/cost/library-cost.ts', 'apps/cli/src/cost/library-cost.command.spec.ts', [
    { control: 'an estimate leaves out the run that it is compared with', from: 'run !== compared &&', to: '' },
    {
      control: 'an estimate rests on runs that read the same',
      from: ' && run.settings.evidence === plan.evidence',
      to: '',
    },
    { control: 'an estimate of a stage mixes no models', from: 'replies: all.filter(isOf)', to: 'replies: all' },
    { control: 'an estimate that is compared has the plan of its run', from: ': planOf(compared)', to: ': {}' },
  ]),
  ...quick('libs/operations/src/cost/recorded-library-runs.ts', 'apps/cli/src/cost/library-cost.command.spec.ts', [
    { control: 'replies side by side are one time', from: 'Math.max(from, reached)', to: 'from' },
  ]),
  ...quick('libs/training-runs/src/library-method.ts', 'libs/training-runs/src/library-method.spec.ts', [
    {
      control: 'a library compares no verdicts of several revisions of a judge',
      from: 'groups.filter(({ isAlike }) => isAlike)',
      to: 'groups',
    },
    {
      control: 'a library of single attempts reads one of each group',
      from: "evidence === 'attempts' ? [single]",
      to: "evidence === 'attempts' ? group",
    },
    { control: 'a library that is written directly reads no attempt', from: "response: '' }", to: '}' },
  ]),
  ...quick('libs/training-runs/src/judged-groups.ts', 'libs/training-runs/src/library-method.spec.ts', [
    { control: 'a run without a group says what its groups are', from: '${what}: of ', to: '${what}; ' },
    {
      control: 'a group of another base model is said as such',
      from: 'else if (models.size > 0 && !models.has(baseModelDigest)) leftOut.foreign++;',
      to: '',
    },
  ]),
  ...quick('libs/release/src/promotion.decide.ts', 'libs/release/src/promotion.decide.spec.ts', [
    { control: 'a decision says why so few problems counted', from: 'too few${whySoFew(input)}', to: 'too few' },
  ]),
  ...quick('libs/training-runs/src/make-artefact.ts', 'apps/trainer/src/library-cost.spec.ts', [
    { control: 'a run records what its plan counted', from: '...planned.metrics, ', to: '' },
  ]),
  ...quick('libs/training-runs/src/library-method.ts', 'apps/trainer/src/library-cost.spec.ts', [
    { control: 'a run of a library records its groups', from: "status: 'ready', metrics }", to: "status: 'ready' }" },
  ]),
  ...quick('libs/learning/src/groups.ts', 'libs/learning/src/grpo', [
    {
      control: 'GRPO compares no verdicts of several revisions of a judge',
      from: '!areJudgedAlike(judged.map(({ result }) => result))',
      to: 'false',
    },
  ]),
  ...quick('libs/events/src/judges.ts', 'libs/rollout/src/judge-all.spec.ts', [
    { control: 'a mean names all revisions that judged', from: 'revisions.length === 1', to: 'true' },
  ]),
  ...quick('libs/events/src/judges.ts', 'libs/events/src/judges.spec.ts', [
    { control: 'a mix of revisions is compared with nothing', from: '!judges.some(isMix) && ', to: '' },
    {
      control: 'a mix of mixes names each revision once',
      from: 'judges.flatMap(revisionsIn)',
      to: 'judges.map(({ model, revision }) => revision ?? model)',
    },
  ]),
  ...quick('libs/learning/src/groups.ts', 'libs/learning/src/grpo', [
    {
      control: 'GRPO compares no mixes of revisions of a judge',
      from: '!areJudgedAlike(judged.map(({ result }) => result))',
      to: 'new Set(judged.flatMap(({ result }) => result.judge?.revision ?? [])).size > 1',
    },
  ]),
  ...quick('apps/executor/src/execute-experiences.handler.ts', 'apps/executor/src/endpoint.spec.ts', [
    { control: 'an outcome names its judge', from: 'judge: judgement.judgedBy ?? null', to: 'judge: null' },
  ]),
  ...quick('apps/cli/src/library/library.command.ts', 'apps/cli/src/library/library.command.spec.ts', [
    {
      control: 'a pipe gets the library alone',
      from: "if (left !== '') terminal.remark(left);",
      to: 'terminal.print(left);',
    },
  ]),
  ...quick(`${LIBRARY}/content-words.ts`, `${LIBRARY}/content-words.spec.ts`, [
    {
      control: 'words of the exchange are no content',
      from: 'STOP.has(word) || EXCHANGE.has(word)',
      to: 'STOP.has(word)',
    },
    { control: 'words without a meaning alone are no content', from: 'STOP.has(word) || EXCHANGE', to: 'EXCHANGE' },
    { control: 'a place to fill in is no content', from: 'isSlot(inner) || isToken(slot)', to: 'isToken(slot)' },
    { control: 'words in brackets are content', from: "isSlot(inner) || isToken(slot) ? ' ' : slot", to: "' '" },
    {
      control: 'the name of a control token is no content',
      from: 'isSlot(inner) || isToken(slot)',
      to: 'isSlot(inner)',
    },
    { control: 'a relation is content', from: 'if (!isEarlier && hasRelation', to: 'if (false && hasRelation' },
    {
      control: 'a relation of words of the exchange is no content',
      from: '(word) => !isOfExchange(word)',
      to: '() => true',
    },
    {
      control: 'what a model will not do is no experience',
      from: 'if (REFUSAL.test(',
      to: 'if (false && REFUSAL.test(',
    },
    { control: 'scripts without blanks have words', from: 'unspaced + (FORMULA', to: '(FORMULA' },
    { control: 'a letter alone is no content', from: ' && !/^\\p{L}$/u.test(word)', to: '' },
    {
      control: 'the same word again is no second word',
      from: 'const content = new Set(',
      to: 'const content = Array.of(...',
    },
  ]),
  ...quick(`${LIBRARY}/consolidate.decide.ts`, `${LIBRARY}/content-words.spec.ts`, [
    {
      control: 'a text that talks of nothing is no item',
      from: 'return lacksContent(text, needs) ?',
      to: 'return false ?',
    },
  ]),
  ...quick(`${LIBRARY}/consolidate.decide.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    {
      control: 'two texts whose figures differ are no near duplicates',
      from: 'this.limits.wordsAlone === true || haveEqualFigures(text, item.text)',
      to: 'true',
    },
    {
      control: 'earlier runs compare words alone',
      from: 'this.limits.wordsAlone === true || haveEqual',
      to: 'haveEqual',
    },
  ]),
  ...quick(`${LIBRARY}/plain-words.ts`, `${LIBRARY}/content-words.spec.ts`, [
    { control: 'marks that are laid over letters hide no word', from: ".replaceAll(LAID_OVER, '')", to: '' },
    {
      control: 'accents are no marks that hide a word',
      from: ".replaceAll(LAID_OVER, '')",
      to: ".normalize('NFD').replaceAll(/\\p{Script=Inherited}/gu, '')",
    },
    { control: 'a sign between two equal sides relates nothing', from: 'left !== right &&', to: '' },
  ]),
  ...quick(`${LIBRARY}/plain-words.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    { control: 'the place in a list is no figure', from: ".replace(PLACE, '')", to: '' },
    { control: 'a number without its sign of a list is a figure', from: '{1,3}[.):])', to: '{1,3}[.):]?)' },
    { control: 'a sign is the same in every way to write it', from: 'SAME_SIGN[figure] ??', to: '' },
    { control: 'a star between words multiplies', from: '${NUMBER}|${STAR}|', to: '${NUMBER}|' },
    { control: 'commas of thousands are no figures', from: 'THOUSANDS.test(figure) ?', to: 'false ?' },
    { control: 'only commas of thousands go', from: 'THOUSANDS.test(figure) ?', to: 'true ?' },
    { control: 'signs of writing are no figures', from: '(?<=\\p{N}\\s?)${UNSURE}', to: '${UNSURE}' },
  ]),
  ...quick(`${LIBRARY}/says-nothing.ts`, `${LIBRARY}/content-words.spec.ts`, [
    {
      control: 'a library that talks of nothing is not served',
      from: 'saysNothing(text) || lacksContent(text, needs)',
      to: 'saysNothing(text)',
    },
    {
      control: 'earlier runs keep texts that talk of nothing',
      from: "needs !== 'letter' && !hasContent",
      to: '!hasContent',
    },
    {
      control: 'earlier runs know no relations',
      from: "hasContent(seen(text), needs === 'content')",
      to: 'hasContent(seen(text))',
    },
    {
      control: 'earlier runs compare words as they did',
      from: "needs === 'meaning' ? wordsIn : unmarkedWordsIn",
      to: 'wordsIn',
    },
  ]),
  ...quick('libs/learning/src/learning-settings.ts', 'libs/learning/src/learning-settings.spec.ts', [
    {
      control: 'a method without algorithms of the curriculum says what to name',
      from: 'recipes === algorithms || recipes.has(name)',
      to: 'true',
    },
  ]),
  ...quick(`${LIBRARY}/content-words.ts`, `${LIBRARY}/content-words.spec.ts`, [
    {
      control: 'earlier runs read words as they did',
      from: 'isEarlier ? writtenWordsIn : wordsIn',
      to: 'wordsIn',
    },
  ]),
  ...quick(`${LIBRARY}/distillation-prompts.ts`, `${LIBRARY}/distil.spec.ts`, [
    { control: 'the last stage is offered to keep an item', from: 'return offersKeep ?', to: 'return false ?' },
    { control: 'earlier runs are asked as they were', from: 'return offersKeep ?', to: 'return true ?' },
    {
      control: 'the form of the last stage has keep where it is offered',
      from: 'isLast && !offersKeep ? []',
      to: 'isLast ? []',
    },
  ]),
  ...quick(`${LIBRARY}/consolidate.decide.ts`, `${LIBRARY}/consolidate.spec.ts`, [
    {
      control: 'keep changes no item',
      from: "this.changes.push({ operation: 'keep', id,",
      to: "this.items.delete(id);\n    this.changes.push({ operation: 'keep', id,",
    },
  ]),
  ...quick(`${LIBRARY}/guided-schema.ts`, `${LIBRARY}/guided-schema.spec.ts`, [
    { control: 'an item spells no control token in an entry', from: 'tidy(asData(text))', to: 'tidy(text)' },
    { control: 'an item hides nothing in an entry', from: 'tidy(asData(text))', to: 'text' },
  ]),
  ...quick(`${LIBRARY}/distil.ts`, `${LIBRARY}/distil.spec.ts`, [
    {
      control: 'a text that names no proposal weighs least',
      from: "ungrounded === 'all' ? proposals :",
      to: 'true ? proposals :',
    },
    {
      control: 'earlier runs ground a text in all proposals',
      from: "ungrounded === 'all' ? proposals :",
      to: 'false ? proposals :',
    },
    {
      control: 'a text rests on the proposals of the same text',
      from: 'text !== undefined && textOf(proposal) === text',
      to: 'false',
    },
    { control: 'an operation rests on the proposals for its item', from: 'targets.includes(id)', to: 'false' },
  ]),
  ...quick(`${LIBRARY}/exchange.ts`, `${LIBRARY}/library.spec.ts`, [
    {
      control: 'an import holds no more items than a run may',
      from: 'if (entries.length > MOST_ITEMS)',
      to: 'if (false)',
    },
    {
      control: 'an import says which text is too long',
      from: 'if (!parsed.success) return refuse',
      to: 'if (false) return refuse',
    },
    { control: 'a file that is too large is not read', from: 'if (source.length > MOST_CHARACTERS)', to: 'if (false)' },
    { control: 'an id twice is refused', from: 'if (own.has(key))', to: 'if (false)' },
    {
      control: 'an id that is the name of a prototype is kept',
      from: 'new Map(Object.entries(value))',
      to: 'new Map(Object.entries(Object.assign({}, value)))',
    },
  ]),
  ...quick(`${LIBRARY}/exchange.ts`, 'apps/cli/src/library/library.command.spec.ts', [
    {
      control: 'what the form cannot hold is said',
      from: "...counted('the calls', ({ provenance }) => provenance.calls.length > 0),",
      to: '',
    },
  ]),
];
