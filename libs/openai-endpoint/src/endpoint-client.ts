/**
 * Asks one endpoint: within its limits, again where that may help, within a budget, and never taking for an answer what is
 * none. A failure is a value and not an exception, since what to do about it differs by caller.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type ErrorCode, raceAbort, SeamError, Semaphore } from '@seamstream/kernel';
import type { z } from 'zod';
import { Budget, type Spending } from './budget.js';
import type { EndpointSettings, TokenCount } from './endpoint-settings.js';
import { Connections, type Outgoing } from './http-exchange.js';
import { MinuteBucket } from './rate-limit.js';
import { type Reading, readExchange, waitMs } from './retry.decide.js';

export interface EndpointFailure {
  readonly kind: 'failed';
  readonly code: ErrorCode;
  readonly reason: string;
  /** The same request may be answered later, without a change by anyone. */
  readonly retryable: boolean;
  /** Nothing else will be answered either before a person acts. */
  readonly halts: boolean;
}

export type EndpointResult<T> = { readonly kind: 'answer'; readonly value: T } | EndpointFailure;

export interface EndpointTask<T> {
  readonly method: 'GET' | 'POST';
  /** Below the base address: `chat/completions`. */
  readonly path: string;
  /** JSON; absent for GET. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Of what is answered: `json` (the default) is parsed before the schema sees it. */
  readonly format?: 'json' | 'text';
  readonly schema: z.ZodType<T>;
  /** Most tokens that it can use. */
  readonly worst: TokenCount;
  /** Its refusal says nothing about other requests: what is asked is not offered everywhere. */
  readonly isOptional?: boolean;
  /** Tries; default: as the limits say. */
  readonly attempts?: number;
  /** Of the server; without a limit when absent. */
  readonly time?: ServerTime;
  /** Tokens that it has used, as the answer says. */
  readonly usage: (answer: T) => TokenCount;
  /** Called with what counts as used for an answer of status 200 that could not be read. */
  readonly onUnread?: (tokens: TokenCount) => void;
}

/**
 * What a server may still take for a task, and for those that share this value. Only its own time counts: no wait for a turn, for the
 * endpoint's limits, for the end of an outage or before another try.
 */
export interface ServerTime {
  leftMs: number;
}

/** Of the world. */
export interface EndpointWorld {
  readonly clock: Clock;
  /** Uniform in [0, 1): spreads waits. */
  readonly chance: () => number;
  /** Called with every exchange with the server: for metrics. */
  readonly onExchange?: (kind: Reading['kind'], milliseconds: number) => void;
}

const NOTHING: TokenCount = { promptTokens: 0, responseTokens: 0 };

export class EndpointClient {
  private readonly connections: Connections;
  private readonly permits: Semaphore;
  private readonly budget: Budget;
  private readonly requestBucket: MinuteBucket | null;
  private readonly tokenBucket: MinuteBucket | null;
  private readonly closing = new AbortController();
  private pausedUntilMs = 0;
  private halt: EndpointFailure | undefined;
  private lastOutage: string | undefined;
  /** Answers that were paid and could not be read: how many, and what was wrong with the latest. */
  private unread: { readonly answers: number; readonly reason: string } | undefined;
  /** Answers that report more tokens than their requests may need. */
  private overstated = 0;
  private settled = Promise.withResolvers<unknown>();

  constructor(
    private readonly settings: EndpointSettings,
    private readonly world: EndpointWorld,
  ) {
    const { limits, budget } = settings;
    const nowMs = world.clock.now();
    this.connections = new Connections(limits);
    this.permits = new Semaphore(limits.concurrency);
    this.budget = new Budget(budget);
    this.requestBucket = limits.requestsPerMinute === null ? null : new MinuteBucket(limits.requestsPerMinute, nowMs);
    this.tokenBucket = limits.tokensPerMinute === null ? null : new MinuteBucket(limits.tokensPerMinute, nowMs);
  }

  get spent(): Spending {
    return this.budget.spent;
  }

  /** @throws SeamError why no request is answered: at present, or before a person acts */
  assertAnswering(): void {
    if (this.halt !== undefined) throw new SeamError(this.halt.code, this.halt.reason);
    if (this.lastOutage !== undefined)
      throw new SeamError('ENDPOINT_UNAVAILABLE', this.named(`it answers no request: ${this.lastOutage}`));
  }

  /** What was spent before this client was there. */
  addSpent(tokens: TokenCount): void {
    this.budget.addSpent(tokens);
  }

  /** From now on nothing is asked. */
  haltWith(code: ErrorCode, reason: string): EndpointFailure {
    this.halt ??= { kind: 'failed', code, reason: this.named(reason), retryable: false, halts: true };
    return this.halt;
  }

