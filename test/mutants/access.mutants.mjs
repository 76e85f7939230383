/** Who may come in by a login, and that everyone who acts is named. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

const LOGIN = 'apps/gateway/src/login/login.spec.ts';
const TOKENS = 'apps/gateway/src/access/tokens.spec.ts';
const TENANTS = 'apps/gateway/src/access/tenants.spec.ts';

/** No tenant learns of another one. */
const tenants = [
  ...quick('apps/gateway/src/access/sight.decide.ts', TENANTS, [
    {
      control: 'a client of a tenant does not see the whole system',
      from: 'return { tenant, isWhole: false };',
      to: 'return { tenant: undefined, isWhole: true };',
      title: 'on any route',
    },
    {
      control: 'viewers of the default tenant do not see the other tenants',
      from: 'isWhole: !hasOthers',
      to: 'isWhole: true',
      title: 'closes the whole system',
    },
  ]),
  ...quick('apps/gateway/src/access/role.guard.ts', TENANTS, [
    {
      control: 'a route without a word about tenants is for those who see the whole',
      from: 'if (!targets.some((target) => Reflect.getMetadata(EACH_TENANT, target) === true))',
      to: 'if (targets.length === 0)',
      title: 'on any route',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', TENANTS, [
    {
      control: 'what a viewer has opened ends with the first tenant',
      from: 'if (sight.isWhole && !this.sightNow(principal).isWhole) closed.abort();',
      to: '',
      title: 'closes the whole system',
    },
    {
      control: 'a stream that begins while the first tenant comes ends as well',
      from: '{ ...principal, id, sight: this.sightOf(request) }',
      to: '{ ...principal, id, sight: this.sightNow(principal) }',
      title: 'about to begin',
    },
  ]),
  ...quick('apps/gateway/src/api/events.controller.ts', TENANTS, [
    {
      control: 'a stream has the events of its tenant alone',
      from: ' || !sees(sight, decoded.event.meta)) continue;',
      to: ') continue;',
      title: 'on any route',
    },
    {
      control: 'topics that tenants share are not followed by one of them',
      from: 'sight.isWhole ? TOPICS : TOPICS_OF_TENANTS',
      to: 'TOPICS',
      title: 'follow the topics of problems alone',
    },
    {
      control: 'a stream resumes after the first tenant came',
      from: 'all.includes(topic) || !TOPICS.includes(topic)',
      to: 'topic !== undefined',
      title: 'may still follow',
    },
  ]),
  ...quick('apps/gateway/src/views/views.controller.ts', TENANTS, [
    {
      control: 'the list of problems is that of the tenant',
      from: 'problems.recent.filter((problem) => sees(sight, problem))',
      to: 'problems.recent',
      title: 'on any route',
    },
    {
      control: 'a story names the adapters in it alone',
      from: 'told.has(adapterDigest) ?',
      to: 'told.size > 0 ?',
      title: 'learn of adapters',
    },
  ]),
  ...quick('libs/operations/src/show/read-story.ts', TENANTS, [
    {
      control: 'what is served is shown to those for whose problem it wrote',
      from: 'tenant === undefined ||\n      (lineage.served',
      to: 'tenant !== null ||\n      (lineage.served',
      title: 'learn',
    },
    {
      control: 'a problem of another tenant does not exist',
      from: '(tenant !== undefined && told.tenant !== tenant)',
      to: 'false',
      title: 'words for an id that is nowhere',
    },
  ]),
  ...quick('libs/operations/src/publish/publish-problems.ts', TENANTS, [
    {
      control: "an id that a client chooses is its tenant's",
      from: ': ownIdIn(tenant, own);',
      to: ': own;',
      title: 'choose the same names',
    },
    {
      control: "no client of the default tenant chooses the id of another tenant's problem",
      from: 'tenant === DEFAULT_TENANT && LIKE_OURS.test(own)',
      to: "tenant === ''",
      title: 'take no id of another',
    },
  ]),
  ...quick('apps/gateway/src/chat/chat-events.decide.ts', TENANTS, [
    {
      control: 'a chat request is the problem of its tenant',
      from: 'tenant: client.tenant, ',
      to: '',
      title: 'choose the same names',
    },
  ]),
  ...quick('apps/gateway/src/access/sessions.ts', 'apps/gateway/src/access/sessions.spec.ts', [
    {
      control: 'a session opens nothing under another table of tenants',
      from: 'hasTable ? `${secret} ${canonicalJson({ tenantsClaim, tenants })}` : secret',
      to: 'hasTable ? secret : secret',
      title: 'under no other',
    },
  ]),
  ...quick('apps/gateway/src/access/role-of-claims.decide.ts', TOKENS, [
    {
      control: 'a word of a text names no tenant',
      from: ': [value];',
      to: ": String(value).split(' ');",
      title: 'belongs to the one tenant',
    },
    {
      control: 'a list of names too long to read names no tenant',
      from: 'if (names.length > MOST_GROUPS) return undefined;',
      to: '',
      title: 'more groups than are read',
    },
  ]),
  ...quick(
    'libs/read-models/src/problem-story.projection.ts',
    'libs/read-models/src/problem-story.projection.spec.ts',
    [
      {
        control: "a story has nothing of another tenant's problem of the same id",
        from: 'tenantOf(meta) === tenant;',
        to: 'meta.messageId !== tenant;',
      },
    ],
  ),
  ...quick('libs/events/src/meta.ts', 'libs/events/src/meta.spec.ts', [
    {
      control: 'what follows from an event is of its tenant',
      from: 'correlationId === cause.correlationId ? cause.tenant : null',
      to: 'null',
    },
    {
      control: 'a run is of no tenant alone',
      from: 'correlationId === cause.correlationId ? cause.tenant : null',
      to: 'cause.tenant',
    },
  ]),
  ...quick('libs/evidence/src/doubt.decide.ts', 'libs/evidence/src/evidence', [
    {
      control: "a result is of its problem's tenant",
      from: "'subject', 'tenant'] as const",
      to: "'subject'] as const",
    },
  ]),
  ...quick('apps/executor/src/settle-answers.decide.ts', 'apps/executor/src/ungraded.spec.ts', [
    {
      control: 'no tenant judges the answers of another',
      from: ' || open.tenant !== tenantOf(meta))',
      to: ')',
    },
  ]),
  ...quick('libs/operations/src/quotas/declare-limits.ts', TENANTS, [
    {
      control: 'a limit is of a key and its tenant',
      from: 'keys.issued.get(keyId)?.tenant === tenant',
      to: 'keys.issued.has(keyId)',
      title: 'separate limits',
    },
  ]),
  ...quick('libs/operations/src/quotas/declared-limits.ts', TENANTS, [
    {
      control: "the limit of each client of a tenant is no other tenant's",
      from: 'clientIn(tenant, EACH_CLIENT)',
      to: "clientIn('globex', EACH_CLIENT)",
      title: 'separate limits',
    },
  ]),
  ...quick('libs/operations/src/quotas/usage-ledger.ts', 'apps/cli/src/gateway/quotas.command.spec.ts', [
    {
      control: 'uses are counted by tenant',
      from: 'return clientIn(tenantOf(meta), keyId);',
      to: 'return meta === undefined ? clientIn(tenantOf(meta), keyId) : keyId;',
      title: 'limits the clients of a tenant',
    },
  ]),
  ...quick('libs/operations/src/cost/spent-cost.ts', 'apps/cli/src/gateway/quotas.command.spec.ts', [
    {
      control: 'costs are summed by tenant',
      from: 'tenant: ({ meta }) => tenantOf(meta),',
      to: 'tenant: ({ meta }) => tenantOf({ ...meta, tenant: null }),',
      title: 'sums what executors reported',
    },
  ]),
  ...quick('apps/gateway/src/access/role-of-claims.decide.ts', TOKENS, [
    {
      control: 'a token of two tenants opens nothing',
      from: 'named.size === 1 ?',
      to: 'named.size >= 1 ?',
      title: 'belongs to the one tenant',
    },
  ]),
];

const SEEN = 'libs/operations/src/quotas/seen-access.spec.ts';
const PAGE = 'apps/gateway/src/views/access.spec.ts';

/** Who sees who may do what (docs/adr/0129). */
const seen = [
  ...quick('libs/operations/src/quotas/seen-access.ts', SEEN, [
    {
      control: 'the page of access shows nothing of another tenant',
      from: 'isOfAll || each.tenant === tenant;',
      to: 'isOfAll || each.tenant !== undefined;',
      title: 'whether or not another tenant',
    },
    {
      control: 'keys are for an admin',
      from: 'keys: isAdmin ?',
      to: 'keys: isOperator ?',
      title: 'for a operator of a tenant',
    },
    {
      control: 'a viewer sees no limits of other clients',
      from: 'isOperator ? all() : own',
      to: 'all()',
      title: 'of limits is for a viewer',
    },
    {
      control: 'a viewer sees no refusals of other clients',
      from: '(isOperator || (id !== null && act.by === id))',
      to: 'act.times > 0',
      title: 'of refusals is for a viewer',
    },
    {
      control: 'how much all tenants have under way is for those who see all',
      from: 'isOfAll ? (seen?.openReservations ?? null) : null',
      to: 'seen?.openReservations ?? null',
      title: 'whether or not another tenant',
    },
  ]),
  ...quick('libs/operations/src/access/known-keys.ts', SEEN, [
    {
      control: 'a key costs the same to fold, however many there are',
      from: '!this.issued.has(event.keyId)',
      to: '!new Map(this.issued).has(event.keyId)',
      title: 'many thousands of keys',
    },
  ]),
  ...quick('libs/operations/src/quotas/declared-limits.ts', SEEN, [
    {
      control: 'a limit costs the same to fold, however many there are',
      from: 'if (limit === null) this.limits.delete(place);',
      to: 'if (!new Map(this.limits).has(place) && limit === null) this.limits.delete(place);',
      title: 'many thousands of limits',
    },
  ]),
  ...quick('libs/operations/src/audit/act.decide.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'acts on guards are listed',
      from: 'actOnGuards(event) ?? ',
      to: '',
      title: 'of a guard whether a person set or ended it',
    },
    {
      control: 'that a guard was ended is told apart from that it was set',
      from: "plan === null ? 'end guard' : 'set guard'",
      to: "'set guard'",
      title: 'of a guard whether a person set or ended it',
    },
  ]),
  ...quick('libs/operations/src/quotas/access-report.ts', SEEN, [
    {
      control: 'a viewer sees the tenant as a whole where a limit names it',
      from: 'isNamedIn(declared, client) || ',
      to: '',
      title: 'of them what an operator sees',
    },
  ]),
  ...quick('libs/operations/src/quotas/usage-ledger.ts', 'apps/cli/src/gateway/quotas.command.spec.ts', [
    {
      control: 'what a dead gateway has reserved is under way no more',
      from: '      if (lapsesAt > nowMs)\n        for',
      to: '      if (lapsesAt > 0)\n        for',
      title: 'says of each client and tenant',
    },
  ]),
  ...quick('libs/operations/src/audit/read-audit.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'the list of acts is of one tenant',
      from: '(tenant === undefined || act.tenant === tenant)',
      to: '(tenant === undefined || act.tenant !== undefined)',
      title: 'of one tenant',
    },
    {
      control: 'a kind of act is looked for where the log has it',
      from: "'sign out': [TOPIC.usage],",
      to: "'sign out': [TOPIC.access],",
      title: 'has of each kind',
    },
  ]),
  ...quick('libs/operations/src/audit/newest-acts.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'acts of two tenants are not one line',
      from: 'act.by, act.tenant, act.source',
      to: 'act.by, act.source',
      title: 'joins no acts of two',
    },
  ]),
  ...quick('libs/operations/src/audit/newest-acts.ts', 'libs/operations/src/audit/newest-acts.spec.ts', [
    {
      control: 'the newest acts are those of the whole list',
      from: 'if (minuteOf(act.at) < minuteOf(this.floorMs)) return;',
      to: 'if (act.at < this.floorMs) return;',
      title: 'in any order of reading',
    },
    {
      control: 'acts that are read take no memory beyond those that are wanted',
      from: 'if (this.singles.length + this.minutes.size > this.pruneAt) this.prune();',
      to: '',
      title: 'keeps no more',
    },
  ]),
  ...quick('apps/gateway/src/views/access.controller.ts', 'apps/gateway/src/views/audit.spec.ts', [
    {
      control: 'acts among problems are of a week at most',
      from: 'hours <= MOST_HOURS_OF_OTHERS ||',
      to: 'hours > 0 ||',
      title: 'a week at most',
    },
  ]),
  ...quick('apps/gateway/src/access/recent-refusals.ts', 'apps/gateway/src/access/recent-refusals.spec.ts', [
    {
      control: 'a flood of refusals pushes out those of no other tenant',
      from: '(by === null ? null : of)',
      to: '(of === null ? of : null)',
      title: 'while a stranger',
    },
  ]),
  ...quick('libs/operations/src/quotas/access-report.ts', 'apps/gateway/src/access/recent-refusals.spec.ts', [
    {
      control: "a gateway that starts on the first of a month knows yesterday's refusals",
      from: "Math.min(windowAt('month', nowMs).startMs, nowMs - DAY_MS)",
      to: "windowAt('month', nowMs).startMs",
      title: 'by a gateway that starts',
    },
  ]),
  ...quick('apps/gateway/src/views/cost.controller.ts', 'apps/gateway/src/views/cost.spec.ts', [
    {
      control: 'costs are for operators',
      from: "@Get('cost')\n  @Needs('operator')",
      to: "@Get('cost')\n  @Needs('viewer')",
      title: 'is for operators',
    },
    {
      control: 'a tenant does not learn which person declared a price',
      from: 'prices: isOfAll ? prices :',
      to: 'prices: prices.length > 0 || isOfAll ? prices :',
      title: 'not which person declared it',
    },
    {
      control: 'an answer about costs says to what question it is',
      from: "asked: { by, since: since ?? '', tenant: tenant ?? '' }",
      to: "asked: { by, since: '', tenant: '' }",
      title: 'says what it answers',
    },
  ]),
  ...quick('apps/cli/src/cost/spent-cost.command.ts', 'apps/cli/src/gateway/quotas.command.spec.ts', [
    {
      control: 'that nothing was found in a part of the log is not said of all of it',
      from: 'nothingIn({ since, tenant })',
      to: 'nothingIn({})',
      title: 'found nothing',
    },
  ]),
  ...quick('libs/operations/src/cost/cost-report.ts', 'apps/gateway/src/views/cost.spec.ts', [
    {
      control: 'what others have spent is no part of what a tenant has',
      from: 'tenantOf(event.meta) !== tenant || isOfTraining(event)',
      to: 'isOfTraining(event)',
      title: 'is for operators',
    },
  ]),
  ...quick('libs/operations/src/cost/cost-report.ts', 'libs/operations/src/cost/cost-report.spec.ts', [
    {
      control: "an attempt is no repetition of another tenant's",
      from: 'const attempt = tenantsAttempt(event);',
      to: 'const attempt = tenantsAttempt({ ...event, meta: { ...event.meta, tenant: null } });',
      title: 'counts an attempt of each tenant',
    },
    {
      control: 'an attempt is counted once',
      from: 'this.asked.has(attempt) || ',
      to: '',
      title: 'counts an answer when it was asked',
    },
  ]),
  ...quick('libs/operations/src/cost/cost-report.ts', 'libs/operations/src/cost/believed-work.spec.ts', [
    {
      control: 'a forged attempt is in no sum of costs',
      from: ' || !this.noted(work.bearsOut(event))',
      to: '',
      title: 'answer without an entry',
    },
    {
      control: 'a forged entry is in no sum of costs',
      from: 'this.noted(work.follows(event)) && work.write(event)',
      to: 'work.write(event)',
      title: 'entry',
    },
  ]),
  ...quick('libs/operations/src/cost/believed-work.ts', 'libs/operations/src/cost/believed-work.spec.ts', [
    {
      control: 'an attempt that is counted has the id that follows from its entry',
      from: 'if (meta.causationId !== experienceId || meta.messageId !== derivedId(experienceId, role)) return false;',
      to: '',
      title: 'free id|another cause',
    },
    {
      control: 'the client whom an attempt is counted for is that of its entry',
      from: '...[problemId, domain, subject, of.experienceId',
      to: '...[problemId, domain, subject && null, of.experienceId',
      title: 'another client',
    },
    {
      control: 'an attempt is counted under the arm and the adapter of its entry',
      from: '...[of.candidateIndex, of.groupSize, of.arm, of.adapterDigest],',
      to: '',
      title: 'another (arm|adapter)',
    },
    {
      control: 'an entry is counted for the domain of what was published',
      from: 'problem.problemId, problem.domain, meta.subject, messageId, arm',
      to: 'problem.problemId, meta.subject, messageId, arm',
      title: 'for another domain',
    },
    {
      control: 'an entry is counted in the mode in which its problem was published',
      from: 'meta.subject, messageId, arm);',
      to: "meta.subject, messageId, arm && '');",
      title: 'entry of another arm',
    },
    {
      control: "a gateway's answer without an entry is in the arm that was drawn",
      from: "assignment === null ? ['control', 'deploy'] :",
      to: "assignment !== undefined ? ['control', 'deploy'] :",
      title: 'of a gateway whose entry',
    },
    {
      control: 'only a gateway answers without an entry',
      from: 'isAnswerOrItsResult(executed) && isConversation(executed.executor)',
      to: 'isAnswerOrItsResult(executed)',
      title: 'of a gateway whose entry',
    },
    {
      control: 'an entry that is recorded again is paid once',
      from: 'if (!this.written.add(nameOf(experience))) return false;',
      to: 'this.written.add(nameOf(experience));',
      title: 'recorded again once',
    },
    {
      control: 'what the log holds no more does not take attempts out of the sums',
      from: 'return !this.isWhole && (isOfGateway || !this.written.has(nameOf(executed)));',
      to: 'return false;',
      title: 'holds no more',
    },
    {
      control: 'the answer of a gateway before its entry came is counted after its publication is deleted',
      from: '(isOfGateway || !this.written.has(nameOf(executed)))',
      to: '!this.written.has(nameOf(executed))',
      title: 'before its entry came',
    },
    {
      control: 'a result by feedback is counted after its answer is deleted',
      from: "executed.type === 'AnswerRecorded' || executed.feedbackId !== null",
      to: "executed.type === 'AnswerRecorded'",
      title: 'result by feedback',
    },
    {
      control: 'of a gateway without an entry no result but that of feedback is counted',
      from: "executed.type === 'AnswerRecorded' || executed.feedbackId !== null",
      to: "executed.type === 'AnswerRecorded' || true",
      title: 'result by feedback',
    },
  ]),
  ...quick('libs/operations/src/cost/extra-solved.ts', 'libs/operations/src/cost/cost-report.spec.ts', [
    {
      control: 'which problems are to learn from is said by tenant',
      from: '`${tenantOf(meta)}/${problemId}`',
      to: '`${problemId}`',
      title: 'another tenant explores',
    },
    {
      control: 'a report of costs estimates no lift that it does not show',
      from: 'counts: of.counts, domains: [],',
      to: 'counts: of.counts,',
      title: 'estimates no lift',
    },
  ]),
  ...quick('libs/operations/src/cost/seen-ids.ts', 'libs/operations/src/cost/seen-ids.spec.ts', [
    {
      control: 'an id is found after its table has grown',
      from: 'this.put(this.placeOf(hash), hash);\n    }',
      to: 'this.put(at, hash);\n    }',
    },
    {
      control: 'a table of ids is filled before it grows',
      from: 'const MOST_FULL = 0.75;',
      to: 'const MOST_FULL = 0.3;',
      title: 'at most 22 bytes',
    },
  ]),
  ...quick('libs/operations/src/cost/cost-report.ts', 'libs/operations/src/cost/extra-solved.spec.ts', [
    {
      control: 'what trains for all is not paid by a tenant',
      from: ' || isOfTraining(event)',
      to: '',
      title: 'tell each tenant',
    },
  ]),
  ...quick('libs/operations/src/cost/extra-solved.ts', 'libs/operations/src/cost/extra-solved.spec.ts', [
    {
      control: 'a tenant alone has its own lift',
      from: 'tenant === undefined ? liftOfDeployed(lift, estimates) : liftOfTenant(tenant, lift)',
      to: 'liftOfDeployed(lift, estimates)',
      title: 'tell each tenant',
    },
  ]),
  ...quick('libs/operations/src/quotas/listed-prices.ts', 'libs/operations/src/quotas/listed-prices.spec.ts', [
    {
      control: 'a price ends with the next one of its model',
      from: 'Map.groupBy(prices, ({ model }) => model)',
      to: "Map.groupBy(prices, () => '')",
    },
  ]),
  ...quick('libs/operations/src/show/read-story.ts', 'apps/cli/src/show/show-problem.command.spec.ts', [
    {
      control: 'what another tenant pays is no cost of a problem',
      from: 'tenantOf(each.event.meta) === told.tenant && isBelieved(each)',
      to: 'isBelieved(each)',
      title: 'have cost',
    },
    {
      control: 'a forged result is no cost of a problem',
      from: ': !doubts.has(placeName(position));',
      to: ': true;',
      title: 'does not bear out|take the place',
    },
    {
      control: 'a forged entry is no cost of a problem',
      from: "if (event.type === 'ExperienceGenerated') return followsFrom(event);",
      to: "if (event.type === 'ExperienceGenerated') return published.length > 0;",
      title: 'does not bear out',
    },
  ]),
  ...quick('apps/gateway/src/views/tenant-for.ts', 'apps/gateway/src/views/audit.spec.ts', [
    {
      control: 'the acts of a tenant are not hidden by those of others',
      from: 'if (isOfAll) return wanted;',
      to: 'if (isOfAll) return undefined;',
      title: 'of a chosen tenant',
    },
  ]),
  ...quick('apps/gateway/src/views/tenant-for.ts', PAGE, [
    {
      control: "a tenant's admin sees the acts of the tenant",
      from: 'if (wanted === undefined || wanted === own) return own;',
      to: 'if (wanted === undefined || wanted === own) return wanted;',
      title: 'lists acts to admins alone',
    },
  ]),
  ...quick('apps/gateway/src/views/reading-turns.ts', 'apps/gateway/src/views/audit.spec.ts', [
    {
      control: 'a reading of acts ends with its client',
      from: 'AbortSignal.any([gone, closing])',
      to: 'closing',
      title: 'when its reader leaves',
    },
    {
      control: 'readings of acts do not pile up',
      from: 'if (own.asked >= MOST_ASKED) throw',
      to: 'if (own.asked < 0) throw',
      title: 'one at a time',
    },
  ]),
  ...quick('libs/operations/src/access/api-keys.ts', PAGE, [
    {
      control: 'a revocation is an act in the tenant of its key',
      from: "sourceClass: 'trusted', tenant: issued.tenant },",
      to: "sourceClass: 'trusted' },",
      title: 'lists acts to admins alone',
    },
  ]),
  ...quick('libs/operations/src/access/known-keys.ts', PAGE, [
    {
      control: 'a listed key has no digest',
      from: '.map(({ digest: _, ...rest }): ListedKey => {',
      to: '.map((rest): ListedKey => {',
      title: 'has what the commands print',
    },
  ]),
  ...quick('apps/gateway/src/views/access.controller.ts', PAGE, [
    {
      control: 'acts are for an admin',
      from: "@Needs('admin')",
      to: "@Needs('operator')",
      title: 'lists acts to admins alone',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', PAGE, [
    {
      control: 'a refusal by a limit is counted',
      from: 'if (error instanceof NoRoomError)',
      to: 'if (error instanceof NoRoomError && error.who === null)',
      title: 'what was refused lately',
    },
  ]),
  ...quick('apps/gateway/src/access/refusals.ts', PAGE, [
    {
      control: 'a refusal is an act in the tenant of its client',
      from: 'subject: id, tenant }',
      to: 'subject: id }',
      title: 'what was refused lately',
    },
  ]),
  ...quick('apps/gateway/src/views/live-views.ts', PAGE, [
    {
      control: 'the stream says that a key came',
      from: 'if (isSame && changes === this.told) return;',
      to: 'if (isSame) return;',
      title: 'by the stream of all pages',
    },
  ]),
  ...quick('apps/dashboard/src/parts/words.ts', 'apps/dashboard/src/parts/words.spec.ts', [
    {
      control: 'a command that the page shows has no word that a shell would run',
      from: "`'${text.replaceAll",
      to: '`${text.replaceAll',
      title: 'one word of a shell',
    },
    {
      control: 'a command for a moment of the address runs nothing else',
      from: '--as-of ${shellWord(moment)}`',
      to: '--as-of ${moment}`',
      title: 'run nothing else',
    },
  ]),
];

