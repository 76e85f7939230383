/**
 * One chat request from its question to its record:
 *
 *   1. published ─► 2. its experience, within a budget ─► 3. the executor ─► 4. recorded ─► 5. the last byte
 *
 * A client with limits reserves its use before 1., and it is settled with 4.
 * A request that does not come to an answer is an ExecutionFailed. An answer that its client does not wait for is recorded as cut.
 */

import type { LearnedModel } from '@seamstream/environments';
import type { Assignment } from '@seamstream/events';
import type { ChatAnswer, ChatChunk, ChatRequest } from '@seamstream/gateway-contract';
import { type Clock, derivedId, isSeamError, messageOf, newId, SeamError } from '@seamstream/kernel';
import type { OpenSpan, Tracing } from '@seamstream/service-kit';
import { type Principal, scopeOf } from '../access/principal.js';
import { ApiError } from '../http/api-error.js';
import { asApiError } from '../http/errors.filter.js';
import type { Charge } from '../quotas/charge.js';
import type { Quotas } from '../quotas/quotas.js';
import type { Spent } from '../quotas/used.decide.js';
import { worstCaseOf } from '../quotas/worst-case.decide.js';
import type { AnswerForm } from './answer-form.js';
import { type Answered, answeredOf, GrowingAnswer } from './answered.decide.js';
import { armOf, domainOf, problemPublished, type Treatment, treatmentOf } from './chat-events.decide.js';
import type { ChatSessions, ChatVisit } from './chat-sessions.js';
import { beginChatSpan, endChatSpan } from './chat-span.js';
import { unitOf } from './conversation.decide.js';
import type { ExperienceArrivals } from './experience-arrivals.js';
import type { MutedDomains } from './muted-domains.js';
import type { ChatRecorder, RecordedRequest } from './record-chat.js';
import { type PartSeconds, RequestParts } from './request-parts.js';
import type { Tries, UpstreamOrder } from './upstream-order.js';

export interface AnswerChatSettings {
  readonly experiment: string;
  /** Where the domain is not muted. */
  readonly controlShare: number;
  /** Longest wait for an experience. */
  readonly experienceWithinMs: number;
  /** Longest time for a whole answer. */
  readonly answerWithinMs: number;
  readonly feedbackWithinMs: number;
  /** Tokens that are reserved for an answer without a limit. */
  readonly reserveTokens: number;
  /** Identity of the log: part of every unit. */
  readonly log: string;
}

export interface AnswerChatWorld {
  readonly upstreams: UpstreamOrder;
  readonly arrivals: ExperienceArrivals;
  readonly muted: Pick<MutedDomains, 'controlShare'>;
  readonly recorder: ChatRecorder;
  readonly quotas: Pick<Quotas, 'reserve' | 'settle'>;
  readonly sessions: Pick<ChatSessions, 'visit'>;
  readonly clock: Clock;
  readonly onRequest: (arm: string, result: string) => void;
  /** Learns where the time of a whole answer went, once it is in the log. */
  readonly onParts: (seconds: PartSeconds) => void;
  /** Learns what an answer used, once it is in the log. */
  readonly onSpent: (spent: Spent) => void;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
}

/** The client of a request, as the HTTP layer knows it. */
export interface ChatClient {
  readonly principal: Principal;
  readonly requestId: string;
  readonly retries: string | null;
  readonly traceparent: string | null;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Aborts when the gateway may wait no longer. */
  readonly ending: AbortSignal;
}

interface Asked {
  readonly request: ChatRequest;
  readonly form: AnswerForm;
  readonly client: ChatClient;
  readonly parts: RequestParts;
}

/** A request under way. */
interface Begun extends RecordedRequest, Asked {
  readonly charge: Charge;
  /** Null: the request names no session. */
  readonly visit: ChatVisit | null;
  /** What its session answers by; null: the frozen executor does. */
  readonly learned: LearnedModel | null;
  readonly treatment: Treatment;
  /** Between the request and the question to the executor. */
  readonly overheadMs: number;
  readonly tries: Tries;
  /** Of the executor's answer; undefined where the request is not traced. */
  readonly span: OpenSpan | undefined;
  /** Of the client or the gateway. */
  readonly signal: AbortSignal;
}

