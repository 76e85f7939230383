/** Several executors in an order: the next one is asked where one gave no answer, and nothing of an answer was sent yet. */
import { type Clock, SeamError } from '@seamstream/kernel';
import { mayAskNext } from './fallback.decide.js';
import type { ConversationRequest, Upstream, UpstreamAnswer } from './upstream.port.js';

/** How asking went; filled while it goes, so that it is known also where it failed. */
export interface Tries {
  /** The one that is asked, or that answered. */
  current: Upstream;
  /** In their order. */
  readonly failed: FailedTry[];
}

/** As events hold it. */
interface FailedTry {
  readonly model: string;
  readonly code: string;
  readonly reason: string;
  readonly latencyMs: number;
}

export class UpstreamOrder {
  readonly first: Upstream;

  /** @param upstreams at least one */
  constructor(
    private readonly upstreams: readonly Upstream[],
    private readonly clock: Clock,
    /** Learns of every failed try, by the place in the order. */
    private readonly onFailed: (place: number, code: string) => void = () => undefined,
  ) {
    this.first = upstreams[0]!;
  }

  /** Of each executor the name that answers record. */
  get models(): readonly string[] {
    return this.upstreams.map(({ models }) => models[0]!);
  }

  begin(): Tries {
    return { current: this.first, failed: [] };
  }

  /** @throws what the last one threw */
  async ask(asked: ConversationRequest, tries: Tries, signal: AbortSignal): Promise<UpstreamAnswer> {
    for (const [place, upstream] of this.upstreams.entries()) {
      tries.current = upstream;
      const startedMs = this.clock.now();
      const isLast = place === this.upstreams.length - 1;
      const result = await this.begun(upstream, asked, signal).catch(
        (error: unknown) => ({ kind: 'threw', error }) as const,
      );
      const fault = mayAskNext(result);
      if (fault !== undefined) this.onFailed(place, fault.code);
      if (fault === undefined || isLast) {
        if (result.kind === 'threw') throw result.error;
        return result;
      }
      tries.failed.push({ model: upstream.models[0]!, ...fault, latencyMs: this.clock.now() - startedMs });
    }
    throw new SeamError('INTERNAL', 'Cannot ask an executor: expected at least one, got none.');
  }

  /** An answer that streams has begun when its first part is there: until then it may fail as a whole one does. */
  private async begun(upstream: Upstream, asked: ConversationRequest, signal: AbortSignal): Promise<UpstreamAnswer> {
    const answer = await upstream.ask(asked, signal);
    if (answer.kind !== 'parts') return answer;
    const parts = answer.parts[Symbol.asyncIterator]();
    const first = await parts.next();
    if (first.done === true)
      throw new SeamError(
        'ENDPOINT_FAILED',
        'Cannot begin the answer: expected a first part from the executor, got the end of the connection.',
      );
    return { kind: 'parts', parts: beginningWith(first, parts) };
  }
}

async function* beginningWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