export default [
  ...tenants,
  ...seen,
  ...quick('apps/gateway/src/login/login-attempt.ts', LOGIN, [
    {
      control: 'the nonce of a login is that of its browser',
      from: "nonce: part('nonce')",
      to: "nonce: 'a nonce'",
      title: 'the nonce is that of another',
    },
    {
      control: 'a code is void without the verifier of its login',
      from: "verifier: part('verifier')",
      to: "verifier: 'v'.repeat(43)",
      title: 'the code_challenge is that of another',
    },
  ]),
  ...quick('apps/gateway/src/login/issuer-client.ts', LOGIN, [
    {
      control: 'the state of an answer is compared',
      from: 'expectedState: state,',
      to: 'expectedState: oidc.skipStateCheck,',
      title: 'the state is not the one',
    },
    {
      control: 'a provider that gives no answer is waited for in bounded time',
      from: 'config.timeout = TIMEOUT_S;',
      to: 'config.timeout = TIMEOUT_S * 6;',
      title: 'gives no answer',
    },
  ]),
  ...quick('apps/gateway/src/login/login.ts', LOGIN, [
    {
      control: 'forged codes are no flood of requests to the provider',
      from: 'if (this.underWay >= MOST_AT_ONCE)',
      to: 'if (this.underWay >= MOST_AT_ONCE * 10)',
      title: 'gives no answer',
    },
  ]),
  ...quick('apps/gateway/src/login/login.controller.ts', LOGIN, [
    {
      control: 'a login that was refused is counted',
      from: 'if (sent.refused !== undefined)',
      to: 'if (sent.refused === null)',
      title: 'without a group',
    },
  ]),
  ...quick('apps/gateway/src/login/return-address.decide.ts', LOGIN, [
    {
      control: 'a login never leads to another host',
      from: "!pathname.startsWith('//') && !",
      to: '!',
      title: 'never leads to another origin',
    },
  ]),
  ...quick('apps/gateway/src/http/cookies.ts', LOGIN, [
    {
      control: 'no script reads a session',
      from: 'httpOnly: true',
      to: 'httpOnly: false',
      title: 'no script reads',
    },
    {
      control: 'no other host of the domain sets a session',
      from: 'this.isSecure ? `__Host-${name}` : name',
      to: 'name',
      title: 'set by no other host',
    },
  ]),
  ...quick('apps/gateway/src/access/sessions.ts', LOGIN, [
    {
      control: 'what changes something names its origin',
      from: 'if (origin === undefined && !isRead) return false;',
      to: '',
      title: 'does nothing for pages of other sites',
    },
    {
      control: 'an origin is the whole one',
      from: 'origin !== undefined && origin !== this.world.origin',
      to: 'origin !== undefined && !origin.startsWith(this.world.origin)',
      title: 'does nothing for pages of other sites',
    },
    {
      control: 'a page of the same domain is another site',
      from: "site === 'same-origin' ||",
      to: "site.startsWith('same') ||",
      title: 'does nothing for pages of other sites',
    },
    {
      control: 'a session ends by itself',
      from: 'session.expiresAt > this.world.clock.now()',
      to: 'session.expiresAt > 0',
      title: 'ends by itself',
    },
    {
      control: 'the log has the digest of a secret and not the secret',
      from: 'const sessionId = this.idOf(secret);\n    const nowMs',
      to: 'const sessionId = secret;\n    const nowMs',
      title: 'the log has no secret',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', LOGIN, [
    {
      control: 'the end of a session ends the streams that it opened',
      from: 'if (sessionId !== undefined && this.doors.sessions?.isOpen(sessionId) !== true) closed.abort();',
      to: '',
      title: 'is known to every gateway',
    },
    {
      control: 'a key that is sent counts before a session',
      from: 'authorization === undefined ? await sessions?.principalOf(request) : undefined',
      to: 'await sessions?.principalOf(request)',
      title: 'a key that is sent counts',
    },
  ]),
  ...quick('apps/gateway/src/access/tokens.ts', TOKENS, [
    {
      control: 'an identity token is for this client',
      from: 'this.claimsOf(idToken, clientId)',
      to: 'this.claimsOf(idToken, this.settings.audience)',
      title: 'an identity token',
    },
  ]),
  ...quick('apps/gateway/src/access/issuer-keys.ts', TOKENS, [
    {
      control: 'a gateway starts while its issuer is away',
      from: "if (isSeamError(keys.failure, 'INVALID_CONFIGURATION')) throw",
      to: 'if (keys.failure !== undefined) throw',
      title: 'cannot be reached at the start',
    },
    {
      control: 'a gateway does not start with the address of something else',
      from: "if (isSeamError(keys.failure, 'INVALID_CONFIGURATION')) throw keys.failure;",
      to: '',
      title: 'of another than this issuer',
    },
    {
      control: 'an issuer that was away is asked again soon',
      from: 'this.known === undefined ? untilFirstMs',
      to: 'this.known === undefined ? everyMs',
      title: 'cannot be reached at the start',
    },
  ]),
  ...quick('apps/gateway/src/access/open-access.ts', 'apps/gateway/src/access/bearer-tokens.spec.ts', [
    {
      control: 'readiness says that no token is taken',
      from: 'return fault === undefined',
      to: 'return silenceMs >= 0',
      title: 'starts while the issuer is away',
    },
  ]),
  ...quick('libs/operations/src/access/known-sessions.ts', 'libs/operations/src/access/known-sessions.spec.ts', [
    {
      control: 'an ended session opens nothing',
      from: 'for (const session of ended) session.hasEnded = true;',
      to: 'for (const session of ended) session.hasEnded = false;',
    },
    {
      control: 'an ended session does not begin again',
      from: 'if (this.sessions.has(sessionId) || role === undefined ||',
      to: 'if (role === undefined ||',
    },
    {
      control: 'no one ends the session of another user by its name',
      from: 'one?.userId === userId ? [one] : []',
      to: 'one !== undefined ? [one] : []',
    },
    {
      control: 'a user has few sessions',
      from: 'open.length - MOST_OF_A_USER',
      to: 'open.length - MOST_OF_A_USER * 10',
    },
    {
      control: 'no session is longer than a day',
      from: 'Math.min(expiresAt, meta.occurredAt + LONGEST_SESSION_MS)',
      to: 'expiresAt',
    },
  ]),
  ...quick('apps/cli/src/command-options.ts', 'apps/cli/src/audit/audit.command.spec.ts', [
    {
      control: 'the person whom a command names is recorded',
      from: 'by ?? (await runtime.person())',
      to: 'await runtime.person()',
    },
  ]),
  ...quick('apps/cli/src/person.ts', 'apps/cli/src/person.spec.ts', [
    {
      control: 'the configured person acts',
      from: 'if (person !== undefined) return person;',
      to: '',
    },
  ]),
  ...quick('libs/operations/src/audit/act.decide.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'the person who published is named',
      from: 'provenBy(event) ?? event.publishedBy ?? null',
      to: 'provenBy(event)',
    },
    {
      control: 'training by rule is no act of a person',
      from: 'if ((event.plannedBy ?? null) === null) return undefined;',
      to: '',
    },
  ]),
  ...quick('apps/gateway/src/api/problems.controller.ts', 'apps/gateway/src/quotas/quotas.spec.ts', [
    {
      control: 'problems are published under the limits of their client',
      from: 'await this.quotas.reserve(client, () => worst, []);',
      to: 'await this.quotas.reserve({ ...client, id: null }, () => worst, []);',
      title: 'is refused',
    },
    {
      control: 'published problems are settled with their records',
      from: 'together: charge.taken(),',
      to: '',
      title: 'is refused problems above',
    },
    {
      control: 'problems that the log did not take are released',
      from: 'await this.quotas.settle(charge.released()).catch(() => undefined);',
      to: '',
      title: 'that the log did not take',
    },
  ]),
  ...quick('libs/operations/src/quotas/usage-ledger.ts', 'apps/gateway/src/quotas/quotas.spec.ts', [
    {
      control: 'a batch takes as much room as it has problems',
      from: 'const wanted = { requests: 1, tokens, money, problems };',
      to: 'const wanted = { requests: 1, tokens, money, problems: 0 };',
      title: 'is refused problems above',
    },
  ]),
];