export interface ChatReply {
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a whole answer, or frames of server-sent events. */
  readonly content: { readonly whole: unknown } | { readonly frames: AsyncGenerator<string> };
}

export class AnswerChatHandler {
  constructor(
    private readonly world: AnswerChatWorld,
    private readonly settings: AnswerChatSettings,
  ) {}

  /** @throws ApiError before the first byte of an answer */
  async handle(request: ChatRequest, form: AnswerForm, client: ChatClient): Promise<ChatReply> {
    this.assertAnswerable(request);
    const { quotas, upstreams, clock } = this.world;
    const parts = new RequestParts(clock);
    const worstCase = () => worstCaseOf(request, this.settings.reserveTokens);
    const charge = await quotas.reserve(client.principal, worstCase, upstreams.models);
    // 1. and 2. Without a record nothing is asked.
    const begun = await this.begin({ request, form, client, parts }, charge).catch(async (error: unknown) => {
      // Where that fails too, it lapses.
      await quotas.settle(charge.released()).catch(() => undefined);
      throw error;
    });
    const ours = { ...charge.headers, ...headersOf(begun) };
    try {
      // 3.
      if (!begun.signal.aborted) charge.begin();
      const { seam: _, ...asked } = request;
      const question = {
        request: asked,
        problem: begun.published.problem,
        entry: begun.treatment.experience?.entry ?? null,
        seed: begun.published.meta.messageId,
        model: begun.learned?.model ?? null,
      };
      const answer = await parts.during('executor', () => upstreams.ask(question, begun.tries, begun.signal));
      const headers = { ...ours, ...triesHeader(begun) };
      if (answer.kind === 'parts') return { headers, content: { frames: this.frames(begun, answer.parts) } };
      if (answer.kind === 'refused') {
        const { status, body, code } = answer;
        await this.recordFailure(begun, code, body.error.message, 'idle');
        // Its code is the server's: a label of a metric for each would have no bound.
        const own = { status, countedAs: 'upstream_refused', headers: { ...headers, ...answer.headers } };
        throw new ApiError({ ...body.error, ...own });
      }
      // 4. and 5.
      await this.recordAnswer(begun, answeredOf(answer.answer), fingerprintOf(answer.answer), null);
      return { headers, content: { whole: form.whole(answer.answer, begun.published.problem.problemId) } };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw await this.failed(begun, error, { ...ours, ...triesHeader(begun) });
    }
  }

  private assertAnswerable({ model, n }: ChatRequest): void {
    const { models } = this.world.upstreams.first;
    if (!models.includes(model)) {
      throw new ApiError({
        status: 404,
        message: `Cannot answer as ${JSON.stringify(model)}: expected one of ${models.join(', ')}. Set the model to one of them.`,
        param: 'model',
        code: 'model_not_found',
      });
    }
    if ((n ?? 1) !== 1) {
      throw new ApiError({
        status: 400,
        message: `Cannot give ${n} answers: expected n = 1, since one request has one record. Send the request again for another answer.`,
        param: 'n',
        code: 'unsupported_value',
      });
    }
  }