  /**
   * What goes wrong otherwise is in the result.
   * @throws ABORTED by the signal or when the client was closed; DEADLINE_EXCEEDED where the server took all of the task's time
   */
  async ask<T>(task: EndpointTask<T>, signal?: AbortSignal): Promise<EndpointResult<T>> {
    const until = signal === undefined ? this.closing.signal : AbortSignal.any([signal, this.closing.signal]);
    return this.permits.run(() => this.askUntilRead(task, until), until);
  }

  /** Ends what is under way, which rejects with ABORTED. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.connections.close();
  }

  private async askUntilRead<T>(task: EndpointTask<T>, signal: AbortSignal): Promise<EndpointResult<T>> {
    const { limits } = this.settings;
    const startedMs = this.world.clock.now();
    const patienceLeft = (): number => startedMs + limits.patienceMs - this.world.clock.now();
    for (let failures = 0, outages = 0; ; ) {
      if (task.time !== undefined && task.time.leftMs <= 0) throw this.late();
      const obstacle = await this.admit(task.worst, patienceLeft, signal);
      if (obstacle !== undefined) return obstacle;
      const { reading, answer } = await this.exchange(task, signal);
      switch (reading.kind) {
        case 'answer':
          if (answer !== undefined) return answer;
          throw new SeamError('INTERNAL', 'Cannot ask an endpoint: an answer was read and is not there.');
        case 'refused':
          return { ...this.failure(reading.code, reading.reason), retryable: false };
        case 'halted':
          if (task.isOptional === true) return { ...this.failure(reading.code, reading.reason), retryable: false };
          return this.haltWith(reading.code, reading.reason);
        case 'failed': {
          const wait = waitMs(++failures, reading.afterMs, limits, this.world.chance());
          if (failures >= (task.attempts ?? limits.attempts) || wait > patienceLeft()) {
            const tries = failures === 1 ? '1 try' : `${failures} tries`;
            return this.failure('ENDPOINT_FAILED', `${reading.reason}, after ${tries}`);
          }
          await this.sleep(wait, signal);
          break;
        }
        case 'outage': {
          const wait = waitMs(++outages, reading.afterMs, limits, this.world.chance());
          this.lastOutage = reading.reason;
          if (reading.afterMs !== null)
            this.pausedUntilMs = Math.max(this.pausedUntilMs, this.world.clock.now() + reading.afterMs);
          if (wait > patienceLeft()) return this.failure('ENDPOINT_UNAVAILABLE', reading.reason);
          await this.sleep(wait, signal);
          break;
        }
      }
    }
  }

  /** What a budget was spent on besides answers as they were asked for, for the words about its end. */
  private oddSpending(): string {
    const { unread, overstated } = this;
    const odd = [
      ...(unread === undefined
        ? []
        : [`${unread.answers} of its answers were paid and could not be read (the latest: ${unread.reason})`]),
      ...(overstated === 0 ? [] : [`${overstated} of its answers report more tokens than they were allowed`]),
    ];
    return odd.map((each) => `${each}, and `).join('');
  }

  /** Waits until a request may be sent, and reserves its worst case; or says why none is. */
  private async admit(
    worst: TokenCount,
    patienceLeft: () => number,
    signal: AbortSignal,
  ): Promise<EndpointFailure | undefined> {
    for (;;) {
      if (this.halt !== undefined) return this.halt;
      const nowMs = this.world.clock.now();
      const pause = this.pausedUntilMs - nowMs;
      if (pause > patienceLeft() && pause > 0) {
        return this.failure('ENDPOINT_UNAVAILABLE', `it asks to wait for ${Math.ceil(pause / 1000)} s more`);
      }
      const tokens = worst.promptTokens + worst.responseTokens;
      const wait = Math.max(
        pause,
        this.requestBucket?.waitFor(1, nowMs) ?? 0,
        tokens === 0 ? 0 : (this.tokenBucket?.waitFor(tokens, nowMs) ?? 0),
      );
      if (wait > 0) {
        await this.sleep(wait, signal);
        continue;
      }
      const reservation = this.budget.reserve(worst);
      if (reservation === 'spent') {
        const remedy = `its budget is spent (${this.budget.toString()}); the next request may need ${tokens} tokens. Raise the budget`;
        return this.haltWith('BUDGET_SPENT', `${this.oddSpending()}${remedy}`);
      }
      if (reservation === 'wait') {
        if (await this.isSettledWithin(patienceLeft(), signal)) continue;
        const tooLong = `requests under way may need what is left of its budget (${this.budget.toString()})`;
        return this.failure('ENDPOINT_UNAVAILABLE', tooLong);
      }
      this.requestBucket?.take(1, nowMs);
      this.tokenBucket?.take(tokens, nowMs);
      return undefined;
    }
  }

