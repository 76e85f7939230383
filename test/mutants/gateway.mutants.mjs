/** What the gateway promises its clients and its log. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

export default [
  ...quick('apps/gateway/src/http/repeat-keys.ts', 'apps/gateway/src/http/repeat-keys.spec.ts', [
    {
      control: 'a used name of a request is refused for another body',
      from: 'if (known !== undefined && known !== digest) throw otherBody();',
      to: '',
    },
    {
      control: 'a used name of a request may repeat its body',
      from: 'known !== undefined && known !== digest',
      to: 'known !== undefined',
    },
    {
      control: 'a name is free again where its request failed',
      from: 'if (known === undefined) this.digests.delete(name);',
      to: '',
    },
    {
      control: 'names of requests are bounded',
      from: 'if (this.digests.size > this.most) this.digests.delete(this.digests.keys().next().value!);',
      to: '',
    },
    {
      control: 'a name of a request is of one client and one path',
      from: 'canonicalJson([path, scope, key])',
      to: 'canonicalJson([key])',
    },
  ]),
  ...quick('libs/operations/src/publish/repeated-problems.ts', 'apps/gateway/src/http/repeat-keys.spec.ts', [
    {
      control: 'the log knows the words of a used name',
      from: 'if (wordsOf(decoded.event) !== words) return false;',
      to: '',
    },
    {
      control: 'a used name has no problem more',
      from: 'return found.size === 0 || found.size === own.size;',
      to: 'return found.size <= own.size;',
    },
    {
      control: 'a used name has no problem less',
      from: 'if (record.key === nextId) return false;',
      to: '',
    },
  ]),
  ...quick('libs/gateway-contract/src/chat.ts', 'apps/gateway/src/chat/most-tokens.spec.ts', [
    {
      control: 'an answer of no token is refused',
      from: ".min(1, 'expected a whole number, 1 or more')",
      to: '',
    },
    {
      control: 'the older name of the most tokens is checked as well',
      from: '  max_tokens: mostTokensSchema,\n',
      to: '',
    },
  ]),
  ...quick('apps/gateway/src/chat/answer-chat.handler.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'what ends an answer is held until it is recorded',
      from: 'if (growing.isEnded) held.push(...frames);',
      to: 'if (!growing.isEnded) held.push(...frames);',
    },
    {
      control: 'a stream that only ends is a broken one',
      from: 'if (!growing.isEnded)\n        throw',
      to: 'if (!growing.isEnded && held.length > 0)\n        throw',
    },
    {
      control: 'a gateway that ends sends its clients elsewhere',
      from: 'client.ending.aborted ? shuttingDown() : asApiError(fault)',
      to: 'asApiError(fault)',
    },
    {
      control: 'a client that is gone is no failure of the executor',
      from: 'if (client.gone.aborted) {',
      to: 'if (client.ending.aborted) {',
    },
  ]),
  ...quick('apps/gateway/src/chat/chat-sessions.ts', 'apps/gateway/src/chat/chat-sessions.spec.ts', [
    {
      control: 'a session belongs to the client that named it',
      from: 'canonicalJson([scopeOf(owner), name])',
      to: 'canonicalJson([null, name])',
    },
    {
      control: 'a training of a session keeps no gateway from closing',
      from: 'await withDeadline(this.world.config.gateway.shutdownGraceMs, Promise.all(this.learning))',
      to: 'await Promise.all(this.learning)',
    },
    {
      control: 'the sessions of a client give room to each other before those of another',
      from: 'this.adapters.visit(keyOf(owner, seam.session), scopeOf(owner));',
      to: 'this.adapters.visit(keyOf(owner, seam.session));',
    },
    {
      control: 'a session that there cannot be is refused',
      from: 'if (this.adapters === undefined) throw withoutSessions();',
      to: 'if (this.adapters === undefined) return null;',
    },
    {
      control: 'a message that no session can learn is refused before anything is asked',
      from: '    if (message !== null) this.adapters.assertLearnable(message);\n',
      to: '',
    },
  ]),
  ...quick('apps/gateway/src/chat/answer-chat.handler.ts', 'apps/gateway/src/chat/chat-sessions.spec.ts', [
    {
      control: 'the log says that the adapter of a session answered',
      from: 'begun.learned?.adapter.digest ?? null;',
      to: 'null as string | null;',
    },
  ]),
  ...quick('apps/gateway/src/chat/chat-events.decide.ts', 'apps/gateway/src/chat/chat-sessions.spec.ts', [
    {
      control: 'what the adapter of a session answered waits for no feedback',
      from: 'feedbackUntil: sessionAdapter === null ? nowMs',
      to: 'feedbackUntil: sessionAdapter !== undefined ? nowMs',
    },
  ]),
  ...quick('apps/gateway/src/chat/chat-sessions.controller.ts', 'apps/gateway/src/chat/chat-sessions.spec.ts', [
    {
      control: 'viewers forget no session',
      from: "@Delete(':id')\n  @Needs('publisher')",
      to: "@Delete(':id')\n  @Needs('viewer')",
    },
  ]),
  ...quick('apps/gateway/src/config.ts', 'apps/gateway/src/chat/chat-sessions.spec.ts', [
    {
      control: 'sessions need an executor in this process',
      from: 'upstream.url === undefined || sessions.every === 0',
      to: 'sessions.every >= 0 || upstream.url === undefined',
    },
  ]),
  ...quick('apps/gateway/src/chat/upstream.embedded.adapter.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'an answer of an executor in this process is recorded as one of a gateway',
      from: 'template: conversationTemplate(identity.template)',
      to: 'template: identity.template',
    },
    {
      control: 'an executor in this process ends its answer where the client says',
      title: 'ends its answer',
      from: '      mostTokens: mostTokensOf(request),\n',
      to: '',
    },
    {
      control: 'an answer of an executor in this process records where it had to end',
      title: 'ends its answer',
      from: 'canonicalJson({ answer: identity.decoding, mostTokens })',
      to: 'identity.decoding',
    },
  ]),
  ...quick('apps/gateway/src/chat/most-tokens.decide.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'the newer name of the most tokens counts before the older one',
      title: 'ends its answer',
      from: 'most ?? before ?? undefined',
      to: 'before ?? most ?? undefined',
    },
  ]),
  ...quick(
    'libs/model-clients/src/executor.language-model.adapter.ts',
    'libs/model-clients/src/executor.language-model.spec.ts',
    [
      {
        control: 'a local executor writes no more tokens than its caller wants',
        from: 'Math.min(own.maxTokens, options.mostTokens ?? Infinity)',
        to: 'own.maxTokens',
      },
      {
        control: 'a local executor writes no more tokens than its limit',
        from: 'Math.min(own.maxTokens, options.mostTokens ?? Infinity)',
        to: 'options.mostTokens ?? own.maxTokens',
      },
      {
        control: 'the progress of a local executor is by the limit of the call',
        from: 'tokensPerPrompt: sampling.maxTokens * seeds.length',
        to: 'tokensPerPrompt: this.sampling.maxTokens * seeds.length',
      },
    ],
  ),
  ...quick('libs/model-clients/src/executor.endpoint.adapter.ts', 'libs/model-clients/src/executor.endpoint.spec.ts', [
    {
      control: 'an endpoint is asked for no more tokens than the caller wants, and no more than the limit',
      from: 'Math.min(decoding.maxTokens, mostTokens)',
      to: 'decoding.maxTokens',
    },
    {
      control: 'answers with different limits are kept apart',
      from: '{ prompt, temperature, topP, seed, maxTokens }',
      to: '{ prompt, temperature, topP, seed }',
    },
  ]),
  ...quick('libs/environments/src/attempts-once.ts', 'libs/environments/src/attempts-once.spec.ts', [
    {
      control: 'attempts with different limits are no equal attempts',
      from: 'examination?.id ?? null, mostTokens ?? null',
      to: 'examination?.id ?? null',
    },
  ]),
  ...quick('apps/executor/src/settle-answers.decide.ts', 'apps/executor/src/session-answers.spec.ts', [
    {
      control: 'what the adapter of a session answered is never judged',
      from: 'if (open.isOfSession)',
      to: 'if (open.isOfSession && score < 0)',
    },
    {
      control: 'feedback on what a session answered is refused for that, also behind its wait',
      from: 'if (settled?.isOfSession === true)',
      to: 'if (settled?.isOfSession === true && score < 0)',
    },
  ]),
  ...quick('apps/gateway/src/chat/completion-form.decide.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'usage that was not asked for is removed',
      from: 'if (wantsUsage || part.usage === undefined)',
      to: 'if (wantsUsage || part.usage !== undefined)',
    },
  ]),
  ...quick(
    'apps/gateway/src/responses/chat-of-responses.decide.ts',
    'apps/gateway/src/responses/chat-of-responses.spec.ts',
    [
      {
        control: 'what needs a stored state is refused',
        from: 'value !== undefined && value !== null && value !== UNSUPPORTED[name]',
        to: 'value !== undefined && value !== null && value === UNSUPPORTED[name]',
      },
      {
        control: 'a field that a chat request says in other words is not passed on besides',
        from: '.filter(([name]) => !NOT_PASSED_ON.has(name))',
        to: '.filter(([name]) => NOT_PASSED_ON.size > name.length * 0)',
      },
    ],
  ),
  ...quick('apps/gateway/src/responses/response-form.decide.ts', 'apps/gateway/src/responses/response-form.spec.ts', [
    {
      control: 'an item begins before its pieces',
      from: 'if (this.told.has(what)) return [];',
      to: 'if (!this.told.has(what)) return [];',
    },
    {
      control: 'an answer that was cut by its limit is incomplete',
      from: "if (finish === 'length')",
      to: "if (finish === 'longest')",
    },
    {
      control: 'unreported details of usage are not 0',
      from: '?.[name] ?? null;',
      to: '?.[name] ?? 0;',
    },
  ]),
  ...quick('apps/gateway/src/http/errors.filter.ts', 'apps/gateway/src/responses/chat-of-responses.spec.ts', [
    {
      control: 'a fault within alternatives is named by its place',
      from: 'each.path.length > deepest.path.length ? each : deepest',
      to: 'each.path.length > deepest.path.length ? deepest : deepest',
    },
  ]),
  ...quick('apps/gateway/src/http/errors.filter.ts', 'apps/gateway/src/api/api.spec.ts', [
    {
      control: 'the answer to a body of many faults is short',
      from: 'error.issues.slice(0, MOST_NAMED)',
      to: 'error.issues.slice(0)',
      title: 'some of many faults',
    },
    {
      control: 'what a fault repeats of a body is short',
      from: ', MOST_CHARACTERS),',
      to: ', 1e9),',
      title: 'some of many faults',
    },
  ]),
  ...quick('apps/gateway/src/http/fastify-adapter.ts', 'apps/gateway/src/api/api.spec.ts', [
    {
      control: 'an address that cannot be read gets an error as all others, without the address',
      from: ".header('x-request-id', id)",
      to: '',
      title: 'all kinds of bad requests',
    },
    {
      control: 'a problem with the longest id has an address',
      from: 'routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },',
      to: '',
      title: 'all kinds of bad requests',
    },
  ]),
  ...quick('apps/gateway/src/chat/chat-answers.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'one request too many is refused',
      from: 'if (this.underWay >= maxConcurrent)',
      to: 'if (this.underWay > maxConcurrent * 2)',
    },
    {
      control: 'a request that ended makes room for another',
      from: 'this.underWay--;',
      to: 'this.underWay -= 0;',
    },
  ]),
  ...quick('apps/gateway/src/chat/fallback.decide.ts', 'apps/gateway/src/chat/fallback.spec.ts', [
    {
      control: 'what another executor would refuse as well is not asked again',
      from: 'result.serverStatus !== 429 && result.serverStatus < 500',
      to: 'result.serverStatus !== 429 && result.serverStatus < 400',
    },
    {
      control: 'an executor with too much to do is followed by the next',
      from: 'result.serverStatus !== 429 && result.serverStatus < 500',
      to: 'result.serverStatus < 500',
    },
  ]),
  ...quick('apps/gateway/src/chat/upstream-order.ts', 'apps/gateway/src/chat/fallback.spec.ts', [
    {
      control: 'a stream has begun with its first part, and not with its head',
      from: "if (answer.kind !== 'parts') return answer;",
      to: "if (answer.kind !== 'whole' || answer.answer !== undefined) return answer;",
    },
    {
      control: 'what is no failure of the executor is asked for nowhere else',
      from: 'if (fault === undefined || isLast) {',
      to: 'if ((fault === undefined && tries.failed.length > 0) || isLast) {',
    },
    {
      control: 'a failed try is recorded',
      from: 'tries.failed.push({',
      to: '[].push({',
    },
  ]),
  ...quick('apps/gateway/src/quotas/reported-tokens.ts', 'apps/gateway/src/chat/chat.spec.ts', [
    {
      control: 'unknown tokens are not 0',
      from: 'const value = usage?.[name];',
      to: 'const value = usage?.[name] ?? 0;',
    },
  ]),
  ...quick('apps/gateway/src/chat/end-abandoned.handler.ts', 'apps/gateway/src/chat/end-abandoned.spec.ts', [
    {
      control: 'requests under way are not ended',
      from: 'this.settings.answerWithinMs + this.graceMs > nowMs',
      to: 'this.settings.answerWithinMs + this.graceMs > nowMs * 2',
    },
    {
      control: 'requests with a result are not ended',
      from: 'open.delete(key)',
      to: 'open.has(key)',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', 'apps/gateway/src/api/api.spec.ts', [
    {
      control: 'a role that does not suffice is refused',
      from: 'if (isAtLeast(principal.role, role)) return;',
      to: "if (isAtLeast(principal.role, 'viewer')) return;",
    },
    {
      control: 'a revoked key ends the streams that it opened, and no others',
      from: 'if (this.keys.revoked.has(id)) closed.abort();',
      to: 'if (this.keys.revoked.size > 0) closed.abort();',
    },
    {
      control: 'a key that expires ends the streams that it opened',
      from: 'const timer = setTimeout(() => closed.abort(), left).unref();',
      to: 'const timer = setTimeout(() => closed.abort(), LONGEST_TIMER_MS).unref();',
    },
    {
      control: 'pages of other sites are refused',
      from: 'if (isHere && isOwn) return;',
      to: 'if (isHere || isOwn) return;',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', 'apps/gateway/src/access/bearer-tokens.spec.ts', [
    {
      control: 'a text that is no key opens nothing where keys alone open',
      from: 'const closed = key === undefined',
      to: "if (key === undefined) return { id: null, role: 'admin', expiresAt: null };\n    const closed = key === undefined",
    },
    {
      control: 'a token above the most that is read is refused',
      from: '{1,8192}',
      to: '{1,819200}',
    },
    {
      control: 'a key is no token',
      from: 'text !== undefined && tokens !== undefined && !text.startsWith(KEY_BEGINS)',
      to: 'text !== undefined && tokens !== undefined',
    },
  ]),
  ...quick('apps/gateway/src/access/access.ts', 'apps/gateway/src/access/refusals.spec.ts', [
    {
      control: 'a request without a key is counted',
      from: 'if (error instanceof RefusedError) this.count(error, request, route);',
      to: 'if (error instanceof RefusedError && error.id !== null) this.count(error, request, route);',
    },
    {
      control: 'a request without the role is counted',
      from: 'this.count(error, request, route);\n    throw error;\n  }\n\n',
      to: 'throw error;\n  }\n\n',
    },
    {
      control: 'a key is named only where its secret is right',
      from: 'const key = text === undefined ? undefined : keyOf(this.keys, text);',
      to: 'const key = text === undefined ? undefined : (keyOf(this.keys, text) ?? this.keys.issued.get(text.slice(8, 20)) as never);',
    },
  ]),
  ...quick('apps/gateway/src/access/refusal-counts.decide.ts', 'apps/gateway/src/access/refusals.spec.ts', [
    {
      control: 'a flood of kinds is a bounded number of counts',
      from: 'this.counts.size < MOST_KINDS ||',
      to: 'this.counts.size < MOST_KINDS * 10 ||',
    },
    {
      control: 'what is more than there is room for is counted all the same',
      from: 'else this.add({ ...refused, id: null, tenant: DEFAULT_TENANT, reason: SEVERAL, route: null });',
      to: '',
    },
  ]),
  ...quick('apps/gateway/src/access/refusals.ts', 'apps/gateway/src/access/refusals.spec.ts', [
    {
      control: 'counts that could not be recorded are kept',
      from: 'for (const each of counted) this.counts.add(each);',
      to: '',
    },
    {
      control: 'the last minute is recorded at the end',
      from: 'clearInterval(this.timer);\n    await this.record();',
      to: 'clearInterval(this.timer);',
    },
  ]),
  ...quick('libs/operations/src/audit/act.decide.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'a subject that no gateway proved is not the actor',
      from: 'return meta.source === GATEWAY ? meta.subject : null;',
      to: 'return meta.subject;',
    },
    {
      control: 'promotions by rule are no acts of a person',
      from: 'if (event.promotedBy === null) return undefined;',
      to: "if (event.promotedBy === '') return undefined;",
    },
  ]),
  ...quick('libs/operations/src/audit/read-audit.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'earlier acts are left out',
      from: 'act.at >= sinceMs &&',
      to: 'act.at >= 0 &&',
    },
  ]),
  ...quick('libs/operations/src/audit/newest-acts.ts', 'libs/operations/src/audit/read-audit.spec.ts', [
    {
      control: 'frequent acts are one a minute and actor',
      from: 'act.source, minuteOf(act.at)]',
      to: 'act.source, act.at]',
    },
  ]),
  ...quick(
    'libs/operations/src/dead-letters/redrive-dead-letters.ts',
    'apps/cli/src/dead-letters/dead-letters.command.spec.ts',
    [
      {
        control: 'a redrive says who did it',
        from: 'await log.append([...step, redriven]);',
        to: 'await log.append(step);',
      },
    ],
  ),
  ...quick('apps/gateway/src/access/issuer.config.ts', 'apps/gateway/src/access/bearer-tokens.spec.ts', [
    {
      control: 'an issuer in clear is refused',
      from: '(url) => !isPlaintextElsewhere(url)',
      to: '(url) => url.length > 0',
    },
    {
      control: 'an issuer without an audience is refused',
      from: '(url === undefined) === (audience === undefined)',
      to: 'url !== audience || url === undefined',
    },
  ]),
  ...quick('apps/gateway/src/access/tokens.ts', 'apps/gateway/src/access/tokens.spec.ts', [
    {
      control: 'a token for another audience is refused',
      from: 'issuer: url, audience, algorithms:',
      to: 'issuer: url, algorithms:',
    },
    {
      control: 'a token of another issuer is refused',
      from: '...{ issuer: url, audience,',
      to: '...{ audience,',
    },
    {
      control: 'an algorithm that is not allowed by name is refused',
      from: 'algorithms: [...algorithms] },',
      to: '},',
    },
    {
      control: 'a token without an end is refused',
      from: '!isNamed || exp === undefined',
      to: '!isNamed',
    },
    {
      control: 'a subject is a text',
      from: "typeof sub === 'string' && sub !== ''",
      to: "sub !== undefined && sub !== ''",
    },
    {
      control: 'a token for another purpose is refused',
      from: 'protectedHeader.typ !== undefined && !TYPES.test(protectedHeader.typ)',
      to: "protectedHeader.typ === ''",
    },
    {
      control: 'a token without a role is refused',
      from: 'if (role === undefined)',
      to: "if (role === undefined && sub === '')",
    },
    {
      control: 'a silent issuer is no fault of the token',
      from: 'isSeamError(error) ? issuerSilent(url) : tokenRefusal(error)',
      to: 'tokenRefusal(error)',
    },
  ]),
  ...quick('apps/gateway/src/access/role-of-claims.decide.ts', 'apps/gateway/src/access/tokens.spec.ts', [
    {
      control: 'the highest role counts',
      from: 'ROLES.findLast',
      to: 'ROLES.find',
    },
  ]),
  ...quick('apps/gateway/src/access/issuer-keys.ts', 'apps/gateway/src/access/tokens.spec.ts', [
    {
      control: 'a key that is no longer published opens nothing',
      from: 'if (this.signal.aborted) return;\n      await this.read();',
      to: 'if (this.signal.aborted) return;',
    },
    {
      control: 'a flood of tokens is no flood of readings',
      from: 'nowMs >= this.searchedAtMs + this.rhythm.againAfterMs',
      to: 'nowMs >= this.searchedAtMs',
    },
    {
      control: 'known keys hold for an hour without the issuer, and not longer',
      from: 'this.known !== undefined && this.world.clock.now() < this.known.readAtMs + this.rhythm.keptMs',
      to: 'this.known !== undefined',
    },
  ]),
  ...quick('apps/gateway/src/access/read-issuer.ts', 'apps/gateway/src/access/tokens.spec.ts', [
    {
      control: 'a description of another issuer is refused',
      from: 'if (metadata.issuer !== issuer)',
      to: "if (metadata.issuer === '')",
    },
    {
      control: 'a redirect is not followed',
      from: "redirect: 'manual'",
      to: "redirect: 'follow'",
    },
    {
      control: 'keys in clear are refused',
      from: 'if (isPlaintextElsewhere(metadata.jwks_uri))',
      to: 'if (isPlaintextElsewhere(issuer))',
    },
  ]),
  ...quick('apps/dashboard/src/state/event-stream.ts', 'apps/dashboard/src/state/event-stream.spec.ts', [
    {
      control: 'a message that its end cut off is left out',
      from: 'rest = blocks.pop()!;',
      to: "rest = '';",
    },
  ]),
  ...quick('libs/operations/src/access/known-keys.ts', 'apps/gateway/src/api/api.spec.ts', [
    {
      control: 'a revoked key opens nothing',
      from: 'if (revoked !== null)',
      to: 'if (revoked !== null && nowMs < 0)',
    },
    {
      control: 'an expired key opens nothing',
      from: 'expiresAt !== null && expiresAt <= nowMs',
      to: 'expiresAt !== null && expiresAt > nowMs',
    },
    {
      control: 'the secret has to be right',
      from: '&& timingSafeEqual(given, known);',
      to: '&& (timingSafeEqual(given, known) || true);',
    },
  ]),
  ...quick('libs/operations/src/quotas/usage-ledger.ts', 'libs/operations/src/quotas/usage-ledger.spec.ts', [
    {
      control: 'without room a request is not admitted',
      from: 'amount === null || used + amount > limit',
      to: 'amount === null || used > limit',
    },
    {
      control: 'an unknown price has no room under a limit of money',
      from: 'amount === null || used + amount > limit',
      to: 'amount !== null && used + amount > limit',
    },
    {
      control: 'what is not reported is charged as it was reserved',
      from: 'tokens: tokens ?? amounts.tokens',
      to: 'tokens: tokens ?? 0',
    },
    {
      control: 'a released reservation counts for nothing',
      from: 'this.add(client, atMs, amounts, -1);',
      to: 'this.add(client, atMs, amounts, 1);',
    },
    {
      control: 'a settlement of another client does not count',
      from: 'if (reservation?.client !== clientOf({ keyId, meta })) return;',
      to: 'if (reservation === undefined) return;',
    },
    {
      control: 'a settlement that comes too late does not count',
      from: 'if (meta.occurredAt > reservation.lapsesAt) return;',
      to: 'if (meta.occurredAt < 0) return;',
    },
  ]),
  ...quick('apps/gateway/src/quotas/quotas.ts', 'apps/gateway/src/quotas/quotas.spec.ts', [
    {
      control: 'the log has the last word among several gateways',
      from: 'if (admitted.length < reserved.length) {',
      to: 'if (admitted.length < reserved.length && foreseen.length === 0) {',
    },
    {
      control: 'a flood above a limit leaves no record',
      from: 'if (!foreseen.every(({ isAdmitted }) => isAdmitted)) throw',
      to: 'if (foreseen.length === 0) throw',
    },
    {
      control: 'an executor without a price has no known cost',
      from: 'if (known.length < prices.length) return null;',
      to: 'if (known.length < prices.length) return 0;',
    },
  ]),
  ...quick('apps/gateway/src/chat/answer-chat.handler.ts', 'apps/gateway/src/quotas/quotas.spec.ts', [
    {
      control: 'leaving before the end is not free',
      from: 'if (!begun.signal.aborted) charge.begin();',
      to: 'if (begun.signal.aborted) charge.begin();',
    },
    {
      control: 'an executor that did not work is not charged',
      from: "executor === 'idle' ? charge.released()",
      to: "executor !== 'idle' ? charge.released()",
    },
  ]),
];