  private async begin(asked: Asked, charge: Charge): Promise<Begun> {
    const { request, client, parts } = asked;
    // Begins no session: its answer does, since another one may have to go for it.
    const visit = this.world.sessions.visit(client.principal, request);
    const { recorder, arrivals, clock } = this.world;
    const { experiment, experienceWithinMs, answerWithinMs, feedbackWithinMs, log } = this.settings;
    const controlShare = this.world.muted.controlShare(domainOf(request), this.settings.controlShare);
    const assignment: Assignment = {
      experiment,
      controlShare,
      unit: unitOf(request, { log, client: scopeOf(client.principal) }),
    };
    const problemId = newId();
    const arm = armOf(assignment);
    const signal = AbortSignal.any([client.gone, client.ending, AbortSignal.timeout(answerWithinMs)]);
    const expected = arm === 'deploy' ? arrivals.expect(problemId, signal) : undefined;
    const recorded = await recorder
      .request(
        problemPublished(request, {
          ...{
            problemId,
            messageId: derivedId(problemId, 'published'),
            nowMs: clock.now(),
            client: client.principal,
            traceparent: client.traceparent,
          },
          ...{ assignment, feedbackWithinMs },
          metadata: {
            requestId: client.requestId,
            ...(client.retries === null ? {} : { retry: client.retries }),
          },
        }),
      )
      .catch(async (error: unknown) => {
        await expected?.wait(0);
        throw error;
      });
    const experience =
      expected === undefined ? null : await parts.during('entry', () => expected.wait(experienceWithinMs));
    const treatment = treatmentOf(arm, experience);
    const tries = this.world.upstreams.begin();
    return {
      ...recorded,
      ...asked,
      charge,
      treatment,
      visit,
      learned: visit?.learned() ?? null,
      overheadMs: parts.sinceReceivedMs,
      tries,
      span: beginChatSpan(this.world.tracing, client.traceparent, { tries, treatment, startMs: clock.now() }),
      signal,
    };
  }

  /**
   * Frames as the client asked for them. From the one that ends the answer on they are held until it is recorded, so that what is not in the
   * log never looks whole. A failure is said inside of the stream: plain loops of clients take any end for a good one.
   */
  private async *frames(begun: Begun, parts: AsyncIterable<ChatChunk>): AsyncGenerator<string> {
    const growing = new GrowingAnswer();
    const stream = begun.form.stream(begun.published.problem.problemId);
    const held: string[] = [];
    let fingerprint: string | null = null;
    try {
      for await (const part of begun.parts.eachOf(parts)) {
        growing.add(part);
        fingerprint ??= fingerprintOf(part);
        const frames = stream.part(part);
        if (growing.isEnded) held.push(...frames);
        else yield* begun.parts.toClient(frames);
      }
      if (!growing.isEnded)
        throw new SeamError(
          'ENDPOINT_FAILED',
          'Cannot finish the answer: expected its end from the executor, got the end of the connection.',
        );
      await this.recordAnswer(begun, growing.answered, fingerprint, null);
    } catch (error) {
      yield* stream.failed((await this.failed(begun, error, {}, growing, fingerprint)).body.error);
      return;
    }
    yield* held;
    yield* stream.end();
  }

  /** Records what did not come to an end. @returns what the client receives, if it is still there */
  private async failed(
    begun: Begun,
    error: unknown,
    headers: Readonly<Record<string, string>>,
    growing?: GrowingAnswer,
    fingerprint: string | null = null,
  ): Promise<ApiError> {
    const { client } = begun;
    try {
      if (client.gone.aborted) {
        const soFar = growing?.answered ?? { text: '', finishReason: null, usage: null };
        await this.recordAnswer(begun, soFar, fingerprint, 'client');
      } else {
        const fault = isLate(begun) ? lateAnswer(this.settings.answerWithinMs) : error;
        const code = isSeamError(fault) ? fault.code : 'INTERNAL';
        const executor = growing === undefined && IDLE.has(code) ? 'idle' : 'unknown';
        await this.recordFailure(begun, code, messageOf(fault), executor);
        return withHeaders(client.ending.aborted ? shuttingDown() : asApiError(fault), headers);
      }
    } catch (unrecorded) {
      return withHeaders(asApiError(unrecorded), headers);
    }
    return withHeaders(asApiError(error), headers);
  }