  /** Whether a request under way has ended before so many milliseconds. @throws ABORTED */
  private async isSettledWithin(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const waited = new AbortController();
    const late = delay(Math.max(0, milliseconds), false, { signal: waited.signal });
    late.catch(() => undefined); // no caller waits for it any more
    try {
      const settled = this.settled.promise.then(() => true);
      return await raceAbort(signal, Promise.race([settled, late]), 'its budget');
    } finally {
      waited.abort();
    }
  }

  private async exchange<T>(
    { method, path, body, format = 'json', schema, worst, time, usage, onUnread }: EndpointTask<T>,
    signal: AbortSignal,
  ): Promise<{ readonly reading: Reading; readonly answer?: EndpointResult<T> }> {
    const { key, keyName, limits } = this.settings;
    const outgoing: Outgoing = {
      method,
      url: this.addressOf(path),
      key,
      body: body === undefined ? null : JSON.stringify(body),
    };
    const startedMs = this.world.clock.now();
    // What is not known to be free counts as used: a server may have computed what never arrived.
    let used = worst;
    try {
      const isShort = time !== undefined && time.leftMs < limits.requestTimeoutMs;
      const withinMs = isShort ? time.leftMs : limits.requestTimeoutMs;
      const exchange = await this.connections.exchange(outgoing, signal, withinMs);
      const nowMs = this.world.clock.now();
      const reading = readExchange(exchange, { nowMs, keyName, quotable: (text) => this.quotable(text) });
      // An outage is no work of the server.
      if (time !== undefined && reading.kind !== 'outage') time.leftMs -= nowMs - startedMs;
      if (reading.kind !== 'answer') {
        if (exchange.kind !== 'broken') used = NOTHING;
        this.world.onExchange?.(reading.kind, nowMs - startedMs);
        if (isShort && exchange.kind === 'broken' && exchange.isLate === true) throw this.late();
        return { reading };
      }
      this.lastOutage = undefined;
      const value = parsed(reading.body, format, schema);
      if ('fault' in value) {
        const failed: Reading = { kind: 'failed', reason: this.quotable(value.fault), afterMs: null };
        this.unread = { answers: (this.unread?.answers ?? 0) + 1, reason: failed.reason };
        onUnread?.(worst);
        this.world.onExchange?.(failed.kind, nowMs - startedMs);
        return { reading: failed };
      }
      used = usage(value.value);
      if (used.promptTokens > worst.promptTokens || used.responseTokens > worst.responseTokens) this.overstated++;
      this.world.onExchange?.(reading.kind, nowMs - startedMs);
      return { reading, answer: { kind: 'answer', value: value.value } };
    } finally {
      this.budget.settle(worst, used);
      this.tokenBucket?.giveBack(worst.promptTokens + worst.responseTokens - used.promptTokens - used.responseTokens);
      const { resolve } = this.settled;
      this.settled = Promise.withResolvers<unknown>();
      resolve(undefined);
    }
  }

  private addressOf(path: string): URL {
    const url = new URL(this.settings.url);
    url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${path}`;
    return url;
  }

  private failure(code: ErrorCode, reason: string): EndpointFailure {
    return { kind: 'failed', code, reason: this.named(reason), retryable: true, halts: false };
  }

  private late(): SeamError {
    return new SeamError('DEADLINE_EXCEEDED', this.named('it took all of the time that the task has'));
  }

  private named(reason: string): string {
    const { origin, pathname } = new URL(this.settings.url);
    return `Cannot ask endpoint ${origin}${pathname.replace(/(?<!\/)\/+$/, '')}: ${reason}.`;
  }

  /** A server's words without the key and without characters that a terminal or a log would obey. */
  private quotable(text: string): string {
    const { key } = this.settings;
    const safe = key === null ? text : text.replaceAll(key, '***');
    return safe.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  }

  private async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await delay(milliseconds, undefined, { signal });
    } catch {
      throw new SeamError('ABORTED', 'Cannot ask an endpoint: aborted while it waited.');
    }
  }
}

function parsed<T>(
  body: string,
  format: 'json' | 'text',
  schema: z.ZodType<T>,
): { readonly value: T } | { readonly fault: string } {
  let json: unknown;
  try {
    json = format === 'text' ? body : JSON.parse(body);
  } catch {
    const what = body.trim().startsWith('<') ? 'a page of HTML' : 'something else';
    return { fault: `status 200, but expected JSON and got ${what}` };
  }
  const result = schema.safeParse(json);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  return {
    fault: `status 200, but with another shape than documented (${where === '' ? '' : `${where}: `}${issue?.message ?? ''})`,
  };
}