  private async recordAnswer(
    begun: Begun,
    answered: Answered,
    fingerprint: string | null,
    cutBy: 'client' | null,
  ): Promise<void> {
    const { recorder, clock, onRequest, onSpent, onParts } = this.world;
    const nowMs = clock.now();
    const { current, failed } = begun.tries;
    const { entryMs, executorMs: latencyMs, ownMs } = begun.parts;
    const executor = current.identityFor(begun.request, fingerprint);
    const sessionAdapter = begun.learned?.adapter.digest ?? null;
    const took = { entryMs, latencyMs, ownMs };
    const execution = { answered, executor, failedTries: failed, ...took, nowMs, cutBy, sessionAdapter };
    const spent = { usage: answered.usage, model: current.models[0]! };
    const settlement = begun.charge.charged(spent);
    await recorder.answer(begun, begun.treatment, execution, settlement);
    if (cutBy === null) {
      begun.visit?.answered();
      onParts(begun.parts.seconds);
    }
    endChatSpan(begun.span, { nowMs, tries: failed.length + 1, usage: answered.usage });
    onRequest(begun.treatment.arm, cutBy === null ? 'answered' : 'cut');
    onSpent(spent);
  }

  /** @param executor whether it may have worked: what it used is not known then, and is charged as it was reserved */
  private async recordFailure(
    { charge, span, ...begun }: Begun,
    code: SeamError['code'],
    reason: string,
    executor: 'idle' | 'unknown',
  ): Promise<void> {
    const settlement =
      executor === 'idle' ? charge.released() : charge.charged({ usage: null, model: begun.tries.current.models[0]! });
    const fault = { code, reason, attempts: begun.tries.failed.length + 1, nowMs: this.world.clock.now() };
    endChatSpan(span, { nowMs: fault.nowMs, tries: fault.attempts, error: code });
    await this.world.recorder.failure(begun, begun.treatment, fault, settlement);
    this.world.onRequest(begun.treatment.arm, 'failed');
  }
}

/** No executor worked: there was no connection, or it refused what was asked. */
const IDLE: ReadonlySet<SeamError['code']> = new Set([
  'ENDPOINT_UNAVAILABLE',
  'ENDPOINT_REFUSED',
  'INVALID_INPUT',
  'PROMPT_TOO_LONG',
]);

/** Neither client nor gateway ended it. */
function isLate({ signal, client }: Begun): boolean {
  return signal.aborted && !client.gone.aborted && !client.ending.aborted;
}

/** Another gateway, or the next one, answers: clients try again on their own. */
function shuttingDown(): ApiError {
  const message = 'Cannot answer any longer: the gateway is shutting down. Send the request again.';
  return new ApiError({ status: 503, message, code: 'shutting_down' });
}

function lateAnswer(withinMs: number): SeamError {
  return new SeamError(
    'DEADLINE_EXCEEDED',
    `Cannot wait for the executor any longer: no whole answer arrived within ${withinMs} ms.`,
  );
}

function fingerprintOf(answer: ChatAnswer | ChatChunk): string | null {
  return typeof answer.system_fingerprint === 'string' ? answer.system_fingerprint : null;
}

function headersOf({ published, treatment, learned, overheadMs }: Begun): Record<string, string> {
  const { experience, arm } = treatment;
  return {
    'x-seam-problem-id': published.problem.problemId,
    'x-seam-arm': arm,
    ...(experience === null
      ? {}
      : { 'x-seam-experience-id': experience.experienceId, 'x-seam-adapter': experience.adapterDigest ?? 'base' }),
    ...(learned === null ? {} : { 'x-seam-session-adapter': learned.adapter.digest }),
    'x-seam-overhead-ms': String(overheadMs),
  };
}

/** Only where an executor gave no answer: tries of the client are its own to count. */
function triesHeader({ tries: { failed } }: Begun): Record<string, string> {
  return failed.length === 0 ? {} : { 'x-seam-executor-tries': String(failed.length + 1) };
}

function withHeaders({ status, body, countedAs }: ApiError, headers: Readonly<Record<string, string>>): ApiError {
  return new ApiError({ status, ...body.error, countedAs, headers });
}
